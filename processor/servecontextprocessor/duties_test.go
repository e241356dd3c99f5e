package servecontextprocessor

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/names"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// TestNamesKnowTheRequest: what the names duty does only with the route and the process.
func TestNamesKnowTheRequest(t *testing.T) {
	b := newBench(t, func(cfg *Config) { cfg.Names = names.DefaultConfig() })
	proxy := spec{
		name: "proxy_http_request Llm GET /17", trace: 1, id: 10, kind: ptrace.SpanKindServer, end: time.Second,
		attrs: map[string]any{
			serveattr.RayRequestID: "r", serveattr.RayApp: "chat", serveattr.RayDeployment: "Llm",
			serveattr.RayRequestMethod: "GET", serveattr.HTTPRoute: "/17", serveattr.RayRequestRoutePath: "/17",
		},
	}
	call := spec{
		name: "route_to_replica Llm __call__", trace: 1, id: 11, parent: 10, kind: ptrace.SpanKindServer,
		attrs: map[string]any{serveattr.RayRequestID: "r", serveattr.RayRoute: "/chat/{id}", serveattr.RayCallMethod: "__call__"},
	}
	b.feed(batch(proxyFile, call, proxy))
	b.feed(batch(replicaFile, replicaRoot(2, time.Second)))
	got := map[uint64]got{}
	for _, g := range b.out.take() {
		got[numberOf(g)] = g
	}
	require.Len(t, got, 3)
	assert.Equal(t, "/chat/{id}", got[10].str(serveattr.HTTPRoute))
	assert.Equal(t, ptrace.SpanKindClient, got[11].Kind())
	assert.Equal(t, "serve-proxy", attrOf(got[10].resource, "service.name"))
	assert.Equal(t, "chat.Llm", attrOf(got[2000].resource, "service.name"))
	assert.Equal(t, wanted{app: "chat", deployment: "Llm", route: "/chat/{id}", requestID: "r"}, got[10].said())
}

// TestTwoInARowAreAsOne: the second processor finds nothing to change and holds nothing.
func TestTwoInARowAreAsOne(t *testing.T) {
	for _, recording := range recordings {
		change := func(cfg *Config) { cfg.Names = names.DefaultConfig() }
		first, second := newBench(t, change), newBench(t, change)
		first.next = second.serveContext
		for _, p := range inTurns(recorded(t, recording), 20) {
			first.feed(p.file.batch(formFile, p.spans))
		}
		first.pass(first.cfg.Wait)
		second.pass(second.cfg.Wait)
		direct := newBench(t, change)
		for _, p := range inTurns(recorded(t, recording), 20) {
			direct.feed(p.file.batch(formFile, p.spans))
		}
		direct.pass(direct.cfg.Wait)
		want := map[pcommon.SpanID]got{}
		for _, g := range direct.out.take() {
			want[g.SpanID()] = g
		}
		all := second.out.take()
		assert.Len(t, all, len(want))
		for _, g := range all {
			require.Equal(t, want[g.SpanID()].Attributes().AsRaw(), g.Attributes().AsRaw(), g.Name())
			require.Equal(t, want[g.SpanID()].Name(), g.Name())
			require.Equal(t, want[g.SpanID()].resource.AsRaw(), g.resource.AsRaw())
		}
	}
}

// TestTracesAreKeptOrDroppedWhole over processes, sources and orders, also with rules by route.
func TestTracesAreKeptOrDroppedWhole(t *testing.T) {
	change := func(cfg *Config) {
		cfg.Sampling.Ratio = 0.5
		cfg.Sampling.Rules = []sampling.RuleConfig{{Route: "/hello*", Ratio: 0.1}, {Route: "/chain*", Ratio: 0.9}}
	}
	files := recorded(t, "ray-2.60")
	var first map[pcommon.TraceID]bool
	for _, pieces := range [][]piece{inTurns(files, 1), inTurns(files, 13), inTurns(files, 1000), byTime(files, pcommon.Timestamp(time.Second))} {
		b := newBench(t, change)
		for _, p := range pieces {
			b.feed(p.file.batch(formFile, p.spans))
		}
		b.pass(b.cfg.Wait)
		kept := map[pcommon.TraceID]int{}
		for _, g := range b.out.take() {
			kept[g.TraceID()]++
		}
		whole := map[pcommon.TraceID]int{}
		for id, n := range spansByTrace(files) {
			if kept[id] > 0 && routesOf(files, id) {
				whole[id] = n
				assert.Equal(t, n, kept[id], id)
			}
		}
		assert.NotEmpty(t, whole)
		set := map[pcommon.TraceID]bool{}
		for id := range whole {
			set[id] = true
		}
		if first == nil {
			first = set
		}
		assert.Equal(t, first, set)
	}
}

