package consolespan

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const lowerHex = "0123456789abcdef"

func appendHex(dst, id []byte) []byte {
	for _, c := range id {
		dst = append(dst, lowerHex[c>>4], lowerHex[c&15])
	}
	return dst
}

// appendText appends text as json.dumps with ensure_ascii does. A byte that is
// no UTF-8 becomes U+FFFD.
func appendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	b := []byte(text) // not copied: it is only read
	for i := 0; ; {
		plain := plainEnd(b, i)
		dst = append(dst, b[i:plain]...)
		if plain == len(b) {
			return append(dst, '"')
		}
		dst, i = appendEscaped(dst, b, plain)
	}
}

// shortEscapes holds the letter behind the backslash for what has one in JSON.
var shortEscapes = [256]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

// appendEscaped appends the character at i and returns the offset behind it.
func appendEscaped(dst, text []byte, i int) ([]byte, int) {
	if c := shortEscapes[text[i]]; c != 0 {
		return append(dst, '\\', c), i + 1
	}
	r, size := utf8.DecodeRune(text[i:])
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		dst = appendCodeUnit(dst, high)
		r = low
	}
	return appendCodeUnit(dst, r), i + size
}

func appendCodeUnit(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', lowerHex[r>>12&15], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
}
