package sampling

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// way is one way of a span through the duty, with the allocations that it may cost.
type way struct {
	rules  *Rules
	trace  Trace
	before string
	allocs float64
}

func ways(tb testing.TB) map[string]way {
	tb.Helper()
	ruled := configured(tb, func(c *Config) {
		c.Ratio = 0.5
		c.Rules = []RuleConfig{{Route: "/admin*", Ratio: 1}, {Route: "*/embed", Ratio: 1}, {Route: "/chat*", Ratio: 0.1}}
	})
	high := uint64(0xfedcba98765432)
	return map[string]way{
		"ratio=1":         {atRatio(tb, 1), Trace{ID: idWithR(high), Route: "/chat/completions"}, "", 0},
		"dropped":         {ruled, Trace{ID: idWithR(1), Route: "/chat/completions"}, "", 0},
		"threshold":       {ruled, Trace{ID: idWithR(high), Route: "/chat/completions"}, "", 0},
		"head":            {atHeadRatio(tb, 0.2, 0.1), Trace{ID: idDrawnAt(high), Route: "/", Head: HeadDrawn}, "", 1},
		"second_instance": {atRatio(tb, 0.1), Trace{ID: idWithR(high), Route: "/"}, "ot=th:8", 1},
		"second_with_rv":  {atRatio(tb, 0.1), Trace{TraceState: "ot=rv:fedcba98765432;th:8", Route: "/"}, "ot=rv:fedcba98765432;th:8", 1},
		"vendor":          {atRatio(tb, 0.1), Trace{ID: idWithR(high), Route: "/"}, "vendor=x y", 2},
	}
}

func BenchmarkDecideAndApply(b *testing.B) {
	for name, c := range ways(b) {
		b.Run(name, func(b *testing.B) {
			span := ptrace.NewSpan()
			b.ReportAllocs()
			for b.Loop() {
				span.TraceState().FromRaw(c.before)
				if d := c.rules.Decide(c.trace); d.Keep() {
					d.Apply(span)
				}
			}
		})
	}
}

func TestDecisionsDoNotAllocateButForTheTracestate(t *testing.T) {
	for name, c := range ways(t) {
		span := ptrace.NewSpan()
		allocs := testing.AllocsPerRun(100, func() {
			span.TraceState().FromRaw(c.before)
			if d := c.rules.Decide(c.trace); d.Keep() {
				d.Apply(span)
			}
		})
		assert.LessOrEqual(t, allocs, c.allocs, name)
	}
}

// BenchmarkMarksOf reads a recorded replica span, which has no marks: what each span costs.
func BenchmarkMarksOf(b *testing.B) {
	var attrs pcommon.Map
	for _, span := range recording(b, "ray-2.60") {
		if serve.RoleOf(span.Name()) == serve.RoleReplica {
			attrs = span.Attributes()
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		MarksOf(attrs)
	}
}
