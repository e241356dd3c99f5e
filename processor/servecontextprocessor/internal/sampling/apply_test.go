package sampling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

func TestTracestateThatASpanBringsIsKeptButForOurMembers(t *testing.T) {
	high := uint64(0xfedcba98765432)
	own := Trace{ID: idWithR(high)}
	drawn := Trace{ID: idDrawnAt(high), Head: HeadDrawn}
	for name, c := range map[string]struct {
		head, ratio  float64
		trace        Trace
		before, want string
		notes        Notes
	}{
		"other vendors stay, in order":     {1, 0.5, own, "b=2,a=x y", "ot=th:8,b=2,a=x y", 0},
		"other members of ours stay":       {1, 0.5, own, "b=2,ot=x:1;p:8", "ot=th:8;x:1;p:8,b=2", 0},
		"a smaller threshold is raised":    {1, 0.5, own, "ot=th:4", "ot=th:8", 0},
		"the same threshold stays":         {1, 0.5, own, "b=2, ot=x:1;th:8", "b=2, ot=x:1;th:8", 0},
		"a larger threshold stays":         {1, 0.5, own, "a=1,ot=th:c", "a=1,ot=th:c", 0},
		"a false threshold is erased":      {1, 0.5, own, "a=1,ot=th:ff", "a=1", ThresholdErased},
		"a false threshold alone":          {1, 0.5, own, "ot=th:ff", "", ThresholdErased},
		"another rv stays without th":      {1, 0.5, own, "ot=th:8;rv:abcdef01234567,vendor=x y", "ot=rv:abcdef01234567,vendor=x y", RVIgnored | ThresholdErased},
		"another rv gets no th":            {1, 0.5, own, "ot=rv:abcdef01234567", "ot=rv:abcdef01234567", RVIgnored},
		"rv of the trace gets th":          {1, 0.5, Trace{TraceState: "ot=rv:fedcba98765432"}, "ot=rv:fedcba98765432", "ot=rv:fedcba98765432;th:8", 0},
		"rv is added where it is missing":  {1, 0.5, Trace{TraceState: "ot=rv:fedcba98765432"}, "a=1", "ot=rv:fedcba98765432;th:8,a=1", 0},
		"rv of the head's draw":            {0.5, 1, drawn, "a=1", "ot=rv:fedcba98765432;th:8,a=1", 0},
		"written by an earlier instance":   {0.5, 1, drawn, "ot=rv:fedcba98765432;th:8", "ot=rv:fedcba98765432;th:8", 0},
		"head not known, threshold raised": {0.5, 0.1, Trace{ID: drawn.ID}, "ot=rv:fedcba98765432;th:8", "ot=rv:fedcba98765432;th:e6666666666666", 0},
		"head not known, no threshold":     {0.5, 0.1, Trace{ID: drawn.ID}, "ot=rv:fedcba98765432", "ot=rv:fedcba98765432", 0},
		"headless never has a threshold":   {0.5, 1, Trace{ID: drawn.ID, Head: HeadRedrawn}, "ot=rv:fedcba98765432;th:8", "ot=rv:fedcba98765432", ThresholdErased},
		"unreadable":                       {1, 0.5, own, "ot=th:xyz", "ot=th:xyz", TraceStateInvalid},
		"unreadable as a whole":            {1, 0.5, own, "=,;", "=,;", TraceStateInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			d := atHeadRatio(t, c.head, c.ratio).Decide(c.trace)
			require.True(t, d.Sampled)
			span, notes := applied(&d, c.before)
			assert.Equal(t, c.want, span.TraceState().AsRaw())
			assert.Equal(t, c.notes, notes)

			if notes.Has(ThresholdErased) {
				// Nothing in the span says that it had one.
				return
			}
			again, _ := applied(&d, span.TraceState().AsRaw())
			assert.Equal(t, span.TraceState().AsRaw(), again.TraceState().AsRaw(), "idempotent")
		})
	}
}

