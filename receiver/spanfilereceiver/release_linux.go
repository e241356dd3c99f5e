package spanfilereceiver

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// punchHole gives the disk space of [from, to) of the file back. The file's size
// stays; a process that appends to it does not notice. Nothing is done unless
// path still leads to id.
func punchHole(path string, id fileID, from, to int64) error {
	h, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	state, err := statHandle(h)
	switch {
	case err != nil:
	case state.id != id || !state.mode.IsRegular():
		err = errOtherFile
	default:
		err = unix.Fallocate(int(h.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, to-from)
		if err != nil {
			err = fmt.Errorf("punch a hole: %w", err)
		}
	}
	return errors.Join(err, h.Close())
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
