package serveattr

// Attributes that Serve writes on its own spans. They have no prefix, so they
// mean this only on a span that Serve made.
const (
	// RayRequestID is Serve's request id. Not unique: clients choose it. String.
	// Origin: ray/serve/_private/{proxy,router,replica}.py. Example: "c27f56f7-e5cd-4aac-826e-4bc21654ddd7".
	RayRequestID = "request_id"
	// RayApp is the app that the request is for. String.
	// Origin: ray/serve/_private/{proxy,router,replica}.py. Example: "hello".
	RayApp = "app"
	// RayDeployment is the deployment that the request or the call is for. String.
	// Origin: ray/serve/_private/{proxy,router,replica}.py. Example: "Hello".
	RayDeployment = "deployment"
	// RayReplicaID is the replica that executes the call. String.
	// Origin: ray/serve/_private/replica.py. Example: "d60wo5jz".
	RayReplicaID = "replica_id"
	// RayCallMethod is the method of the deployment that is called. String.
	// Origin: ray/serve/_private/{router,replica}.py. Example: "__call__".
	RayCallMethod = "call_method"
	// RayRoute is the request's low-cardinality route; the app's name for gRPC;
	// "" for a call without a request. String.
	// Origin: ray/serve/_private/{router,replica}.py. Example: "/hello/{name}".
	RayRoute = "route"
	// RayMultiplexedModelID is the model that the request asks for. String, mostly "".
	// Origin: ray/serve/_private/{router,replica}.py. Example: "llama-3".
	RayMultiplexedModelID = "multiplexed_model_id"
	// RayRequestType is the protocol of a proxy's request: RequestTypeHTTP, … String.
	// Origin: ray/serve/_private/proxy.py. Example: "http".
	RayRequestType = "request_type"
	// RayRequestMethod is the HTTP method of a proxy's request; "WS" for a websocket. String.
	// Origin: ray/serve/_private/proxy.py. Example: "GET".
	RayRequestMethod = "request_method"
	// RayRequestRoutePath is the raw path below the app's route prefix, "" at the
	// prefix; the whole path where the prefix is "/". String.
	// Origin: ray/serve/_private/proxy.py, ASGIProxyRequest.route_path. Example: "/zoë".
	RayRequestRoutePath = "request_route_path"
	// RayIsHTTPRequest says that a proxy makes the call for an HTTP request. Bool.
	// Origin: ray/serve/_private/router.py. Example: true.
	RayIsHTTPRequest = "is_http_request"
	// RayIsGRPCRequest says that a proxy makes the call for a gRPC request. Bool.
	// Origin: ray/serve/_private/router.py. Example: false.
	RayIsGRPCRequest = "is_grpc_request"
	// ResourceName is what Datadog shows as the resource; Serve writes the span's name.
	// String. Origin: ray/serve/_private/tracing_utils.py, set_span_name.
	// Example: "replica_handle_request Hello __call__".
	ResourceName = "resource.name"
)

// Values of RayRequestType.
const (
	RequestTypeHTTP      = "http"
	RequestTypeWebsocket = "websocket"
	RequestTypeGRPC      = "grpc"
)
