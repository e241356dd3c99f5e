package servecontextprocessor

import (
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/delivery"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// state holds spans until they may leave, and puts those that may into ready. It is
// for one goroutine at a time and knows no clock: time is passed in.
type state struct {
	wait      time.Duration
	haste     time.Duration // the wait of spans in the short queue
	maxSpans  int
	maxBytes  int64
	maxPast   int
	needRoute bool // sampling has rules by route
	rules     func() *sampling.Rules

	processes processes
	long      queue
	short     queue
	ledger    ledger
	spans     int // held
	bytes     int64
	// free and freeGroups are memory to be used again.
	free       []*held
	freeGroups []*group

	ready   outbox
	leaving load // on their way out: in ready, or taken from there and not settled
	closing []closing
	tally   tally
}

// load is an amount of spans.
type load struct {
	spans int
	bytes int64
}

// haste is how long a span is held whose local root can hardly come: of a process
// that may not be Serve's, or the root of a trace of its own. The latter wait for the
// replica span that encloses them, which ends right after them.
const haste = time.Second

func newState(cfg *Config, rules func() *sampling.Rules) *state {
	return &state{
		wait: cfg.Wait, haste: min(cfg.Wait, haste),
		maxSpans: cfg.MaxSpans, maxBytes: int64(cfg.MaxBytes), maxPast: maxPastSpans,
		needRoute: len(cfg.Sampling.Rules) > 0 || cfg.Sampling.File != "",
		rules:     rules,
		processes: processes{byKey: make(map[processKey]*process)},
		tally:     newTally(),
	}
}

// arrive takes in a batch. It is the one walk over resources, scopes and spans.
func (s *state) arrive(td ptrace.Traces, token *delivery.Token, now time.Time) {
	token.Hold()
	// The arrival's own share keeps it open until all its spans are in.
	a := &arrival{at: now, token: token, left: 1}
	for _, rs := range td.ResourceSpans().All() {
		o := originOf(rs.Resource().Attributes())
		p := s.processes.of(&o)
		s.lift(p, rs, &o)
		r := p.resourceOf(rs, &o)
		for _, ss := range rs.ScopeSpans().All() {
			src := p.sourceOf(ss, r)
			spans := ss.Spans()
			a.left += spans.Len()
			for i := range spans.Len() {
				s.admit(s.entry(spans.At(i), src, a))
				s.bound()
			}
		}
	}
	s.end(a, 1, nil)
}

// lift ends the doubt about a process when its resource says that it is Serve's, or a
// span of Serve comes, before the spans in front of it in the same batch are looked at.
func (s *state) lift(p *process, rs ptrace.ResourceSpans, o *origin) {
	if p.standing == standingServe || o.identity == (serve.Process{}) && !hasServeSpan(rs) {
		return
	}
	p.standing = standingServe
	for _, g := range p.groups {
		for _, h := range g.appendAll(nil) {
			if h.hasteful && !h.detached {
				s.short.remove(h)
				h.hasteful = false
				s.long.push(h)
			}
		}
	}
}

func hasServeSpan(rs ptrace.ResourceSpans) bool {
	for _, ss := range rs.ScopeSpans().All() {
		for _, span := range ss.Spans().All() {
			if roleOf(span) != serve.RoleUser {
				return true
			}
		}
	}
	return false
}

// roleOf tells a span's role. Serve makes SERVER spans, of which the names duty makes
// CLIENT ones; an INTERNAL span with a name of Serve's is the user's.
func roleOf(span ptrace.Span) serve.Role {
	switch span.Kind() {
	case ptrace.SpanKindServer, ptrace.SpanKindClient, ptrace.SpanKindUnspecified:
		return serve.RoleOf(span.Name())
	}
	return serve.RoleUser
}

// Flags of a span say whether its parent came from outside the process, if bit 8 says
// that bit 9 means anything.
// Source: opentelemetry-proto, trace.proto, SpanFlags.
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
	remoteParent    = flagHasIsRemote | flagIsRemote
)

// entry makes a span one of the state's.
func (s *state) entry(span ptrace.Span, src *source, a *arrival) *held {
	var h *held
	if last := len(s.free) - 1; last >= 0 {
		h, s.free = s.free[last], s.free[:last]
	} else {
		h = &held{}
	}
	role := roleOf(span)
	*h = held{
		span: span, source: src, arrival: a, role: role,
		detached: role == serve.RoleUser &&
			(span.ParentSpanID().IsEmpty() || span.Flags()&remoteParent == remoteParent),
	}
	return h
}

