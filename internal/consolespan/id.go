package consolespan

// hexDigits holds the value of each hexadecimal digit, 0xff for other bytes.
var hexDigits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range 16 {
		t["0123456789abcdef"[i]] = byte(i)
		t["0123456789ABCDEF"[i]] = byte(i)
	}
	return t
}()

// id decodes the id at i, hexadecimal with or without 0x, into dst. ok is
// false if it is none; dst is then zero.
func (d *Decoder) id(i int, dst []byte) (next int, ok bool) {
	b := d.data
	if i >= len(b) {
		return d.incomplete(), false
	}
	const prefix = len(`"0x`)
	end := i + prefix + 2*len(dst)
	if end < len(b) && at(b, i, `"0x`) && b[end] == '"' && unhex(dst, b[i+prefix:end]) {
		return end + 1, true
	}
	if b[i] != '"' {
		return d.wrongType(i), false
	}
	raw, next := d.rawText(i)
	if next == failed {
		return failed, false
	}
	if at(raw, 0, "0x") {
		raw = raw[2:]
	}
	if len(raw) != 2*len(dst) || !unhex(dst, raw) {
		d.count(AnomalyInvalidValue)
		clear(dst)
		return next, false
	}
	return next, true
}

// unhex decodes digits into dst, which is half as long.
func unhex(dst, digits []byte) bool {
	var all byte
	for k := range dst {
		high, low := hexDigits[digits[2*k]], hexDigits[digits[2*k+1]]
		all |= high | low
		dst[k] = high<<4 | low&15
	}
	return all <= 15
}
