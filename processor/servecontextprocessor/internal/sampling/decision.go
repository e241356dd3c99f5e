package sampling

import (
	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

// Decision is what is to be done with the spans that a Trace stands for.
type Decision struct {
	// Sampled is the decision. A dry run keeps the spans nevertheless: see Keep.
	Sampled bool
	// Outcome is the decision with its reason.
	Outcome Outcome
	// Notes are things to count beside the outcome.
	Notes Notes
	// R is the trace's randomness.
	R Randomness
	// Rule is the rule that decided. To remember for the process and the trace.
	Rule *Rule
	// Threshold is that of all draws so far that are known: the rule's and the head's.
	Threshold Threshold

	dryRun   bool
	headless bool
	explicit bool
	change   change
	// maxR holds if hasMaxR: for the subtree of a batch with known members.
	maxR    Randomness
	hasMaxR bool
	last    rewriting
}

// change is what happens to th in a span's tracestate.
type change uint8

const (
	// leave is for decisions that reject nothing.
	leave change = iota
	// set writes the threshold.
	set
	// raise writes it only over a smaller one: without th the span's weight is not known.
	raise
	// erase removes it: the specification's form of an unknown probability.
	erase
)

// Keep says whether the spans are to be kept.
func (d *Decision) Keep() bool { return d.Sampled || d.dryRun }

// Member is the decision as a batch of this trace's request needs it.
func (d *Decision) Member() Member { return Member{R: d.R, Sampled: d.Sampled} }

// Decide decides on the spans of a trace.
func (r *Rules) Decide(t Trace) Decision {
	return r.decide(&t, nil)
}

// DecideBatch decides on the subtree that a batch has in its process, in mode link:
// it is kept if its own trace or any known member's is, though it be headless.
func (r *Rules) DecideBatch(t Trace, members []Member) Decision {
	return r.decide(&t, members)
}

func (r *Rules) decide(t *Trace, members []Member) Decision {
	drawn := r.draw(t)
	rule, known := r.rule(t)
	d := Decision{
		R:         drawn.r,
		Rule:      rule,
		Threshold: larger(rule.threshold, drawn.threshold),
		Notes:     drawn.notes,
		Sampled:   rule.threshold.ShouldSample(drawn.r),
		dryRun:    r.dryRun,
		explicit:  drawn.explicit,
		headless:  t.Earlier.Headless || t.Head == HeadRedrawn && drawn.sampledAtHead,
	}
	if !known {
		d.Notes |= RouteUnknown
	}
	d.Outcome = d.outcome(r.dropHeadless)
	d.Sampled = d.Outcome.Sampled()
	if r.linkKeeps(&d, t, members) && !d.Sampled {
		d.Sampled, d.Outcome = true, KeptByBatch
	}
	if d.Sampled {
		d.plan(t, &drawn)
	}
	return d
}

// outcome is the decision for the trace by itself.
func (d *Decision) outcome(dropHeadless bool) Outcome {
	switch {
	case d.headless && dropHeadless:
		return HeadlessDropped
	case !d.Sampled:
		return DroppedByRule
	case d.headless:
		return HeadlessMarked
	}
	return KeptByRule
}

// linkKeeps finds the largest R of a batch's members and says whether one of them is kept.
// Where only the largest R has come down from an earlier instance, the members'
// routes are not known, so the most generous rule decides: kept rather than torn.
func (r *Rules) linkKeeps(d *Decision, t *Trace, members []Member) bool {
	keeps := false
	if t.Earlier.HasMaxR {
		d.maxR, d.hasMaxR = t.Earlier.MaxR, true
		keeps = r.generous.threshold.ShouldSample(d.maxR)
	}
	for _, m := range members {
		if !d.hasMaxR || m.R.Unsigned() > d.maxR.Unsigned() {
			d.maxR, d.hasMaxR = m.R, true
		}
		keeps = keeps || m.Sampled
	}
	return keeps
}

// plan settles what Apply does, once for all spans.
func (d *Decision) plan(t *Trace, drawn *draw) {
	switch {
	case !isPositive(d.Threshold) && !drawn.sampledAtHead:
		d.change = leave
	case d.headless || d.Outcome == KeptByBatch || t.Earlier.KeptByLink:
		d.change = erase
	case !isPositive(d.Threshold) && !drawn.fromHead:
		d.change = leave
	case drawn.weighed:
		d.change = set
	default:
		d.change = raise
	}
}

// rv is R if spans need it written, nil if R is in the trace id.
func (d *Decision) rv() *Randomness {
	if !d.explicit {
		return nil
	}
	return &d.R
}

func larger(a, b Threshold) Threshold {
	if otelsampling.ThresholdGreater(a, b) {
		return a
	}
	return b
}

func isPositive(t Threshold) bool { return t != otelsampling.AlwaysSampleThreshold }
