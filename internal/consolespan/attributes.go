package consolespan

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxNesting is how deep maps and arrays may be nested in an attribute. The
// protobuf libraries of C++, Java and Python refuse messages more than 100
// deep; a span's attribute is 7 deep and each map adds 3.
const maxNesting = 30

// maxExpected bounds the room that is made for attributes that may not come.
const maxExpected = 128

// sizedAttributes decodes the attributes at i into m. named is the entry of the
// span's or the event's name: what has the same name mostly has as many
// attributes, so there is room for as many as the last one had.
func (d *Decoder) sizedAttributes(i int, m pcommon.Map, named *textEntry) int {
	if named == nil {
		named = &d.unnamed
	}
	i = d.attributes(i, m, 0, int(named.attributes))
	if i != failed {
		named.attributes = uint8(min(m.Len(), maxExpected))
	}
	return i
}

// attributes decodes the object at i into m, which is nested depth deep and
// will probably hold size elements.
func (d *Decoder) attributes(i int, m pcommon.Map, depth, size int) int {
	if i >= len(d.data) {
		return d.incomplete()
	}
	if at(d.data, i, "{}") {
		return i + 2
	}
	if d.data[i] != '{' {
		return d.wrongType(i)
	}
	// A builder per depth: Map.Put… would search the whole map for each key.
	builder := &d.maps[depth]
	builder.EnsureCapacity(size)
	d.mapsOpen++
	serial, unsure := d.mapsOpen, false
	for first := true; ; first = false {
		var more bool
		i, more = d.nextName(i, first)
		if i == failed {
			return failed
		}
		if !more {
			builder.UnsafeIntoMap(m)
			if unsure {
				d.dropDuplicates(m)
			}
			return i
		}
		if d.data[i] != '"' {
			return d.malformed(i, "expected an attribute's key")
		}
		var raw []byte
		if raw, i = d.rawText(i); i == failed {
			return failed
		}
		key, entry := d.texts.own(raw)
		unsure = unsure || entry == nil || entry.inMap == serial
		if entry != nil {
			entry.inMap = serial
		}
		if i = d.colon(i); i == failed {
			return failed
		}
		if i = d.value(i, builder.AppendEmpty(key), depth); i == failed {
			return failed
		}
		unsure = unsure || d.mapsOpen != serial // a map in between marks its keys as its own
	}
}

// dropDuplicates removes all but the last attribute of each key from m: pdata
// wants unique keys, and Python's and Go's JSON readers let the last one win.
func (d *Decoder) dropDuplicates(m pcommon.Map) {
	last := make(map[string]int, m.Len())
	i := 0
	for key := range m.All() {
		last[key] = i
		i++
	}
	if len(last) == m.Len() {
		return
	}
	i = -1
	m.RemoveIf(func(key string, _ pcommon.Value) bool {
		i++
		if last[key] == i {
			return false
		}
		d.count(AnomalyDuplicateMember)
		return true
	})
}

// value decodes the JSON value at i into v, which is nested depth deep.
func (d *Decoder) value(i int, v pcommon.Value, depth int) int {
	b := d.data
	if i >= len(b) {
		return d.incomplete()
	}
	switch b[i] {
	case '"':
		text, next := d.text(i)
		if next == failed {
			return failed
		}
		v.SetStr(text)
		return next
	case '{', '[':
		if depth == maxNesting {
			return d.tooDeep(i, v)
		}
		if b[i] == '{' {
			return d.attributes(i, v.SetEmptyMap(), depth+1, 0)
		}
		return d.slice(i, v.SetEmptySlice(), depth+1)
	case 't':
		v.SetBool(true)
		return d.word(i, "true")
	case 'f':
		v.SetBool(false)
		return d.word(i, "false")
	case 'n':
		return d.word(i, "null")
	default:
		return d.number(i, v)
	}
}

func (d *Decoder) slice(i int, s pcommon.Slice, depth int) int {
	for first := true; ; first = false {
		var more bool
		i, more = d.element(i, first)
		if !more {
			return i
		}
		if i = d.value(i, s.AppendEmpty(), depth); i == failed {
			return failed
		}
	}
}

// tooDeep keeps a value that is nested too deeply as its JSON text.
func (d *Decoder) tooDeep(i int, v pcommon.Value) int {
	next := d.skipValue(i)
	if next == failed {
		return failed
	}
	d.count(AnomalyNesting)
	v.SetStr(d.validText(d.data[i:next]))
	return next
}

// word moves behind a bare word.
func (d *Decoder) word(i int, word string) int {
	if at(d.data, i, word) {
		return i + len(word)
	}
	if rest := d.data[i:]; len(rest) < len(word) && string(rest) == word[:len(rest)] {
		return d.incomplete()
	}
	return d.malformed(i, "expected a value")
}
