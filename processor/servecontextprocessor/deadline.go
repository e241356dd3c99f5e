package servecontextprocessor

import "time"

// expire lets go what has waited long enough, until room spans are on their way out.
func (s *state) expire(now time.Time, room int) {
	for h := s.short.oldest; h != nil && s.leaving.spans < room && now.Sub(h.arrival.at) >= s.haste; h = s.short.oldest {
		if h.group.process.standing == standingUnknown && h.group.process.key.kind != keyFile {
			s.disown(h.group.process, now)
			continue
		}
		s.leaveDetached(h)
	}
	for h := s.long.oldest; h != nil && s.leaving.spans < room && now.Sub(h.arrival.at) >= s.wait; h = s.long.oldest {
		if h.group.process.standing == standingUnknown {
			s.disown(h.group.process, now)
			continue
		}
		s.leaveExpired(h)
	}
}

// disown takes a process for foreign.
func (s *state) disown(p *process, now time.Time) {
	p.standing, p.since = standingForeign, now
	s.tally.foreign++
	for _, g := range p.groups {
		if g.spans > 0 {
			s.leaveTogether(g, endForeign)
		}
	}
}

// flush lets everything go, until room spans are on their way out.
func (s *state) flush(why end, room int) {
	for s.spans > 0 && s.leaving.spans < room {
		s.leaveTogether(s.oldest().group, why)
	}
}

// due is when the next span has waited long enough; ok is false if none is held.
func (s *state) due() (at time.Time, ok bool) {
	if h := s.short.oldest; h != nil {
		at, ok = h.arrival.at.Add(s.haste), true
	}
	if h := s.long.oldest; h != nil {
		if long := h.arrival.at.Add(s.wait); !ok || long.Before(at) {
			at, ok = long, true
		}
	}
	return at, ok
}

// bound lets the oldest spans go while more is held than may be.
func (s *state) bound() {
	for s.spans > 0 && (s.spans > s.maxSpans || s.bytes > s.maxBytes) {
		s.leaveTogether(s.oldest().group, endEvicted)
	}
}

// oldest is a span that has been held longest; some must be.
func (s *state) oldest() *held {
	h, other := s.long.oldest, s.short.oldest
	if h == nil || other != nil && other.arrival.at.Before(h.arrival.at) {
		return other
	}
	return h
}
