package sampling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// views are one trace as the processes and sources that have spans of it see it.
// All agree on what DESIGN calls the facts of the trace: its id, the randomness of its
// Serve spans, the ratio in force and the route's rule; on the rest they may differ.
func views(draw *rand.Rand, id pcommon.TraceID, rules *Rules) []Trace {
	serveState := ""
	if draw.IntN(4) == 0 {
		serveState = fmt.Sprintf("ot=rv:%014x", draw.Uint64()>>8)
	}
	withRoute := Trace{ID: id, TraceState: serveState, Route: "/chat"}
	first := rules.Decide(withRoute)
	all := []Trace{withRoute}
	for _, head := range []Head{HeadUnknown, HeadDrawn, HeadRedrawn} {
		view := withRoute
		view.Head = head
		all = append(all, view)
		view.Route, view.Remembered = "", first.Rule
		all = append(all, view)
		view.HeadRatio, view.HasHeadRatio = rules.headRatio, true
		all = append(all, view)
	}
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func TestTraceIsKeptOrDroppedWhole(t *testing.T) {
	draw := newDraw(8)
	states := []string{"", "vendor=1", "ot=th:8", "ot=th:8;rv:abcdef01234567,vendor=x y", "=,"}
	outcomes := map[bool]int{}
	for range 400 {
		rules := configured(t, func(c *Config) {
			c.Ratio = draw.Float64()
			c.Rules = []RuleConfig{{Route: "/chat", Ratio: draw.Float64()}}
			if draw.IntN(2) == 0 {
				c.HeadRatio = draw.Float64()
			}
		})
		for range 20 {
			id := randomID(draw)
			all := views(draw, id, rules)
			first := rules.Decide(all[0])
			outcomes[first.Sampled]++
			for _, view := range all {
				d := rules.Decide(view)
				require.Equal(t, first.Sampled, d.Sampled, "%+v", view)
				require.Equal(t, first.R, d.R, "%+v", view)
				if d.Sampled {
					state := states[draw.IntN(len(states))]
					span, _ := applied(&d, state)
					requireConsistent(t, &d, id, span.TraceState().AsRaw(), state)
				}
			}
		}
	}
	assert.Greater(t, outcomes[true], 1000)
	assert.Greater(t, outcomes[false], 1000)
}

// requireConsistent checks what any sampler behind us relies on: a th stands only beside a
// randomness that reaches it, and a reader finds the R that decided unless the span brought its own.
func requireConsistent(t *testing.T, d *Decision, id pcommon.TraceID, after, before string) {
	t.Helper()
	if before == "=," {
		require.Equal(t, before, after)
		return
	}
	if d.change == leave {
		require.Equal(t, before, after)
		return
	}
	r, explicit := ExplicitRandomness(after)
	_, brought := ExplicitRandomness(before)
	if !explicit {
		none := Trace{ID: id}
		r = (&Rules{headRatio: 1}).draw(&none).r
	}
	th, hasT := thresholdOn(t, after)
	if brought && r != d.R {
		require.False(t, hasT)
		return
	}
	require.Equal(t, d.R, r)
	require.True(t, !hasT || th.ShouldSample(r), "%s beside %s", after, r.RValue())
}

func TestTraceIsKeptOrDroppedWholeByASecondInstance(t *testing.T) {
	draw := newDraw(9)
	outcomes := map[bool]int{}
	for range 5_000 {
		head := 0.2 + 0.8*draw.Float64()
		first, second := atHeadRatio(t, head, draw.Float64()), atHeadRatio(t, head, draw.Float64())
		if draw.IntN(2) == 0 {
			second.headRatio = 1
		}
		id := randomID(draw)
		kept := map[bool]int{}
		for _, view := range views(draw, id, first) {
			d := first.Decide(view)
			if !d.Sampled {
				continue
			}
			span, _ := applied(&d, view.TraceState)
			raw := span.TraceState().AsRaw()
			again := second.Decide(Trace{ID: id, TraceState: raw, Route: "/chat", Earlier: MarksOf(span.Attributes())})
			kept[again.Sampled]++
		}
		require.LessOrEqual(t, len(kept), 1, "torn: %v", kept)
		outcomes[kept[true] > 0]++
	}
	assert.Greater(t, outcomes[true], 500)
	assert.Greater(t, outcomes[false], 500)
}

func TestUnknownRouteIsKeptRatherThanTorn(t *testing.T) {
	draw := newDraw(10)
	rules := configured(t, func(c *Config) {
		c.Rules = []RuleConfig{{Route: "/a", Ratio: 0.1}, {Route: "/b", Ratio: 0.4}}
		c.Ratio = 0.2
	})
	for range 10_000 {
		id := randomID(draw)
		unknown := rules.Decide(Trace{ID: id})
		for _, route := range []string{"/a", "/b", "/"} {
			known := rules.Decide(Trace{ID: id, Route: route})
			require.True(t, unknown.Sampled || !known.Sampled)
		}
	}
}
