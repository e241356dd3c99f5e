package servecontextprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// Attributes that this processor writes on spans, all strings and only where known. A span
// that has them already says itself to which request it belongs.
const (
	attrApp          = serveattr.App
	attrDeployment   = serveattr.Deployment
	attrReplicaID    = serveattr.ReplicaID
	attrRoute        = "ray.serve.route"
	attrRequestID    = "ray.serve.request_id"
	attrModelID      = "ray.serve.multiplexed_model_id"
	attrRayRequestID = "ray.request_id" // the companion's
)

// facts are what a span says about its process and its request.
type facts struct {
	process serve.Process
	request serve.Request
}

// factsOf reads the attributes that Ray gives a span of Serve.
func factsOf(h *held) facts {
	var f facts
	r := &f.request
	for key, value := range h.span.Attributes().All() {
		switch key {
		case serveattr.RayApp:
			r.App = text(value)
		case serveattr.RayDeployment:
			r.Deployment = text(value)
		case serveattr.RayReplicaID:
			f.process.ReplicaID = text(value)
		case serveattr.RayRoute:
			r.Route = text(value)
		case serveattr.RayRequestID:
			r.ID = text(value)
		case serveattr.RayMultiplexedModelID:
			r.MultiplexedModelID = text(value)
		case serveattr.RayRequestMethod:
			r.Method = text(value)
		case serveattr.HTTPMethod:
			// A proxy has both, and they agree.
			if h.role == serve.RoleReplica {
				r.Method = text(value)
			}
		}
	}
	switch h.role {
	case serve.RoleProxy:
		f.process = serve.Process{Component: serveattr.ComponentProxy}
	case serve.RoleReplica:
		f.process.Component = serveattr.ComponentReplica
		f.process.App, f.process.Deployment = r.App, r.Deployment
	}
	return f
}

// ownRequest is what a span says by itself about its request, or nil: a span of Serve
// in Ray's attributes, any other in those of the companion or of a serve_context before this one.
func ownRequest(h *held) *serve.Request {
	if h.role != serve.RoleUser {
		f := factsOf(h)
		return &f.request
	}
	if !h.says {
		return nil
	}
	return tagged(h.span)
}

// tagged reads the attributes that this processor writes. It returns nil if there is no request id.
func tagged(span ptrace.Span) *serve.Request {
	var r serve.Request
	for key, value := range span.Attributes().All() {
		switch key {
		case attrApp:
			r.App = text(value)
		case attrDeployment:
			r.Deployment = text(value)
		case attrRoute:
			r.Route = text(value)
		case attrRequestID:
			r.ID = text(value)
		case attrRayRequestID:
			if r.ID == "" {
				r.ID = text(value)
			}
		case attrModelID:
			r.MultiplexedModelID = text(value)
		}
	}
	if r.ID == "" {
		return nil
	}
	return &r
}

// text is a value that Ray writes as a string; others are no answer.
func text(value pcommon.Value) string {
	if value.Type() == pcommon.ValueTypeStr {
		return value.Str()
	}
	return ""
}

// complete fills what r does not know from other, of the same request.
func complete(r, other *serve.Request) {
	if other == nil {
		return
	}
	for _, part := range []struct {
		own   *string
		other string
	}{
		{&r.App, other.App},
		{&r.Deployment, other.Deployment},
		{&r.Route, other.Route},
		{&r.Method, other.Method},
		{&r.ID, other.ID},
		{&r.MultiplexedModelID, other.MultiplexedModelID},
	} {
		if *part.own == "" {
			*part.own = part.other
		}
	}
}
