package sampling

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/ptrace"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

// Apply writes the decision on a span that is kept: the tracestate and the marks,
// or in a dry run what would have been done. The notes are those of the span alone.
// One goroutine at a time may apply a decision.
func (d *Decision) Apply(span ptrace.Span) Notes {
	if d.hasMaxR {
		span.Attributes().PutStr(AttrBatchMaxR, d.maxR.RValue())
	}
	if d.dryRun {
		d.describe(span)
		return 0
	}
	if d.headless {
		span.Attributes().PutBool(AttrHeadless, true)
	}
	if d.Outcome == KeptByBatch {
		span.Attributes().PutStr(AttrBatchKeptBy, KeptByLink)
	}
	if d.change == leave {
		return 0
	}
	raw := span.TraceState().AsRaw()
	if !d.last.isSet || d.last.before != raw {
		after, notes := d.rewrite(raw)
		d.last = rewriting{before: raw, after: after, notes: notes, isSet: true}
	}
	if d.last.after != raw {
		span.TraceState().FromRaw(d.last.after)
	}
	return d.last.notes
}

// describe writes what would have been done.
func (d *Decision) describe(span ptrace.Span) {
	attrs := span.Attributes()
	decision := "dropped"
	if d.Sampled {
		decision = "kept"
	}
	attrs.PutStr(AttrDecision, decision)
	attrs.PutStr(AttrReason, d.Outcome.String())
	attrs.PutStr(AttrRule, d.Rule.name)
	if th := d.Threshold.TValue(); th != "" {
		attrs.PutStr(AttrThreshold, th)
	}
	if d.headless {
		attrs.PutBool(AttrHeadless, true)
	}
}

// rewriting is what became of one tracestate. The spans of a fragment mostly share theirs.
type rewriting struct {
	before, after string
	notes         Notes
	isSet         bool
}

// rewrite brings the decision into a tracestate. Where there is nothing to change,
// not a byte changes.
func (d *Decision) rewrite(raw string) (string, Notes) {
	if raw == "" && d.change == set && !d.explicit && d.Threshold == d.Rule.threshold {
		return d.Rule.tracestate, 0
	}
	state, err := otelsampling.NewW3CTraceState(raw)
	if err != nil {
		return raw, TraceStateInvalid
	}
	ot := state.OTelValue()
	r, hadR := ot.RValueRandomness()
	oldT, hadT := ot.TValueThreshold()
	change, notes := d.changeFor(ot)
	newT, hasT := larger(oldT, d.Threshold), hadT
	switch {
	case change == set:
		hasT = true
	case change == erase && hadT:
		hasT = false
		notes |= ThresholdErased
	}
	if hasT == hadT && (!hadT || newT == oldT) && (hadR || !d.explicit) {
		return raw, notes
	}
	rv := d.rv()
	if hadR {
		rv = &r
	}
	if !hasT {
		return newTracestate(rv, nil, &state), notes
	}
	return newTracestate(rv, &newT, &state), notes
}

// changeFor is what happens to th on a span: a threshold says nothing beside
// another randomness than the one that decided, and one that the trace's randomness
// does not reach was false already.
func (d *Decision) changeFor(ot *otelsampling.OpenTelemetryTraceState) (change, Notes) {
	if rv, has := ot.RValueRandomness(); has && rv != d.R {
		return erase, RVIgnored
	}
	if th, has := ot.TValueThreshold(); has && !th.ShouldSample(d.R) {
		return erase, 0
	}
	return d.change, 0
}

// newTracestate is a W3C tracestate of rv and th, each left out if nil, and of all
// the rest that a state has, which may be nil, too. W3CTraceState.Serialize writes
// the same, with four allocations more.
// https://opentelemetry.io/docs/specs/otel/trace/tracestate-handling/
func newTracestate(rv *Randomness, th *Threshold, rest *otelsampling.W3CTraceState) string {
	var space [96]byte
	text := append(space[:0], "ot="...)
	if rv != nil {
		text = append(text, "rv:"...)
		text = append(appendHex(text, rv.Unsigned()), ';')
	}
	if th != nil {
		text = append(text, "th:"...)
		text = append(appendThreshold(text, *th), ';')
	}
	if rest != nil {
		text = appendAll(text, rest.OTelValue().ExtraValues(), ':', ';')
	}
	if len(text) == len("ot=") {
		text = text[:0]
	} else {
		text[len(text)-1] = ','
	}
	if rest != nil {
		text = appendAll(text, rest.ExtraValues(), '=', ',')
	}
	return string(text[:max(len(text), 1)-1])
}

// appendAll appends members with an end behind each.
func appendAll(text []byte, members []otelsampling.KV, equals, end byte) []byte {
	for _, member := range members {
		text = append(append(text, member.Key...), equals)
		text = append(append(text, member.Value...), end)
	}
	return text
}

func appendThreshold(text []byte, th Threshold) []byte {
	if !isPositive(th) {
		return append(text, '0')
	}
	text = appendHex(text, th.Unsigned())
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	return text
}

// appendHex appends 56 bits as 14 digits.
func appendHex(text []byte, bits uint64) []byte {
	start := len(text)
	text = strconv.AppendUint(text, otelsampling.MaxAdjustedCount|bits, 16)
	// Above 2^56 the number has 15 digits; the first is the bit that keeps the zeros behind it.
	return append(text[:start], text[start+1:]...)
}
