package names

import (
	"slices"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

// rpcCall changes a call or an execution that is not an HTTP request's. system
// is what Ray would have written, "" if that cannot be told; service is the
// deployment of the process, "" if it is not the called one's.
func (r *Rewriter) rpcCall(s *serveSpan, system, service string) {
	if s.has(rpcSystem) {
		system = s.text(rpcSystem)
	}
	if r.rpcSystem {
		system = currentSystem(system)
	}
	if old := s.text(rpcSystem); old != "" && old != system {
		s.set(rpcSystem, system)
	}
	if r.lost {
		s.fill(rpcSystem, system)
		s.fill(rpcMethod, s.text(callMethod))
		s.fill(rpcService, s.text(rayDeployment))
		s.fill(rpcService, service)
	}
	rpcStatus(s)
}

// currentSystem replaces the names of Ray's RequestProtocol.
func currentSystem(system string) string {
	switch system {
	case serveattr.RPCSystemUndefined:
		return serveattr.RPCSystemServe
	case serveattr.RPCSystemRayGRPC:
		return serveattr.RPCSystemGRPC
	}
	return system
}

// grpcStatuses are the names of gRPC's status codes by their number. Part of the protocol; do not change.
// Source: https://grpc.io/docs/guides/status-codes/.
var grpcStatuses = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// rpcStatus makes gRPC's status the number that the old attribute has to be,
// and keeps its name in the current one.
func rpcStatus(s *serveSpan) {
	if !s.has(rpcGRPCStatusCode) {
		return
	}
	code, ok := s.number(rpcGRPCStatusCode)
	if !ok {
		code = int64(slices.Index(grpcStatuses, s.text(rpcGRPCStatusCode)))
		if code < 0 {
			return
		}
		s.setInt(rpcGRPCStatusCode, code)
	}
	if 0 <= code && code < int64(len(grpcStatuses)) {
		s.fill(rpcResponseStatusCode, grpcStatuses[code])
	}
}
