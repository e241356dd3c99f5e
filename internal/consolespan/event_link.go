package consolespan

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func (d *Decoder) events(i int) int {
	events := d.span.Events()
	return d.objects(i, func(i int) int { return d.event(i, events.AppendEmpty()) })
}

func (d *Decoder) links(i int) int {
	links := d.span.Links()
	return d.objects(i, func(i int) int { return d.link(i, links.AppendEmpty()) })
}

// objects decodes the array at i, each object in it by decode.
func (d *Decoder) objects(i int, decode func(i int) int) int {
	if at(d.data, i, "[]") {
		return i + 2
	}
	if d.data[i] != '[' {
		return d.wrongType(i)
	}
	for first := true; ; first = false {
		var more bool
		i, more = d.element(i, first)
		if !more {
			return i
		}
		if d.data[i] != '{' {
			i = d.wrongType(i)
		} else {
			i = decode(i)
		}
		if i == failed {
			return failed
		}
	}
}

func (d *Decoder) event(i int, e ptrace.SpanEvent) int {
	var seen uint
	var name string
	var named *textEntry
	for want := 0; ; {
		var number int
		i, number = d.member(i, eventObject, want)
		if i == failed || number == eventEnd {
			return i
		}
		d.once(&seen, number)
		if i >= len(d.data) {
			return d.incomplete()
		}
		switch number {
		case eventName:
			name, named, i = d.title(i)
			e.SetName(name)
		case eventTimestamp:
			var ns pcommon.Timestamp
			ns, i = d.timestamp(i)
			e.SetTimestamp(ns)
		case eventAttributes:
			i = d.sizedAttributes(i, e.Attributes(), named)
		}
		if i == failed {
			return failed
		}
		want = number + 1
	}
}

func (d *Decoder) link(i int, l ptrace.SpanLink) int {
	var seen uint
	for want := 0; ; {
		var number int
		i, number = d.member(i, linkObject, want)
		if i == failed || number == linkEnd {
			return i
		}
		d.once(&seen, number)
		if i >= len(d.data) {
			return d.incomplete()
		}
		if i = d.linkMember(i, number, l); i == failed {
			return failed
		}
		want = number + 1
	}
}

func (d *Decoder) linkMember(i, number int, l ptrace.SpanLink) int {
	if number == linkContext {
		var c context
		i = d.context(i, linkContextObject, &c)
		l.SetTraceID(c.traceID)
		l.SetSpanID(c.spanID)
		l.TraceState().FromRaw(c.traceState)
		return i
	}
	// SDK 1.1 writes null for a link that was made without attributes.
	if at(d.data, i, "null") {
		return i + len("null")
	}
	return d.attributes(i, l.Attributes(), 0, 0)
}
