package servecontextprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// resource is a resource of a process as it came. It is never changed, so spans
// that are on their way out may share it with spans that are still held.
type resource struct {
	process   *process
	attrs     pcommon.Resource
	schemaURL string

	said         serve.Process // what it says about the process
	headRatio    float64
	hasHeadRatio bool
}

// source is a scope under a resource.
type source struct {
	resource  *resource
	scope     pcommon.InstrumentationScope
	schemaURL string
}

// recentResources and recentSources are how many of a process are compared: a process has one
// resource and a few scopes, unless somebody rewrites them per span.
const (
	recentResources = 2
	recentSources   = 8
)

// resourceOf returns the process's resource that equals rs's.
func (p *process) resourceOf(rs ptrace.ResourceSpans, o *origin) *resource {
	for _, r := range p.resources {
		if r.schemaURL == rs.SchemaUrl() && r.attrs.Attributes().Equal(rs.Resource().Attributes()) {
			return r
		}
	}
	r := &resource{
		process: p, attrs: pcommon.NewResource(), schemaURL: rs.SchemaUrl(),
		said: o.identity, headRatio: o.headRatio, hasHeadRatio: o.hasHeadRatio,
	}
	rs.Resource().CopyTo(r.attrs)
	if len(p.resources) == recentResources {
		p.resources = append(p.resources[:0], p.resources[1:]...)
	}
	p.resources = append(p.resources, r)
	return r
}

// sourceOf returns the process's source under r that equals ss's.
func (p *process) sourceOf(ss ptrace.ScopeSpans, r *resource) *source {
	scope := ss.Scope()
	for _, s := range p.sources {
		if s.resource == r && s.schemaURL == ss.SchemaUrl() && sameScope(s.scope, scope) {
			return s
		}
	}
	s := &source{resource: r, scope: pcommon.NewInstrumentationScope(), schemaURL: ss.SchemaUrl()}
	scope.CopyTo(s.scope)
	if len(p.sources) == recentSources {
		p.sources = append(p.sources[:0], p.sources[1:]...)
	}
	p.sources = append(p.sources, s)
	return s
}

func sameScope(a, b pcommon.InstrumentationScope) bool {
	return a.Name() == b.Name() && a.Version() == b.Version() && a.Attributes().Equal(b.Attributes())
}

// nobody is the identity of a process that is not known.
var nobody = &serve.Process{}
