package servecontextprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/names"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// writer makes of fragments what the next component gets. It has no state.
type writer struct {
	context bool // write the attributes of the context duty
	names   *names.Rewriter
}

// parcel is what is sent at once: whole fragments, and the shares that arrivals have in it.
type parcel struct {
	traces ptrace.Traces
	load
	// again says that whoever sent the spans will send them again if they are
	// refused now, as files can.
	again  bool
	shares []share

	resources map[resourceKey]ptrace.ResourceSpans
	scopes    map[scopeKey]ptrace.SpanSlice
	lastKey   scopeKey
	last      ptrace.SpanSlice

	notes noteTally
}

// share is how many spans of an arrival a parcel has.
type share struct {
	arrival *arrival
	n       int
}

type resourceKey struct {
	resource *resource
	identity *serve.Process
}

type scopeKey struct {
	source   *source
	identity *serve.Process
}

func newParcel(again bool) *parcel {
	return &parcel{
		traces: ptrace.NewTraces(), again: again,
		resources: make(map[resourceKey]ptrace.ResourceSpans),
		scopes:    make(map[scopeKey]ptrace.SpanSlice),
		notes:     make(noteTally),
	}
}

// add moves a span of a fragment into the parcel and writes on it.
func (w *writer) add(p *parcel, h *held, f *fragment, m *marks) {
	span := w.spansOf(p, scopeKey{h.source, f.identity}).AppendEmpty()
	h.span.MoveTo(span)
	if notes := w.write(span, h, f, m); notes != 0 {
		p.notes.note(notes)
	}
	p.spans++
	p.bytes += int64(h.bytes)
	if last := len(p.shares) - 1; last >= 0 && p.shares[last].arrival == h.arrival {
		p.shares[last].n++
		return
	}
	p.shares = append(p.shares, share{h.arrival, 1})
}

// write does to a span what the duties have found, in their order: context, names, sampling.
func (w *writer) write(span ptrace.Span, h *held, f *fragment, m *marks) sampling.Notes {
	if w.context {
		if f.request == nil && h.role != serve.RoleUser {
			said := factsOf(&held{span: span, role: h.role})
			own := marksOf(f.identity, &said.request)
			own.write(span.Attributes(), h)
		} else {
			m.write(span.Attributes(), h)
		}
	}
	if h.role != serve.RoleUser {
		w.names.Span(span, m.request, *f.identity)
	}
	return f.decision.Apply(span)
}

// spansOf returns the list that spans of a source belong to.
func (w *writer) spansOf(p *parcel, key scopeKey) ptrace.SpanSlice {
	if p.lastKey == key {
		return p.last
	}
	spans, ok := p.scopes[key]
	if !ok {
		spans = w.newScope(p, key)
		p.scopes[key] = spans
	}
	p.lastKey, p.last = key, spans
	return spans
}

func (w *writer) newScope(p *parcel, key scopeKey) ptrace.SpanSlice {
	r := key.source.resource
	rs, ok := p.resources[resourceKey{r, key.identity}]
	if !ok {
		rs = p.traces.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(r.schemaURL)
		r.attrs.CopyTo(rs.Resource())
		w.names.Resource(rs.Resource().Attributes(), *key.identity)
		p.resources[resourceKey{r, key.identity}] = rs
	}
	ss := rs.ScopeSpans().AppendEmpty()
	ss.SetSchemaUrl(key.source.schemaURL)
	key.source.scope.CopyTo(ss.Scope())
	return ss.Spans()
}

// marks are the attributes that the spans of a fragment get.
type marks struct {
	request serve.Request
	list    [6]mark
	n       int
}

type mark struct{ key, value string }

// marksOf lists what is known.
func marksOf(identity *serve.Process, request *serve.Request) marks {
	var m marks
	if request != nil {
		m.request = *request
	}
	app, deployment := identity.App, identity.Deployment
	if app == "" && deployment == "" {
		// A proxy serves all apps; its spans belong to the one that the request is for.
		app, deployment = m.request.App, m.request.Deployment
	}
	for _, known := range [...]mark{
		{attrApp, app},
		{attrDeployment, deployment},
		{attrReplicaID, identity.ReplicaID},
		{attrRoute, m.request.Route},
		{attrRequestID, m.request.ID},
		{attrModelID, m.request.MultiplexedModelID},
	} {
		if known.value != "" {
			m.list[m.n] = known
			m.n++
		}
	}
	return m
}

// namesRoom is how many attributes the names duty may add to a span of Serve's; reserving
// it spares the list from growing twice.
const namesRoom = 4

// write adds the attributes that are not there.
func (m *marks) write(attrs pcommon.Map, h *held) {
	room := attrs.Len() + m.n
	if h.role != serve.RoleUser {
		room += namesRoom
	}
	attrs.EnsureCapacity(room)
	for _, mark := range m.list[:m.n] {
		if h.tagged {
			if _, there := attrs.Get(mark.key); there {
				continue
			}
		}
		attrs.PutStr(mark.key, mark.value)
	}
}
