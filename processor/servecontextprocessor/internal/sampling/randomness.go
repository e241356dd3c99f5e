package sampling

import (
	"encoding/binary"
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

// Randomness is R: 56 bits that every sampler of a trace compares with its threshold.
type Randomness = otelsampling.Randomness

// Threshold is T: of the 2^56 values of R, how many are rejected.
type Threshold = otelsampling.Threshold

// RatioThreshold is the threshold of a ratio between 0 and 1, at full precision.
// Ratio 0 rejects all, a ratio that 56 bits cannot express is the smallest they
// can; what lies outside of 0 to 1 (NaN as well) keeps all, rather than losing spans.
func RatioThreshold(ratio float64) Threshold {
	if ratio == 0 {
		return otelsampling.NeverSampleThreshold
	}
	if ratio > 0 {
		ratio = max(ratio, otelsampling.MinSamplingProbability)
	}
	t, err := otelsampling.ProbabilityToThreshold(ratio)
	if err != nil {
		return otelsampling.AlwaysSampleThreshold
	}
	return t
}

// HeadThreshold is the threshold that the draw of Python's TraceIdRatioBased
// amounts to once HeadRandomness has turned it into the specification's. It rejects
// no trace that the SDK keeps: where the SDK's 64-bit bound (get_bound_for_rate) lies
// between two values of R, which takes a ratio below 1/16, it is rounded in the trace's favour.
// Ratios outside of 0 to 1 are as for RatioThreshold.
func HeadThreshold(ratio float64) Threshold {
	if ratio == 0 {
		return otelsampling.NeverSampleThreshold
	}
	if !(ratio > 0 && ratio < 1) {
		return otelsampling.AlwaysSampleThreshold
	}
	bound := uint64(math.RoundToEven(ratio * 0x1p64))
	kept := (bound + 0xff) >> 8
	t, err := otelsampling.UnsignedToThreshold(otelsampling.MaxAdjustedCount - kept)
	if err != nil {
		return otelsampling.NeverSampleThreshold
	}
	return t
}

// HeadRandomness is the R of a trace that Python's TraceIdRatioBased drew. The SDK
// keeps the small ids (low64 < bound), the specification the large R, so R is the
// id's 56 bits that weigh most in the SDK's comparison, turned round.
func HeadRandomness(id pcommon.TraceID) Randomness {
	low64 := binary.BigEndian.Uint64(id[8:])
	r, err := otelsampling.UnsignedToRandomness(otelsampling.MaxAdjustedCount - 1 - low64>>8)
	if err != nil {
		// Not reached: the difference is below 2^56.
		return otelsampling.AllProbabilitiesRandomness
	}
	return r
}

// ExplicitRandomness reads rv from a W3C tracestate; ok is false if there is none or it cannot be read.
func ExplicitRandomness(tracestate string) (r Randomness, ok bool) {
	if !strings.Contains(tracestate, "rv:") {
		return Randomness{}, false
	}
	state, err := otelsampling.NewW3CTraceState(tracestate)
	if err != nil {
		return Randomness{}, false
	}
	return state.OTelValue().RValueRandomness()
}
