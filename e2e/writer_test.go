//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writer is a Python process that writes span files as Ray's processes do, until it is stopped.
type writer struct {
	*process
	ids string
}

// startWriter starts span_writer.py, which writes into the folder.
func startWriter(t *testing.T, into string, files, spansPerSecond, pad int) *writer {
	t.Helper()
	require.NoError(t, os.MkdirAll(into, 0o700))
	ids := filepath.Join(folder(t), "ids")
	w := &writer{ids: ids, process: spawnPython(t, nil, "span_writer.py",
		"--folder", into, "--ids", ids, "--files", strconv.Itoa(files),
		"--spans-per-second", strconv.Itoa(spansPerSecond), "--pad", strconv.Itoa(pad))}
	require.Eventually(t, func() bool { return strings.Contains(w.stdout(), "writing") }, 30*time.Second, 20*time.Millisecond)
	return w
}

// stop ends the writer and returns the spans that it wrote, by its own account.
func (w *writer) stop() map[spanKey]int {
	w.t.Helper()
	w.terminate()
	w.t.Logf("writer: %s", strings.TrimSpace(strings.ReplaceAll(w.stdout(), "\n", " ")))
	written := map[spanKey]int{}
	for line := range strings.Lines(read(w.t, w.ids)) {
		trace, span, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(w.t, ok, line)
		written[spanKey{"0x" + trace, "0x" + span}]++
	}
	require.NotEmpty(w.t, written)
	return written
}
