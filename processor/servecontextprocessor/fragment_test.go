package servecontextprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

// requests are the request ids of the spans that left since the last call.
func (b *bench) requests() map[uint64]string {
	ids := map[uint64]string{}
	for _, g := range b.out.take() {
		ids[numberOf(g)] = g.str("ray.serve.request_id")
	}
	return ids
}

func TestSpansWaitForTheirLocalRoot(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(replicaFile, userSpan(1, 1, time.Second), userSpan(1, 2, time.Second)))
	b.pass(b.cfg.Wait - 1)
	require.Empty(t, b.out.take())
	assert.Equal(t, int64(2), b.metric("processor_serve_context_held_spans", ""))
	b.feed(batch(replicaFile, replicaRoot(1, 2*time.Second)))
	assert.Equal(t, map[uint64]string{1000: requestID(1), 1001: requestID(1), 1002: requestID(1)}, b.requests())
	assert.Equal(t, int64(1), b.metric("processor_serve_context_fragments", "root"))
	assert.Equal(t, int64(3), b.metric("processor_serve_context_spans", "root"))
	assert.Zero(t, b.metric("processor_serve_context_held_spans", ""))
}

func TestSpansThatWaitInVainGetTheirProcess(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(replicaFile, userSpan(1, 1, time.Second)))
	b.pass(b.cfg.Wait)
	got := b.out.take()
	require.Len(t, got, 1)
	assert.Equal(t, wanted{app: "chat", deployment: "Llm", replica: "abc"}, got[0].said())
	assert.Equal(t, int64(1), b.metric("processor_serve_context_fragments", "expired"))
}

// TestThreeMinuteStreams is a thousand streams at once, each with a span every ten
// seconds. Only what waited longer than wait has left before the root came.
func TestThreeMinuteStreams(t *testing.T) {
	for _, wait := range []time.Duration{time.Minute, 5 * time.Minute} {
		b := newBench(t, func(cfg *Config) { cfg.Wait = wait })
		const streams, every, length = 1000, 10 * time.Second, 3 * time.Minute
		for at := time.Duration(0); at < length; at += every {
			var specs []spec
			for n := range uint64(streams) {
				specs = append(specs, userSpan(n+1, uint64(at/every)+1, at))
			}
			b.feed(batch(replicaFile, specs...))
			b.pass(every)
		}
		for n := range uint64(streams) {
			b.feed(batch(replicaFile, replicaRoot(n+1, length)))
		}
		b.turn()
		seen := 0
		for _, g := range b.out.take() {
			n := numberOf(g)
			want := requestID(n / 1000)
			if at := time.Duration(n%1000-1) * every; n%1000 != 0 && length-at >= wait {
				want = ""
			}
			require.Equal(t, want, g.str("ray.serve.request_id"), "wait %s, span %d", wait, n)
			seen++
		}
		assert.Equal(t, streams*(int(length/every)+1), seen)
	}
}

func TestBackgroundTaskThatOutlivesItsRequestIsNeverHeld(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(replicaFile, replicaRoot(1, time.Second)))
	b.out.take()
	for minute := range uint64(61) {
		at := time.Duration(minute) * time.Minute
		// Its children end before it, so they come first and wait only for it.
		child := userSpan(1, 2*minute+2, time.Second+at)
		child.parent = 1000 + 2*minute + 1
		b.feed(batch(replicaFile, child, userSpan(1, 2*minute+1, time.Second+at)))
		want := ""
		if at <= time.Minute {
			want = requestID(1)
		}
		assert.Equal(t, map[uint64]string{child.parent: want, child.id: want}, b.requests(), at)
		b.pass(time.Minute)
	}
	assert.Zero(t, b.metric("processor_serve_context_fragments", "expired"))
	assert.Equal(t, int64(61), b.metric("processor_serve_context_fragments", "late"))
}

func TestBackgroundTaskOfAForgottenRequestIsHeldForAWhileOnly(t *testing.T) {
	b := newBench(t, nil)
	held := 0
	for minute := range uint64(120) {
		b.feed(batch(replicaFile, userSpan(1, minute+1, time.Hour)))
		if len(b.out.take()) == 0 {
			held++
		}
		b.pass(b.cfg.Wait)
		b.out.take()
	}
	assert.Equal(t, rootlessWaits, held)
}

func TestOneTraceEntersAProcessSeveralTimes(t *testing.T) {
	b := newBench(t, nil)
	inner, outer := replicaRoot(2, time.Second), replicaRoot(1, 2*time.Second)
	outerWork, innerWork, later := userSpan(1, 1, 0), userSpan(2, 1, 0), userSpan(1, 2, 2*time.Second)
	for _, s := range []*spec{&inner, &outer, &outerWork, &innerWork, &later} {
		s.trace = 7
	}
	inner.parent = outerWork.id // the call that came back
	b.feed(batch(replicaFile, outerWork, innerWork, inner))
	assert.Equal(t, map[uint64]string{2000: requestID(2), 2001: requestID(2)}, b.requests())
	b.feed(batch(replicaFile, later, outer))
	assert.Equal(t, map[uint64]string{1000: requestID(1), 1001: requestID(1), 1002: requestID(1)}, b.requests())
}

