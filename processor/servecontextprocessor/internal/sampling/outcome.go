package sampling

// Outcome is a decision with its reason. Each is counted by the processor.
type Outcome uint8

const (
	// KeptByRule is a trace that won the draw.
	KeptByRule Outcome = iota
	// DroppedByRule is a trace that lost the draw.
	DroppedByRule
	// HeadlessMarked is a headless trace that won the draw.
	HeadlessMarked
	// HeadlessDropped is a headless trace, dropped as configured.
	HeadlessDropped
	// KeptByBatch is a batch's subtree whose own trace is dropped while a member's is kept.
	KeptByBatch
)

var outcomeNames = [...]string{
	KeptByRule:      "kept_by_rule",
	DroppedByRule:   "dropped_by_rule",
	HeadlessMarked:  "headless_marked",
	HeadlessDropped: "headless_dropped",
	KeptByBatch:     "kept_by_batch",
}

// String is the outcome as a metric's attribute or AttrReason has it.
func (o Outcome) String() string { return outcomeNames[o] }

// Sampled says whether the outcome is to keep.
func (o Outcome) Sampled() bool { return o != DroppedByRule && o != HeadlessDropped }

// Notes is a set of things that are worth counting beside an outcome.
// Those that Decide finds hold for the trace, those that Apply finds for the span.
type Notes uint8

const (
	// RouteUnknown is a trace without route and memory, decided by the highest ratio. From Decide.
	RouteUnknown Notes = 1 << iota
	// ClientSampled is a trace that Ray did not draw at the head ratio, so that a
	// client must have sampled it; if most are, head_ratio is not Ray's. From Decide.
	ClientSampled
	// RVIgnored is a span with an rv that the trace's Serve spans do not have. From Apply.
	RVIgnored
	// ThresholdErased is a span that lost its th: its probability is not known any more. From Apply.
	ThresholdErased
	// TraceStateInvalid is a span whose tracestate cannot be read; it stays as it is. From Apply.
	TraceStateInvalid
)

// AllNotes are the single notes.
var AllNotes = [...]Notes{RouteUnknown, ClientSampled, RVIgnored, ThresholdErased, TraceStateInvalid}

// Has says whether the set has the note.
func (n Notes) Has(note Notes) bool { return n&note != 0 }

// String names a single note as a metric's attribute has it.
func (n Notes) String() string {
	switch n {
	case RouteUnknown:
		return "route_unknown"
	case ClientSampled:
		return "client_sampled"
	case RVIgnored:
		return "rv_ignored"
	case ThresholdErased:
		return "threshold_erased"
	case TraceStateInvalid:
		return "tracestate_invalid"
	}
	return "none"
}
