package sampling

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

// Attributes that the duty writes on spans.
const (
	// AttrHeadless marks a span whose trace Ray drew in the middle of a request. Bool, always true.
	// Origin: ray/serve/_private/tracing_utils.py, TraceContextManager.__enter__
	// returns before it attaches the context of a span that is not sampled.
	AttrHeadless = "ray.serve.headless"
	// AttrBatchKeptBy says why a batch's span is kept although its own trace lost
	// the draw. String, always KeptByLink.
	AttrBatchKeptBy = "ray.serve.batch.kept_by"
	// AttrBatchMaxR is the largest R of a batch's members. String, 14 hexadecimal
	// digits as in tracestate's rv. Example: "f3a91c0b77d2e4".
	AttrBatchMaxR = "ray.serve.batch.max_r"
	// AttrDecision is what a dry run would have done. String: "kept" or "dropped".
	AttrDecision = "ray.serve.sampling.decision"
	// AttrReason is why a dry run would have done it. String: an Outcome.
	AttrReason = "ray.serve.sampling.reason"
	// AttrRule is the rule that a dry run would have gone by. String: the rule's
	// route, or "default" for the ratio beside the rules. Example: "/chat*".
	AttrRule = "ray.serve.sampling.rule"
	// AttrThreshold is the threshold that a dry run would have gone by. String, as
	// tracestate's th; absent for ratio 0, which th cannot express. Example: "e6666666666666".
	AttrThreshold = "ray.serve.sampling.threshold"
)

// KeptByLink is the value of AttrBatchKeptBy.
const KeptByLink = "link"

// Marks is what an earlier serve_context wrote about its decision on a span.
type Marks struct {
	// Headless is AttrHeadless.
	Headless bool
	// KeptByLink is AttrBatchKeptBy.
	KeptByLink bool
	// MaxR is AttrBatchMaxR; it holds if HasMaxR.
	MaxR    Randomness
	HasMaxR bool
}

// MarksOf reads the marks from a span's attributes. Values of another type or form are no marks.
func MarksOf(attrs pcommon.Map) Marks {
	var m Marks
	for key, value := range attrs.All() {
		if !strings.HasPrefix(key, "ray.serve.") {
			continue
		}
		switch key {
		case AttrHeadless:
			m.Headless = value.Bool()
		case AttrBatchKeptBy:
			m.KeptByLink = value.Str() == KeptByLink
		case AttrBatchMaxR:
			r, err := otelsampling.RValueToRandomness(value.Str())
			m.MaxR, m.HasMaxR = r, err == nil
		}
	}
	return m
}
