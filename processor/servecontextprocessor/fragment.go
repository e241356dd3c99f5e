package servecontextprocessor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// end is why a fragment left.
type end uint8

const (
	endRoot     end = iota // its local root came
	endDetached            // it is a trace, or the begin of one, that is not Serve's
	endLate                // its local root had left before
	endCarried             // it says itself to which request it belongs
	endExpired             // it waited in vain
	endEvicted             // the state was full
	endForeign             // its process is not Serve's
	endShutdown            // the collector stops
	numEnds
)

// String is the end as the metrics' attribute has it.
func (e end) String() string {
	return [numEnds]string{"root", "detached", "late", "carried", "expired", "evicted", "foreign", "shutdown"}[e]
}

// fragment is spans of one trace and one process that leave together, and what is
// known of them.
type fragment struct {
	n        int // its spans in the outbox
	end      end
	identity *serve.Process
	request  *serve.Request // nil if not known
	decision sampling.Decision
}

// outbox holds fragments on their way out, and their spans one fragment after the other.
type outbox struct {
	fragments []fragment
	spans     []*held
}

// leaveWithRoot lets a local root go with all that waited for it in its process.
func (s *state) leaveWithRoot(g *group, root *held) {
	said := factsOf(root)
	identity := root.source.resource.maker()
	if root.role.IsLocalRoot() {
		identity = s.settle(g.process, said.process)
	}
	start := s.gather(g, root)
	of := &ended{request: said.request, known: true, identity: identity, rootEnd: root.span.EndTimestamp()}
	if root.role == serve.RoleProxy {
		completeProxy(&of.request, s.ready.spans[start+1:])
	}
	if root.says {
		complete(&of.request, tagged(root.span))
	}
	if before := g.past.find(root.id()); before != nil && before.known {
		// The root comes again, because a file is read again. What had waited for it the first time is late now.
		complete(&of.request, &before.request)
	}
	s.rememberAll(g, start, of)
	s.depart(g, start, fragment{end: endRoot, identity: identity, request: &of.request})
}

// settle tells a process who it is.
func (s *state) settle(p *process, said serve.Process) *serve.Process {
	wasShared := p.shared
	identity := p.settle(said)
	if p.shared && !wasShared {
		s.tally.shared++
	}
	return identity
}

// completeProxy takes the route from the calls below a proxy's span, which does not
// have it: ray/serve/_private/proxy.py knows only the prefix when it names the span.
func completeProxy(r *serve.Request, below []*held) {
	for _, h := range below {
		if h.role == serve.RoleRoute {
			f := factsOf(h)
			complete(r, &f.request)
		}
	}
}

// leaveLate lets a span go whose local root has left, with those that waited for it.
func (s *state) leaveLate(g *group, h *held, before *ended) {
	start := s.gather(g, h)
	s.rememberAll(g, start, before)
	f := fragment{end: endLate, identity: before.identity, request: before.requestAt(h.span.EndTimestamp())}
	if f.request == nil {
		f.request = ownRequest(h)
	}
	s.depart(g, start, f)
}

// leaveAlone lets a span go that need not wait. It is not in a group's list; g is nil if it has none.
func (s *state) leaveAlone(h *held, why end, g *group) {
	start := len(s.ready.spans)
	s.ready.spans = append(s.ready.spans, h)
	s.depart(g, start, fragment{end: why, identity: h.source.resource.maker(), request: ownRequest(h)})
}

// leaveDetached lets a held root go that is not Serve's, with those that waited for it.
func (s *state) leaveDetached(root *held) {
	g := root.group
	s.take(root)
	start := s.gather(g, root)
	if g.process.standing == standingServe {
		s.tally.detached[kindOf(root.span)]++
	}
	of := &ended{identity: root.source.resource.maker(), rootEnd: root.span.EndTimestamp()}
	f := fragment{end: endDetached, identity: of.identity}
	if own := ownRequest(root); own != nil {
		of.request, of.known, f.request = *own, true, own
	}
	s.rememberAll(g, start, of)
	s.depart(g, start, f)
	s.dismiss(g)
}

