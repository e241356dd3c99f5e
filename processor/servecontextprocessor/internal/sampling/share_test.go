package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

func TestKeptShareIsTheRatio(t *testing.T) {
	const n = 1_000_000
	for _, ratio := range []float64{1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.5, 0.9, 0.999, 1} {
		rules := atRatio(t, ratio)
		draw := newDraw(math.Float64bits(ratio))
		kept := 0
		for range n {
			if d := rules.Decide(Trace{ID: randomID(draw), Route: "/"}); d.Sampled {
				kept++
			}
		}
		sigma := math.Sqrt(n * ratio * (1 - ratio))
		assert.InDelta(t, n*ratio, kept, 4*sigma, "ratio %g", ratio)
	}
}

// estimate sums 1/p over spans as a backend does: no th is an unknown weight, which counts nothing.
type estimate struct {
	sum      float64
	weighed  int
	unknown  int
	headless int
}

func (e *estimate) add(t *testing.T, d *Decision) {
	t.Helper()
	if !d.Keep() {
		return
	}
	span, _ := applied(d, "")
	if MarksOf(span.Attributes()).Headless {
		e.headless++
	}
	th, ok := thresholdOn(t, span.TraceState().AsRaw())
	if !ok {
		e.unknown++
		return
	}
	e.weighed++
	e.sum += th.AdjustedCount()
}

// requireUnbiased checks the sum within 4 sigma, for n things that are each kept with probability p.
func (e *estimate) requireUnbiased(t *testing.T, what string, n int, p float64) {
	t.Helper()
	sigma := math.Sqrt(float64(n) * (1 - p) / p)
	require.InDelta(t, float64(n), e.sum, 4*sigma, "%s: 1 in %g", what, 1/p)
	require.Positive(t, e.weighed, what)
}

func TestSumsOfWeightsEstimateTheRequests(t *testing.T) {
	const requests, members = 40_000, 8
	for _, ratio := range []float64{0.5, 0.1, 0.02} {
		rules := atRatio(t, ratio)
		draw := newDraw(6)
		var plain, batches, copies estimate
		for range requests / members {
			var batch []Member
			first := randomID(draw)
			for i := range members {
				id := first
				if i > 0 {
					id = randomID(draw)
				}
				d := rules.Decide(Trace{ID: id, Route: "/"})
				batch = append(batch, d.Member())
				plain.add(t, &d)
				// In mode copy each member's trace decides on its own copy of the batch.
				copies.add(t, &d)
			}
			d := rules.DecideBatch(Trace{ID: first, Route: "/"}, batch)
			batches.add(t, &d)
		}
		plain.requireUnbiased(t, "requests", requests, ratio)
		copies.requireUnbiased(t, "batches by copies", requests, ratio)
		batches.requireUnbiased(t, "batches by links", requests/members, ratio)
		assert.Positive(t, batches.unknown, "some batches are kept by their links alone")
		assert.Zero(t, plain.unknown)
	}
}

// rayRequest draws as Ray does: a span that is not sampled leaves no context
// behind, so the next hop starts a trace of its own and draws again.
func rayRequest(draw *rand.Rand, head float64) (id pcommon.TraceID, hop int, sampled bool) {
	const hops = 3 // The proxy's span, the router's, the replica's.
	for hop := range hops {
		id := randomID(draw)
		if float64(low64(id)) < head*0x1p64 {
			return id, hop, true
		}
	}
	return id, hops, false
}

func TestSumsOfWeightsEstimateTheRequestsBehindRaysSampling(t *testing.T) {
	const requests, head = 60_000, 0.2
	for _, ratio := range []float64{1, 0.5, 0.2, 0.05} {
		for _, mode := range []Headless{HeadlessMark, HeadlessDrop} {
			rules := configured(t, func(c *Config) { c.HeadRatio, c.Ratio, c.Headless = head, ratio, mode })
			draw := newDraw(7)
			var proxies, replicas estimate
			arrived := 0
			for range requests {
				id, hop, sampled := rayRequest(draw, head)
				if !sampled {
					continue
				}
				arrived++
				trace := Trace{ID: id, Route: "/", Head: HeadRedrawn}
				if hop == 0 {
					trace.Head = HeadDrawn
					d := rules.Decide(trace)
					proxies.add(t, &d)
				}
				d := rules.Decide(trace)
				replicas.add(t, &d)
			}
			p := min(head, ratio)
			proxies.requireUnbiased(t, "proxy spans", requests, p)
			replicas.requireUnbiased(t, "replica spans", requests, p)
			naive := float64(arrived) / head
			assert.Greater(t, naive, 2.3*requests, "without the marks they would count more than twice")
			assert.Equal(t, mode == HeadlessMark, replicas.headless > 0)
			assert.Equal(t, replicas.headless, replicas.unknown)
		}
	}
}

func TestThresholdsOfRatiosBelowTheHeadsAreTheRatios(t *testing.T) {
	d := atHeadRatio(t, 0.2, 0.05).Decide(Trace{ID: idDrawnAt(1<<56 - 1), Head: HeadDrawn})
	want, err := otelsampling.ProbabilityToThreshold(0.05)
	require.NoError(t, err)
	assert.Equal(t, want, d.Threshold)
}
