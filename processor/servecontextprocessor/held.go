package servecontextprocessor

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/delivery"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// held is a span in the state. There may be a million, so its size counts.
type held struct {
	span    ptrace.Span
	source  *source
	arrival *arrival
	group   *group // nil once the span is on its way out

	next, prev   *held // in the group: its neighbours in the list it stands in
	newer, older *held // in the queue for its deadline

	bytes uint32
	role  serve.Role
	// hasteful spans are in the short queue.
	hasteful bool
	// detached spans begin a trace, or a part of one that came from outside, and are not Serve's.
	detached bool
	// tagged spans have an attribute that begins with ray.serve.
	tagged bool
	// says: the span has a request id as this processor or the companion writes it.
	says bool
}

func (h *held) id() pcommon.SpanID     { return h.span.SpanID() }
func (h *held) parent() pcommon.SpanID { return h.span.ParentSpanID() }
func (h *held) isParentless() bool     { return h.parent().IsEmpty() }

// arrival is one call of ConsumeTraces.
type arrival struct {
	at    time.Time
	token *delivery.Token // nil for spans from the network
	left  int             // how many of its spans have not ended
	err   error           // what the token will be told
}

// closing is a token to be released once the lock is: its owner may do anything then.
type closing struct {
	token *delivery.Token
	err   error
}

// queue is a list of spans by arrival, oldest first. All spans of a queue wait equally
// long, so the oldest is due first, and taking any span out costs nothing.
type queue struct {
	oldest, newest *held
}

func (q *queue) push(h *held) {
	h.older, h.newer = q.newest, nil
	if q.newest == nil {
		q.oldest = h
	} else {
		q.newest.newer = h
	}
	q.newest = h
}

func (q *queue) remove(h *held) {
	if h.older == nil {
		q.oldest = h.newer
	} else {
		h.older.newer = h.newer
	}
	if h.newer == nil {
		q.newest = h.older
	} else {
		h.newer.older = h.older
	}
	h.older, h.newer = nil, nil
}
