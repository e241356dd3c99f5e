package spanfilereceiver

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"golang.org/x/sys/unix"
)

// asOrdinaryUser makes file permissions count although it may be root who runs the
// test. It changes the calling thread only; the returned function undoes it.
func (b *bench) asOrdinaryUser() func() {
	b.ok(os.Chmod(b.dir, 0o755))
	b.ok(os.Chmod(filepath.Dir(b.dir), 0o755))
	runtime.LockOSThread()
	const nobody = 65534
	before, err := unix.SetfsuidRetUid(nobody)
	b.ok(err)
	return sync.OnceFunc(func() {
		_, err := unix.SetfsuidRetUid(before)
		b.ok(err)
		runtime.UnlockOSThread()
	})
}

func TestFileThatCannotBeReadIsReportedOnceRetriedAndStopsNothing(t *testing.T) {
	for name, fault := range map[string]struct {
		make, mend func(b *bench, path string)
	}{
		"permission": {
			func(b *bench, path string) { b.write("bad.json", record("bad")); b.ok(os.Chmod(path, 0)) },
			func(b *bench, path string) { b.ok(os.Chmod(path, 0o644)) },
		},
		"directory": {
			func(b *bench, path string) { b.ok(os.Mkdir(path, 0o700)) },
			func(b *bench, path string) { b.ok(os.Remove(path)); b.write("bad.json", record("bad")) },
		},
		"binary": {
			func(b *bench, _ string) { b.write("bad.json", "\x7fELF\x02\x01\x00\x00"+record("no")) },
			func(b *bench, _ string) { b.write("bad.json", record("bad")) },
		},
		"fifo": {
			func(b *bench, path string) { b.ok(unix.Mkfifo(path, 0o644)) },
			func(b *bench, path string) { b.ok(os.Remove(path)); b.write("bad.json", record("bad")) },
		},
		"symlink loop": {
			func(b *bench, path string) { b.ok(os.Symlink("bad.json", path)) },
			func(b *bench, path string) { b.ok(os.Remove(path)); b.write("bad.json", record("bad")) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			path := b.path("bad.json")
			fault.make(b, path)
			b.write("good.json", record("good"))
			b.ok(os.Chmod(b.path("good.json"), 0o644))
			back := b.asOrdinaryUser()
			defer back()
			b.run(10 * time.Second)
			assert.Equal(t, []string{"good"}, b.out.got)
			assert.Equal(t, componentstatus.StatusRecoverableError, b.host.lastStatus())
			assert.Equal(t, 1, b.logs.FilterMessage("cannot go on with it for now").Len())
			assert.Zero(t, b.metric("receiver_span_file_lag", ""))
			back()
			fault.mend(b, path)
			b.ok(os.Chmod(path, 0o644))
			b.run(10 * time.Second)
			assert.Equal(t, []string{"good", "bad"}, b.out.got)
			assert.Equal(t, componentstatus.StatusOK, b.host.lastStatus())
		})
	}
}

func TestReadErrorIsReportedAndTheFileOpenedAnew(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	f := b.file()
	broken, err := os.OpenFile(f.path, os.O_WRONLY, 0) // each read fails with EBADF
	b.ok(err)
	b.ok(f.handle.Close())
	f.handle = broken
	b.append("a.json", records("a", 3, 5))
	b.run(b.cfg.PollInterval)
	assert.Equal(t, componentstatus.StatusRecoverableError, b.host.lastStatus())
	b.run(2 * maxLookInterval)
	assert.Equal(t, names("a", 0, 5), b.out.got)
	assert.Equal(t, componentstatus.StatusOK, b.host.lastStatus())
	assert.Equal(t, 1, openDescriptors(t, b.dir))
}

func TestUnreadableDirectoryIsReported(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Include = []string{filepath.Join(filepath.Dir(c.Include[0]), "closed", "*.json")} })
	b.run(3 * time.Second)
	assert.Equal(t, componentstatus.StatusNone, b.host.lastStatus(), "not there yet")
	b.ok(os.Mkdir(b.path("closed"), 0))
	defer b.asOrdinaryUser()()
	b.run(3 * time.Second)
	assert.Equal(t, componentstatus.StatusRecoverableError, b.host.lastStatus())
}

