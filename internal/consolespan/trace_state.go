package consolespan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The trace state is written as Python prints a list of its members, and a
// member is printed as below. Part of the format; do not change.
const (
	memberStart  = "{key="
	memberMiddle = ", value="
	memberEnd    = "}"
)

// traceState decodes the text at i into the form of the W3C header.
func (d *Decoder) traceState(i int) (state string, next int) {
	if at(d.data, i, `"[]"`) {
		return "", i + len(`"[]"`)
	}
	if d.data[i] != '"' {
		return "", d.wrongType(i)
	}
	raw, next := d.rawText(i)
	if next == failed {
		return "", failed
	}
	header, ok := headerFromList(make([]byte, 0, len(raw)), raw)
	if !ok {
		d.count(AnomalyInvalidValue)
		return "", next
	}
	state, _ = d.texts.own(header)
	return state, next
}

// headerFromList appends the members in list, such as
// ['{key=a, value=1}', "{key=b, value=it's}"], to header as a=1,b=it's.
func headerFromList(header, list []byte) (_ []byte, ok bool) {
	if len(list) < 2 || list[0] != '[' || list[len(list)-1] != ']' {
		return nil, false
	}
	list = list[1 : len(list)-1]
	for first := true; len(list) > 0; first = false {
		if !first {
			if !at(list, 0, ", ") {
				return nil, false
			}
			list = list[2:]
			header = append(header, ',')
		}
		start := len(header)
		header, list, ok = unquotePython(header, list)
		if !ok {
			return nil, false
		}
		member := string(header[start:])
		key, value, found := strings.Cut(member, memberMiddle)
		if !found || !strings.HasPrefix(key, memberStart) || !strings.HasSuffix(value, memberEnd) {
			return nil, false
		}
		header = append(header[:start], key[len(memberStart):]...)
		header = append(header, '=')
		header = append(header, value[:len(value)-len(memberEnd)]...)
	}
	return header, true
}

// unquotePython appends the text of the Python string literal that list begins
// with to text, and returns it with the rest of list.
func unquotePython(text, list []byte) (_, rest []byte, ok bool) {
	if len(list) == 0 || list[0] != '\'' && list[0] != '"' {
		return nil, nil, false
	}
	quote := list[0]
	for i := 1; i < len(list); {
		switch c := list[i]; {
		case c == quote:
			return text, list[i+1:], true
		case c != '\\':
			text = append(text, c)
			i++
		default:
			r, size := pythonEscape(list[i:])
			if size == 0 {
				return nil, nil, false
			}
			text = utf8.AppendRune(text, r)
			i += size
		}
	}
	return nil, nil, false
}

// pythonEscape decodes an escape sequence that repr() writes; its size is 0 if it is none.
func pythonEscape(b []byte) (r rune, size int) {
	if len(b) < 2 {
		return 0, 0
	}
	digits := 0
	switch b[1] {
	case '\\', '\'', '"':
		return rune(b[1]), 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	if digits == 0 || len(b) < 2+digits {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(b[2:2+digits]), 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(n), 2 + digits
}

// appendMemberList appends header as headerFromList reads it, the way that
// Python prints it. A member without a value gets an empty one.
func appendMemberList(dst []byte, header string) []byte {
	dst = append(dst, '[')
	first := true
	for member := range strings.SplitSeq(strings.ToValidUTF8(header, "\ufffd"), ",") {
		member = strings.Trim(member, " \t")
		if member == "" {
			continue
		}
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		key, value, _ := strings.Cut(member, "=")
		dst = appendPythonString(dst, memberStart+key+memberMiddle+value+memberEnd)
	}
	return append(dst, ']')
}

// appendPythonString appends text as repr() does: in single quotes, unless that
// needs escapes which double quotes do not.
func appendPythonString(dst []byte, text string) []byte {
	quote := byte('\'')
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, r := range text {
		switch {
		case r == rune(quote) || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
	}
	return append(dst, quote)
}
