package spanfilereceiver

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// keptSize is the beginning of a file that is never released: it identifies the file.
	keptSize = 4096
	// releaseBlock is the unit of release; file systems use blocks of this size or divisors.
	releaseBlock = 4096
	// releaseStep is how much must have been delivered for a release while a file grows.
	releaseStep = 1 << 20
)

// release gives the disk space of what is delivered of f back; at rest, however little it is.
func (t *tailer) release(f *spanFile, delivered int64, rest bool) {
	if f.cannotPunch || f.away || !f.known || f.passedOver {
		return
	}
	to := delivered - delivered%releaseBlock
	if size := to - max(f.released, keptSize); size <= 0 || size < releaseStep && !rest {
		return
	}
	err := t.releaseUpTo(f, to)
	switch {
	case errors.Is(err, errOtherFile), errors.Is(err, fs.ErrNotExist): // The next look finds out.
	case err != nil:
		f.cannotPunch = true
		t.reports.once("cannot release disk space of span files", f.path, err)
	}
}

// releaseUpTo opens the file anew, to write, and makes sure at the last moment that
// it is as it was: one truncated since the last look may hold unread spans below to.
func (t *tailer) releaseUpTo(f *spanFile, to int64) error {
	h, err := os.OpenFile(f.path, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer h.Close()
	state, err := statHandle(h)
	if err != nil {
		return err
	}
	if state.id != f.id || state.size < f.size {
		return errOtherFile
	}
	head, err := readHead(h, &t.head)
	if err != nil {
		return err
	}
	if !f.head.matches(head) {
		return errOtherFile
	}
	from := f.released
	if from == 0 {
		// Holes of an earlier run are not released again.
		from = dataStart(h, keptSize)
		from = max(from-from%releaseBlock, keptSize)
	}
	if from < to {
		if err := punchHole(h, from, to); err != nil {
			return err
		}
		count(t.tel.ReceiverSpanFileBytesReleased, to-from, "")
	}
	f.released = to
	return nil
}
