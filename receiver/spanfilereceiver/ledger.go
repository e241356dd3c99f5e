package spanfilereceiver

import (
	"container/list"
	"slices"
	"time"
)

// extent is a stretch of a file: [from, to).
type extent struct {
	from, to int64
}

// batch is an extent whose spans were sent and about which the last word is not spoken.
type batch struct {
	extent
	file  *spanFile
	spans int
	place *list.Element // in file.open
}

// ledger knows which part of a file is not delivered: what is under way, and what
// was refused and must be read again. Batches end in any order, up to minutes
// after they were sent, in any goroutine: the tailer's mu guards all ledgers.
//
//	      lowest()
//	      ▼
//	──────┬───────┬──────┬───────┬──────────┬────────────
//	 done │ open  │ done │ again │   open   │ not read yet
//	──────┴───────┴──────┴───────┴──────────┴────────────
//	                                        ▲ offset
type ledger struct {
	open    list.List // of *batch, by from
	again   []extent  // by from; disjoint, neighbours are merged
	retryAt time.Time // not before that, again is read
	wait    time.Duration
	refusal error // why again is not empty
	gone    bool  // the content does not exist any more
}

// begin puts b among the batches under way.
func (l *ledger) begin(b *batch) {
	for e := l.open.Back(); e != nil; e = e.Prev() {
		if e.Value.(*batch).from <= b.from {
			b.place = l.open.InsertAfter(b, e)
			return
		}
	}
	b.place = l.open.PushFront(b)
}

// end takes b out.
func (l *ledger) end(b *batch) {
	l.open.Remove(b.place)
}

// refuse notes that x must be read again.
func (l *ledger) refuse(x extent) {
	i, _ := slices.BinarySearchFunc(l.again, x.from, func(a extent, from int64) int {
		return int(min(max(a.from-from, -1), 1))
	})
	l.again = slices.Insert(l.again, i, x)
	merged := l.again[:1]
	for _, next := range l.again[1:] {
		last := &merged[len(merged)-1]
		if next.from <= last.to {
			last.to = max(last.to, next.to)
			continue
		}
		merged = append(merged, next)
	}
	l.again = merged
}

// resend takes x out of what was refused: it has been read and is sent now. While
// it was read, more may have been refused before it, which stays.
func (l *ledger) resend(x extent) {
	first := 0
	for first < len(l.again) && l.again[first].to <= x.from {
		first++
	}
	var rest []extent
	end := first
	for ; end < len(l.again) && l.again[end].from < x.to; end++ {
		if a := l.again[end]; a.from < x.from {
			rest = append(rest, extent{a.from, x.from})
		}
		if a := l.again[end]; a.to > x.to {
			rest = append(rest, extent{x.to, a.to})
		}
	}
	l.again = slices.Replace(l.again, first, end, rest...)
}

// backOff doubles the waiting time. Several batches that one refusal hits count once.
func (l *ledger) backOff(now time.Time, limits RetryConfig) {
	if l.retryAt.After(now) {
		return
	}
	l.wait = min(max(2*l.wait, limits.InitialInterval), limits.MaxInterval)
	l.retryAt = now.Add(l.wait)
}

// lowest is the offset below which all is delivered, of a file read up to offset.
func (l *ledger) lowest(offset int64) int64 {
	if e := l.open.Front(); e != nil {
		offset = min(offset, e.Value.(*batch).from)
	}
	if len(l.again) > 0 {
		offset = min(offset, l.again[0].from)
	}
	return offset
}

// clean says that nothing is under way and nothing refused.
func (l *ledger) clean() bool {
	return l.open.Len() == 0 && len(l.again) == 0
}
