package sampling

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/probabilisticsamplerprocessor"
)

// peer runs contrib's probabilistic_sampler, configured as a user does it, over
// one span for each tracestate and returns those that it lets through.
func peer(t *testing.T, in map[pcommon.TraceID]string, change func(*probabilisticsamplerprocessor.Config)) map[pcommon.TraceID]string {
	t.Helper()
	factory := probabilisticsamplerprocessor.NewFactory()
	cfg, ok := factory.CreateDefaultConfig().(*probabilisticsamplerprocessor.Config)
	require.True(t, ok)
	change(cfg)
	require.NoError(t, cfg.Validate())
	sink := new(consumertest.TracesSink)
	sampler, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, sampler.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, sampler.Shutdown(context.Background())) })

	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for id, state := range in {
		span := spans.AppendEmpty()
		span.SetTraceID(id)
		span.TraceState().FromRaw(state)
	}
	require.NoError(t, sampler.ConsumeTraces(t.Context(), traces))
	out := map[pcommon.TraceID]string{}
	for _, traces := range sink.AllTraces() {
		for _, span := range traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			out[span.TraceID()] = span.TraceState().AsRaw()
		}
	}
	return out
}

func equalizing(percentage float32, precision int) func(*probabilisticsamplerprocessor.Config) {
	return func(c *probabilisticsamplerprocessor.Config) {
		c.Mode, c.SamplingPercentage, c.SamplingPrecision = probabilisticsamplerprocessor.Equalizing, percentage, precision
	}
}

// ours is what our sampling keeps of traces, with the tracestate it leaves.
func ours(in map[pcommon.TraceID]string, rules *Rules, head Head) map[pcommon.TraceID]string {
	out := map[pcommon.TraceID]string{}
	for id, state := range in {
		d := rules.Decide(Trace{ID: id, TraceState: state, Route: "/", Head: head})
		if d.Keep() {
			span, _ := applied(&d, state)
			out[id] = span.TraceState().AsRaw()
		}
	}
	return out
}

// someTraces are plain traces, some with an rv, and some right beside the thresholds of 10 %.
func someTraces(n int) map[pcommon.TraceID]string {
	draw := newDraw(11)
	in := map[pcommon.TraceID]string{}
	for i := range n {
		state := ""
		if i%8 == 0 {
			r, _ := ExplicitRandomness("ot=rv:" + randomID(draw).String()[:14])
			state = newTracestate(&r, nil, nil)
		}
		in[randomID(draw)] = state
	}
	const tenth, tenthAtPrecision4 = 0xe6666666666666, 0xe6660000000000
	for _, r := range []uint64{tenth, tenth - 1, tenth + 1, tenthAtPrecision4, tenthAtPrecision4 - 1, tenthAtPrecision4 + 1} {
		in[idWithR(r)] = ""
	}
	return in
}

func TestWeKeepWhatTheProbabilisticSamplerKeepsEqualizing(t *testing.T) {
	in := someTraces(50_000)
	got, want := ours(in, atRatio(t, 0.1), HeadUnknown), peer(t, in, equalizing(10, 14))
	require.InDelta(t, 5000, len(want), 500)
	assert.Equal(t, want, got, "the same traces with the same tracestate")
}

func TestAtItsDefaultPrecisionTheProbabilisticSamplerDiffersBetweenBothThresholds(t *testing.T) {
	in := someTraces(50_000)
	got := ours(in, atRatio(t, 0.1), HeadUnknown)
	theirs := peer(t, in, equalizing(10, 4))
	differ := 0
	for id, state := range in {
		_, byUs := got[id]
		_, byThem := theirs[id]
		r, ok := ExplicitRandomness(state)
		if !ok {
			r = (&Rules{headRatio: 1}).draw(&Trace{ID: id}).r
		}
		between := r.Unsigned() >= 0xe6660000000000 && r.Unsigned() < 0xe6666666666666
		require.Equal(t, between, byUs != byThem, "R %s", r.RValue())
		if between {
			differ++
		}
	}
	assert.Positive(t, differ)
}

func TestProbabilisticSamplerBehindUsKeepsTheSmallerSet(t *testing.T) {
	in := someTraces(50_000)
	first := ours(in, atRatio(t, 0.1), HeadUnknown)
	behind := peer(t, first, equalizing(1, 14))
	require.InDelta(t, 500, len(behind), 150)
	assert.Equal(t, peer(t, in, equalizing(1, 14)), behind, "as if it had been alone")
	assert.Equal(t, ours(in, atRatio(t, 0.01), HeadUnknown), behind)
	assert.Equal(t, first, peer(t, first, equalizing(50, 14)), "at a larger ratio nothing changes")
}

func TestWeBehindTheProbabilisticSamplerKeepTheSmallerSet(t *testing.T) {
	in := someTraces(50_000)
	first := peer(t, in, equalizing(10, 14))
	behind := ours(first, atRatio(t, 0.01), HeadUnknown)
	assert.Equal(t, ours(in, atRatio(t, 0.01), HeadUnknown), behind)
	assert.Equal(t, first, ours(first, atRatio(t, 0.5), HeadUnknown))
}

func TestProportionalSamplerBehindUsMultiplies(t *testing.T) {
	first := ours(someTraces(50_000), atRatio(t, 0.1), HeadUnknown)
	behind := peer(t, first, func(c *probabilisticsamplerprocessor.Config) {
		c.Mode, c.SamplingPercentage, c.SamplingPrecision = probabilisticsamplerprocessor.Proportional, 10, 14
	})
	require.InDelta(t, len(first)/10, len(behind), 150)
	for _, state := range behind {
		th, ok := thresholdOn(t, state)
		require.True(t, ok)
		require.InDelta(t, 0.01, th.Probability(), 1e-12)
	}
}

func TestDefaultModeBehindUsDropsEverything(t *testing.T) {
	all := func(c *probabilisticsamplerprocessor.Config) { c.SamplingPercentage = 100 }
	in := someTraces(1000)
	plain := map[pcommon.TraceID]string{}
	for id := range in {
		plain[id] = ""
	}
	require.Len(t, peer(t, plain, all), len(plain), "at 100 % it keeps what nobody sampled")
	first := ours(in, atRatio(t, 0.5), HeadUnknown)
	require.NotEmpty(t, first)
	assert.Empty(t, peer(t, first, all))
	assert.Len(t, peer(t, ours(plain, atRatio(t, 1), HeadUnknown), all), len(plain), "at ratio 1 we leave it what it needs")
}

func TestProbabilisticSamplerBehindRaysSamplingKeepsTracesWhole(t *testing.T) {
	in := map[pcommon.TraceID]string{}
	draw := newDraw(12)
	for range 10_000 {
		if id := randomID(draw); float64(low64(id)) < 0.2*0x1p64 {
			in[id] = ""
		}
	}
	rules := atHeadRatio(t, 0.2, 1)
	var kept [][]pcommon.TraceID
	for _, head := range []Head{HeadDrawn, HeadUnknown, HeadRedrawn} {
		var ids []pcommon.TraceID
		behind := peer(t, ours(in, rules, head), equalizing(5, 14))
		for id := range in {
			if _, ok := behind[id]; ok {
				ids = append(ids, id)
				require.Less(t, float64(low64(id)), 0.05*0x1p64, "Python would have kept it at 5 %%")
			}
		}
		kept = append(kept, ids)
	}
	require.NotEmpty(t, kept[0])
	assert.ElementsMatch(t, kept[0], kept[1])
	assert.ElementsMatch(t, kept[0], kept[2])
}