func spansByTrace(files []recordedFile) map[pcommon.TraceID]int {
	n := map[pcommon.TraceID]int{}
	for _, f := range files {
		for _, g := range f.spans {
			n[g.TraceID()]++
		}
	}
	return n
}

// routesOf says that all calls of a trace know its route. Those inside a batch do not; they
// are rather kept than torn.
func routesOf(files []recordedFile, id pcommon.TraceID) bool {
	roots := 0
	for _, f := range files {
		for _, g := range f.spans {
			if role := serve.RoleOf(g.Name()); g.TraceID() != id || role == serve.RoleUser || role == serve.RoleProxy {
				continue
			}
			if g.str(serveattr.RayRoute) == "" {
				return false
			}
			roots++
		}
	}
	return roots > 0
}

func TestSamplingFileChangesTheRatioWhileRunning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sampling.yaml")
	b := newBench(t, func(cfg *Config) { cfg.Sampling.File = path })
	send := func(n uint64) int {
		b.clock = b.clock.Add(time.Second)
		require.NoError(t, b.ConsumeTraces(context.Background(), batch(replicaFile, replicaRoot(n, time.Second))))
		b.turn()
		return len(b.out.take())
	}
	assert.Equal(t, 1, send(1))
	require.NoError(t, os.WriteFile(path, []byte("ratio: 0\n"), 0o600))
	assert.Equal(t, 0, send(2))
	require.NoError(t, os.WriteFile(path, []byte("ratio: broken\n"), 0o600))
	assert.Equal(t, 0, send(3))
	require.NoError(t, os.WriteFile(path, []byte("ratio: 1\n"), 0o600))
	assert.Equal(t, 1, send(4))
}

func TestHeldSpanWaitsForItsRouteIfRulesAskForIt(t *testing.T) {
	b := newBench(t, func(cfg *Config) { cfg.Sampling.Rules = []sampling.RuleConfig{{Route: "/chat", Ratio: 0}} })
	s := userSpan(1, 1, 0)
	s.attrs = map[string]any{"ray.request_id": requestID(1)}
	b.feed(batch(replicaFile, s))
	require.Empty(t, b.out.take())
	b.feed(batch(replicaFile, replicaRoot(1, time.Second)))
	assert.Empty(t, b.out.take())
	assert.Equal(t, int64(2), b.metric("processor_serve_context_sampled_spans", "dropped_by_rule"))
	assert.Zero(t, b.metric("processor_serve_context_held_spans", ""))
}

// TestParentlessSpansAreHeadlessBelowHeadRatioOne but for those of the proxy.
func TestParentlessSpansAreHeadlessBelowHeadRatioOne(t *testing.T) {
	b := newBench(t, func(cfg *Config) { cfg.Sampling.HeadRatio, cfg.Sampling.Headless = 0.2, sampling.HeadlessDrop })
	files := recorded(t, "ray-2.60-ratio0.2")
	for _, p := range inTurns(files, 10) {
		b.feed(p.file.batch(formFile, p.spans))
	}
	b.pass(b.cfg.Wait)
	left := map[pcommon.SpanID]bool{}
	for _, g := range b.out.take() {
		left[g.SpanID()] = true
		if serve.RoleOf(g.Name()) == serve.RoleProxy && g.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
			assert.Contains(t, g.TraceState().AsRaw(), "th:cccccccccccc")
		}
	}
	for _, f := range files {
		for _, g := range f.spans {
			role := serve.RoleOf(g.Name())
			if g.ParentSpanID().IsEmpty() {
				assert.Equal(t, role == serve.RoleProxy, left[g.SpanID()], g.Name())
			}
		}
	}
}
