package spanfilereceiver

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"go.uber.org/zap"
)

// maxLookInterval is how often at least each file's size is looked at, so at
// most that long a file may write before it is noticed.
const maxLookInterval = 2 * time.Second

// snapshot returns the files of now: looking may add and remove some.
func (t *tailer) snapshot() []*spanFile {
	return slices.Clone(t.files)
}

// look looks at the size of all files for which it is time.
func (t *tailer) look(now time.Time) {
	for _, f := range t.files {
		if !now.Before(f.nextLook) {
			t.due = append(t.due, f)
		}
	}
	for _, f := range t.due {
		t.lookAt(f, now)
	}
	clear(t.due)
	t.due = t.due[:0]
}

// lookInterval: a file that wrote lately is looked at in each poll, one idle for
// long less often. 5,000 dead files make 2,500 stat calls a second.
func (t *tailer) lookInterval(f *spanFile, now time.Time) time.Duration {
	if f.trouble != nil {
		return max(maxLookInterval, t.cfg.PollInterval)
	}
	return max(min(f.idle(now)/10, maxLookInterval), t.cfg.PollInterval)
}

// lookAt finds out what has become of f.
func (t *tailer) lookAt(f *spanFile, now time.Time) {
	// Half a poll of slack, lest a tick that comes a little early waits for the next.
	f.nextLook = now.Add(t.lookInterval(f, now) - t.cfg.PollInterval/2)
	state, err := statPath(f.path)
	switch {
	case err == nil && state.id == f.id:
		f.away = false
	case err == nil:
		f.away = true
		if t.byPath[f.path] == f {
			t.occupy(f.path, state, now)
		}
	case errors.Is(err, fs.ErrNotExist):
		f.away = true
	default:
		t.troubled(f, err)
		return
	}
	if f.away {
		if f.handle == nil {
			return
		}
		if state, err = statHandle(f.handle); err != nil {
			t.troubled(f, err)
			return
		}
	}
	t.refresh(f, state, now)
}

// refresh takes in f's state. The fingerprint is compared at each change: a file may
// have been truncated and have grown past the old size since the last look.
func (t *tailer) refresh(f *spanFile, state fileState, now time.Time) {
	if f.known && f.trouble == nil && state.size == f.size && state.mtime.Equal(f.mtime) {
		return
	}
	f, err := t.update(f, state, now)
	if err != nil {
		t.troubled(f, err)
		return
	}
	if f.trouble != nil {
		f.trouble = nil
		t.reports.clear(f.path)
	}
}

// update reads f's head and decides whether it is still the same content. It
// returns the file that now stands for the inode.
func (t *tailer) update(f *spanFile, state fileState, now time.Time) (*spanFile, error) {
	if !state.mode.IsRegular() {
		return f, errNotRegular
	}
	if err := t.open(f); err != nil {
		return f, err
	}
	head, err := readHead(f.handle, &t.head)
	if err != nil {
		return f, err
	}
	if f.known && (state.size < f.offset || !f.head.matches(head)) {
		f = t.replaceContent(f, head, now)
	}
	if f.head.size == 0 && isBinary(head) {
		return f, errBinary
	}
	if !f.known {
		t.identify(f, state, head, now)
	}
	if len(head) > f.head.size {
		f.head = fingerprintOf(head)
		t.markDirty()
	}
	if state.size != f.size {
		f.changed = earlier(state.mtime, now)
	}
	f.size, f.mtime = state.size, state.mtime
	f.examined = f.offset
	return f, nil
}

// earlier keeps a file with a time in the future from looking fresh for ever.
func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

// identify decides where to begin in a file that is read for the first time.
func (t *tailer) identify(f *spanFile, state fileState, head []byte, now time.Time) {
	f.known = true
	t.markDirty()
	if e, ok := t.memory.recall(f.path, f.id.inode, head, state.size); ok {
		f.offset, f.passedOver = e.offset, e.passedOver
		return
	}
	if original := t.original(f, head); original != nil {
		t.mu.Lock()
		f.offset = min(original.lowest(original.offset), state.size)
		t.mu.Unlock()
		f.passedOver = original.passedOver
		return
	}
	old := t.cfg.IgnoreOlder > 0 && now.Sub(state.mtime) > t.cfg.IgnoreOlder
	if !f.atFirstStart || state.size == 0 || t.cfg.StartAt == StartAtBeginning && !old {
		return
	}
	f.offset, f.passedOver = state.size, true
	if old {
		t.ignored++
		count(t.tel.ReceiverSpanFileFilesIgnored, 1, "")
	}
}

// original finds the file of which f is a copy, as copytruncate makes them.
func (t *tailer) original(f *spanFile, head []byte) *spanFile {
	if len(head) < headSize || !holdsSpanID(head) {
		return nil
	}
	p := fingerprintOf(head)
	for _, other := range t.files {
		if other != f && other.known && other.head == p {
			return other
		}
	}
	return nil
}

// replaceContent lets a fresh file, read from its beginning, take f's place.
func (t *tailer) replaceContent(f *spanFile, head []byte, now time.Time) *spanFile {
	fresh := &spanFile{
		id: f.id, path: f.path, origin: f.origin, handle: f.handle, away: f.away, trouble: f.trouble,
		seen: f.seen, nextLook: f.nextLook, changed: now,
	}
	f.handle = nil
	if !f.head.matches(head) {
		t.remember(f, 0, now)
	}
	t.lose(f, "truncated")
	t.logger.Info("span file was truncated, reading it from its beginning", zap.String("file", f.path))
	t.files[slices.Index(t.files, f)] = fresh
	t.byID[f.id] = fresh
	if t.byPath[f.path] == f {
		t.byPath[f.path] = fresh
	}
	return fresh
}
