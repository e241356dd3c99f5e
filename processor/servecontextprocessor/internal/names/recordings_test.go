package names

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

const testdata = "../../../../testdata"

var recordings = []string{"ray-2.55.0", "ray-2.60", "ray-2.60-ratio0.2", "ray-2.60-linked", "ray-2.60-linked-ratio0.2"}

// fragment is a span with what the context duty would know of it.
type fragment struct {
	ptrace.Span
	resource pcommon.Map
	req      serve.Request
	p        serve.Process
}

// eachRecording is all recordings. The last one that the log names is the one that a test fails at.
func eachRecording(tb testing.TB) iter.Seq[[]fragment] {
	tb.Helper()
	return func(yield func([]fragment) bool) {
		for _, recording := range recordings {
			tb.Log(recording)
			if !yield(recorded(tb, recording)) {
				return
			}
		}
	}
}

// recorded is all spans of a recording, each with its request and process.
func recorded(tb testing.TB, recording string) []fragment {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(testdata, recording, "spans", "*.json"))
	require.NoError(tb, err)
	require.NotEmpty(tb, paths)
	var all []fragment
	for _, path := range paths {
		all = append(all, resolved(decoded(tb, path))...)
	}
	return all
}

func decoded(tb testing.TB, path string) ptrace.Traces {
	tb.Helper()
	data, err := os.ReadFile(path)
	require.NoError(tb, err)
	td := ptrace.NewTraces()
	decoder := consolespan.NewDecoder(16 << 20)
	decoder.Begin(td)
	for {
		n, err := decoder.Next(data)
		data = data[n:]
		if errors.Is(err, consolespan.ErrMore) {
			require.Empty(tb, data)
			return td
		}
		require.NoError(tb, err)
	}
}

func spansOf(td ptrace.Traces) []ptrace.Span {
	var spans []ptrace.Span
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				spans = append(spans, span)
			}
		}
	}
	return spans
}

// resolved gives each span of one process the request of its own local root in
// that process, and the process. The truth here is the parent ids alone.
func resolved(td ptrace.Traces) []fragment {
	byID := map[pcommon.SpanID]ptrace.Span{}
	routes := map[pcommon.SpanID]string{} // of the calls, by their parent
	var p serve.Process
	for _, span := range spansOf(td) {
		byID[span.SpanID()] = span
		switch serve.RoleOf(span.Name()) {
		case serve.RoleProxy:
			p = serve.Process{Component: serveattr.ComponentProxy}
		case serve.RoleRoute:
			routes[span.ParentSpanID()] = text(span, serveattr.RayRoute)
		case serve.RoleReplica:
			p = processOf(span)
		}
	}
	var fragments []fragment
	for _, rs := range td.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			f := fragment{Span: span, resource: rs.Resource().Attributes(), p: p}
			root, ok := span, true
			for ok && !serve.RoleOf(root.Name()).IsLocalRoot() {
				root, ok = byID[root.ParentSpanID()]
			}
			if ok {
				f.req = requestOf(root, routes)
			}
			fragments = append(fragments, f)
		}
	}
	return fragments
}

func processOf(replica ptrace.Span) serve.Process {
	return serve.Process{
		Component:  serveattr.ComponentReplica,
		App:        text(replica, serveattr.RayApp),
		Deployment: text(replica, serveattr.RayDeployment),
		ReplicaID:  text(replica, serveattr.RayReplicaID),
	}
}

func requestOf(root ptrace.Span, routes map[pcommon.SpanID]string) serve.Request {
	req := serve.Request{
		App:        text(root, serveattr.RayApp),
		Deployment: text(root, serveattr.RayDeployment),
		Route:      text(root, serveattr.RayRoute),
		ID:         text(root, serveattr.RayRequestID),
		Method:     text(root, serveattr.HTTPMethod),
	}
	if serve.RoleOf(root.Name()) == serve.RoleProxy {
		req.Route = routes[root.SpanID()]
		req.Method = text(root, serveattr.RayRequestMethod)
	}
	return req
}

func text(span ptrace.Span, key string) string {
	value, ok := span.Attributes().Get(key)
	if !ok {
		return ""
	}
	return value.AsString()
}

func copied(span ptrace.Span) ptrace.Span {
	other := ptrace.NewSpan()
	span.CopyTo(other)
	return other
}

func rewriter(tb testing.TB, change func(*Config)) *Rewriter {
	tb.Helper()
	c := DefaultConfig()
	if change != nil {
		change(&c)
	}
	r, err := New(c)
	require.NoError(tb, err)
	return r
}

// rewritten is a copy of the span and its resource after r.
func (f fragment) rewritten(r *Rewriter) fragment {
	attrs := pcommon.NewMap()
	f.resource.CopyTo(attrs)
	f.Span, f.resource = copied(f.Span), attrs
	r.Resource(f.resource, f.p)
	r.Span(f.Span, f.req, f.p)
	return f
}
