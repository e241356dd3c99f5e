package consolespan

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainEnd returns the offset of the first byte from i on that json.dumps does
// not write as it is: a quote, a backslash, a control character, DEL, or a byte
// above ASCII. It looks at eight bytes at a time; a carry or borrow can only
// mark bytes above the first that is really not plain.
func plainEnd(b []byte, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote := x ^ ones*'"'
		backslash := x ^ ones*'\\'
		special := (quote-ones)&^quote | (backslash-ones)&^backslash | (x-ones*' ')&^x | x | (x + ones)
		if special &= highs; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && b[i] < '\x7f' {
		i++
	}
	return i
}

// spaceEnd returns the offset of the first byte from i on that is no white space.
func spaceEnd(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		if len(b)-i >= 8 && b[i] == ' ' {
			x := binary.LittleEndian.Uint64(b[i:]) ^ ones*' '
			if x == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(x) / 8
			continue
		}
		if !isSpace(b[i]) {
			return i
		}
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// text decodes the string at i, of which the offset is at the quote.
func (d *Decoder) text(i int) (text string, next int) {
	raw, next := d.rawText(i)
	if next == failed {
		return "", failed
	}
	text, _ = d.texts.own(raw)
	return text, next
}

// rawText decodes the string at i. The result is valid until the next text is
// read, for it stands in the data or in the decoder's scratch space.
func (d *Decoder) rawText(i int) (text []byte, next int) {
	b := d.data
	end := plainEnd(b, i+1)
	if end < len(b) && b[end] == '"' {
		return b[i+1 : end], end + 1
	}
	return d.unescape(i+1, end)
}

// unescape decodes a string from start on that is plain up to i.
func (d *Decoder) unescape(start, i int) (text []byte, next int) {
	b := d.data
	out := d.scratch[:0]
	out = append(out, b[start:i]...)
	defer func() { d.scratch = out }()
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return out, i + 1
		case c == '\\':
			out, i = d.escape(out, i)
		case c < ' ':
			return nil, d.malformed(i, "control character in a string")
		default:
			out, i = d.unescaped(out, i)
		}
		if i == failed {
			return nil, failed
		}
		plain := i
		i = plainEnd(b, i)
		out = append(out, b[plain:i]...)
	}
	return nil, d.incomplete()
}

// escapes holds what stands for a control character, a quote, … behind a backslash.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape decodes the escape sequence at i and appends it to out.
func (d *Decoder) escape(out []byte, i int) ([]byte, int) {
	b := d.data
	if i+1 >= len(b) {
		return out, d.incomplete()
	}
	if c := escapes[b[i+1]]; c != 0 {
		return append(out, c), i + 2
	}
	if b[i+1] != 'u' {
		return out, d.malformed(i, "unknown escape sequence")
	}
	r, next := d.codeUnit(i)
	if next == failed {
		return out, failed
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), next
	}
	if at(b, next, `\u`) || next+1 >= len(b) {
		low, after := d.codeUnit(next)
		if after == failed {
			return out, failed
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair), after
		}
	}
	d.count(AnomalyText)
	return utf8.AppendRune(out, utf8.RuneError), next
}

// codeUnit decodes \uXXXX at i.
func (d *Decoder) codeUnit(i int) (r rune, next int) {
	b := d.data
	for k := i + 2; k < i+6; k++ {
		if k >= len(b) {
			return 0, d.incomplete()
		}
		digit := hexDigits[b[k]]
		if digit > 15 {
			return 0, d.malformed(i, "invalid escape sequence")
		}
		r = r<<4 | rune(digit)
	}
	return r, i + 6
}

// unescaped appends the character at i to out, which is not ASCII or DEL. The SDK
// escapes these, but a formatter with ensure_ascii=False does not.
func (d *Decoder) unescaped(out []byte, i int) ([]byte, int) {
	r, size := utf8.DecodeRune(d.data[i:])
	if r == utf8.RuneError && size == 1 {
		if !utf8.FullRune(d.data[i:]) {
			return out, d.incomplete()
		}
		d.count(AnomalyText)
	}
	return utf8.AppendRune(out, r), i + size
}

// validText returns raw as valid UTF-8.
func (d *Decoder) validText(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	d.count(AnomalyText)
	return strings.ToValidUTF8(string(raw), string(utf8.RuneError))
}
