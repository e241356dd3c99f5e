package spanfilereceiver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
)

// maxBatchBytes ends a batch whose records are large or far apart, so that its
// memory is bounded and the other files have their turn.
const maxBatchBytes = 8 << 20

// reading is the result of one pass over an extent.
type reading struct {
	traces ptrace.Traces
	spans  int
	end    int64 // up to there the bytes are dealt with
	atEnd  bool  // no whole record follows for now
}

// turn reads and sends at most one batch of f: what was refused comes first.
func (t *tailer) turn(ctx context.Context, f *spanFile) {
	f.lastTurn = t.now()
	if err := t.open(f); err != nil {
		t.troubled(f, err)
		return
	}
	t.mu.Lock()
	part, again := extent{f.offset, f.size}, len(f.again) > 0
	if again {
		part = f.again[0]
	}
	t.mu.Unlock()
	t.logStart(f)
	r, err := t.decode(f, part, !again && f.abandoned(f.lastTurn))
	t.countAnomalies()
	count(t.tel.ReceiverSpanFileBytesRead, r.end-part.from, "")
	b := &batch{file: f, extent: extent{part.from, r.end}, spans: r.spans}
	t.book(b, part, r, again)
	if r.spans > 0 {
		t.send(ctx, b, r.traces)
	}
	if err != nil {
		t.troubled(f, fmt.Errorf("at offset %d: %w", r.end, err))
	}
}

// book moves the file's offsets behind what was read of part, and enters b among
// the batches under way, in one step: at no moment do its bytes count as delivered.
func (t *tailer) book(b *batch, part extent, r reading, again bool) {
	f := b.file
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty = true
	if b.spans > 0 {
		f.begin(b)
		t.openBatches++
	}
	switch {
	case !again:
		f.offset, f.examined = r.end, r.end
		if r.atEnd {
			f.examined = f.size
		}
	case r.atEnd && r.end < part.to:
		// The refused bytes do not end with a record any more. Reading on from
		// here sends some spans twice and loses none.
		f.resend(extent{part.from, math.MaxInt64})
		f.offset, f.examined, f.salvaged = r.end, r.end, 0
	default:
		f.resend(b.extent)
	}
}

// decode reads part until the batch is full or no whole record is left. What
// was read before an error is good. With abandoned, nothing will follow part.
func (t *tailer) decode(f *spanFile, part extent, abandoned bool) (reading, error) {
	r := reading{traces: ptrace.NewTraces(), end: part.from}
	t.dec.Begin(r.traces)
	t.win.reset(part.from)
	for r.spans < t.cfg.MaxBatchSpans && r.end-part.from < maxBatchBytes {
		n, err := t.dec.Next(t.win.bytes())
		at := t.win.at
		t.win.skip(n)
		r.end = t.win.at
		var skip *consolespan.SkipError
		switch {
		case err == nil:
			r.spans++
		case errors.As(err, &skip):
			t.skip(f, skip.Reason.String(), at+int64(skip.Offset), int64(skip.Length), skip.Err)
		default: // ErrMore
			more, err := t.more(f, part.to)
			if err == nil && !more && abandoned {
				more = t.salvage(f)
			}
			if err != nil || !more {
				r.end, r.atEnd = t.win.at, err == nil
				return r, err
			}
		}
	}
	return r, nil
}

// salvage passes over a torn record that nobody will complete, up to a whole one in it.
func (t *tailer) salvage(f *spanFile) bool {
	n := consolespan.WholeInside(t.win.bytes())
	if n == 0 {
		f.salvaged = f.size
		return false
	}
	t.skip(f, "torn", t.win.at, int64(n), nil)
	t.win.skip(n)
	return true
}

// more fills the window. A hole, as release_disk leaves, is passed over: nothing
// was ever written there or all of it was delivered.
func (t *tailer) more(f *spanFile, limit int64) (bool, error) {
	if t.win.full() {
		// The codec gives up a record that is too large before this, so this
		// only keeps the loop going should it not.
		t.skip(f, "too_large", t.win.at, int64(len(t.win.bytes())), nil)
		t.win.reset(t.win.at + int64(len(t.win.bytes())))
		return true, nil
	}
	empty := len(t.win.bytes()) == 0
	n, err := t.win.fill(f.handle, limit)
	if err != nil || n == 0 {
		return false, err
	}
	if empty && t.win.bytes()[0] == 0 {
		if data := min(dataStart(f.handle, t.win.at), limit); data > t.win.at {
			t.win.reset(data)
		}
	}
	return true, nil
}

// readable says that a turn of f would get on with something.
func (f *spanFile) readable(t *tailer) bool {
	if f.trouble != nil {
		return false
	}
	if len(f.again) > 0 {
		return t.draining || !t.now().Before(f.retryAt)
	}
	return f.unread() || f.abandoned(t.now())
}

// round gives each file that has something to read one turn. It returns whether
// there is more to do at once.
func (t *tailer) round(ctx context.Context) bool {
	t.turns = t.turns[:0]
	t.mu.Lock()
	for _, f := range t.files {
		if f.readable(t) {
			t.turns = append(t.turns, f)
		}
	}
	t.mu.Unlock()
	for _, f := range t.turns {
		if ctx.Err() != nil || t.halted() {
			return false
		}
		t.turn(ctx, f)
	}
	return len(t.turns) > 0
}

// halted says that nothing may be read now: too much is under way, or a drain was refused.
func (t *tailer) halted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.openBatches >= maxOpenBatches || t.draining && t.refused
}
