package spanfilereceiver

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// punchHole gives the disk space of [from, to) of the file back. The file's size
// stays; a process that appends to it does not notice.
func punchHole(h *os.File, from, to int64) error {
	if err := unix.Fallocate(int(h.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, to-from); err != nil {
		return fmt.Errorf("punch a hole: %w", err)
	}
	return nil
}

// dataStart returns where the next bytes after at stand that are on disk. Where the
// system cannot say, or there are none, it returns at.
func dataStart(h *os.File, at int64) int64 {
	data, err := h.Seek(at, unix.SEEK_DATA)
	if err != nil {
		return at
	}
	return data
}
