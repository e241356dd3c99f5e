package consolespan

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// timeForm is Python's strftime form of all timestamps; the format has UTC only.
const timeForm = "2006-01-02T15:04:05.000000Z"

// minuteCache is the minute of the timestamp read last. Neighbouring spans
// mostly share it, which leaves eight digits to read.
type minuteCache struct {
	text    [len("2006-01-02T15:04:")]byte
	seconds int64 // since 1970
}

// timestamp decodes the time at i. null stands for 0 ns.
func (d *Decoder) timestamp(i int) (ns pcommon.Timestamp, next int) {
	b := d.data
	if i >= len(b) {
		return 0, d.incomplete()
	}
	const size = len(timeForm)
	if len(b)-i >= size+2 && b[i] == '"' && b[i+1+size] == '"' {
		if seconds, micros, ok := d.minute.parse(b[i+1 : i+1+size]); ok {
			return d.nanoseconds(seconds, micros*1000), i + size + 2
		}
	}
	return d.otherTimestamp(i)
}

// parse reads a timestamp of the SDK's form within the cached minute.
func (m *minuteCache) parse(t []byte) (seconds, micros int64, ok bool) {
	bad := false
	const second, point, zone = len(m.text), len(m.text) + 2, len(timeForm) - 1
	if string(t[:second]) != string(m.text[:]) || t[point] != '.' || t[zone] != 'Z' {
		return 0, 0, false
	}
	for _, c := range t[second:point] {
		seconds = 10*seconds + int64(c) - '0'
		bad = bad || c-'0' > 9
	}
	for _, c := range t[point+1 : zone] {
		micros = 10*micros + int64(c) - '0'
		bad = bad || c-'0' > 9
	}
	return m.seconds + seconds, micros, !bad && seconds < 60
}

// otherTimestamp decodes a time of another minute, or of another form: any
// RFC 3339 time from year 1 to 9999 is taken.
func (d *Decoder) otherTimestamp(i int) (ns pcommon.Timestamp, next int) {
	if at(d.data, i, "null") {
		return 0, i + len("null")
	}
	if d.data[i] != '"' {
		return 0, d.wrongType(i)
	}
	raw, next := d.rawText(i)
	if next == failed {
		return 0, failed
	}
	t, err := time.Parse(time.RFC3339Nano, string(raw))
	if err != nil {
		d.count(AnomalyInvalidValue)
		return 0, next
	}
	const zone = len(timeForm) - 1
	if m := len(d.minute.text); len(raw) == len(timeForm) && raw[m-1] == ':' && raw[m+2] == '.' && raw[zone] == 'Z' {
		copy(d.minute.text[:], raw)
		d.minute.seconds = t.Unix() - int64(t.Second())
	}
	return d.nanoseconds(t.Unix(), int64(t.Nanosecond())), next
}

// floatSeconds is where float64 seconds no longer tell all microseconds apart.
const floatSeconds = 1 << 32

// nanoseconds returns the nanosecond that the SDK writes as the given time.
// Mostly it is the time itself.
func (d *Decoder) nanoseconds(seconds, nanos int64) pcommon.Timestamp {
	if seconds > 0 && seconds < floatSeconds {
		return pcommon.Timestamp(seconds*1e9 + nanos)
	}
	const lastSecond = math.MaxUint64 / 1_000_000_000
	switch {
	case seconds < 0:
		d.count(AnomalyTimeRange)
		return 0
	case seconds == 0 && nanos == 0:
		return 1 // the SDK writes 0 ns as null, so this is not 0
	case seconds > lastSecond+1:
		d.count(AnomalyTimeRange)
		return math.MaxUint64
	}
	return d.floatNanoseconds(uint64(seconds), uint64(nanos))
}

// floatNanoseconds searches the nanosecond that the SDK writes as the given
// time among those that its float64 confuses with it.
func (d *Decoder) floatNanoseconds(seconds, nanos uint64) pcommon.Timestamp {
	const reach, step = 4096, 64
	exact := seconds*1e9 + nanos
	overflow := exact < seconds*1e9 || seconds > math.MaxUint64/1_000_000_000
	if overflow {
		exact = math.MaxUint64
	}
	for distance := uint64(0); distance <= reach; distance += step {
		for _, ns := range [2]uint64{exact - distance, exact + distance} {
			s, micros := sdkTime(ns)
			if s == seconds && micros == nanos/1000 {
				return pcommon.Timestamp(ns)
			}
		}
	}
	if overflow {
		d.count(AnomalyTimeRange)
	}
	return pcommon.Timestamp(exact)
}

// sdkTime rounds ns as datetime.utcfromtimestamp(ns / 1e9) does, which is
// neither truncation nor rounding to nearest, since the float rounds first.
func sdkTime(ns uint64) (seconds, micros uint64) {
	whole, fraction := math.Modf(float64(ns) / 1e9)
	m := math.RoundToEven(fraction * 1e6)
	if m == 1e6 {
		return uint64(whole) + 1, 0
	}
	return uint64(whole), uint64(m)
}

// timeCache holds the text of the minute that was written last.
type timeCache struct {
	minute uint64 // since 1970, plus 1
	text   []byte
}

// append appends ns as the SDK does: null for 0.
func (c *timeCache) append(dst []byte, ns pcommon.Timestamp) []byte {
	if ns == 0 {
		return append(dst, "null"...)
	}
	seconds, micros := sdkTime(uint64(ns))
	if minute := seconds/60 + 1; minute != c.minute {
		c.minute = minute
		c.text = time.Unix(int64(seconds), 0).UTC().AppendFormat(c.text[:0], `"2006-01-02T15:04:`)
	}
	dst = append(dst, c.text...)
	dst = appendTwoDigits(dst, seconds%60)
	dst = append(dst, '.')
	dst = appendTwoDigits(dst, micros/10000)
	dst = appendTwoDigits(dst, micros/100%100)
	dst = appendTwoDigits(dst, micros%100)
	return append(dst, 'Z', '"')
}

func appendTwoDigits(dst []byte, n uint64) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
}
