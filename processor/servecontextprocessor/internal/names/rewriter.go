package names

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// Rewriter changes resources and spans as a configuration says. It has no
// state, so it may be used concurrently.
type Rewriter struct {
	off bool

	serviceName  bool
	override     bool
	service      template
	proxyService string

	exceptions bool
	kinds      bool
	methods    bool
	rpcSystem  bool
	routes     bool
	lost       bool
}

// New returns a Rewriter for c, or an error that names the key that is wrong.
func New(c Config) (*Rewriter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	service, err := parseTemplate(c.ServiceName.Template)
	if err != nil {
		return nil, err
	}
	return &Rewriter{
		off:          c.Preset == PresetNone,
		serviceName:  c.on(c.ServiceName.Enabled),
		override:     c.ServiceName.Override,
		service:      service,
		proxyService: c.ServiceName.Proxy,
		exceptions:   c.ExceptionsAsErrors,
		kinds:        c.on(c.Kinds),
		methods:      c.on(c.Methods),
		rpcSystem:    c.on(c.RPCSystem),
		routes:       c.on(c.Routes),
		lost:         c.on(c.LostAttributes),
	}, nil
}

// unknownService is how the service name begins that the SDK invents:
// "unknown_service", from 1.45 "unknown_service:python".
// Source: opentelemetry/sdk/resources/__init__.py, Resource.create.
const unknownService = "unknown_service"

// Resource names the service of the process that made the spans of a resource
// with these attributes.
func (r *Rewriter) Resource(attrs pcommon.Map, p serve.Process) {
	if r.off {
		return
	}
	if name := r.serviceOf(&p); name != "" {
		old, ok := attrs.Get(serveattr.ServiceName)
		switch {
		case !ok || r.override && old.AsString() != name:
			attrs.PutStr(serveattr.ServiceName, name)
		case isUnknownService(old):
			old.SetStr(name)
		}
	}
	if p.App == "" {
		return
	}
	if _, ok := attrs.Get(serveattr.ServiceNamespace); !ok {
		attrs.PutStr(serveattr.ServiceNamespace, p.App)
	}
}

// serviceOf is the service name for p, or "" if it gets none.
func (r *Rewriter) serviceOf(p *serve.Process) string {
	switch {
	case !r.serviceName:
		return ""
	case p.Component == serveattr.ComponentProxy:
		return r.proxyService
	case *p == serve.Process{}:
		return "" // Not a process of Serve's; a template without members would name it.
	}
	return r.service.of(p)
}

func isUnknownService(name pcommon.Value) bool {
	return name.Type() == pcommon.ValueTypeStr && (name.Str() == "" || strings.HasPrefix(name.Str(), unknownService))
}

// Span changes a span of process p that belongs to req, which is empty as far
// as it is not known. Spans that Serve did not make are left alone.
func (r *Rewriter) Span(span ptrace.Span, req serve.Request, p serve.Process) {
	if r.off {
		return
	}
	role := serve.RoleOf(span.Name())
	if role == serve.RoleUser || !isServesKind(span.Kind()) {
		return
	}
	s := indexed(span)
	switch role {
	case serve.RoleProxy:
		r.proxy(&s, &req)
	case serve.RoleRoute:
		r.route(&s, &req)
	case serve.RoleReplica:
		r.replica(&s, &req, &p)
	}
	plainDescription(span)
}

// isServesKind says whether a span of Serve's can have this kind: SERVER as Ray
// makes them, CLIENT as this package does, or none at all. A user's span that
// happens to have a name of Serve's is INTERNAL, unless its author says otherwise.
func isServesKind(kind ptrace.SpanKind) bool {
	return kind == ptrace.SpanKindServer || kind == ptrace.SpanKindClient || kind == ptrace.SpanKindUnspecified
}
