package consolespan

import (
	"bytes"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"
)

// ErrMore says that data ends before the next record does.
var ErrMore = errors.New("more input needed")

// Decoder reads console spans. It is not for concurrent use. One decoder can
// read many files in turn: it keeps no state of a file between calls of Next,
// only texts that it has seen before.
type Decoder struct {
	maxRecordSize int
	anomalies     [NumAnomalies]int64
	skipped       SkipError

	dst ptrace.Traces
	// spans is where the spans of the latest resource go; resource is that
	// resource as it was written. hasSpans is false right after Begin.
	spans    ptrace.SpanSlice
	resource []byte
	hasSpans bool

	// The record being decoded. It is decoded into span and moved to the
	// target when it is complete, so a torn record leaves nothing to undo.
	data   []byte
	layout layout
	fault  fault
	span   ptrace.Span
	record record

	texts    textTable
	unnamed  textEntry // for names that are not in the table
	scratch  []byte
	open     []byte
	maps     [maxNesting + 1]xpdata.MapBuilder
	mapsOpen uint32
	minute   minuteCache
}

// record is what is known of the record being decoded beside its span.
type record struct {
	seen                       uint
	hasTraceID, hasSpanID      bool
	resourceStart, resourceEnd int
	name                       *textEntry
}

// fault is why decoding stopped: at offset at, the data ends (what is empty)
// or is wrong.
type fault struct {
	at   int
	what string
}

// failed is the offset that decoding functions return when they have set the fault.
const failed = -1

// NewDecoder returns a decoder; a record may have up to maxRecordSize bytes.
func NewDecoder(maxRecordSize int) *Decoder {
	d := &Decoder{maxRecordSize: maxRecordSize, span: ptrace.NewSpan()}
	d.texts.init()
	d.Begin(ptrace.NewTraces())
	return d
}

// Begin makes dst the target of the following calls of Next. Spans of
// neighbouring records whose resources are equal byte by byte share a
// ResourceSpans, from this call to the next Begin.
func (d *Decoder) Begin(dst ptrace.Traces) {
	d.dst = dst
	d.hasSpans = false
}

// Anomalies counts, by Anomaly, what was peculiar about the spans appended
// since NewDecoder. The pointer stays the same; read deltas.
func (d *Decoder) Anomalies() *[NumAnomalies]int64 { return &d.anomalies }

// Next decodes the first record in data and appends it to the target.
//
// n is the number of bytes dealt with; the next call's data starts there.
//   - nil: one span was appended, it ends at n (white space after it is the next call's).
//   - ErrMore: data ends before a record does. n bytes (white space) can be let go;
//     call again with data[n:] and what follows it. Nothing was appended.
//   - *SkipError: n bytes were passed over; valid until the next call.
//
// An unfinished record is too large as soon as data holds more than the
// maximum size of it; its remaining bytes are garbage to later calls.
func (d *Decoder) Next(data []byte) (n int, err error) {
	start := gapEnd(data)
	switch startsRecord(data, start) {
	case startNo:
		return d.skip(SkipGarbage, start, nextStart(data, start), nil)
	case startUnknown:
		if len(data)-start > d.maxRecordSize {
			return d.skip(SkipTooLarge, start, len(data), nil)
		}
		return start, ErrMore
	}
	anomalies := d.anomalies
	d.data = data
	n, err = d.decode(start)
	d.data = nil
	if err != nil {
		d.anomalies = anomalies
	}
	return n, err
}

// decode decodes the record at start and appends it, or says why not.
func (d *Decoder) decode(start int) (int, error) {
	end := d.topLevel(start)
	if end == failed {
		return d.undo(start)
	}
	if end-start > d.maxRecordSize {
		d.reset()
		return d.skip(SkipTooLarge, start, end, nil)
	}
	if !d.record.isSpan() {
		d.reset()
		return d.skip(SkipNotSpan, start, end, nil)
	}
	d.commit()
	return end, nil
}

// undo forgets the record at start, which has a fault, and says where to go on.
func (d *Decoder) undo(start int) (int, error) {
	d.reset()
	if d.fault.what != "" {
		err := fmt.Errorf("byte %d of the record: %s", d.fault.at-start, d.fault.what)
		return d.skip(SkipMalformed, start, resyncMalformed(d.data, start, d.fault.at), err)
	}
	if len(d.data)-start > d.maxRecordSize {
		return d.skip(SkipTooLarge, start, resyncTooLarge(d.data, start), nil)
	}
	return start, ErrMore
}

// commit moves the decoded span to the target.
func (d *Decoder) commit() {
	raw := d.data[d.record.resourceStart:d.record.resourceEnd]
	if !d.hasSpans || !bytes.Equal(raw, d.resource) {
		rs := d.dst.ResourceSpans().AppendEmpty()
		if len(raw) > 0 {
			d.decodeResource(d.record.resourceStart, rs)
		}
		d.spans = rs.ScopeSpans().AppendEmpty().Spans()
		d.resource = append(d.resource[:0], raw...)
		d.hasSpans = true
	}
	d.span.MoveTo(d.spans.AppendEmpty())
}

// reset makes room for the next record after one that is given up.
func (d *Decoder) reset() {
	d.span = ptrace.NewSpan()
	d.maps = [maxNesting + 1]xpdata.MapBuilder{}
}

// count counts an anomaly of the span being decoded.
func (d *Decoder) count(a Anomaly) { d.anomalies[a]++ }

// incomplete says that the data ends inside of the record.
func (d *Decoder) incomplete() int {
	d.fault = fault{at: len(d.data)}
	return failed
}

// malformed says that the byte at i cannot stand there.
func (d *Decoder) malformed(i int, what string) int {
	d.fault = fault{at: i, what: what}
	return failed
}
