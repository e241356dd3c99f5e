package spanfilereceiver

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-serve/otelcol-serve/internal/bytesize"
)

// objectsIn counts the spans of a recording without parsing JSON. In the default
// indent only the end of a top-level object is a line of its own that is "}"
// (testdata/README.md); in the other form each line that is not empty is one.
func objectsIn(content []byte) int {
	n := 0
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, "\r\n")
		if string(line) == "}" || bytes.HasPrefix(line, []byte(`{"name": `)) && bytes.HasSuffix(line, []byte("}")) {
			n++
		}
	}
	return n
}

func TestEveryRecordingIsReadCompletely(t *testing.T) {
	root := filepath.Join("..", "..", "testdata")
	for _, glob := range []string{
		"sdk-*/*.json", "sdk-*/*.jsonl", "ray-*/spans/*.json", "ray-core/*.txt", "ray-2.60-console/worker-out/*.out",
	} {
		t.Run(glob, func(t *testing.T) {
			include := filepath.Join(root, glob)
			paths, err := filepath.Glob(include)
			require.NoError(t, err)
			require.NotEmpty(t, paths)
			b := newBench(t, func(c *Config) {
				c.Include = []string{include}
				c.Exclude = []string{filepath.Join(root, "**", "*.oracle.json")}
				c.IgnoreOlder = 0
			})
			b.settleDown()
			want := 0
			for _, path := range paths {
				if filepath.Ext(filepath.Base(path[:len(path)-len(filepath.Ext(path))])) == ".oracle" {
					continue
				}
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				want += objectsIn(content)
			}
			require.Positive(t, want)
			assert.Len(t, b.out.got, want)
			b.run(2 * time.Second)
			assert.Len(t, b.out.got, want, "nothing is read twice")
			assert.Zero(t, b.metric("receiver_span_file_records_skipped", "malformed"))
		})
	}
}

func TestGrowingFileIsFollowed(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 2))
	b.settleDown()
	assert.Equal(t, names("a", 0, 2), b.out.got)
	b.append("a.json", records("a", 2, 5))
	b.run(time.Second)
	assert.Equal(t, names("a", 0, 5), b.out.got)
}

func TestTornTailIsWaitedFor(t *testing.T) {
	whole := records("a", 0, 2)
	first := int64(len(records("a", 0, 1)))
	for cut := int(first) + 1; cut < len(whole); cut += 37 {
		b := newBench(t, nil)
		b.write("a.json", whole[:cut])
		b.settleDown()
		assert.LessOrEqual(t, b.committed(), first+int64(cut)-first)
		b.append("a.json", whole[cut:])
		b.run(time.Second)
		require.Equal(t, names("a", 0, 2), b.out.got, "cut at %d", cut)
	}
}

func TestFileCreatedLateIsFound(t *testing.T) {
	b := newBench(t, nil)
	b.settleDown()
	b.write("late.json", record("late"))
	b.run(2 * time.Second)
	assert.Equal(t, []string{"late"}, b.out.got)
}

func TestBatchesEndAtMaxBatchSpans(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 3 })
	b.write("a.json", records("a", 0, 8))
	b.settleDown()
	assert.Equal(t, names("a", 0, 8), b.out.got)
	assert.Equal(t, 3, b.out.calls)
}

func TestFilesTakeTurns(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
	b.write("a.json", records("a", 0, 3))
	b.write("b.json", records("b", 0, 3))
	b.settleDown()
	assert.Equal(t, []string{"a0", "b0", "a1", "b1", "a2", "b2"}, b.out.got)
}

func TestRecordAboveMaxRecordSizeIsSkippedAndCounted(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxRecordSize = 4 * bytesize.KiB })
	large := record(string(bytes.Repeat([]byte("x"), 2*chunkSize)))
	b.write("a.json", record("before")+large+record("after"))
	b.settleDown()
	assert.Equal(t, []string{"before", "after"}, b.out.got)
	assert.Positive(t, b.metric("receiver_span_file_records_skipped", "too_large"))
	assert.LessOrEqual(t, len(b.win.buf), int(4*bytesize.KiB)+chunkSize)
}
