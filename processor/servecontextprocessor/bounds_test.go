package servecontextprocessor

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// openRequests makes spans of as many requests whose local root does not come: the
// recorded spans that wait for one, each in a trace of its own.
type openRequests struct {
	kinds []got
	next  uint64
}

func newOpenRequests(tb testing.TB, recording string) *openRequests {
	tb.Helper()
	o := &openRequests{}
	for _, f := range recorded(tb, recording) {
		for _, g := range f.spans {
			if !serve.RoleOf(g.Name()).IsLocalRoot() && !g.ParentSpanID().IsEmpty() {
				o.kinds = append(o.kinds, g)
			}
		}
	}
	require.NotEmpty(tb, o.kinds)
	return o
}

// batch is the next n of them, by network from one process of Serve's.
func (o *openRequests) batch(n int) ptrace.Traces {
	td := batch(replicaFile)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	spans.EnsureCapacity(n)
	for range n {
		o.next++
		span := spans.AppendEmpty()
		o.kinds[o.next%uint64(len(o.kinds))].CopyTo(span)
		span.SetTraceID(traceID(o.next))
		span.SetSpanID(spanID(2 * o.next))
		span.SetParentSpanID(spanID(2*o.next + 1))
	}
	return td
}

// received is a batch as the OTLP receiver makes it, each string in memory of its own.
func received(tb testing.TB, td ptrace.Traces) ptrace.Traces {
	tb.Helper()
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(tb, err)
	td, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
	require.NoError(tb, err)
	return td
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestHeldStateCostsLittleMoreThanItsSpans compares the memory of the state with that
// of the same spans in plain pdata, and with what the state believes it to be.
func TestHeldStateCostsLittleMoreThanItsSpans(t *testing.T) {
	const n = 50_000
	for _, recording := range recordings {
		t.Run(recording, func(t *testing.T) {
			open := newOpenRequests(t, recording)
			begin := heap()
			var plain []ptrace.Traces
			for range n / 1000 {
				plain = append(plain, received(t, open.batch(1000)))
			}
			pdata := heap() - begin
			runtime.KeepAlive(plain)
			clear(plain)

			b := newBench(t, nil)
			b.next = discard{}
			begin = heap()
			for range n / 1000 {
				require.NoError(t, b.ConsumeTraces(context.Background(), received(t, open.batch(1000))))
			}
			state := heap() - begin
			require.Equal(t, n, b.state.spans)
			t.Logf("per span: pdata %d, state %d (%.2f), believed %d",
				pdata/n, state/n, float64(state)/float64(pdata), b.state.bytes/n)
			assert.LessOrEqual(t, float64(state), 1.3*float64(pdata))
			assert.InEpsilon(t, state, b.state.bytes, 0.25)
		})
	}
}

// TestMillionOpenRequestsStayWithinTheBounds holds at most what it may, in spans and in memory.
func TestMillionOpenRequestsStayWithinTheBounds(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"max_spans": func(cfg *Config) { cfg.MaxSpans = 20_000 },
		"max_bytes": func(cfg *Config) { cfg.MaxBytes = 20 << 20 },
	} {
		t.Run(name, func(t *testing.T) {
			requests := 1_000_000
			if raceDetector {
				requests /= 20
			}
			open := newOpenRequests(t, "ray-2.60")
			b := newBench(t, change)
			b.next = discard{}
			begin := heap()
			for range requests / 1000 {
				b.feed(received(t, open.batch(1000)))
				require.LessOrEqual(t, b.state.spans, b.cfg.MaxSpans)
				require.LessOrEqual(t, b.state.bytes, int64(b.cfg.MaxBytes))
			}
			evicted := b.metric("processor_serve_context_spans", "evicted")
			assert.Equal(t, int64(requests-b.state.spans), evicted)
			used := heap() - begin
			t.Logf("%d spans, believed %d MB, heap %d MB", b.state.spans, b.state.bytes>>20, used>>20)
			assert.Less(t, used, b.state.bytes*5/4+2<<20)
			runtime.KeepAlive(open)
			runtime.KeepAlive(b)
		})
	}
}

// TestOldestLeavesFirst at the bound, together with what else is there of its trace.
func TestOldestLeavesFirst(t *testing.T) {
	b := newBench(t, func(cfg *Config) { cfg.MaxSpans = 3 })
	b.feed(batch(replicaFile, userSpan(1, 1, 0), userSpan(2, 1, 0), userSpan(1, 2, 0)))
	require.Empty(t, b.out.take())
	b.feed(batch(replicaFile, userSpan(3, 1, 0)))
	assert.Equal(t, map[uint64]string{1001: "", 1002: ""}, b.requests())
	b.feed(batch(replicaFile, replicaRoot(2, time.Second)))
	assert.Equal(t, map[uint64]string{2000: requestID(2), 2001: requestID(2)}, b.requests())
}

func TestSpanInAHurryIsNotOlder(t *testing.T) {
	b := newBench(t, func(cfg *Config) { cfg.MaxSpans = 2 })
	b.feed(batch(replicaFile, userSpan(1, 1, 0)))
	b.pass(time.Millisecond)
	b.feed(batch(replicaFile, spec{name: "in_executor", trace: 2, id: 20}))
	b.pass(time.Millisecond)
	b.feed(batch(replicaFile, userSpan(3, 1, 0)))
	assert.Equal(t, map[uint64]string{1001: ""}, b.requests())
	b.feed(batch(replicaFile, userSpan(4, 1, 0)))
	assert.Equal(t, map[uint64]string{20: ""}, b.requests())
}

// BenchmarkAtTheBound is a state that is full, while one span in ten has no local root; an op is a span.
// Its cost is to be that of a state with room.
func BenchmarkAtTheBound(b *testing.B) {
	for name, limit := range map[string]int{"full": 10_000, "room": 1 << 40} {
		b.Run(name, func(b *testing.B) {
			bench := newBench(b, func(cfg *Config) { cfg.MaxSpans, cfg.MaxBytes = limit, 1<<40 })
			bench.next = discard{}
			open := newOpenRequests(b, "ray-2.60")
			n := uint64(1 << 40)
			b.ReportAllocs()
			for done := 0; done < b.N; done += 1000 {
				b.StopTimer()
				td := open.batch(100)
				spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
				for range 300 {
					n++
					userSpan(n, 1, 0).put(spans.AppendEmpty())
					userSpan(n, 2, 0).put(spans.AppendEmpty())
					replicaRoot(n, time.Second).put(spans.AppendEmpty())
				}
				b.StartTimer()
				bench.feed(td)
			}
		})
	}
}
