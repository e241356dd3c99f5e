package servecontextprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What the parts of a span take in memory, with the runtime's size classes. They
// need not be exact: the test allows a quarter.
const (
	spanBytes      = 240
	attributeBytes = 40 // its place in the list
	valueBytes     = 16 // the value it points to
	slackBytes     = 8  // what a text wastes of its size class
	eventBytes     = 8 + 96
	linkBytes      = 8 + 112
	// heldBytes is what the state itself adds: the entry, and a share of group and map.
	heldBytes = 160
)

// portrait is what one look over a span's attributes tells.
type portrait struct {
	bytes int
	// tagged: an attribute begins with ray.serve. requestID, route: it has them.
	tagged, requestID, route bool
}

// portray looks over a span once.
func portray(span ptrace.Span) portrait {
	p := portrait{bytes: spanBytes + heldBytes + len(span.Name()) + len(span.TraceState().AsRaw()) + len(span.Status().Message())}
	for key, value := range span.Attributes().All() {
		p.bytes += attributeSize(key, value)
		if strings.HasPrefix(key, "ray.") {
			p.note(key)
		}
	}
	events := span.Events()
	for i := range events.Len() {
		p.bytes += eventBytes + len(events.At(i).Name()) + mapSize(events.At(i).Attributes())
	}
	links := span.Links()
	for i := range links.Len() {
		p.bytes += linkBytes + len(links.At(i).TraceState().AsRaw()) + mapSize(links.At(i).Attributes())
	}
	return p
}

func (p *portrait) note(key string) {
	p.tagged = p.tagged || strings.HasPrefix(key, "ray.serve.")
	switch key {
	case attrRequestID, attrRayRequestID:
		p.requestID = true
	case attrRoute:
		p.route = true
	}
}

func mapSize(m pcommon.Map) int {
	n := 0
	for key, value := range m.All() {
		n += attributeSize(key, value)
	}
	return n
}

// attributeSize counts keys as well: those that came by OTLP are not shared.
func attributeSize(key string, value pcommon.Value) int {
	return attributeBytes + len(key) + valueSize(value)
}

func valueSize(value pcommon.Value) int {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return valueBytes + slackBytes + len(value.Str())
	case pcommon.ValueTypeBytes:
		return valueBytes + slackBytes + value.Bytes().Len()
	case pcommon.ValueTypeMap:
		return 2*valueBytes + mapSize(value.Map())
	case pcommon.ValueTypeSlice:
		n := 2 * valueBytes
		for i := range value.Slice().Len() {
			n += valueBytes + valueSize(value.Slice().At(i))
		}
		return n
	}
	return slackBytes
}
