package jsonfileexporter

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// tinyDisk mounts a file system of 2 MiB, or returns "" where that is not allowed.
func tinyDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m")
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return ""
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, 0)) })
	return dir
}
