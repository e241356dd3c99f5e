package consolespan

// skipValue moves behind the JSON value at i. It checks the value as strictly
// as if it were decoded, but without recursion, so nesting costs a byte a level.
func (d *Decoder) skipValue(i int) int {
	b := d.data
	d.open = d.open[:0]
	for {
		if i >= len(b) {
			return d.incomplete()
		}
		var more bool
		if c := b[i]; c == '{' || c == '[' {
			d.open = append(d.open, c)
			i, more = d.nextInOpen(i, true)
		} else {
			i, more = d.skipScalar(i), false
		}
		for !more && i != failed && len(d.open) > 0 {
			i, more = d.nextInOpen(i, false)
		}
		if i == failed || len(d.open) == 0 {
			return i
		}
	}
}

// nextInOpen moves to the next value in the innermost open container, or
// behind its end.
func (d *Decoder) nextInOpen(i int, first bool) (next int, more bool) {
	top := len(d.open) - 1
	if d.open[top] == '[' {
		next, more = d.element(i, first)
	} else if next, more = d.nextName(i, first); more {
		if d.data[next] != '"' {
			return d.malformed(next, "expected a member's name"), false
		}
		if next = d.skipText(next); next != failed {
			next = d.colon(next)
		}
		more = next != failed
	}
	if !more {
		d.open = d.open[:top]
	}
	return next, more
}

func (d *Decoder) skipScalar(i int) int {
	switch c := d.data[i]; c {
	case '"':
		return d.skipText(i)
	case 't':
		return d.word(i, "true")
	case 'f':
		return d.word(i, "false")
	case 'n':
		return d.word(i, "null")
	case 'N':
		return d.word(i, "NaN")
	case 'I':
		return d.word(i, "Infinity")
	case '-':
		if i+1 < len(d.data) && d.data[i+1] == 'I' {
			return d.word(i, "-Infinity")
		}
	}
	next, _ := d.numberEnd(i)
	return next
}

// skipText moves behind the string at i.
func (d *Decoder) skipText(i int) int {
	b := d.data
	for i = plainEnd(b, i+1); i < len(b); i = plainEnd(b, i) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return d.malformed(i, "control character in a string")
		case c != '\\':
			i++ // above ASCII
		case i+1 >= len(b):
			return d.incomplete()
		case escapes[b[i+1]] != 0:
			i += 2
		case b[i+1] != 'u':
			return d.malformed(i, "unknown escape sequence")
		default:
			if _, i = d.codeUnit(i); i == failed {
				return failed
			}
		}
	}
	return d.incomplete()
}
