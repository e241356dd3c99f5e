package servecontextprocessor

import "time"

// processes is the table of known processes, bounded, in the order of their last arrival.
type processes struct {
	byKey          map[processKey]*process
	oldest, newest *process
}

// of returns the process of a resource, and makes it the newest.
func (t *processes) of(o *origin) *process {
	p := t.byKey[o.key]
	if p == nil {
		p = newProcess(o)
		p.introduce(o.identity)
		t.byKey[o.key] = p
		t.push(p)
		t.bound()
		return p
	}
	p.introduce(o.identity)
	if t.newest != p {
		t.unlink(p)
		t.push(p)
	}
	return p
}

// bound forgets the process that was silent longest. One that holds spans is made
// young again instead: there are at most as many as spans are held.
func (t *processes) bound() {
	for tries := 0; len(t.byKey) > maxProcesses && tries < 8; tries++ {
		p := t.oldest
		t.unlink(p)
		if p.spans > 0 {
			t.push(p)
			continue
		}
		delete(t.byKey, p.key)
	}
}

func (t *processes) push(p *process) {
	p.older, p.newer = t.newest, nil
	if t.newest == nil {
		t.oldest = p
	} else {
		t.newest.newer = p
	}
	t.newest = p
}

func (t *processes) unlink(p *process) {
	if p.older == nil {
		t.oldest = p.newer
	} else {
		p.older.newer = p.newer
	}
	if p.newer == nil {
		t.newest = p.older
	} else {
		p.newer.older = p.older
	}
	p.older, p.newer = nil, nil
}

// isForeign says that spans of p are not held. The mark ends by itself, since a
// process may begin to serve at any time.
func (p *process) isForeign(now time.Time) bool {
	if p.standing == standingForeign && now.Sub(p.since) >= foreignFor {
		p.standing = standingUnknown
	}
	return p.standing == standingForeign
}
