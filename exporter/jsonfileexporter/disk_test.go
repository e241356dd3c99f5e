package jsonfileexporter

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// limitedFile names the file that the child process of TestFileSizeLimit writes.
const limitedFile = "JSON_FILE_TEST_LIMITED_FILE"

// TestFileSizeLimit meets a real short write, without root: under RLIMIT_FSIZE the
// kernel writes up to the limit and then answers EFBIG. It needs a process of its own,
// since the limit holds for all files of a process.
func TestFileSizeLimit(t *testing.T) {
	if path := os.Getenv(limitedFile); path != "" {
		pushIntoALimit(t, path)
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFileSizeLimit$", "-test.count=1")
	command.Env = append(os.Environ(), limitedFile+"="+filepath.Join(t.TempDir(), "x.json"))
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

func pushIntoALimit(t *testing.T, path string) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	one := written(t, spansOf("a"), otlpJSON)
	for _, sync := range []Sync{SyncBatch, SyncNone} {
		require.NoError(t, os.RemoveAll(path))
		f := newFixture(t, newConfig(path, otlpJSON, func(cfg *Config) { cfg.Sync = sync }))
		require.NoError(t, f.start(t.Context(), f.status))
		f.send(t, spansOf("a"))
		var limit syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
		free := limit.Cur
		limit.Cur = uint64(len(one) + len(one)/2)
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))

		err := f.push(t.Context(), spansOf("b"))

		limit.Cur = free
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
		require.ErrorIs(t, err, syscall.EFBIG)
		assert.Equal(t, "full_disk", reasonOf(err))
		assert.Equal(t, string(one), string(content(t, path)), "a half record is left")
		f.send(t, spansOf("b"))
		assert.Equal(t, string(one)+string(written(t, spansOf("b"), otlpJSON)), string(content(t, path)))
		require.NoError(t, f.shutdown(t.Context()))
	}
}

// TestFullDisk fills a real, tiny file system where this process may mount one (as root
// on Linux); everywhere else TestFileSizeLimit alone shows the behavior.
func TestFullDisk(t *testing.T) {
	dir := tinyDisk(t)
	if dir == "" {
		return
	}
	for _, tt := range layouts {
		for _, sync := range []Sync{SyncBatch, SyncNone} {
			t.Run(tt.name+", sync "+string(sync), func(t *testing.T) {
				td := oracle(t, "sdk-1.45.2/seed2.otlp.pb")
				whole := written(t, td, tt.change)
				path, hog := filepath.Join(dir, "spans", "x.json"), filepath.Join(dir, "hog")
				f := newFixture(t, newConfig(path, tt.change, func(cfg *Config) { cfg.Sync = sync }))
				require.NoError(t, f.start(t.Context(), f.status))
				fill(t, hog, len(whole))

				accepted := pushUntilFull(t, f, td)

				var want []byte
				for range accepted {
					want = append(want, whole...)
				}
				assert.Len(t, content(t, path), len(want), "accepted and whole records only")
				require.ErrorIs(t, f.refuse(t, td), syscall.ENOSPC, "still full")
				assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, f.status.seen())

				require.NoError(t, os.Remove(hog))
				f.send(t, td)
				assert.Equal(t, string(append(want, whole...)), string(content(t, path)))
				assert.Equal(t, []componentstatus.Status{componentstatus.StatusOK}, f.status.seen())
				require.NoError(t, f.shutdown(t.Context()))
				require.NoError(t, os.RemoveAll(filepath.Dir(path)))
			})
		}
	}
}

// fill writes a file that leaves less than two and a half pushes of room.
func fill(t *testing.T, path string, push int) {
	t.Helper()
	var disk syscall.Statfs_t
	require.NoError(t, syscall.Statfs(filepath.Dir(path), &disk))
	free := int(disk.Bavail) * int(disk.Bsize)
	require.Greater(t, free, 3*push, "the disk is too small for this test")
	require.NoError(t, os.WriteFile(path, make([]byte, free-push*5/2), fileMode))
}

func pushUntilFull(t *testing.T, f *fixture, td ptrace.Traces) (accepted int) {
	t.Helper()
	td.MarkReadOnly()
	for {
		err := f.push(t.Context(), td)
		if err == nil {
			accepted++
			continue
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		assert.Equal(t, 2, accepted)
		return accepted
	}
}
