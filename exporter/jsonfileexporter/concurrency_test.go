package jsonfileexporter

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	pushers       = 8
	pushesOfEach  = 25
	spansOfAPush  = 7
	concurrentMax = 40_000
)

func TestConcurrentPushesWithRotationKeepEverySpanOnceAndWhole(t *testing.T) {
	for _, format := range []struct {
		name   string
		change func(*Config)
		read   func(testing.TB, []byte) ptrace.Traces
	}{
		{"lines", func(*Config) {}, decode},
		{"pretty", pretty, decode},
		{"otlp_json", otlpJSON, readOTLPJSON},
	} {
		for _, compression := range []Compression{CompressionNone, CompressionGzip, CompressionZstd} {
			for _, name := range []string{"spans.json", "{a}/spans.json"} {
				t.Run(fmt.Sprintf("%s, %s, %s", format.name, compression, name), func(t *testing.T) {
					dir := t.TempDir()
					cfg := newConfig(filepath.Join(dir, name), format.change, unsynced, maxSize(concurrentMax))
					cfg.Rotation.Compression = compression
					cfg.MaxOpenFiles = 2 // fewer than there are paths: files are closed and opened all the time
					f := newFixture(t, cfg)
					require.NoError(t, f.start(t.Context(), f.status))
					pushConcurrently(t, f)
					require.NoError(t, f.shutdown(t.Context()))
					assert.Equal(t, pushedNames(), namesInFiles(t, dir, format.read))
				})
			}
		}
	}
}

// pushedNames are the names that pushConcurrently gives, each once.
func pushedNames() map[string]int {
	all := map[string]int{}
	for i := range pushers * pushesOfEach * spansOfAPush {
		all[strconv.Itoa(i)] = 1
	}
	return all
}

// pushConcurrently pushes spans that are named by a running number.
func pushConcurrently(t *testing.T, f *fixture) {
	t.Helper()
	var all sync.WaitGroup
	for p := range pushers {
		all.Go(func() {
			for i := range pushesOfEach {
				var values []string
				for s := range spansOfAPush {
					values = append(values, strconv.Itoa((p*pushesOfEach+i)*spansOfAPush+s))
				}
				td := spansOf(values...)
				for s, rs := range td.ResourceSpans().All() {
					rs.Resource().Attributes().PutStr("a", strconv.Itoa(s%4))
				}
				td.MarkReadOnly()
				assert.NoError(t, f.push(t.Context(), td))
			}
		})
	}
	all.Wait()
}

// namesInFiles counts the names of all spans in the output files and backups in dir.
func namesInFiles(t *testing.T, dir string, read func(testing.TB, []byte) ptrace.Traces) map[string]int {
	t.Helper()
	count := map[string]int{}
	backups := 0
	for _, pattern := range []string{"spans*", "*/spans*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, file := range files {
			if plain := strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".zst"); plain != file {
				require.NotContains(t, files, plain, "packed and plain")
			}
			if filepath.Base(file) != "spans.json" {
				backups++
			}
			data := unpacked(t, file)
			if filepath.Ext(file) == ".json" {
				assert.LessOrEqual(t, len(data), concurrentMax)
			}
			for _, span := range eachSpan(resourcesOf(read(t, data))) {
				count[span.Name()]++
			}
		}
	}
	assert.Greater(t, backups, 4)
	return count
}

func TestConcurrentDurablePushesAreAllWritten(t *testing.T) {
	dir := t.TempDir()
	f := newFixture(t, newConfig(filepath.Join(dir, "spans.json"), maxSize(concurrentMax)))
	file := newSpanFile(f.files.settings, location{dir: dir, name: "spans.json"})
	file.now = func() time.Time { // rotation asks for the time, with file.mu taken
		assert.False(t, file.syncing, "rotated during an fsync")
		return time.Now()
	}
	f.files.files["spans.json"] = f.files.recent.PushFront(file)
	require.NoError(t, f.start(t.Context(), f.status))
	pushConcurrently(t, f)
	assert.Equal(t, file.size, file.synced)
	require.NoError(t, f.shutdown(t.Context()))
	assert.Equal(t, pushedNames(), namesInFiles(t, dir, decode))
}