func TestRatioOneChangesNoByteOfTheRecordings(t *testing.T) {
	marshal := func(span ptrace.Span) []byte {
		traces := ptrace.NewTraces()
		span.CopyTo(traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
		bytes, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
		require.NoError(t, err)
		return bytes
	}
	rules := configured(t, func(c *Config) { c.Rules = []RuleConfig{{Route: "/rare", Ratio: 0.1}} })
	withState := 0
	for _, run := range []string{"ray-2.60", "ray-2.60-ratio0.2", "ray-2.60-linked", "ray-2.55.0"} {
		for _, span := range recording(t, run) {
			before := marshal(span.Span)
			// Even where a careless caller takes the tracestate of FastAPI's spans.
			d := rules.Decide(Trace{ID: span.TraceID(), TraceState: span.TraceState().AsRaw(), Route: "/", Head: HeadRedrawn})
			require.True(t, d.Sampled)
			require.Zero(t, d.Apply(span.Span))
			require.Equal(t, before, marshal(span.Span), "%s: %s", run, span.Name())
			if span.TraceState().AsRaw() != "" {
				withState++
			}
		}
	}
	assert.Positive(t, withState, "no recorded span has a tracestate")
}

func TestRatioOneLeavesEvenAFalseThreshold(t *testing.T) {
	for _, earlier := range []Marks{{}, {Headless: true}, {KeptByLink: true}} {
		d := atRatio(t, 1).Decide(Trace{ID: idWithR(0), Earlier: earlier})
		const state = " ot=th:ff ,a=1"
		span, notes := applied(&d, state)
		assert.Equal(t, state, span.TraceState().AsRaw())
		assert.Zero(t, notes)
	}
}

func TestTracestateAtItsLimitIsRewrittenOrLeft(t *testing.T) {
	vendor := "v=" + strings.Repeat("x", 256)
	state := strings.Join([]string{vendor, "w" + vendor, "x" + vendor}, ",")
	d := atRatio(t, 0.5).Decide(Trace{ID: idWithR(1<<56 - 1)})
	span, _ := applied(&d, state)
	assert.Equal(t, "ot=th:8,"+state, span.TraceState().AsRaw())
	span, notes := applied(&d, state+",y"+vendor)
	assert.Equal(t, state+",y"+vendor, span.TraceState().AsRaw(), "contrib's reader refuses more than 1024 bytes")
	assert.Equal(t, TraceStateInvalid, notes)
}

func TestDryRunKeepsAllAndSaysWhatItWouldHaveDone(t *testing.T) {
	rules := configured(t, func(c *Config) {
		c.DryRun, c.HeadRatio, c.Headless = true, 0.5, HeadlessDrop
		c.Rules = []RuleConfig{{Route: "/chat*", Ratio: 0.1}, {Route: "/off", Ratio: 0}}
	})
	high := idDrawnAt(1<<56 - 1)
	low := idDrawnAt(1 << 55)
	for name, c := range map[string]struct {
		trace Trace
		want  map[string]any
	}{
		"kept": {Trace{ID: high, Route: "/chat", Head: HeadDrawn}, map[string]any{
			AttrDecision: "kept", AttrReason: "kept_by_rule", AttrRule: "/chat*", AttrThreshold: "e6666666666666",
		}},
		"dropped": {Trace{ID: low, Route: "/chat", Head: HeadDrawn}, map[string]any{
			AttrDecision: "dropped", AttrReason: "dropped_by_rule", AttrRule: "/chat*", AttrThreshold: "e6666666666666",
		}},
		"kept by the head's threshold": {Trace{ID: high, Route: "/", Head: HeadDrawn}, map[string]any{
			AttrDecision: "kept", AttrReason: "kept_by_rule", AttrRule: DefaultRule, AttrThreshold: "8",
		}},
		"headless": {Trace{ID: high, Route: "/", Head: HeadRedrawn}, map[string]any{
			AttrDecision: "dropped", AttrReason: "headless_dropped", AttrRule: DefaultRule, AttrThreshold: "0", AttrHeadless: true,
		}},
		"ratio 0": {Trace{ID: high, Route: "/off", Head: HeadDrawn}, map[string]any{
			AttrDecision: "dropped", AttrReason: "dropped_by_rule", AttrRule: "/off",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := rules.Decide(c.trace)
			assert.True(t, d.Keep())
			assert.Equal(t, c.want[AttrDecision] == "kept", d.Sampled)
			span, _ := applied(&d, "ot=th:ff")
			assert.Equal(t, c.want, span.Attributes().AsRaw())
			assert.Equal(t, "ot=th:ff", span.TraceState().AsRaw(), "nothing was sampled, so nothing is claimed")
		})
	}
}

func TestMarksAreReadAsWritten(t *testing.T) {
	assert.Equal(t, Marks{}, MarksOf(pcommon.NewMap()))
	trace := Trace{ID: idWithR(0), Earlier: Marks{Headless: true}}
	d := atRatio(t, 0.5).DecideBatch(trace, []Member{{R: asR(t, 0xf0000000000001), Sampled: true}})
	span, _ := applied(&d, "")
	assert.Equal(t, Marks{Headless: true, KeptByLink: true, MaxR: asR(t, 0xf0000000000001), HasMaxR: true}, MarksOf(span.Attributes()))

	foreign := pcommon.NewMap()
	foreign.PutStr(AttrHeadless, "true")
	foreign.PutBool(AttrBatchKeptBy, true)
	foreign.PutStr(AttrBatchMaxR, "f")
	foreign.PutStr("ray.serve.app", "chat")
	foreign.PutInt("http.status_code", 200)
	assert.Equal(t, Marks{}, MarksOf(foreign))
}

func TestNewTracestateIsContribsText(t *testing.T) {
	draw := newDraw(2)
	rests := []string{"", "a=1", "a=1,b=x y", "ot=x:1;p:8", "a=1,ot=x:1", "a=1,ot=th:8;x:;rv:abcdef01234567;y:2,b=2,"}
	for i := range 10_000 {
		state, err := otelsampling.NewW3CTraceState(rests[i%len(rests)])
		require.NoError(t, err)
		ot := state.OTelValue()
		ot.ClearRValue()
		ot.ClearTValue()
		var rv *Randomness
		if draw.IntN(2) == 0 {
			// Shifts give leading and trailing zeros of every length.
			r := asR(t, draw.Uint64()>>8>>(i%56))
			rv = &r
			ot.SetRValue(r)
		}
		var th *Threshold
		if draw.IntN(2) == 0 {
			threshold, err := otelsampling.UnsignedToThreshold(draw.Uint64() >> 8 >> (i % 56) << (i % 56) % (1 << 56))
			require.NoError(t, err)
			th = &threshold
			require.NoError(t, ot.UpdateTValueWithSampling(threshold))
		}
		var want strings.Builder
		require.NoError(t, state.Serialize(&want))
		require.Equal(t, want.String(), newTracestate(rv, th, &state))
		if rests[i%len(rests)] == "" {
			require.Equal(t, want.String(), newTracestate(rv, th, nil))
		}
	}
}
