package servecontextprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// group is one trace in one process: the spans of it that are held, and what is
// remembered of those that have left.
type group struct {
	process *process
	trace   pcommon.TraceID
	// first is the list of the held spans while they are few.
	first *held
	// index holds them once they are more, nil before.
	index map[pcommon.SpanID]relatives
	spans int
	past  *past // nil until a fragment has left
}

// relatives are the held span of an id, if it is held, and its held children.
type relatives struct {
	self, children *held
}

// few is how many spans are searched one by one. Nearly all traces have fewer in a process,
// and a list needs no memory of its own.
const few = 16

func (g *group) add(h *held) {
	h.group = g
	g.spans++
	if g.index == nil && g.spans <= few {
		pushFront(&g.first, h)
		return
	}
	if g.index == nil {
		g.index = make(map[pcommon.SpanID]relatives, 2*few)
		for old := g.first; old != nil; {
			next := old.next
			g.enter(old)
			old = next
		}
		g.first = nil
	}
	g.enter(h)
}

// enter puts h into the index.
func (g *group) enter(h *held) {
	family := g.index[h.parent()]
	pushFront(&family.children, h)
	g.index[h.parent()] = family
	own := g.index[h.id()]
	own.self = h
	g.index[h.id()] = own
}

func (g *group) remove(h *held) {
	h.group = nil
	g.spans--
	if g.index == nil {
		unlink(&g.first, h)
		return
	}
	family := g.index[h.parent()]
	unlink(&family.children, h)
	g.put(h.parent(), family)
	own := g.index[h.id()]
	own.self = nil
	g.put(h.id(), own)
	if g.spans == 0 {
		g.index = nil
	}
}

func (g *group) put(id pcommon.SpanID, r relatives) {
	if r.self == nil && r.children == nil {
		delete(g.index, id)
		return
	}
	g.index[id] = r
}

// find returns the held span of an id, or nil.
func (g *group) find(id pcommon.SpanID) *held {
	if g.index != nil {
		return g.index[id].self
	}
	for h := g.first; h != nil; h = h.next {
		if h.id() == id {
			return h
		}
	}
	return nil
}

// appendChildren appends the held children of id.
func (g *group) appendChildren(dst []*held, id pcommon.SpanID) []*held {
	if g.index != nil {
		for h := g.index[id].children; h != nil; h = h.next {
			dst = append(dst, h)
		}
		return dst
	}
	for h := g.first; h != nil; h = h.next {
		if h.parent() == id {
			dst = append(dst, h)
		}
	}
	return dst
}

// appendAll appends all held spans, in no order.
func (g *group) appendAll(dst []*held) []*held {
	if g.index == nil {
		for h := g.first; h != nil; h = h.next {
			dst = append(dst, h)
		}
		return dst
	}
	for _, r := range g.index {
		if r.self != nil {
			dst = append(dst, r.self)
		}
	}
	return dst
}

func pushFront(list **held, h *held) {
	h.prev, h.next = nil, *list
	if *list != nil {
		(*list).prev = h
	}
	*list = h
}

func unlink(list **held, h *held) {
	if h.prev == nil {
		*list = h.next
	} else {
		h.prev.next = h.next
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
	h.prev, h.next = nil, nil
}
