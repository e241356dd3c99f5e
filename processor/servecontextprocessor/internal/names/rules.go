package names

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// proxy changes the span of a request's entry.
// Source: ray/serve/_private/proxy.py, _setup_http_tracing, _finalize_http_tracing
// and their siblings for gRPC.
func (r *Rewriter) proxy(s *serveSpan, req *serve.Request) {
	if s.text(requestType) == serveattr.RequestTypeGRPC || strings.HasPrefix(s.Name(), "proxy_grpc_request") {
		if r.lost {
			s.fill(rpcSystem, serveattr.RPCSystemGRPC)
		}
		rpcStatus(s)
		return
	}
	method := s.text(requestMethod)
	if method == "" {
		method = s.text(httpMethod)
	}
	if isHTTPRoute(req.Route) {
		r.rawPath(s, method, req.Route)
	}
	if r.lost {
		s.fill(httpMethod, method)
	}
	r.currentMethod(s, method)
	httpStatus(s)
}

// rawPath puts the route where Ray has the path of the request, which goes to
// url.path as far as it can be told; below the prefix it stays in request_route_path.
func (r *Rewriter) rawPath(s *serveSpan, method, route string) {
	if r.lost {
		s.fill(httpRoute, route)
	}
	if !s.has(requestRoutePath) {
		return
	}
	raw := s.text(requestRoutePath)
	if r.routes {
		old := s.Name()
		name := routed(old, method, raw, route)
		if resource := s.text(resourceName); resource == old && name != old {
			s.set(resourceName, name)
		} else if other := routed(resource, method, raw, route); other != resource {
			s.set(resourceName, other)
		}
		if name != old {
			s.SetName(name)
		}
		if s.has(httpRoute) && s.text(httpRoute) == raw && raw != route {
			s.set(httpRoute, route)
		}
	}
	if !s.has(urlPath) {
		s.fill(urlPath, fullPath(route, raw))
	}
}

// routed is a name of the form that Serve gives proxy spans, "… <method> <raw
// path>", with the route in place of the path. Other names stay as they are.
func routed(name, method, raw, route string) string {
	front, ok := strings.CutSuffix(name, raw)
	if !ok || raw == route || method == "" {
		return name
	}
	before, ok := strings.CutSuffix(front, " ")
	if !ok || !strings.HasSuffix(before, " "+method) {
		return name
	}
	return front + route
}

// isHTTPRoute tells a path from the name of an app, which is a gRPC request's route.
func isHTTPRoute(route string) bool { return strings.HasPrefix(route, "/") }

// route changes the span of a call by a handle.
// Source: ray/serve/_private/router.py, AsyncioRouter.assign_request.
func (r *Rewriter) route(s *serveSpan, req *serve.Request) {
	if r.kinds && s.Kind() == ptrace.SpanKindServer {
		s.SetKind(ptrace.SpanKindClient)
	}
	switch {
	case s.isTrue(isHTTPRequest), !s.has(isHTTPRequest) && s.isHTTP():
		r.httpCall(s, req)
	case s.isTrue(isGRPCRequest):
		r.rpcCall(s, serveattr.RPCSystemRayGRPC, "")
	case s.has(isHTTPRequest):
		r.rpcCall(s, serveattr.RPCSystemUndefined, "")
	case s.isRPC():
		r.rpcCall(s, "", "")
	}
}

// replica changes the span of a call's execution. Only the attributes that it
// has tell its protocol, so it is left alone where Ray lost all of them.
// Source: ray/serve/_private/replica.py, _tracing_context and _record_errors_and_metrics.
func (r *Rewriter) replica(s *serveSpan, req *serve.Request, p *serve.Process) {
	if r.exceptions {
		exceptionAsError(s.Span)
	}
	switch {
	case s.isHTTP():
		r.httpCall(s, req)
	case s.isRPC():
		r.rpcCall(s, "", p.Deployment)
	}
}

func (s *serveSpan) isHTTP() bool {
	return s.has(httpMethod) || s.has(httpStatusCode) || s.has(httpRoute)
}

func (s *serveSpan) isRPC() bool { return s.has(rpcSystem) || s.has(rpcMethod) || s.has(rpcService) }