func TestParentsInACircleDoNotHoldUp(t *testing.T) {
	b := newBench(t, nil)
	one, two, own := userSpan(1, 1, 0), userSpan(1, 2, 0), userSpan(1, 3, 0)
	one.parent, two.parent, own.parent = two.id, one.id, own.id
	root := replicaRoot(1, time.Second)
	root.parent = root.id
	b.feed(batch(replicaFile, one, two, own, root))
	assert.Equal(t, map[uint64]string{1000: requestID(1)}, b.requests())
	b.pass(b.cfg.Wait)
	assert.Equal(t, map[uint64]string{1001: "", 1002: "", 1003: ""}, b.requests())
}

// TestManySpansOfOneTrace is beyond the size at which a group gets its index.
func TestManySpansOfOneTrace(t *testing.T) {
	const many = 20_000
	b := newBench(t, nil)
	var specs []spec
	for i := range uint64(many) {
		s := userSpan(1, 0, 0)
		s.id, s.parent = 1_000_000+i, 1_000_000+i+1 // a chain, deepest first
		specs = append(specs, s)
	}
	specs[many-1].parent = 1000
	stray := userSpan(1, 5, 0)
	stray.parent = 999_999
	b.feed(batch(replicaFile, append(specs, stray)...))
	b.feed(batch(replicaFile, replicaRoot(1, time.Second)))
	got := b.requests()
	assert.Len(t, got, many+1)
	for id, request := range got {
		require.Equal(t, requestID(1), request, id)
	}
	b.pass(b.cfg.Wait)
	assert.Equal(t, map[uint64]string{1005: ""}, b.requests())
}

// TestSpansOfALargeTraceComeAgain: the index knows which spans are held.
func TestSpansOfALargeTraceComeAgain(t *testing.T) {
	b := newBench(t, nil)
	for range 2 {
		for i := range uint64(3 * few) {
			b.feed(batch(replicaFile, userSpan(1, i+1, 0)))
		}
	}
	assert.Equal(t, int64(3*few), b.metric("processor_serve_context_spans_replaced", ""))
	b.feed(batch(replicaFile, replicaRoot(1, time.Second)))
	assert.Len(t, b.out.take(), 3*few+1)
}

func TestSpanBelowOneThatHasLeftIsLate(t *testing.T) {
	b := newBench(t, nil)
	below := userSpan(1, 2, time.Second)
	below.parent = 1001
	b.feed(batch(replicaFile, userSpan(1, 1, time.Second), replicaRoot(1, time.Second)))
	b.out.take()
	b.feed(batch(replicaFile, below))
	assert.Equal(t, map[uint64]string{1002: requestID(1)}, b.requests())
}

func TestExecutorRootsAreCountedAndNeverGuessed(t *testing.T) {
	b := newBench(t, nil)
	executor := spec{name: "in_executor", trace: 5, id: 50, kind: ptrace.SpanKindInternal, end: time.Second}
	below := spec{name: "below", trace: 5, id: 51, parent: 50, kind: ptrace.SpanKindInternal, end: time.Second}
	fastAPI := spec{name: "GET /chat", trace: 6, id: 60, kind: ptrace.SpanKindServer, end: time.Second}
	b.feed(batch(replicaFile, below, executor, fastAPI, replicaRoot(1, time.Second)))
	assert.Equal(t, map[uint64]string{1000: requestID(1)}, b.requests())
	b.pass(haste)
	got := b.out.take()
	require.Len(t, got, 3)
	for _, g := range got {
		assert.Equal(t, wanted{app: "chat", deployment: "Llm", replica: "abc"}, g.said(), g.Name())
	}
	assert.Equal(t, int64(1), b.metric("processor_serve_context_detached_roots", "other"))
	assert.Equal(t, int64(1), b.metric("processor_serve_context_detached_roots", "server"))
	// What comes below it later is not held.
	later := below
	later.id = 52
	b.feed(batch(replicaFile, later))
	assert.Equal(t, map[uint64]string{52: ""}, b.requests())
}

func TestUserSpanWithARemoteParentIsDetached(t *testing.T) {
	b := newBench(t, nil)
	s := spec{name: "GET /chat", trace: 6, id: 60, parent: 59, kind: ptrace.SpanKindServer, flags: remoteParent}
	b.feed(batch(replicaFile, s))
	b.pass(haste)
	assert.Equal(t, map[uint64]string{60: ""}, b.requests())
	assert.Equal(t, int64(1), b.metric("processor_serve_context_fragments", "detached"))
}

func TestSpansThatKnowTheirRequestAreNotHeld(t *testing.T) {
	companion := map[string]string{serveattr.WorkerID: "w1", serveattr.App: "chat", serveattr.Deployment: "Llm"}
	b := newBench(t, nil)
	s := userSpan(1, 1, 0)
	s.attrs = map[string]any{"ray.request_id": "r1"}
	b.feed(batch(companion, s))
	got := b.out.take()
	require.Len(t, got, 1)
	assert.Equal(t, wanted{app: "chat", deployment: "Llm", requestID: "r1"}, got[0].said())
	assert.Equal(t, int64(1), b.metric("processor_serve_context_fragments", "carried"))
}

func TestAttributesThatAreThereStay(t *testing.T) {
	b := newBench(t, nil)
	s := userSpan(1, 1, 0)
	s.attrs = map[string]any{"ray.serve.route": "mine", "ray.serve.app": 7}
	b.feed(batch(replicaFile, s, replicaRoot(1, time.Second)))
	for _, g := range b.out.take() {
		if numberOf(g) == 1001 {
			assert.Equal(t, wanted{app: "7", deployment: "Llm", replica: "abc", route: "mine", requestID: requestID(1)}, g.said())
		}
	}
}
