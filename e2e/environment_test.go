//go:build e2e

package e2e

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fromEnvironment returns the absolute path of an executable that `make e2e` names.
func fromEnvironment(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	require.NotEmpty(t, path, "%s is not set: run the end-to-end tests with `make e2e`", variable)
	require.True(t, filepath.IsAbs(path), "%s must be an absolute path, not %q", variable, path)
	require.FileExists(t, path)
	return path
}

func binary(t *testing.T) string {
	t.Helper()
	return fromEnvironment(t, "OTELCOL_SERVE")
}

// number returns the integer in an environment variable, or the default.
func number(t *testing.T, variable string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err, variable)
	return n
}

// seed is a new one for each run, so that runs add up; the log says how to repeat one.
func seed(t *testing.T) int64 {
	t.Helper()
	n := number(t, "E2E_SEED", time.Now().UnixNano())
	t.Logf("seed: E2E_SEED=%d", n)
	return n
}

// folder makes a directory with a path short enough for the sockets that Ray
// puts below it: t.TempDir contains the test's name.
func folder(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("", "e2e") //nolint:usetesting // Unix sockets allow about 100 bytes of path.
	require.NoError(t, err)
	path, err = filepath.EvalSymlinks(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(path) })
	return path
}

// testdata returns the path of a recording and fails if it is not there.
func testdata(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "testdata"}, parts...)...))
	require.NoError(t, err)
	_, err = os.Stat(path)
	require.NoError(t, err)
	return path
}

// matching returns the files that match, and fails if none does.
func matching(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths, pattern)
	return paths
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// freeAddress returns an address of the loopback interface that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener := listen(t, "localhost:0")
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

func freePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(freeAddress(t))
	require.NoError(t, err)
	return port
}

// listen takes an address until the test ends.
func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}
