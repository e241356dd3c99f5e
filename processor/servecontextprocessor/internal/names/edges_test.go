package names

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// These spans are not in the recordings. Their form is read from the code of Ray 2.60.

var request = serve.Request{App: "chat", Deployment: "Llm", Route: "/chat/{id}", Method: "POST"}

func serverSpan(t *testing.T, name string, attributes map[string]any) ptrace.Span {
	t.Helper()
	span := ptrace.NewSpan()
	span.SetName(name)
	span.SetKind(ptrace.SpanKindServer)
	require.NoError(t, span.Attributes().FromRaw(attributes))
	return span
}

func TestSpansOfOldReleases(t *testing.T) {
	r := rewriter(t, nil)

	call := serverSpan(t, "proxy_route_to_replica", map[string]any{"http.method": "__call__", "http.route": "/chat/{id}"})
	r.Span(call, request, serve.Process{})
	assert.Equal(t, "proxy_route_to_replica", call.Name())
	assert.Equal(t, ptrace.SpanKindClient, call.Kind())
	assert.Equal(t, map[string]any{"http.method": "POST", "http.request.method": "POST", "http.route": "/chat/{id}"}, call.Attributes().AsRaw())

	proxy := serverSpan(t, "proxy_http_request", map[string]any{
		"request_method": "POST", "request_route_path": "/7", "http.route": "/7", "http.status_code": "200",
	})
	r.Span(proxy, request, serve.Process{})
	assert.Equal(t, "proxy_http_request", proxy.Name())
	assert.Equal(t, map[string]any{
		"request_method": "POST", "request_route_path": "/7", "http.route": "/chat/{id}", "url.path": "/chat/7",
		"http.status_code": int64(200), "http.response.status_code": int64(200),
		"http.method": "POST", "http.request.method": "POST",
	}, proxy.Attributes().AsRaw())

	replica := serverSpan(t, "replica_handle_request", map[string]any{"rpc.system": "UNDEFINED"})
	r.Span(replica, serve.Request{}, serve.Process{Deployment: "Llm"})
	assert.Equal(t, map[string]any{"rpc.system": "ray_serve", "rpc.service": "Llm"}, replica.Attributes().AsRaw())
}

func TestCloseCodeOfAWebsocketIsNoHTTPStatus(t *testing.T) {
	name := "proxy_websocket_request Llm WS /7"
	span := serverSpan(t, name, map[string]any{
		"request_type": "websocket", "request_method": "WS", "request_route_path": "/7", "resource.name": name,
		"http.method": "WS", "http.route": "/7", "http.status_code": int64(1000),
	})
	rewriter(t, nil).Span(span, request, serve.Process{})
	assert.Equal(t, "proxy_websocket_request Llm WS /chat/{id}", span.Name())
	assert.Equal(t, map[string]any{
		"request_type": "websocket", "request_method": "WS", "request_route_path": "/7", "resource.name": span.Name(),
		"http.method": "WS", "http.request.method": "GET", "http.route": "/chat/{id}", "http.status_code": int64(1000),
		"url.path": "/chat/7",
	}, span.Attributes().AsRaw())
}

func TestUnknownMethodIsOther(t *testing.T) {
	attributes := map[string]any{"http.method": "BREW"}
	span := serverSpan(t, "replica_handle_request Llm __call__", attributes)
	rewriter(t, nil).Span(span, request, serve.Process{})
	assert.Equal(t, map[string]any{"http.method": "BREW", "http.request.method": "_OTHER", "http.route": "/chat/{id}"}, span.Attributes().AsRaw())

	// Datadog's resource is of the current method where there is no resource.name.
	span = serverSpan(t, "replica_handle_request Llm __call__", attributes)
	rewriter(t, func(c *Config) { c.Preset = PresetAgent }).Span(span, request, serve.Process{})
	assert.Equal(t, attributes, span.Attributes().AsRaw())
}

func TestValuesThatAUserSetStay(t *testing.T) {
	attributes := map[string]any{
		"request_type": "http", "request_method": "POST", "request_route_path": "/7",
		"http.method": "POST", "http.request.method": "post", "http.route": "mine", "resource.name": "mine too",
		"http.status_code": int64(200), "http.response.status_code": int64(299), "url.path": "/mine",
	}
	span := serverSpan(t, "my proxy", attributes)
	span.SetName("proxy_http_request of mine")
	rewriter(t, nil).Span(span, request, serve.Process{})
	assert.Equal(t, "proxy_http_request of mine", span.Name())
	assert.Equal(t, attributes, span.Attributes().AsRaw())
}

func TestUserSpanWithANameOfServesStays(t *testing.T) {
	attributes := map[string]any{"http.method": "__call__", "http.status_code": "200"}
	span := serverSpan(t, "route_to_replica mine", attributes)
	span.SetKind(ptrace.SpanKindInternal)
	rewriter(t, nil).Span(span, request, serve.Process{})
	assert.Equal(t, attributes, span.Attributes().AsRaw())
	assert.Equal(t, ptrace.SpanKindInternal, span.Kind())
}

