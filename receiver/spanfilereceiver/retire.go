package spanfilereceiver

import (
	"slices"
	"time"

	"go.uber.org/zap"
)

const (
	// goneScans is how many scans in a row must have missed a file: one may list a
	// directory in the very moment of a rename.
	goneScans = 2
	// goneGrace is how long a file without a path stays open after it last grew: its
	// writer may still have it open.
	goneGrace = 5 * time.Second
)

// sweepOut stops watching the files that no path leads to, once nothing more can
// be expected from them.
func (t *tailer) sweepOut(now time.Time) {
	for _, f := range t.snapshot() {
		if f.seen == t.scans {
			f.misses = 0
			continue
		}
		if f.misses++; f.misses >= goneScans && t.finished(f, now) {
			t.retire(f, now)
		}
	}
}

func (t *tailer) finished(f *spanFile, now time.Time) bool {
	if f.handle == nil || f.trouble != nil {
		return true
	}
	t.mu.Lock()
	clean := f.clean()
	t.mu.Unlock()
	return clean && !f.unread() && !f.abandoned(now) && f.idle(now) >= goneGrace
}

// retire ends the watching of f.
func (t *tailer) retire(f *spanFile, now time.Time) {
	deleted := false
	if f.handle != nil {
		if state, err := statHandle(f.handle); err == nil {
			deleted = state.deleted
		}
	}
	if !deleted {
		t.remember(f, f.id.inode, now)
	}
	t.lose(f, "deleted")
	t.shut(f)
	t.reports.forget(f.path)
	t.files = slices.DeleteFunc(t.files, func(other *spanFile) bool { return other == f })
	delete(t.byID, f.id)
	if t.byPath[f.path] == f {
		delete(t.byPath, f.path)
	}
	t.markDirty()
	if f.started {
		t.logger.Info("span file ended", zap.String("file", f.path), zap.Int64("offset", f.offset))
	}
}

// lose counts what of f's content can no more be read.
func (t *tailer) lose(f *spanFile, how string) {
	t.mu.Lock()
	f.gone = true
	var lost int64
	for _, x := range f.again {
		lost += x.to - x.from
	}
	f.again = nil
	t.mu.Unlock()
	if f.unread() {
		lost += f.size - f.offset
	}
	if lost > 0 {
		count(t.tel.ReceiverSpanFileFilesLost, 1, how)
		count(t.tel.ReceiverSpanFileBytesLost, lost, how)
		t.logger.Warn("span file lost before its end was read", zap.String("file", f.path),
			zap.String("reason", how), zap.Int64("offset", f.offset), zap.Int64("bytes", lost))
		return
	}
	if torn := f.torn(); torn > 0 {
		t.skip(f, "torn", f.offset, torn, nil)
	}
}

// remember keeps f's offset, should a file with this content turn up again: moved
// away and back under its inode, or copied before it was truncated (inode is 0).
func (t *tailer) remember(f *spanFile, inode uint64, now time.Time) {
	if !f.known || f.head.size == 0 {
		return
	}
	t.mu.Lock()
	offset := f.lowest(f.offset)
	t.mu.Unlock()
	t.memory.add(entry{
		path: f.path, inode: inode, head: f.head,
		offset: offset, passedOver: f.passedOver, since: now,
	})
}
