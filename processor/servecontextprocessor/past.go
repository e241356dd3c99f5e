package servecontextprocessor

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

const (
	// maxPastSpans is how many spans that have left are remembered, about 20 MB of
	// memory. At 1,000 spans a second that is 100 s.
	maxPastSpans = 100_000
	// afterglow is how long after its root a span still belongs to the request, both
	// by the clock of their process: the same then holds when a file is read again.
	afterglow = time.Minute
	// rootlessWaits is after how many waits without a local root a parent is taken for
	// the child of one that ended long ago. A stream may well take longer than one wait.
	rootlessWaits = 10
)

// past is what is remembered of a trace in a process.
type past struct {
	// ids are the spans that have left with their fragment, oldest first.
	ids []pastSpan
	// room is where ids begin, so that most traces need no other memory for them.
	room [4]pastSpan
	// index finds ids once they are many, nil before.
	index map[pcommon.SpanID]*ended

	// rule, head and traceState are those that decided last.
	rule       *sampling.Rule
	head       sampling.Head
	traceState string
}

type pastSpan struct {
	id pcommon.SpanID
	of *ended
}

// ended is a fragment that has left. Its spans share it.
type ended struct {
	request  serve.Request
	known    bool // request is
	identity *serve.Process
	rootEnd  pcommon.Timestamp
	// rootless is when the first child of a parent without local root arrived; zero
	// for all others. Such an entry stands for that parent.
	rootless time.Time
}

// requestAt is the request of a span that ended at that time.
func (e *ended) requestAt(end pcommon.Timestamp) *serve.Request {
	if !e.known || end > e.rootEnd && end-e.rootEnd > pcommon.Timestamp(afterglow) {
		return nil
	}
	return &e.request
}

// find returns the fragment that a span has left with, or nil.
func (p *past) find(id pcommon.SpanID) *ended {
	if p == nil {
		return nil
	}
	if p.index != nil {
		return p.index[id]
	}
	for i := len(p.ids) - 1; i >= 0; i-- {
		if p.ids[i].id == id {
			return p.ids[i].of
		}
	}
	return nil
}

func (p *past) add(id pcommon.SpanID, of *ended) {
	p.ids = append(p.ids, pastSpan{id, of})
	if p.index == nil && len(p.ids) > few {
		p.index = make(map[pcommon.SpanID]*ended, 2*few)
		for _, s := range p.ids {
			p.index[s.id] = s.of
		}
		return
	}
	if p.index != nil {
		p.index[id] = of
	}
}

// forget drops the oldest n.
func (p *past) forget(n int) {
	if p.index != nil {
		for _, s := range p.ids[:n] {
			if p.index[s.id] == s.of {
				delete(p.index, s.id)
			}
		}
	}
	clear(p.ids[:n])
	p.ids = p.ids[n:]
}

// ledger is the order in which spans were remembered, over all groups.
type ledger struct {
	entries []ledgerEntry
	head    int // entries before it are done with
	spans   int
}

type ledgerEntry struct {
	group *group
	n     int
}

func (l *ledger) add(g *group, n int) {
	l.spans += n
	if last := len(l.entries) - 1; last >= l.head && l.entries[last].group == g {
		l.entries[last].n += n
		return
	}
	l.entries = append(l.entries, ledgerEntry{g, n})
}

// pop takes the oldest entry out.
func (l *ledger) pop() ledgerEntry {
	e := l.entries[l.head]
	l.entries[l.head] = ledgerEntry{}
	l.head++
	l.spans -= e.n
	if l.head > len(l.entries)/2 {
		n := copy(l.entries, l.entries[l.head:])
		clear(l.entries[n:])
		l.entries, l.head = l.entries[:n], 0
	}
	return e
}

// remember keeps that the span of an id has left with a fragment.
func (s *state) remember(g *group, id pcommon.SpanID, of *ended) {
	if g.past == nil {
		g.past = &past{}
		g.past.ids = g.past.room[:0]
	}
	if g.past.find(id) == of {
		return
	}
	g.past.add(id, of)
	s.ledger.add(g, 1)
	for s.ledger.spans > s.maxPast {
		old := s.ledger.pop()
		old.group.past.forget(old.n)
		s.dismiss(old.group)
	}
}
