package consolespan

import (
	"math"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// number decodes the number at i into v: an integer if its text has neither
// point nor exponent, as Python writes it, else a double. Python's bare words
// NaN, Infinity and -Infinity are doubles, too.
func (d *Decoder) number(i int, v pcommon.Value) int {
	b := d.data
	switch c := b[i]; {
	case c == 'N':
		v.SetDouble(math.NaN())
		return d.word(i, "NaN")
	case c == 'I':
		v.SetDouble(math.Inf(1))
		return d.word(i, "Infinity")
	case c == '-' && i+1 < len(b) && b[i+1] == 'I':
		v.SetDouble(math.Inf(-1))
		return d.word(i, "-Infinity")
	}
	end, integer := d.numberEnd(i)
	if end == failed {
		return failed
	}
	if integer {
		d.setInteger(b[i:end], v)
		return end
	}
	f, err := strconv.ParseFloat(string(b[i:end]), 64)
	if err != nil {
		d.count(AnomalyNumberRange) // f is an infinity
	}
	v.SetDouble(f)
	return end
}

// setInteger sets v to the integer in text. Beyond int64 it becomes a string:
// such integers are ids and hashes, of which a double would lose the end.
func (d *Decoder) setInteger(text []byte, v pcommon.Value) {
	const safeDigits = 18 // any 18 digits fit into an int64
	if len(text) <= safeDigits {
		digits := text
		if digits[0] == '-' {
			digits = digits[1:]
		}
		var n int64
		for _, c := range digits {
			n = 10*n + int64(c-'0')
		}
		if len(digits) < len(text) {
			n = -n
		}
		v.SetInt(n)
		return
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		d.count(AnomalyNumberRange)
		v.SetStr(string(text))
		return
	}
	v.SetInt(n)
}

// numberEnd returns the offset behind the JSON number at i and whether it is
// written as an integer. A number at the end of the data may go on.
func (d *Decoder) numberEnd(i int) (end int, integer bool) {
	b := d.data
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	if i = digitsEnd(b, i); i == first && i < len(b) {
		return d.malformed(i, "expected a value"), false
	}
	if i > first+1 && b[first] == '0' {
		return d.malformed(first+1, "number with a leading zero"), false
	}
	integer = true
	if i < len(b) && b[i] == '.' {
		integer = false
		point := i
		if i = digitsEnd(b, i+1); i == point+1 && i < len(b) {
			return d.malformed(i, "expected a digit"), false
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		integer = false
		i++
		if i < len(b) && (b[i] == '-' || b[i] == '+') {
			i++
		}
		exponent := i
		if i = digitsEnd(b, i); i == exponent && i < len(b) {
			return d.malformed(i, "expected a digit"), false
		}
	}
	if i >= len(b) {
		return d.incomplete(), false
	}
	return i, integer
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}
