// Package serve is the model of Ray Serve that the duties of serve_context share:
// the process and the request that a span belongs to, and the role of Serve's own spans.
package serve

import "strings"

// Process is the Ray process that made a span. Empty members are not known.
type Process struct {
	// Component is serveattr.ComponentProxy or serveattr.ComponentReplica.
	Component string
	// App, Deployment and ReplicaID are a replica's; a proxy has none.
	App, Deployment, ReplicaID string
}

// Request is a Serve request as one process sees it. Empty members are not known.
type Request struct {
	// App and Deployment are those that the request is for: a proxy's spans have them too.
	App, Deployment string
	// Route is the low-cardinality route that Serve hands down to every process
	// of the request, for example "/hello/{name}". A gRPC request's is the name of
	// its app. Proxy spans do not have it, but the route_to_replica below them does.
	// Source: ray/serve/_private/proxy.py, GenericProxy._get_response_handler_info.
	Route string
	// Method is the HTTP method of the request, for example "GET"; "WS" for a
	// websocket. A proxy span has it as request_method, the replica span of an
	// HTTP request as http.method; a route_to_replica does not have it.
	// Source: ray/serve/_private/proxy_request_response.py, ASGIProxyRequest.method.
	Method string
	// ID is Serve's request id. It is not unique: clients choose it, and the
	// handle calls of one request share it.
	ID string
	// MultiplexedModelID is the model that the request asked for.
	MultiplexedModelID string
}

// Role is what a span is to Serve, told by its name.
type Role uint8

const (
	// RoleUser is a span that Serve did not make: the application's or a library's.
	RoleUser Role = iota
	// RoleProxy is the entry of a request: proxy_http_request,
	// proxy_websocket_request, proxy_grpc_request. It is opened under the http or
	// grpc name and then named by the request's type.
	// Source: ray/serve/_private/proxy.py, HTTPProxy and gRPCProxy: send_request_to_replica,
	// _setup_http_tracing, _setup_grpc_tracing.
	RoleProxy
	// RoleRoute is a call of a deployment by its handle: route_to_replica, in old
	// releases proxy_route_to_replica.
	// Source: ray/serve/_private/router.py, AsyncioRouter.assign_request.
	RoleRoute
	// RoleReplica is the execution of a call: replica_handle_request.
	// Source: ray/serve/_private/replica.py, _tracing_context.
	RoleReplica
)

// RoleOf tells a span's role from its name. Serve appends the deployment and the
// method to the bare name ("replica_handle_request Batcher __call__"), old releases do not.
func RoleOf(name string) Role {
	bare, _, _ := strings.Cut(name, " ")
	switch bare {
	case "proxy_http_request", "proxy_websocket_request", "proxy_grpc_request":
		return RoleProxy
	case "route_to_replica", "proxy_route_to_replica":
		return RoleRoute
	case "replica_handle_request":
		return RoleReplica
	}
	return RoleUser
}

// IsLocalRoot says whether a span of this role is the local root of its fragment.
func (r Role) IsLocalRoot() bool { return r == RoleProxy || r == RoleReplica }
