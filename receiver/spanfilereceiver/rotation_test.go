package spanfilereceiver

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func removeFile(path string) error { return os.Remove(path) }

func TestRenamedFileIsReadOnce(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 2))
	b.settleDown()
	require.NoError(t, os.Rename(b.path("a.json"), b.path("b.json")))
	b.run(maxLookInterval + scanInterval)
	require.Len(t, b.files, 1)
	assert.Equal(t, b.path("b.json"), b.files[0].path)
	b.append("b.json", records("a", 2, 3))
	b.run(10 * time.Second)
	assert.Equal(t, names("a", 0, 3), b.out.got)
	assert.Zero(t, b.logs.FilterMessage("span file ended").Len())
}

func TestFileMovedOutOfIncludeIsReadToItsEnd(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 2))
	b.settleDown()
	require.NoError(t, os.Rename(b.path("a.json"), b.path("a.old")))
	b.append("a.old", records("a", 2, 3))
	b.run(time.Second)
	assert.Equal(t, names("a", 0, 3), b.out.got)
	b.run(time.Minute)
	assert.Empty(t, b.files)
	// It is remembered, should it come back.
	require.NoError(t, os.Rename(b.path("a.old"), b.path("c.json")))
	b.append("c.json", records("a", 3, 4))
	b.run(10 * time.Second)
	assert.Equal(t, names("a", 0, 4), b.out.got)
}

func TestReplacedFileIsReadToItsEndAndTheNewOneFromItsBeginning(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 2))
	b.settleDown()
	b.append("a.json", records("a", 2, 3))
	b.write("new", records("n", 0, 2))
	require.NoError(t, os.Rename(b.path("new"), b.path("a.json")))
	b.run(10 * time.Second)
	assert.ElementsMatch(t, append(names("a", 0, 3), names("n", 0, 2)...), b.out.got)
	b.append("a.json", records("n", 2, 3))
	b.run(10 * time.Second)
	assert.Contains(t, b.out.got, "n2")
	assert.Len(t, b.files, 1)
}

func TestDeletedFileIsReadToItsEndWhileOpen(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 1))
	b.settleDown()
	w, err := os.OpenFile(b.path("a.json"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, os.Remove(b.path("a.json")))
	_, err = w.WriteString(records("a", 1, 3))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	b.run(time.Minute)
	assert.Equal(t, names("a", 0, 3), b.out.got)
	assert.Empty(t, b.files)
	assert.Zero(t, b.metric("receiver_span_file_files_lost", ""))
	assert.Equal(t, 1, b.logs.FilterMessage("span file ended").Len())
}

func TestFileDeletedWhileClosedWithUnreadBytesIsCounted(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxOpenFiles = 1; c.MaxBatchSpans = 1 })
	b.write("a.json", records("a", 0, 2))
	b.write("b.json", records("b", 0, 2))
	b.pollOnce() // one record of each; at the end b is open and a is not
	require.Equal(t, []string{"a0", "b0"}, b.out.got)
	require.Nil(t, b.file().handle)
	require.NoError(t, os.Remove(b.path("a.json")))
	b.run(time.Minute)
	assert.Equal(t, []string{"a0", "b0", "b1"}, b.out.got)
	assert.EqualValues(t, 1, b.metric("receiver_span_file_files_lost", "deleted"))
	assert.EqualValues(t, len("\n"+record("a1")), b.metric("receiver_span_file_bytes_lost", "deleted"))
}

func TestTornTailOfDeletedFileIsCounted(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 1)+record("torn")[:50])
	b.settleDown()
	require.NoError(t, os.Remove(b.path("a.json")))
	b.run(time.Minute)
	assert.EqualValues(t, 1, b.metric("receiver_span_file_records_skipped", "torn"))
	assert.EqualValues(t, 50, b.metric("receiver_span_file_bytes_skipped", "torn"))
	assert.Zero(t, b.metric("receiver_span_file_files_lost", ""))
}

func TestTruncatedFileIsReadFromItsBeginning(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	b.write("a.json", records("b", 0, 1))
	b.run(3 * time.Second)
	assert.Equal(t, append(names("a", 0, 3), "b0"), b.out.got)
}

// TestFileCutBelowTheOffsetIsReadFromItsBeginning: its head is the same, but what
// follows the cut may be new, so reading twice is the safe way.
func TestFileCutBelowTheOffsetIsReadFromItsBeginning(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 20))
	b.settleDown()
	b.ok(os.Truncate(b.path("a.json"), int64(len(records("a", 0, 5)))))
	b.append("a.json", records("b", 0, 5))
	b.run(3 * time.Second)
	assert.Equal(t, append(append(names("a", 0, 20), names("a", 0, 5)...), names("b", 0, 5)...), b.out.got)
}

func TestCopytruncateThatGrowsPastTheOldOffsetIsNoticed(t *testing.T) {
	for _, size := range []int{3, 4, 9} { // the same size, and larger ones
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			b := newBench(t, nil)
			b.write("a.json", records("a", 0, 3))
			b.settleDown()
			require.NoError(t, os.Truncate(b.path("a.json"), 0))
			b.append("a.json", records("b", 0, size))
			b.run(3 * time.Second)
			assert.Equal(t, append(names("a", 0, 3), names("b", 0, size)...), b.out.got)
		})
	}
}

