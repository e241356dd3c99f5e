package consolespan

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Encoder writes console spans byte for byte as the SDK's ConsoleSpanExporter
// does. It is not for concurrent use.
type Encoder struct {
	layout   layout
	form     form
	resource []byte // as it stands in a record
	time     timeCache
	scratch  []byte
	deepest  int // how deep a container may stand in the attributes being written
}

// NewEncoder returns an encoder for one framing.
func NewEncoder(f Framing) *Encoder {
	e := &Encoder{layout: indented}
	if f == Lines {
		e.layout = compact
	}
	e.SetResource(pcommon.NewResource(), "")
	return e
}

// SetResource sets the resource of the following spans; its
// telemetry.sdk.version selects the form of the SDK's version.
func (e *Encoder) SetResource(r pcommon.Resource, schemaURL string) {
	e.form = formOf(r.Attributes())
	if e.form.flatResource {
		e.resource = e.appendAttributes(e.resource[:0], r.Attributes(), 1)
		return
	}
	literals := resourceObject.literals[e.layout]
	e.resource = append(e.resource[:0], literals[resourceAttributes]...)
	e.resource = e.appendAttributes(e.resource, r.Attributes(), 2)
	e.resource = append(e.resource, literals[resourceSchemaURL]...)
	e.resource = appendText(e.resource, schemaURL)
	e.resource = append(e.resource, literals[resourceEnd]...)
}

// AppendSpan appends one record, newline included, to dst.
func (e *Encoder) AppendSpan(dst []byte, s ptrace.Span) []byte {
	literals := spanObject.literals[e.layout]
	dst = append(dst, literals[spanName]...)
	dst = appendText(dst, s.Name())
	dst = append(dst, literals[spanContext]...)
	dst = e.appendContext(dst, spanContextObject, s.TraceID(), s.SpanID(), s.TraceState())
	dst = append(dst, literals[spanKind]...)
	dst = appendKind(dst, s.Kind())
	dst = append(dst, literals[spanParentID]...)
	dst = e.appendParent(dst, s.ParentSpanID())
	dst = append(dst, literals[spanStartTime]...)
	dst = e.time.append(dst, s.StartTimestamp())
	dst = append(dst, literals[spanEndTime]...)
	dst = e.time.append(dst, s.EndTimestamp())
	dst = append(dst, literals[spanStatus]...)
	dst = e.appendStatus(dst, s.Status())
	dst = append(dst, literals[spanAttributes]...)
	dst = e.appendAttributes(dst, s.Attributes(), 1)
	dst = append(dst, literals[spanEvents]...)
	dst = e.appendEvents(dst, s.Events())
	dst = append(dst, literals[spanLinks]...)
	dst = e.appendLinks(dst, s.Links())
	dst = append(dst, literals[spanResource]...)
	dst = append(dst, e.resource...)
	dst = append(dst, literals[spanEnd]...)
	return append(dst, '\n')
}

func (e *Encoder) appendContext(dst []byte, o *object, t pcommon.TraceID, s pcommon.SpanID, state pcommon.TraceState) []byte {
	literals := o.literals[e.layout]
	dst = append(dst, literals[contextTraceID]...)
	dst = append(dst, `"0x`...)
	dst = appendHex(dst, t[:])
	dst = append(dst, '"')
	dst = append(dst, literals[contextSpanID]...)
	dst = append(dst, `"0x`...)
	dst = appendHex(dst, s[:])
	dst = append(dst, '"')
	dst = append(dst, literals[contextTraceState]...)
	dst = e.appendTraceState(dst, state.AsRaw())
	return append(dst, literals[contextEnd]...)
}

func (e *Encoder) appendTraceState(dst []byte, header string) []byte {
	if header == "" {
		return append(dst, `"[]"`...)
	}
	e.scratch = appendMemberList(e.scratch[:0], header)
	return appendText(dst, string(e.scratch))
}

func appendKind(dst []byte, k ptrace.SpanKind) []byte {
	if k <= ptrace.SpanKindUnspecified || int(k) >= len(kinds) {
		k = ptrace.SpanKindInternal
	}
	dst = append(dst, '"')
	dst = append(dst, kindPrefix...)
	dst = append(dst, kinds[k]...)
	return append(dst, '"')
}

func (e *Encoder) appendParent(dst []byte, id pcommon.SpanID) []byte {
	if id.IsEmpty() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	if !e.form.bareParent {
		dst = append(dst, "0x"...)
	}
	dst = appendHex(dst, id[:])
	return append(dst, '"')
}

// appendStatus drops a description without an error, as the SDK does.
func (e *Encoder) appendStatus(dst []byte, s ptrace.Status) []byte {
	code := s.Code()
	if code < 0 || int(code) >= len(statusCodes) {
		code = ptrace.StatusCodeUnset
	}
	literals := statusObject.literals[e.layout]
	dst = append(dst, literals[statusCode]...)
	dst = append(dst, '"')
	dst = append(dst, statusCodes[code]...)
	dst = append(dst, '"')
	if code == ptrace.StatusCodeError && s.Message() != "" {
		dst = append(dst, literals[statusDescription]...)
		dst = appendText(dst, s.Message())
	}
	return append(dst, literals[statusEnd]...)
}

func (e *Encoder) appendEvents(dst []byte, events ptrace.SpanEventSlice) []byte {
	if events.Len() == 0 {
		return append(dst, "[]"...)
	}
	literals := eventObject.literals[e.layout]
	for i := range events.Len() {
		event := events.At(i)
		dst = e.appendOpening(dst, '[', i == 0, 2)
		dst = append(dst, literals[eventName]...)
		dst = appendText(dst, event.Name())
		dst = append(dst, literals[eventTimestamp]...)
		dst = e.time.append(dst, event.Timestamp())
		dst = append(dst, literals[eventAttributes]...)
		dst = e.appendAttributes(dst, event.Attributes(), 3)
		dst = append(dst, literals[eventEnd]...)
	}
	return e.appendClosing(dst, ']', 1)
}

func (e *Encoder) appendLinks(dst []byte, links ptrace.SpanLinkSlice) []byte {
	if links.Len() == 0 {
		return append(dst, "[]"...)
	}
	literals := linkObject.literals[e.layout]
	for i := range links.Len() {
		link := links.At(i)
		dst = e.appendOpening(dst, '[', i == 0, 2)
		dst = append(dst, literals[linkContext]...)
		dst = e.appendContext(dst, linkContextObject, link.TraceID(), link.SpanID(), link.TraceState())
		dst = append(dst, literals[linkAttributes]...)
		if e.form.nullLinkAttributes && link.Attributes().Len() == 0 {
			dst = append(dst, "null"...)
		} else {
			dst = e.appendAttributes(dst, link.Attributes(), 3)
		}
		dst = append(dst, literals[linkEnd]...)
	}
	return e.appendClosing(dst, ']', 1)
}
