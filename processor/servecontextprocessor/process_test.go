package servecontextprocessor

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

func TestProcessKeyIsTheBestThatTheResourceHas(t *testing.T) {
	attrs := pcommon.NewMap()
	attrs.PutStr("service.name", "x")
	assert.Equal(t, processKey{kind: keyNone, id: "service.name\x00x\x00"}, originOf(attrs).key)
	attrs.PutStr("service.instance.id", "i")
	assert.Equal(t, processKey{kind: keyInstance, id: "i"}, originOf(attrs).key)
	attrs.PutStr("ray.worker_id", "w")
	assert.Equal(t, processKey{kind: keyWorker, id: "w"}, originOf(attrs).key)
	attrs.PutStr("log.file.name", "n")
	assert.Equal(t, processKey{kind: keyFile, name: "n"}, originOf(attrs).key)
	attrs.PutStr("log.file.path", "p")
	assert.Equal(t, processKey{kind: keyFile, id: "p", name: "n"}, originOf(attrs).key)
}

func TestForeignProcessIsHeldForASecond(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(instance, userSpan(1, 1, 0), userSpan(2, 1, 0)))
	b.pass(haste - 1)
	require.Empty(t, b.out.take())
	b.pass(1)
	assert.Len(t, b.out.take(), 2)
	assert.Equal(t, int64(1), b.metric("processor_serve_context_foreign_processes", ""))
	b.feed(batch(instance, userSpan(3, 1, 0)))
	assert.Len(t, b.out.take(), 1, "the mark holds")
	b.pass(foreignFor)
	b.feed(batch(instance, userSpan(4, 1, 0)))
	assert.Empty(t, b.out.take(), "the mark has ended")
	b.pass(haste)
	assert.Len(t, b.out.take(), 1)
	assert.Equal(t, int64(4), b.metric("processor_serve_context_spans", "foreign"))
}

func TestFirstServeSpanLiftsTheMark(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(instance, userSpan(1, 1, 0)))
	b.pass(haste)
	assert.Equal(t, map[uint64]string{1001: ""}, b.requests())
	// Spans in front of it in its own batch profit, too.
	b.feed(batch(instance, userSpan(2, 1, 0), replicaRoot(2, time.Second), userSpan(3, 1, 0)))
	assert.Equal(t, map[uint64]string{2000: requestID(2), 2001: requestID(2)}, b.requests())
	b.pass(b.cfg.Wait - 1)
	b.feed(batch(instance, replicaRoot(3, time.Second)))
	assert.Equal(t, map[uint64]string{3000: requestID(3), 3001: requestID(3)}, b.requests())
}

func TestServeSpanWithinTheSecondKeepsWhatWaits(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(instance, userSpan(1, 1, 0)))
	b.pass(haste / 2)
	b.feed(batch(instance, replicaRoot(2, time.Second)))
	b.pass(b.cfg.Wait / 2)
	b.out.take()
	b.feed(batch(instance, replicaRoot(1, time.Second)))
	assert.Equal(t, map[uint64]string{1000: requestID(1), 1001: requestID(1)}, b.requests())
}

func TestSpanFileOfAnotherProgramIsHeldOnce(t *testing.T) {
	core := map[string]string{"log.file.path": "/tmp/spans/17.txt"}
	b := newBench(t, nil)
	b.feed(batch(core, userSpan(1, 1, 0)))
	b.pass(b.cfg.Wait - 1)
	require.Empty(t, b.out.take())
	b.pass(1)
	assert.Len(t, b.out.take(), 1)
	b.feed(batch(core, userSpan(2, 1, 0)))
	assert.Len(t, b.out.take(), 1)
}