// leaveExpired lets a held span go that waited in vain. Its parent is remembered, so
// that what comes after it does not wait for ever for a root that ended long ago.
func (s *state) leaveExpired(h *held) {
	g := h.group
	s.take(h)
	identity := h.source.resource.maker()
	if g.find(h.parent()) == nil && g.past.find(h.parent()) == nil {
		s.remember(g, h.parent(), &ended{identity: identity, rootless: h.arrival.at})
	}
	start := len(s.ready.spans)
	s.ready.spans = append(s.ready.spans, h)
	s.depart(g, start, fragment{end: endExpired, identity: identity, request: ownRequest(h)})
	s.dismiss(g)
}

// leaveTogether lets all go that a group holds.
func (s *state) leaveTogether(g *group, why end) {
	start := len(s.ready.spans)
	s.ready.spans = g.appendAll(s.ready.spans)
	spans := s.ready.spans[start:]
	for i, h := range spans {
		s.take(h)
		if h.isParentless() || h.role != serve.RoleUser && !spans[0].isParentless() {
			spans[0], spans[i] = h, spans[0]
		}
	}
	f := fragment{end: why, identity: spans[0].source.resource.maker(), request: ownRequest(spans[0])}
	s.depart(g, start, f)
	s.dismiss(g)
}

// gather puts a span and all that is held below it into the outbox, and returns where
// they begin. Each is taken out when it is found, so parents that go in a circle end.
func (s *state) gather(g *group, root *held) int {
	start := len(s.ready.spans)
	s.ready.spans = append(s.ready.spans, root)
	for i := start; i < len(s.ready.spans) && g.spans > 0; i++ {
		children := len(s.ready.spans)
		s.ready.spans = g.appendChildren(s.ready.spans, s.ready.spans[i].id())
		for _, h := range s.ready.spans[children:] {
			s.take(h)
		}
	}
	return start
}

func (s *state) rememberAll(g *group, start int, of *ended) {
	for _, h := range s.ready.spans[start:] {
		s.remember(g, h.id(), of)
	}
}

// depart ends the stay of the spans from start on. The order is that of the duties:
// what is known stands in f, names and attributes are written when the spans have left the lock,
// and sampling decides here, where the trace's earlier decisions are known.
func (s *state) depart(g *group, start int, f fragment) {
	spans := s.ready.spans[start:]
	f.n = len(spans)
	s.tally.fragments[f.end]++
	s.tally.spans[f.end] += int64(f.n)
	s.tally.counted = true
	s.sample(g, spans, &f)
	if !f.decision.Keep() {
		for i, h := range spans {
			s.end(h.arrival, 1, nil)
			s.recycle(h)
			spans[i] = nil
		}
		s.ready.spans = s.ready.spans[:start]
		return
	}
	s.leaving.spans += f.n
	for _, h := range spans {
		s.leaving.bytes += int64(h.bytes)
	}
	s.ready.fragments = append(s.ready.fragments, f)
}

// sample decides on a fragment, which its first span leads.
func (s *state) sample(g *group, spans []*held, f *fragment) {
	lead := spans[0]
	r := lead.source.resource
	t := sampling.Trace{ID: lead.span.TraceID(), HeadRatio: r.headRatio, HasHeadRatio: r.hasHeadRatio}
	if lead.role != serve.RoleUser {
		t.TraceState = lead.span.TraceState().AsRaw()
	}
	if f.request != nil {
		t.Route = f.request.Route
	}
	if lead.isParentless() && r.process.standing == standingServe {
		t.Head = sampling.HeadRedrawn
		if lead.role == serve.RoleProxy {
			t.Head = sampling.HeadDrawn
		}
	}
	if lead.tagged {
		t.Earlier = sampling.MarksOf(lead.span.Attributes())
	}
	if g == nil || g.past == nil {
		f.decision = s.rules().Decide(t)
	} else {
		g.past.recall(&t)
		f.decision = s.rules().Decide(t)
		g.past.rule, g.past.head, g.past.traceState = f.decision.Rule, t.Head, t.TraceState
	}
	s.tally.decided(f)
}

// recall fills in what decided for the trace before.
func (p *past) recall(t *sampling.Trace) {
	t.Remembered = p.rule
	if t.Head == sampling.HeadUnknown {
		t.Head = p.head
	}
	if t.TraceState == "" {
		t.TraceState = p.traceState
	}
}

// kindOf tells FastAPI's roots from the application's.
func kindOf(span ptrace.Span) detachedKind {
	if span.Kind() == ptrace.SpanKindServer {
		return detachedServer
	}
	return detachedOther
}
