package spanfilereceiver

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onDisk is the number of bytes that a file takes on disk.
func onDisk(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	require.NoError(t, err)
	return st.Sys().(*syscall.Stat_t).Blocks * 512
}

func releasing(c *Config) { c.ReleaseDisk = true }

func TestDeliveredPartIsReleasedUnderALiveWriter(t *testing.T) {
	b := newBench(t, releasing)
	w, err := os.OpenFile(b.path("a.json"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer w.Close()
	const steps, step = 20, 3000
	written, most := 0, int64(0)
	for i := range steps { // each step writes about 2 MB
		text := records("a", i*step, (i+1)*step)
		_, err := w.WriteString(text)
		require.NoError(t, err)
		written += len(text)
		b.run(b.cfg.PollInterval)
		most = max(most, onDisk(t, b.path("a.json")))
	}
	b.run(2 * closeAfter)
	st, err := os.Stat(b.path("a.json"))
	require.NoError(t, err)
	assert.EqualValues(t, written, st.Size(), "the size stays")
	assert.Less(t, most, int64(8<<20))
	assert.LessOrEqual(t, onDisk(t, b.path("a.json")), int64(16<<10))
	assert.Equal(t, names("a", 0, steps*step), b.out.got)
	assert.InDelta(t, written, b.metric("receiver_span_file_bytes_released", ""), 2*keptSize)
	b.restart()
	b.append("a.json", record("more"))
	b.run(time.Second)
	assert.Equal(t, "more", b.out.got[len(b.out.got)-1])
	assert.Len(t, b.out.got, steps*step+1)
}

func TestUndeliveredPartIsNotReleased(t *testing.T) {
	b := newBench(t, releasing)
	b.out.hold = true
	b.write("a.json", records("a", 0, 9000))
	b.run(time.Minute)
	size := onDisk(t, b.path("a.json"))
	assert.Zero(t, b.metric("receiver_span_file_bytes_released", ""))
	b.out.hold = false
	for _, token := range b.out.held[1:] {
		token.Release(nil)
	}
	b.run(time.Minute)
	assert.Equal(t, size, onDisk(t, b.path("a.json")), "the first batch is still held")
	b.out.held[0].Release(nil)
	b.run(time.Minute)
	assert.Less(t, onDisk(t, b.path("a.json")), size/10)
}

// TestReadingAnewPassesOverTheHole: without a checkpoint a file is read from its
// beginning; what was released must not be taken for garbage, byte by byte.
func TestReadingAnewPassesOverTheHole(t *testing.T) {
	b := newBench(t, releasing)
	b.write("a.json", records("a", 0, 9000))
	b.run(2 * closeAfter)
	require.Less(t, onDisk(t, b.path("a.json")), int64(16<<10))
	b.append("a.json", records("n", 0, 3))
	b.out.got = nil
	b.start(b.cfg)
	b.run(time.Second)
	assert.Subset(t, b.out.got, names("n", 0, 3))
	assert.Less(t, len(b.out.got), 3*keptSize/len(record("a0")), "besides, what stands in the first and the last block")
	assert.Less(t, b.metric("receiver_span_file_bytes_skipped", ""), int64(2*chunkSize))
}

func TestFileThatIsNotOursToWriteIsLeftAlone(t *testing.T) {
	b := newBench(t, releasing)
	b.write("a.json", records("a", 0, 9000))
	b.write("b.json", records("b", 0, 9000))
	b.ok(os.Chmod(b.path("a.json"), 0o444))
	b.ok(os.Chmod(b.path("b.json"), 0o444))
	size := onDisk(t, b.path("a.json"))
	defer b.asOrdinaryUser()()
	b.run(time.Minute)
	assert.Len(t, b.out.got, 18000)
	assert.Equal(t, size, onDisk(t, b.path("a.json")))
	assert.Equal(t, 1, b.logs.FilterMessage("cannot release disk space of span files").Len())
}

// TestReleaseLooksAtTheLastMoment: what became of a file since it was looked at is
// not known to the poll that releases.
func TestReleaseLooksAtTheLastMoment(t *testing.T) {
	old, fresh := records("a", 0, 20), records("n", 0, 40)
	for name, c := range map[string]struct {
		happens func(b *bench)
		err     error
	}{
		"truncated and written anew": {func(b *bench) { b.write("a.json", fresh) }, errOtherFile},
		"cut":                        {func(b *bench) { b.ok(os.Truncate(b.path("a.json"), keptSize)) }, errOtherFile},
		"another inode": {func(b *bench) {
			b.write("b.json", old)
			b.ok(os.Rename(b.path("b.json"), b.path("a.json")))
		}, errOtherFile},
		"fifo": {func(b *bench) {
			b.ok(unix.Mkfifo(b.path("b"), 0o600))
			b.ok(os.Rename(b.path("b"), b.path("a.json")))
		}, errOtherFile},
		"symlink": {func(b *bench) {
			b.ok(os.Rename(b.path("a.json"), b.path("b")))
			b.ok(os.Symlink("b", b.path("a.json")))
		}, unix.ELOOP},
		"gone": {func(b *bench) { b.ok(os.Remove(b.path("a.json"))) }, os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.write("a.json", old)
			b.settleDown()
			f := b.file()
			c.happens(b)
			before := contentOf(b.path("a.json"))
			require.ErrorIs(t, b.releaseUpTo(f, 2*keptSize), c.err)
			assert.Equal(t, before, contentOf(b.path("a.json")))
		})
	}
}

// contentOf returns the content of what is a regular file at path.
func contentOf(path string) string {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	content, _ := os.ReadFile(path)
	return string(content)
}

// TestClosedFilesAreReleasedToo: beyond max_open_files they are closed before they
// are delivered.
func TestClosedFilesAreReleasedToo(t *testing.T) {
	b := newBench(t, func(c *Config) { c.ReleaseDisk, c.MaxOpenFiles = true, 1 })
	for _, name := range names("f", 0, 5) {
		b.write(name+".json", records(name, 0, 100))
	}
	b.run(2 * closeAfter)
	for _, name := range names("f", 0, 5) {
		assert.LessOrEqual(t, onDisk(t, b.path(name+".json")), int64(4*releaseBlock), name)
	}
}

func TestReleaseThatTheFileSystemCannotDoIsToldOnce(t *testing.T) {
	b := newBench(t, nil)
	b.reports.once("cannot", "/a", &os.PathError{Op: "x", Path: "/a", Err: unix.EOPNOTSUPP})
	b.reports.once("cannot", "/b", &os.PathError{Op: "x", Path: "/b", Err: unix.EOPNOTSUPP})
	b.reports.once("cannot", "/b", errors.New("other"))
	assert.Equal(t, 2, b.logs.Len())
}
