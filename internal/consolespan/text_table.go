package consolespan

import "hash/maphash"

const (
	textTableSets = 1024 // a power of 2
	maxTableText  = 64   // bytes
)

// textTable holds short texts that come again and again: keys, names of
// deployments and routes. Spans share them, which saves both the allocation
// and the memory. It holds at most 2*textTableSets*maxTableText bytes.
type textTable struct {
	seed maphash.Seed
	sets []textSet
}

type textSet struct {
	entries [2]textEntry
	// candidate is the hash of a text that was seen once and had no place. A
	// text is taken in when it is seen the second time, so ids pass by.
	candidate uint32
}

// textEntry is one text and what the decoder remembers of it.
type textEntry struct {
	text string
	// inMap is the map that had text as a key last.
	inMap uint32
	// attributes is how many the last span or event of this name had.
	attributes uint8
}

func (t *textTable) init() {
	t.seed = maphash.MakeSeed()
	t.sets = make([]textSet, textTableSets)
}

// own returns raw as a string of its own memory, and its entry in the table if it has one.
func (t *textTable) own(raw []byte) (string, *textEntry) {
	if len(raw) == 0 || len(raw) > maxTableText {
		return string(raw), nil
	}
	hash := maphash.Bytes(t.seed, raw)
	set := &t.sets[hash%textTableSets]
	for k := range set.entries {
		if entry := &set.entries[k]; entry.text == string(raw) {
			return entry.text, entry
		}
	}
	return t.admit(raw, uint32(hash>>32), set), nil
}

// admit returns raw as a string, and takes it in if it has been seen before.
// It has no entry yet: in a map it may stand as a key from before it had one.
func (t *textTable) admit(raw []byte, hash uint32, set *textSet) string {
	text := string(raw)
	if set.candidate != hash {
		set.candidate = hash
		return text
	}
	set.entries[1] = set.entries[0]
	set.entries[0] = textEntry{text: text}
	return text
}
