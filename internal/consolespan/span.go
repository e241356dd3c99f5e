package consolespan

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// isSpan tells spans from other JSON objects: a span has ids and a member that
// neither a link nor a JSON log line has, or the members that together only a
// span has. Links turn up by themselves behind a record that is damaged.
func (r *record) isSpan() bool {
	const own = 1<<spanKind | 1<<spanParentID | 1<<spanStartTime | 1<<spanEndTime
	const shape = 1<<spanContext | 1<<spanKind | 1<<spanStartTime
	return r.hasTraceID && r.hasSpanID && r.seen&own != 0 || r.seen&shape == shape
}

// topLevel decodes the object at i into d.span and returns the offset behind it.
func (d *Decoder) topLevel(i int) int {
	d.record = record{}
	d.layout = compact
	if i+1 < len(d.data) && d.data[i+1] == '\n' {
		d.layout = indented
	}
	for want := 0; ; {
		var number int
		i, number = d.member(i, spanObject, want)
		if i == failed || number == spanEnd {
			return i
		}
		if d.once(&d.record.seen, number) {
			d.clear(number)
		}
		if i >= len(d.data) {
			return d.incomplete()
		}
		if i = d.spanMember(i, number); i == failed {
			return failed
		}
		want = number + 1
	}
}

// clear empties a member that comes again, for the last one wins.
func (d *Decoder) clear(number int) {
	switch number {
	case spanAttributes:
		d.span.Attributes().Clear()
	case spanEvents:
		d.span.Events().RemoveIf(func(ptrace.SpanEvent) bool { return true })
	case spanLinks:
		d.span.Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
	}
}

// spanMember decodes the value at i, which is inside of the data.
func (d *Decoder) spanMember(i, number int) int {
	switch number {
	case spanName:
		name, named, next := d.title(i)
		d.span.SetName(name)
		d.record.name = named
		return next
	case spanContext:
		return d.spanContext(i)
	case spanKind:
		return d.spanKind(i)
	case spanParentID:
		return d.parentID(i)
	case spanStartTime:
		ns, next := d.timestamp(i)
		d.span.SetStartTimestamp(ns)
		return next
	case spanEndTime:
		ns, next := d.timestamp(i)
		d.span.SetEndTimestamp(ns)
		return next
	case spanStatus:
		return d.status(i)
	case spanAttributes:
		return d.sizedAttributes(i, d.span.Attributes(), d.record.name)
	case spanEvents:
		return d.events(i)
	case spanLinks:
		return d.links(i)
	default:
		return d.passResource(i)
	}
}

// title decodes the name of a span or an event, with its entry in the table if it has one.
func (d *Decoder) title(i int) (name string, named *textEntry, next int) {
	if d.data[i] != '"' {
		return "", nil, d.wrongType(i)
	}
	raw, next := d.rawText(i)
	if next == failed {
		return "", nil, failed
	}
	name, named = d.texts.own(raw)
	return name, named, next
}

func (d *Decoder) spanContext(i int) int {
	var c context
	i = d.context(i, spanContextObject, &c)
	if i == failed {
		return failed
	}
	d.record.hasTraceID, d.record.hasSpanID = c.hasTraceID, c.hasSpanID
	d.span.SetTraceID(c.traceID)
	d.span.SetSpanID(c.spanID)
	d.span.TraceState().FromRaw(c.traceState)
	return i
}

// context is a span context, of a span or a link.
type context struct {
	traceID               pcommon.TraceID
	spanID                pcommon.SpanID
	hasTraceID, hasSpanID bool
	traceState            string
}

func (d *Decoder) context(i int, o *object, c *context) int {
	if d.data[i] != '{' {
		return d.wrongType(i)
	}
	var seen uint
	for want := 0; ; {
		var number int
		i, number = d.member(i, o, want)
		if i == failed || number == contextEnd {
			return i
		}
		d.once(&seen, number)
		if i >= len(d.data) {
			return d.incomplete()
		}
		switch number {
		case contextTraceID:
			i, c.hasTraceID = d.id(i, c.traceID[:])
		case contextSpanID:
			i, c.hasSpanID = d.id(i, c.spanID[:])
		case contextTraceState:
			c.traceState, i = d.traceState(i)
		}
		if i == failed {
			return failed
		}
		want = number + 1
	}
}

// kinds holds str(SpanKind) without its class name, by ptrace.SpanKind. The
// SDK has no UNSPECIFIED: OTLP lets receivers assume INTERNAL instead.
var kinds = [...]string{"", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"}

const kindPrefix = "SpanKind."

func (d *Decoder) spanKind(i int) int {
	if d.data[i] != '"' {
		return d.wrongType(i)
	}
	raw, next := d.rawText(i)
	if next == failed {
		return failed
	}
	kind := ptrace.SpanKindUnspecified
	if at(raw, 0, kindPrefix) {
		kind = kindByName(raw[len(kindPrefix):])
	}
	if kind == ptrace.SpanKindUnspecified {
		d.count(AnomalyInvalidValue)
	}
	d.span.SetKind(kind)
	return next
}

func kindByName(name []byte) ptrace.SpanKind {
	for k := len(kinds) - 1; k > 0; k-- {
		if kinds[k] == string(name) {
			return ptrace.SpanKind(k)
		}
	}
	return ptrace.SpanKindUnspecified
}

func (d *Decoder) parentID(i int) int {
	var parent pcommon.SpanID
	if at(d.data, i, "null") {
		i += len("null")
	} else {
		i, _ = d.id(i, parent[:])
	}
	d.span.SetParentSpanID(parent)
	return i
}

// statusCodes holds the names of StatusCode, by ptrace.StatusCode.
var statusCodes = [...]string{"UNSET", "OK", "ERROR"}

func (d *Decoder) status(i int) int {
	if d.data[i] != '{' {
		return d.wrongType(i)
	}
	var seen uint
	for want := 0; ; {
		var number int
		i, number = d.member(i, statusObject, want)
		if i == failed || number == statusEnd {
			return i
		}
		d.once(&seen, number)
		if i >= len(d.data) {
			return d.incomplete()
		}
		switch {
		case d.data[i] != '"':
			i = d.wrongType(i)
		case number == statusCode:
			i = d.statusCode(i)
		case number == statusDescription:
			var text string
			text, i = d.text(i)
			d.span.Status().SetMessage(text)
		}
		if i == failed {
			return failed
		}
		want = number + 1
	}
}

func (d *Decoder) statusCode(i int) int {
	raw, next := d.rawText(i)
	if next == failed {
		return failed
	}
	for code, name := range statusCodes {
		if name == string(raw) {
			d.span.Status().SetCode(ptrace.StatusCode(code))
			return next
		}
	}
	d.count(AnomalyInvalidValue)
	return next
}
