package consolespan

import (
	"bytes"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// passResource notes where the resource at i stands. It is decoded only if it
// differs from that of the span before, which it hardly ever does.
func (d *Decoder) passResource(i int) int {
	if d.data[i] != '{' {
		return d.wrongType(i)
	}
	next := i + len(d.resource)
	if len(d.resource) == 0 || !bytes.HasPrefix(d.data[i:], d.resource) {
		if next = d.skipValue(i); next == failed {
			return failed
		}
	}
	d.record.resourceStart, d.record.resourceEnd = i, next
	return next
}

// decodeResource decodes the resource at i, which is well formed.
func (d *Decoder) decodeResource(i int, rs ptrace.ResourceSpans) {
	if !d.isNestedResource(i) {
		d.attributes(i, rs.Resource().Attributes(), 0, 0)
		return
	}
	var seen uint
	for want := 0; ; {
		var number int
		i, number = d.member(i, resourceObject, want)
		if number == resourceEnd {
			return
		}
		d.once(&seen, number)
		switch {
		case number == resourceAttributes:
			i = d.attributes(i, rs.Resource().Attributes(), 0, 0)
		case d.data[i] != '"':
			i = d.wrongType(i)
		default:
			var url string
			url, i = d.text(i)
			rs.SetSchemaUrl(url)
		}
		want = number + 1
	}
}

// isNestedResource tells {"attributes": {…}, "schema_url": …} of SDK 1.12 and
// later from the flat attributes before. A flat resource can have an attribute
// called attributes, but it is neither a map nor null there.
func (d *Decoder) isNestedResource(i int) bool {
	for first := true; ; first = false {
		var more bool
		if i, more = d.nextName(i, first); !more {
			return false
		}
		name, value := d.name(i)
		if string(name) == resourceObject.names[resourceAttributes] {
			return d.data[value] == '{' || d.data[value] == 'n'
		}
		i = d.skipValue(value)
	}
}