// admit decides what becomes of a span that has come: it leaves, alone or with those
// that waited for it, or it waits.
func (s *state) admit(h *held) {
	p := h.source.resource.process
	look := portray(h.span)
	h.bytes, h.tagged, h.says = uint32(look.bytes), look.tagged, look.requestID
	if p.isForeign(h.arrival.at) {
		s.leaveAlone(h, endForeign, nil)
		return
	}
	g := p.group(h.span.TraceID())
	if g == nil {
		g = s.newGroup(p, h.span.TraceID())
	} else if old := g.find(h.id()); old != nil {
		s.replace(old)
	}
	before := g.past.find(h.parent())
	switch {
	case h.role.IsLocalRoot() || h.role == serve.RoleRoute && h.isParentless():
		s.leaveWithRoot(g, h)
	case before != nil && !s.mayHaveRoot(before, h.arrival.at):
		s.leaveLate(g, h, before)
	case look.requestID && (look.route || !s.needRoute):
		s.leaveAlone(h, endCarried, g)
	default:
		s.hold(g, h)
	}
	s.dismiss(g)
}

// mayHaveRoot says of a parent that was given up before that its root may still come.
func (s *state) mayHaveRoot(e *ended, now time.Time) bool {
	return !e.rootless.IsZero() && now.Sub(e.rootless) < rootlessWaits*s.wait
}

// hold keeps a span until its deadline.
func (s *state) hold(g *group, h *held) {
	g.add(h)
	p := g.process
	p.spans++
	s.spans++
	s.bytes += int64(h.bytes)
	// A file that was made for spans of Ray is worth the whole wait.
	h.hasteful = h.detached || p.standing == standingUnknown && p.key.kind != keyFile
	if h.hasteful {
		s.short.push(h)
	} else {
		s.long.push(h)
	}
}

// take is hold's opposite.
func (s *state) take(h *held) {
	g := h.group
	g.remove(h)
	g.process.spans--
	s.spans--
	s.bytes -= int64(h.bytes)
	if h.hasteful {
		s.short.remove(h)
	} else {
		s.long.remove(h)
	}
}

// replace drops a held span that has come again: its token is taken over by the new one's.
func (s *state) replace(old *held) {
	s.take(old)
	s.tally.replaced++
	s.tally.counted = true
	s.end(old.arrival, 1, nil)
	s.recycle(old)
}

// dismiss forgets a group of which nothing is left.
func (s *state) dismiss(g *group) {
	if g.process == nil || g.spans > 0 || g.past != nil && len(g.past.ids) > 0 {
		return
	}
	if g.process.groups[g.trace] == g {
		delete(g.process.groups, g.trace)
	}
	g.process = nil // It is forgotten once, whoever asks.
	if len(s.freeGroups) < maxFree {
		s.freeGroups = append(s.freeGroups, g)
	}
}

// newGroup begins a trace in a process, in the memory of one that is forgotten.
func (s *state) newGroup(p *process, trace pcommon.TraceID) *group {
	var g *group
	if last := len(s.freeGroups) - 1; last >= 0 {
		g, s.freeGroups = s.freeGroups[last], s.freeGroups[:last]
	} else {
		g = &group{}
	}
	if g.past != nil {
		*g.past = past{}
		g.past.ids = g.past.room[:0]
	}
	*g = group{process: p, trace: trace, past: g.past}
	p.groups[trace] = g
	p.recent = g
	return g
}

// end says that n spans of a are done with: accepted, refused, dropped or taken over.
func (s *state) end(a *arrival, n int, err error) {
	a.left -= n
	a.err = worse(a.err, err)
	if a.left == 0 && a.token != nil {
		s.closing = append(s.closing, closing{a.token, a.err})
	}
}

// maxFree entries and groups that are not in use are kept, less than 1 MB.
const maxFree = 1 << 12

// recycle keeps an entry for the next span.
func (s *state) recycle(h *held) {
	*h = held{}
	if len(s.free) < maxFree {
		s.free = append(s.free, h)
	}
}

// worse is the error to report of two: the first, but a retryable one rather than a
// permanent one, as delivery.Token has it.
func worse(a, b error) error {
	if a == nil || b != nil && consumererror.IsPermanent(a) && !consumererror.IsPermanent(b) {
		return b
	}
	return a
}