func TestCopyMadeByCopytruncateIsNotReadAgain(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	content, err := os.ReadFile(b.path("a.json"))
	require.NoError(t, err)
	b.write("a.1.json", string(content)+record("tail"))
	b.run(3 * time.Second)
	require.NoError(t, os.Truncate(b.path("a.json"), 0))
	b.append("a.json", records("b", 0, 1))
	b.run(3 * time.Second)
	assert.Equal(t, append(names("a", 0, 3), "tail", "b0"), b.out.got)
}

// TestTruncatedLogIsNotTakenForAnEarlierOne: each time it begins with the same lines.
func TestTruncatedLogIsNotTakenForAnEarlierOne(t *testing.T) {
	b := newBench(t, nil)
	banner := string(make64("job started on a node of the cluster\n", 2*headSize))
	b.write("a.json", banner+records("a", 0, 2))
	b.settleDown()
	b.write("a.json", "")
	b.run(time.Second)
	b.append("a.json", banner+records("b", 0, 6))
	b.run(time.Second)
	b.write("a.json", banner+records("c", 0, 4))
	b.run(time.Second)
	want := append(names("a", 0, 2), names("b", 0, 6)...)
	assert.Equal(t, append(want, names("c", 0, 4)...), b.out.got)
}

func TestTruncationWithUnreadBytesIsCounted(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
	b.write("a.json", records("a", 0, 3))
	b.pollOnce()
	require.Equal(t, []string{"a0"}, b.out.got)
	b.write("a.json", records("b", 0, 1))
	b.run(3 * time.Second)
	assert.Equal(t, []string{"a0", "b0"}, b.out.got)
	assert.EqualValues(t, 1, b.metric("receiver_span_file_files_lost", "truncated"))
	assert.EqualValues(t, len("\n"+records("a", 1, 3)), b.metric("receiver_span_file_bytes_lost", "truncated"))
}

func TestTornTailThatIsCutBackIsNoTruncation(t *testing.T) {
	for _, torn := range []int{50, len(record("a2")), len(record("a2")) + 5} { // less than follows, as much, more
		b := newBench(t, nil)
		b.write("a.json", records("a", 0, 2)+record("torn, with a long name")[:torn])
		b.settleDown()
		b.ok(os.Truncate(b.path("a.json"), int64(len(records("a", 0, 2)))))
		b.append("a.json", records("a", 2, 3))
		b.run(3 * time.Second)
		assert.Equal(t, names("a", 0, 3), b.out.got, torn)
	}
}

// TestFileMissedByOneScanIsKept: a listing made during a rename may miss both names.
func TestFileMissedByOneScanIsKept(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", record("a"))
	b.settleDown()
	b.shut(b.file())
	for _, left := range []int{1, 0} {
		b.scans++
		b.sweepOut(b.clock.read())
		assert.Len(t, b.files, left)
	}
}

// TestReusedPIDOfRayCore: Ray Core opens /tmp/spans/<pid>.txt with "w".
func TestReusedPIDOfRayCore(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Include = []string{filepath.Join(filepath.Dir(c.Include[0]), "*.txt")} })
	first, err := os.ReadFile(filepath.Join("..", "..", "testdata", "ray-core", "2585.txt"))
	require.NoError(t, err)
	second, err := os.ReadFile(filepath.Join("..", "..", "testdata", "ray-core", "2586.txt"))
	require.NoError(t, err)
	b.write("77.txt", string(first))
	b.settleDown()
	b.write("77.txt", string(second))
	b.run(3 * time.Second)
	assert.Len(t, b.out.got, objectsIn(first)+objectsIn(second))
	pid, ok := b.out.last.ResourceSpans().At(0).Resource().Attributes().Get("process.pid")
	require.True(t, ok)
	assert.EqualValues(t, 77, pid.Int())
}

func TestMovedSymlinkIsFollowedAndTheOldSessionReadToItsEnd(t *testing.T) {
	for _, include := range [][]string{{"latest/*.json"}, {"session_*/*.json"}, {"latest/*.json", "session_*/*.json"}} {
		t.Run(fmt.Sprint(include), func(t *testing.T) {
			b := newBench(t, func(c *Config) {
				dir := filepath.Dir(c.Include[0])
				c.Include = nil
				for _, glob := range include {
					c.Include = append(c.Include, filepath.Join(dir, glob))
				}
			})
			require.NoError(t, os.Mkdir(b.path("session_1"), 0o700))
			require.NoError(t, os.Mkdir(b.path("session_2"), 0o700))
			require.NoError(t, os.Symlink("session_1", b.path("latest")))
			b.write("session_1/p.json", records("a", 0, 2))
			b.run(time.Second)
			require.NoError(t, os.Remove(b.path("latest")))
			require.NoError(t, os.Symlink("session_2", b.path("latest")))
			b.append("session_1/p.json", records("a", 2, 3))
			b.write("session_2/p.json", records("b", 0, 2))
			b.run(5 * time.Second)
			assert.ElementsMatch(t, append(names("a", 0, 3), names("b", 0, 2)...), b.out.got)
		})
	}
}
