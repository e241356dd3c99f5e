package consolespan

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// appendAttributes appends m, a map of attributes that stands depth deep in the record.
func (e *Encoder) appendAttributes(dst []byte, m pcommon.Map, depth int) []byte {
	e.deepest = depth + maxNesting
	return e.appendMap(dst, m, depth)
}

// appendMap appends the members of m, which stands depth deep in the record.
func (e *Encoder) appendMap(dst []byte, m pcommon.Map, depth int) []byte {
	first := true
	for key, value := range m.All() {
		dst = e.appendOpening(dst, '{', first, depth+1)
		dst = appendText(dst, key)
		dst = append(dst, ": "...)
		dst = e.appendValue(dst, value, depth+1)
		first = false
	}
	if first {
		return append(dst, "{}"...)
	}
	return e.appendClosing(dst, '}', depth)
}

func (e *Encoder) appendSlice(dst []byte, s pcommon.Slice, depth int) []byte {
	if s.Len() == 0 {
		return append(dst, "[]"...)
	}
	for i := range s.Len() {
		dst = e.appendOpening(dst, '[', i == 0, depth+1)
		dst = e.appendValue(dst, s.At(i), depth+1)
	}
	return e.appendClosing(dst, ']', depth)
}

// appendOpening appends what stands before a member or an element that is
// depth deep: the bracket or a comma, and the line break.
func (e *Encoder) appendOpening(dst []byte, bracket byte, first bool, depth int) []byte {
	separator := byte(',')
	if first {
		separator = bracket
	}
	dst = append(dst, separator)
	if e.layout == compact {
		if !first {
			dst = append(dst, ' ')
		}
		return dst
	}
	return append(dst, lineBreak[:1+4*depth]...)
}

// appendClosing appends what stands behind the last member or element of a
// container that is depth deep.
func (e *Encoder) appendClosing(dst []byte, bracket byte, depth int) []byte {
	if e.layout == indented {
		dst = append(dst, lineBreak[:1+4*depth]...)
	}
	return append(dst, bracket)
}

// appendValue appends a value that stands depth deep. What has no form in the
// SDK gets the nearest one: bytes become base64, as in OTLP's JSON.
func (e *Encoder) appendValue(dst []byte, v pcommon.Value, depth int) []byte {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return appendText(dst, v.Str())
	case pcommon.ValueTypeBool:
		return strconv.AppendBool(dst, v.Bool())
	case pcommon.ValueTypeInt:
		return strconv.AppendInt(dst, v.Int(), 10)
	case pcommon.ValueTypeDouble:
		return appendFloat(dst, v.Double())
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		return e.appendContainer(dst, v, depth)
	case pcommon.ValueTypeBytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes().AsRaw())
		return append(dst, '"')
	default:
		return append(dst, "null"...)
	}
}

// lineBreak has the indentation of the deepest value: in an event's attributes,
// which stand 3 deep, maxNesting containers around it.
var lineBreak = "\n" + strings.Repeat("    ", 3+maxNesting+1)

// appendContainer appends a map or an array. One that is nested too deeply is
// written as a string of its JSON text, as the decoder reads it, for its lines
// would be as long as it is deep.
func (e *Encoder) appendContainer(dst []byte, v pcommon.Value, depth int) []byte {
	if depth > e.deepest {
		flat := Encoder{layout: compact, deepest: math.MaxInt}
		return appendText(dst, string(flat.appendContainer(nil, v, depth)))
	}
	if v.Type() == pcommon.ValueTypeMap {
		return e.appendMap(dst, v.Map(), depth)
	}
	return e.appendSlice(dst, v.Slice(), depth)
}

// appendFloat appends f as Python's repr() does, or its bare word.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}
