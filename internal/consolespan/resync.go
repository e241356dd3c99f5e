package consolespan

import (
	"bytes"
	"slices"
)

const byteOrderMark = "\ufeff"

// gapEnd returns the offset of the first byte that is neither white space nor
// a byte order mark, which concatenated files may have anywhere. A mark that
// the data cut short belongs to the gap's end.
func gapEnd(b []byte) int {
	i := 0
	for {
		i = spaceEnd(b, i)
		if !at(b, i, byteOrderMark) {
			return i
		}
		i += len(byteOrderMark)
	}
}

// startsRecord's answers.
const (
	startNo      = iota
	startYes     // an opening brace and a name's quote, or an empty object
	startUnknown // the data ends before that can be told
)

// startsRecord says whether a record begins at i.
func startsRecord(b []byte, i int) int {
	if rest := b[i:]; len(rest) < len(byteOrderMark) && string(rest) == byteOrderMark[:len(rest)] {
		return startUnknown
	}
	if b[i] != '{' {
		return startNo
	}
	i = spaceEnd(b, i+1)
	switch {
	case i == len(b):
		return startUnknown
	case b[i] == '"' || b[i] == '}':
		return startYes
	}
	return startNo
}

// nextStart returns the offset of the next byte behind i where a record
// begins or may begin, else the length of b.
func nextStart(b []byte, i int) int {
	for i++; i < len(b); i++ {
		brace := bytes.IndexByte(b[i:], '{')
		if brace < 0 {
			break
		}
		i += brace
		// An empty object is no span; in garbage it is garbage.
		if next := spaceEnd(b, i+1); next == len(b) || b[next] == '"' {
			return i
		}
	}
	return len(b)
}

// maxTornNesting is how deep in a torn record a whole one is looked for. It
// bounds the work: each level can make the rest be read once more.
const maxTornNesting = 32

// resyncMalformed returns where to go on behind the start of a record that is
// wrong at fault. Usually the record was torn and the next one begins in the
// midst of it: in the torn string, or where a value was expected. So the first
// whole record inside of the wrong one is the place, else the first possible
// start near or behind the fault.
func resyncMalformed(b []byte, start, fault int) int {
	whole, _ := innerRecords(b[:fault], start)
	if whole >= 0 {
		return whole
	}
	// A brace that ends a torn string is followed by at most its quote.
	return nextStart(b, max(start, fault-3))
}

// WholeInside returns where the first whole span record stands inside of the torn
// one that data begins with, or 0 if there is none. It is for data about which
// Next says ErrMore while nothing will follow it: the torn record may have ended
// where a value was expected, and only a further byte would make Next see that.
func WholeInside(data []byte) int {
	whole, _ := innerRecords(data, gapEnd(data))
	return max(whole, 0)
}

// resyncTooLarge returns where to go on behind the start of an unfinished record.
func resyncTooLarge(b []byte, start int) int {
	whole, open := innerRecords(b, start)
	switch {
	case whole >= 0 && (open < 0 || whole < open):
		return whole
	case open >= 0:
		return open
	case b[len(b)-1] == '{' && len(b)-1 > start:
		return len(b) - 1 // it may begin a record in a torn string
	}
	return len(b)
}

// innerRecords returns the offsets of the first whole and the first unfinished
// span record nested in the record that begins at start, -1 if there is none.
// b holds the record as far as it is well formed.
func innerRecords(b []byte, start int) (whole, open int) {
	whole = -1
	var heads []int // the records that begin at each depth, -1 where none does
	depth := 0
	for i := start; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
		case '{', '[':
			if depth++; depth <= maxTornNesting {
				heads = append(heads, headAt(b, i, start))
			}
		case '}', ']':
			if depth--; depth < len(heads) {
				if head := heads[depth]; head >= 0 && (whole < 0 || head < whole) {
					whole = head
				}
				heads = heads[:depth]
			}
		}
	}
	if depth > maxTornNesting {
		return -1, -1
	}
	if first := slices.IndexFunc(heads, func(head int) bool { return head >= 0 }); first >= 0 {
		return whole, heads[first]
	}
	return whole, -1
}

// headAt returns i if a record begins there that is nested in the one at start, else -1.
func headAt(b []byte, i, start int) int {
	if i == start || !hasHead(b, i) {
		return -1
	}
	return i
}

// hasHead reports whether the object at i begins as the SDK's records do.
func hasHead(b []byte, i int) bool {
	for _, token := range []string{"{", `"name"`, ":"} {
		if !at(b, i, token) {
			return false
		}
		i = spaceEnd(b, i+len(token))
	}
	if i >= len(b) || b[i] != '"' {
		return false
	}
	i = spaceEnd(b, stringEnd(b, i)+1)
	return at(b, i, ",") && at(b, spaceEnd(b, i+1), `"context"`)
}

// stringEnd returns the offset of the quote that ends the string at i, or the length of b.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return min(i, len(b))
}