func TestDirectoriesUnderDoubleStarAreNoFault(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Include = []string{filepath.Join(filepath.Dir(c.Include[0]), "**")} })
	b.ok(os.MkdirAll(b.path("sub/deep"), 0o700))
	b.write("sub/deep/a.json", record("a"))
	b.run(3 * time.Second)
	assert.Equal(t, []string{"a"}, b.out.got)
	assert.Equal(t, componentstatus.StatusNone, b.host.lastStatus())
}

// TestSymlinkLoopsUnderDoubleStarEnd: two of them have more paths than there is time for.
func TestSymlinkLoopsUnderDoubleStarEnd(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.Include = []string{filepath.Join(filepath.Dir(c.Include[0]), "**", "*.json")}
	})
	b.ok(os.MkdirAll(b.path("sub/deep"), 0o700))
	b.ok(os.Symlink("..", b.path("sub/one")))
	b.ok(os.Symlink("..", b.path("sub/two")))
	b.write("sub/deep/a.json", record("a"))
	b.run(3 * time.Second)
	assert.Equal(t, []string{"a"}, b.out.got)
}

// TestFaultOfAReplacementIsReportedOnce: the file that stood there is still being
// delivered, and looked at, while its path leads to what cannot be read.
func TestFaultOfAReplacementIsReportedOnce(t *testing.T) {
	b := newBench(t, nil)
	b.out.hold = true
	b.write("a.json", record("a"))
	b.settleDown()
	b.ok(os.Remove(b.path("a.json")))
	b.ok(os.Mkdir(b.path("a.json"), 0o700))
	b.run(time.Minute)
	assert.Equal(t, 1, b.logs.FilterMessage("cannot go on with it for now").Len())
	assert.Equal(t, componentstatus.StatusRecoverableError, b.host.lastStatus())
}

func openDescriptors(t *testing.T, dir string) int {
	t.Helper()
	links, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	n := 0
	for _, l := range links {
		target, err := os.Readlink(filepath.Join("/proc/self/fd", l.Name()))
		if err == nil && filepath.Dir(target) == dir {
			n++
		}
	}
	return n
}

func TestDeadFilesCostNoDescriptor(t *testing.T) {
	const all, alive = 5000, 50
	b := newBench(t, func(c *Config) { c.IgnoreOlder = 0 })
	hourAgo := b.clock.read().Add(-time.Hour)
	for i, name := range names("f", 0, all) {
		b.write(name+".json", record(name)+record("torn")[:i%2])
		if i >= alive {
			b.ok(os.Chtimes(b.path(name+".json"), hourAgo, hourAgo))
		}
	}
	b.settleDown()
	assert.Len(t, b.out.got, all)
	assert.LessOrEqual(t, openDescriptors(t, b.dir), alive)
	assert.EqualValues(t, openDescriptors(t, b.dir), b.metric("receiver_span_file_open_files", ""))
	assert.EqualValues(t, all, b.metric("receiver_span_file_known_files", ""))
	b.clock.advance(2 * closeAfter)
	b.settleDown()
	assert.Zero(t, openDescriptors(t, b.dir))
	b.append("f4998.json", record("woken"))
	b.run(maxLookInterval + time.Second)
	assert.Contains(t, b.out.got, "woken")
	assert.LessOrEqual(t, openDescriptors(t, b.dir), 1)
}

func TestFilesBeyondMaxOpenFilesAreReadToo(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxOpenFiles = 3; c.MaxBatchSpans = 1 })
	for _, name := range names("f", 0, 20) {
		b.write(name+".json", records(name+"-", 0, 3))
	}
	for b.pollOnce() {
		require.LessOrEqual(t, openDescriptors(t, b.dir), 3)
	}
	assert.Len(t, b.out.got, 60)
}

func TestHalfOfTheDescriptorsAreLeftToOthers(t *testing.T) {
	assert.Equal(t, 1024, openFilesBound(1024, 1<<20))
	assert.Equal(t, 64, openFilesBound(1024, 128))
	assert.Equal(t, 10, openFilesBound(10, 128))
	assert.Equal(t, 1, openFilesBound(1024, 0))
	assert.Positive(t, descriptorLimit())
}
