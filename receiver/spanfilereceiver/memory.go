package spanfilereceiver

import (
	"cmp"
	"slices"
	"time"
)

// entry is what is kept of a file that is not watched now.
type entry struct {
	path       string
	inode      uint64
	head       fingerprint
	offset     int64
	passedOver bool
	since      time.Time // when it was last seen
}

const (
	// memoryTime is how long a file that is gone is remembered.
	memoryTime = 24 * time.Hour
	// memorySize is how many files that are gone are remembered.
	memorySize = 10_000
)

// memory holds the files of the last checkpoint until they turn up, and those
// that went out of sight. Only the poll loop uses it.
type memory struct {
	entries map[fingerprint][]entry
	sizes   map[int]int // how many entries have a fingerprint of this size
	count   int

	nextExpiry time.Time
}

func newMemory(entries []entry) *memory {
	m := &memory{entries: make(map[fingerprint][]entry), sizes: make(map[int]int)}
	for _, e := range entries {
		m.add(e)
	}
	return m
}

func (m *memory) add(e entry) {
	if e.head.size == 0 {
		return // it fits all files, and nothing was read
	}
	m.entries[e.head] = append(m.entries[e.head], e)
	m.sizes[e.head.size]++
	m.count++
}

// recall finds and takes out the entry of the file that begins with head, which
// must be one of a kind or stand under the same inode: log files of one path may
// begin alike, one after the other. If there are several, that with the same path,
// then with the same inode, then any. Among equals it takes the lowest offset:
// reading twice is better than losing.
func (m *memory) recall(path string, inode uint64, head []byte, size int64) (entry, bool) {
	var best entry
	bestRank := 0
	for n := range m.sizes {
		if n > len(head) {
			continue
		}
		for _, e := range m.entries[fingerprintOf(head[:n])] {
			rank := e.rank(path, inode, head)
			if e.offset > size || rank < bestRank || rank == bestRank && e.offset >= best.offset {
				continue
			}
			best, bestRank = e, rank
		}
	}
	if bestRank == 0 {
		return entry{}, false
	}
	m.remove(best)
	return best, true
}

func (e entry) rank(path string, inode uint64, head []byte) int {
	switch {
	case e.inode != inode && !holdsSpanID(head[:e.head.size]):
		return 0
	case e.path == path:
		return 3
	case e.inode == inode:
		return 2
	}
	return 1
}

func (m *memory) remove(e entry) {
	alike := m.entries[e.head]
	i := slices.Index(alike, e)
	m.entries[e.head] = slices.Delete(alike, i, i+1)
	if len(alike) == 1 {
		delete(m.entries, e.head)
	}
	m.count--
	m.sizes[e.head.size]--
	if m.sizes[e.head.size] == 0 {
		delete(m.sizes, e.head.size)
	}
}

// all returns the entries, the last seen first.
func (m *memory) all() []entry {
	list := make([]entry, 0, m.count)
	for _, entries := range m.entries {
		list = append(list, entries...)
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(b.since.Compare(a.since), cmp.Compare(a.path, b.path))
	})
	return list
}

// expire forgets what was not seen for memoryTime, and the oldest beyond memorySize.
func (m *memory) expire(now time.Time) {
	if m.count == 0 || now.Before(m.nextExpiry) {
		return
	}
	m.nextExpiry = now.Add(time.Minute)
	list := m.all()
	keep := slices.IndexFunc(list, func(e entry) bool { return now.Sub(e.since) > memoryTime })
	if keep < 0 {
		keep = len(list)
	}
	if keep = min(keep, memorySize); keep < len(list) {
		fresh := newMemory(list[:keep])
		fresh.nextExpiry = m.nextExpiry
		*m = *fresh
	}
}
