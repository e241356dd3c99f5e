package spanfilereceiver

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

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

// TestWholeRecordInATornOneIsReadWhenNobodyGoesOn: a writer died where a value was
// expected, the next one wrote one record and died as well.
func TestWholeRecordInATornOneIsReadWhenNobodyGoesOn(t *testing.T) {
	torn, _, _ := strings.Cut(record("torn"), "null")
	b := newBench(t, nil)
	b.write("a.json", record("a")+torn+record("whole"))
	b.run(closeAfter / 2)
	assert.Equal(t, []string{"a"}, b.out.got)
	refusals := 0
	b.out.refuse = func(ptrace.Traces) error {
		if refusals++; refusals > 2 {
			return nil
		}
		return errFull
	}
	b.run(2 * closeAfter)
	assert.Equal(t, []string{"a", "whole"}, b.out.got)
	assert.EqualValues(t, 3, b.metric("receiver_span_file_records_skipped", "torn"), "each time it is read")
	assert.Equal(t, b.file().size, b.committed())
	b.append("a.json", record("b"))
	b.run(3 * time.Second)
	assert.Equal(t, []string{"a", "whole", "b"}, b.out.got)
}

func TestWholeRecordInATornOneIsReadAlsoIfTheFileIsDeleted(t *testing.T) {
	torn, _, _ := strings.Cut(record("torn"), "null")
	b := newBench(t, func(c *Config) { c.PollInterval = scanInterval }) // so that each poll scans
	b.write("a.json", torn+record("whole"))
	b.settleDown()
	b.ok(os.Remove(b.path("a.json")))
	b.run(time.Minute)
	assert.Equal(t, []string{"whole"}, b.out.got)
	assert.Empty(t, b.files)
}

func TestExcludedPathNeedNotBeClean(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Exclude = []string{filepath.Dir(c.Include[0]) + "/.//a*.json"} })
	b.write("a.json", record("a"))
	b.write("b.json", record("b"))
	b.run(time.Second)
	assert.Equal(t, []string{"b"}, b.out.got)
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