func TestStatusThatIsSetStays(t *testing.T) {
	span := serverSpan(t, "replica_handle_request Llm __call__", nil)
	span.Events().AppendEmpty().SetName(serveattr.ExceptionEvent)
	span.Status().SetCode(ptrace.StatusCodeOk)
	rewriter(t, nil).Span(span, request, serve.Process{})
	assert.Equal(t, ptrace.StatusCodeOk, span.Status().Code())
}

func TestLastExceptionIsTheDescription(t *testing.T) {
	span := serverSpan(t, "replica_handle_request Llm __call__", nil)
	handled := span.Events().AppendEmpty()
	handled.SetName(serveattr.ExceptionEvent)
	handled.Attributes().PutStr(serveattr.ExceptionMessage, "handled")
	last := span.Events().AppendEmpty()
	last.SetName(serveattr.ExceptionEvent)
	last.Attributes().PutStr(serveattr.ExceptionMessage, "")
	last.Attributes().PutStr(serveattr.ExceptionType, "asyncio.exceptions.CancelledError")
	span.Events().AppendEmpty().SetName("closed")
	rewriter(t, nil).Span(span, request, serve.Process{})
	assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
	assert.Equal(t, "asyncio.exceptions.CancelledError", span.Status().Message())
}

func TestGRPCStatusIsANumberAndKeepsItsName(t *testing.T) {
	for before, want := range map[any]map[string]any{
		"UNAVAILABLE": {"rpc.grpc.status_code": int64(14), "rpc.response.status_code": "UNAVAILABLE"},
		int64(4):      {"rpc.grpc.status_code": int64(4), "rpc.response.status_code": "DEADLINE_EXCEEDED"},
		"NEW":         {"rpc.grpc.status_code": "NEW"},
		int64(17):     {"rpc.grpc.status_code": int64(17)},
		int64(-1):     {"rpc.grpc.status_code": int64(-1)},
	} {
		span := serverSpan(t, "proxy_grpc_request Llm /a.B/c", map[string]any{"rpc.grpc.status_code": before})
		rewriter(t, func(c *Config) { c.Preset = PresetAgent }).Span(span, request, serve.Process{})
		assert.Equal(t, want, span.Attributes().AsRaw())
	}
}

func TestGRPCProxyWithoutAStatusHasItsSystem(t *testing.T) {
	span := serverSpan(t, "proxy_grpc_request Llm /a.B/c", map[string]any{"request_type": "grpc"})
	rewriter(t, nil).Span(span, request, serve.Process{})
	assert.Equal(t, map[string]any{"request_type": "grpc", "rpc.system": "grpc"}, span.Attributes().AsRaw())
}

func TestProcessThatIsNotServesIsNotNamed(t *testing.T) {
	attrs := pcommon.NewMap()
	rewriter(t, func(c *Config) { c.ServiceName.Template = "serve" }).Resource(attrs, serve.Process{})
	assert.Zero(t, attrs.Len())
}

func TestServiceIsNamedWhereNobodyNamedIt(t *testing.T) {
	replica := serve.Process{Component: serveattr.ComponentReplica, App: "chat", Deployment: "Llm"}
	for name, c := range map[string]struct {
		before   any
		p        serve.Process
		override bool
		want     map[string]any
	}{
		"missing":            {nil, replica, false, map[string]any{"service.name": "chat.Llm", "service.namespace": "chat"}},
		"empty":              {"", replica, false, map[string]any{"service.name": "chat.Llm", "service.namespace": "chat"}},
		"unknown":            {"unknown_service", replica, false, map[string]any{"service.name": "chat.Llm", "service.namespace": "chat"}},
		"unknown python":     {"unknown_service:python", replica, false, map[string]any{"service.name": "chat.Llm", "service.namespace": "chat"}},
		"a user's":           {"mine", replica, false, map[string]any{"service.name": "mine", "service.namespace": "chat"}},
		"a user's, override": {"mine", replica, true, map[string]any{"service.name": "chat.Llm", "service.namespace": "chat"}},
		"proxy":              {nil, serve.Process{Component: serveattr.ComponentProxy}, false, map[string]any{"service.name": "serve-proxy"}},
		"deployment unknown": {"unknown_service", serve.Process{App: "chat"}, true, map[string]any{"service.name": "unknown_service", "service.namespace": "chat"}},
	} {
		t.Run(name, func(t *testing.T) {
			attrs := pcommon.NewMap()
			if c.before != nil {
				require.NoError(t, attrs.FromRaw(map[string]any{"service.name": c.before}))
			}
			r := rewriter(t, func(config *Config) { config.ServiceName.Override = c.override })
			for range 2 {
				r.Resource(attrs, c.p)
				assert.Equal(t, c.want, attrs.AsRaw())
			}
		})
	}
}

func TestNamespaceThatIsSetStays(t *testing.T) {
	attrs := pcommon.NewMap()
	attrs.PutStr(serveattr.ServiceNamespace, "mine")
	rewriter(t, nil).Resource(attrs, serve.Process{App: "chat"})
	assert.Equal(t, map[string]any{"service.namespace": "mine"}, attrs.AsRaw())
}

func TestKeysAndNumbersOfKnownAttributesAgree(t *testing.T) {
	for k, key := range keys {
		assert.Equal(t, known(k), knownOf(key))
	}
	assert.Equal(t, numKnown, knownOf("other"))
}