func TestFirstReplicaSpanSettlesAnAmbiguousFileName(t *testing.T) {
	file := map[string]string{
		"log.file.path": "/s/replica_my_app_Llm_abc_tracing.json", serveattr.Component: "replica", serveattr.ReplicaID: "abc",
	}
	executor := spec{name: "in_executor", trace: 5, id: 50}
	b := newBench(t, nil)
	b.feed(batch(file, executor))
	b.pass(haste)
	got := b.out.take()
	require.Len(t, got, 1)
	assert.Equal(t, wanted{replica: "abc"}, got[0].said())
	b.feed(batch(file, replicaRoot(1, time.Second), executor))
	b.out.take()
	b.pass(haste)
	executor.trace, executor.id = 6, 60
	b.out.take()
	b.feed(batch(file, executor))
	b.pass(haste)
	got = b.out.take()
	require.Len(t, got, 1)
	assert.Equal(t, wanted{app: "chat", deployment: "Llm", replica: "abc"}, got[0].said())
}

func TestInstanceIDOfSeveralReplicasNamesNone(t *testing.T) {
	b := newBench(t, nil)
	other := replicaRoot(2, time.Second)
	other.attrs[serveattr.RayReplicaID], other.attrs[serveattr.RayDeployment] = "def", "Embed"
	b.feed(batch(instance, userSpan(1, 1, 0), userSpan(2, 1, 0), replicaRoot(1, time.Second), other))
	said := map[uint64]wanted{}
	for _, g := range b.out.take() {
		said[numberOf(g)] = g.said()
	}
	one := wanted{app: "chat", deployment: "Llm", replica: "abc", route: "/chat", requestID: requestID(1)}
	two := wanted{app: "chat", deployment: "Embed", replica: "def", route: "/chat", requestID: requestID(2)}
	assert.Equal(t, map[uint64]wanted{1000: one, 1001: one, 2000: two, 2001: two}, said)
	assert.Equal(t, int64(1), b.metric("processor_serve_context_shared_processes", ""))
	b.feed(batch(instance, userSpan(3, 1, 0)))
	b.pass(b.cfg.Wait)
	got := b.out.take()
	require.Len(t, got, 1)
	assert.Equal(t, wanted{}, got[0].said())
}

func TestProcessTableIsBounded(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(replicaFile, userSpan(1, 1, 0)))
	for i := range 2 * maxProcesses {
		b.feed(batch(map[string]string{"service.instance.id": strconv.Itoa(i)}, replicaRoot(2, time.Second)))
	}
	assert.Equal(t, int64(maxProcesses), b.metric("processor_serve_context_known_processes", ""))
	b.out.take()
	b.feed(batch(replicaFile, replicaRoot(1, time.Second)))
	assert.Len(t, b.out.take(), 2, "one that holds a span is not forgotten")
}

func TestServeSpanNeedNotSayEverything(t *testing.T) {
	b := newBench(t, nil)
	root := replicaRoot(1, time.Second)
	delete(root.attrs, serveattr.RayReplicaID)
	delete(root.attrs, serveattr.RayApp)
	b.feed(batch(replicaFile, root))
	got := b.out.take()
	require.Len(t, got, 1)
	assert.Equal(t, wanted{app: "chat", deployment: "Llm", replica: "abc", route: "/chat", requestID: requestID(1)}, got[0].said())
}

func TestMemoryOfEndedSpansIsBounded(t *testing.T) {
	b := newBench(t, nil)
	b.state.maxPast = 100
	for n := range uint64(1000) {
		b.feed(batch(replicaFile, userSpan(n+1, 1, 0), userSpan(n+1, 2, 0), replicaRoot(n+1, time.Second)))
	}
	// A single fragment larger than the whole memory.
	var specs []spec
	for i := range uint64(500) {
		specs = append(specs, userSpan(2000, i+1, 0))
	}
	b.feed(batch(replicaFile, append(specs, replicaRoot(2000, time.Second))...))
	for _, p := range b.state.processes.byKey {
		assert.LessOrEqual(t, len(p.groups), 100)
	}
	assert.LessOrEqual(t, b.state.ledger.spans, 100)
	b.feed(batch(replicaFile, replicaRoot(2001, time.Second), userSpan(2001, 7, 0)))
	got := b.requests()
	assert.Equal(t, requestID(2001), got[2001007], "it still remembers")
}
