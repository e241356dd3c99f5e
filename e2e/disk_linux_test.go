//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallDisk mounts a memory file system of the given size, an option of mount(2) such as "size=256k".
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	require.Zero(t, os.Geteuid(), "mounting a small disk needs root: run the end-to-end tests in a container")
	dir := filepath.Join(folder(t), "disk")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, size))
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

func grow(t *testing.T, disk, size string) {
	t.Helper()
	require.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, size))
}

// TestSpansRefusedByAFullDiskAreReadAgainAfterARestart is the one case in which
// SIGTERM cannot deliver what was read: the offset must stay where the disk was full.
func TestSpansRefusedByAFullDiskAreReadAgainAfterARestart(t *testing.T) {
	e := newEmbedded(t)
	disk := smallDisk(t, "size=512k")
	e.out = filepath.Join(disk, "spans.json")
	args := e.args("receivers::span_file::max_batch_spans=50")
	collector := startReady(t, e.dir, args...)

	w := startWriter(t, e.in, 3, 2000, 0)
	require.Eventually(t, func() bool { return strings.Contains(collector.stderr(), "no space left") }, 30*time.Second, 50*time.Millisecond)
	written := w.stop()
	begin := time.Now()
	collector.terminate()
	t.Logf("SIGTERM while the disk is full: ended after %.1f s", time.Since(begin).Seconds())
	before := countKeys(t, e.out) // Fails if half an object stands at the end.
	require.NotEmpty(t, before)
	require.Less(t, len(before), len(written))

	grow(t, disk, "size=64m")
	collector = startReady(t, e.dir, args...)
	waitFor(t, e.out, written, 30*time.Second)
	collector.terminate()
	d := compareKeys(written, countKeys(t, e.out))
	t.Logf("full disk: %d spans written, %d of them before it was full, %d lost, %d duplicated", d.written, len(before), d.lost, d.repeated)
	assert.Equal(t, onceEach(len(written)), d)
}

// TestACollectorWithAFullDiskGoesOnWhenThereIsSpace needs no restart.
func TestACollectorWithAFullDiskGoesOnWhenThereIsSpace(t *testing.T) {
	e := newEmbedded(t)
	disk := smallDisk(t, "size=512k")
	e.out = filepath.Join(disk, "spans.json")
	collector := startReady(t, e.dir, e.args("receivers::span_file::max_batch_spans=50")...)
	w := startWriter(t, e.in, 3, 2000, 0)
	require.Eventually(t, func() bool { return strings.Contains(collector.stderr(), "no space left") }, 30*time.Second, 50*time.Millisecond)
	requireHealth(t, e, "StatusRecoverableError")
	grow(t, disk, "size=64m")
	written := w.stop()
	waitFor(t, e.out, written, 60*time.Second)
	requireHealth(t, e, "StatusOK")
	collector.terminate()
	assert.Equal(t, onceEach(len(written)), compareKeys(written, countKeys(t, e.out)))
}

// requireHealth waits until the health check reports a status.
func requireHealth(t *testing.T, e *embedded, status string) {
	t.Helper()
	var body string
	assert.Eventually(t, func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+e.health+"/", http.NoBody)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		body = string(text)
		return err == nil && strings.Contains(body, `"status":"`+status+`"`)
	}, 10*time.Second, 50*time.Millisecond)
	require.Contains(t, body, status, "the answer of the health check")
}

// TestReleaseDiskKeepsALiveFileSmall has a Python process write 10 MB/s into one file.
func TestReleaseDiskKeepsALiveFileSmall(t *testing.T) {
	const limit = 64 << 20
	e := newEmbedded(t)
	collector := startReady(t, e.dir, e.args("receivers::span_file::release_disk=true")...)
	w := startWriter(t, e.in, 1, 900, 18000)
	path := matching(t, filepath.Join(e.in, "*.json"))[0]

	begin, highest := time.Now(), int64(0)
	end := time.After(time.Duration(number(t, "E2E_LIVE_SECONDS", 20)) * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-tick.C:
			highest = max(highest, diskUse(t, path))
		case <-end:
			running = false
		}
	}
	written, wrote := w.stop(), time.Since(begin)
	waitFor(t, e.out, written, 60*time.Second)
	collector.terminate()

	stat, err := os.Stat(path)
	require.NoError(t, err)
	d := compareKeys(written, countKeys(t, e.out))
	const mega = 1 << 20
	t.Logf("%.1f MB/s, %d MB in all, %.1f MB on disk at most, %.1f MB at the end; %d spans, %d lost, %d duplicated",
		float64(stat.Size())/mega/wrote.Seconds(), stat.Size()/mega, float64(highest)/mega, float64(diskUse(t, path))/mega,
		d.written, d.lost, d.repeated)
	assert.Less(t, highest, int64(limit))
	assert.Greater(t, stat.Size(), int64(limit), "too little was written to show anything")
	assert.Equal(t, onceEach(len(written)), d)
}

// diskUse is what a file takes on disk, in bytes.
func diskUse(t *testing.T, path string) int64 {
	t.Helper()
	var stat syscall.Stat_t
	require.NoError(t, syscall.Stat(path, &stat))
	return stat.Blocks * 512 // stat(2): in units of 512 bytes, whatever the block size.
}
