package serveattr

// OpenTelemetry's names as Serve writes them, which are those of semantic
// conventions 1.20 and before.
// Origin: ray/serve/_private/tracing_utils.py, set_http_span_attributes and set_rpc_span_attributes.
const (
	// HTTPMethod is the request's method; on route_to_replica Serve writes the
	// called Python method. String. Example: "GET".
	HTTPMethod = "http.method"
	// HTTPStatusCode is the response's status, the close code of a websocket. Serve
	// writes an int on proxies, a string on replicas. Example: 200.
	HTTPStatusCode = "http.status_code"
	// HTTPRoute is the matched route; on proxies Serve writes the raw path. String.
	// Example: "/hello/{name}".
	HTTPRoute = "http.route"
	// RPCSystem names the remote procedure call system: RPCSystemGRPC, …
	// Serve writes a RequestProtocol. String. Example: "grpc".
	RPCSystem = "rpc.system"
	// RPCMethod is the method called, with its service on proxies. String. Example: "__call__".
	RPCMethod = "rpc.method"
	// RPCService is the deployment called. String. Example: "Downstream".
	RPCService = "rpc.service"
	// RPCGRPCStatusCode is gRPC's status. Serve writes its name; the convention
	// wants its number. Example: 0.
	RPCGRPCStatusCode = "rpc.grpc.status_code"
)

// Values of RPCSystem. The first three are Serve's.
// Origin: ray/serve/_private/common.py, RequestProtocol, and, in proxy spans, RequestTypeGRPC.
const (
	// RPCSystemUndefined is what Serve writes for a call by a deployment's handle.
	RPCSystemUndefined = "UNDEFINED"
	// RPCSystemRayGRPC is what Serve writes for a gRPC request behind the proxy.
	RPCSystemRayGRPC = "gRPC"
	// RPCSystemGRPC is the convention's name of gRPC.
	RPCSystemGRPC = "grpc"
	// RPCSystemServe is what otelcol-serve writes for a call by a deployment's
	// handle; the convention allows own names.
	RPCSystemServe = "ray_serve"
)

// OpenTelemetry's current names for the same, which serve_context writes beside them.
// Origin: semantic conventions 1.23 (HTTP) and 1.39 (RPC).
const (
	// HTTPRequestMethod is a method that RFC 9110 or RFC 5789 knows, or HTTPMethodOther. String. Example: "GET".
	HTTPRequestMethod = "http.request.method"
	// HTTPResponseStatusCode is the response's status. Int. Example: 200.
	HTTPResponseStatusCode = "http.response.status_code"
	// URLPath is the raw path of the request. String. Example: "/hello/zoë".
	URLPath = "url.path"
	// RPCResponseStatusCode is the name of the status. String. Example: "OK".
	RPCResponseStatusCode = "rpc.response.status_code"
)

// HTTPMethodOther is the convention's value of HTTPRequestMethod for a method that it does not know.
const HTTPMethodOther = "_OTHER"

// OpenTelemetry's names of an exception's event and its attributes.
// Origin: opentelemetry/sdk/trace/__init__.py, Span.record_exception.
const (
	// ExceptionEvent is the name of the event.
	ExceptionEvent = "exception"
	// ExceptionMessage is str() of the exception. String. Example: "boom".
	ExceptionMessage = "exception.message"
	// ExceptionType is the exception's class. String. Example: "ValueError".
	ExceptionType = "exception.type"
)

// OpenTelemetry's resource attributes that serve_context fills in.
const (
	// ServiceName is the service; Python's SDK writes "unknown_service" or
	// "unknown_service:python" where it is not set. String. Example: "hello.Hello".
	ServiceName = "service.name"
	// ServiceNamespace is the group of the service. String. Example: "hello".
	ServiceNamespace = "service.namespace"
)
