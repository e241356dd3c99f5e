package sampling

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

// Trace is what is known of a trace where some of its spans are decided on:
// a fragment, a span that came alone, or a batch's subtree. Whoever holds the
// spans fills it in. The trace is kept or dropped whole if every process passes the
// same ID, rv, head ratio and route; the other members may differ, but for a
// headless trace where headless ones are dropped.
type Trace struct {
	ID pcommon.TraceID
	// TraceState is that of the trace's Serve spans: the fragment's local root. Not
	// that of a span that reads the HTTP header itself, as FastAPI's does: Ray's
	// proxy drops tracestate, so other processes do not have it.
	TraceState string
	// Route is the low-cardinality route of the request's entry. Empty if not
	// known, and in calls made inside a batch, whose route Ray leaves empty.
	Route string
	// Remembered is the rule that decided for this trace in this process before, nil if none.
	Remembered *Rule
	// HeadRatio is the ratio in force in the process, by ray.serve.head_ratio; it holds if HasHeadRatio.
	HeadRatio    float64
	HasHeadRatio bool
	// Head says where the trace was drawn. It matters only below head ratio 1.
	Head Head
	// Earlier is what a serve_context before this one wrote on the spans.
	Earlier Marks
}

// Head says where Ray drew a trace, which decides whether its weight is known.
type Head uint8

const (
	// HeadUnknown is the trace of a span with a parent elsewhere. It is decided on
	// as all others, but gets no threshold that it did not bring.
	HeadUnknown Head = iota
	// HeadDrawn is a trace with a parentless proxy span, or marked so by the companion:
	// it was drawn once, at the head ratio.
	HeadDrawn
	// HeadRedrawn is a trace with any other parentless span of a Serve process: it was
	// drawn again, in the middle of a request whose entry had lost.
	HeadRedrawn
)

// Member is one member of a batch: what was decided for its trace.
type Member struct {
	R       Randomness
	Sampled bool
}

// draw is how the randomness of a trace came about.
type draw struct {
	r Randomness
	// threshold is that of the head's draw, if the trace is known to have taken part in it.
	threshold Threshold
	// sampledAtHead is true if Ray's ratio in force is below 1.
	sampledAtHead bool
	// fromHead is true if r is HeadRandomness.
	fromHead bool
	// explicit is true if readers of a span need rv to find r.
	explicit bool
	// weighed is true if the spans' probability before this processor is known.
	weighed bool
	notes   Notes
}

// draw finds the randomness of a trace. It uses nothing that two processes of a
// trace may see differently; what it learns from Head only concerns the weight.
func (r *Rules) draw(t *Trace) draw {
	ratio := r.headRatio
	if t.HasHeadRatio {
		ratio = t.HeadRatio
	}
	head := HeadThreshold(ratio)
	atHead := isPositive(head)
	fromID := HeadRandomness(t.ID)
	d := draw{r: otelsampling.TraceIDToRandomness(t.ID), sampledAtHead: atHead, weighed: !atHead}
	if rv, ok := ExplicitRandomness(t.TraceState); ok {
		d.r, d.explicit = rv, true
		// A second serve_context meets the first one's rv: it is the head's draw still.
		d.fromHead = atHead && rv == fromID && head.ShouldSample(rv)
	} else if atHead && head.ShouldSample(fromID) {
		d.r, d.explicit, d.fromHead = fromID, true, true
	} else if atHead {
		d.notes = ClientSampled
	}
	if d.fromHead && t.Head == HeadDrawn {
		d.threshold, d.weighed = head, true
	}
	return d
}
