package names

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

// exceptionAsError gives a span without a status that recorded an exception the
// status ERROR. Ray records the exception that ended the call last, after those
// that user code may have recorded on the span.
// Source: ray/serve/_private/replica.py, _record_errors_and_metrics.
func exceptionAsError(span ptrace.Span) {
	if span.Status().Code() != ptrace.StatusCodeUnset {
		return
	}
	for i := span.Events().Len() - 1; i >= 0; i-- {
		event := span.Events().At(i)
		if event.Name() == serveattr.ExceptionEvent {
			span.Status().SetCode(ptrace.StatusCodeError)
			span.Status().SetMessage(exceptionText(event))
			return
		}
	}
}

// exceptionText is the exception's message; its type, if it has none, as a CancelledError.
func exceptionText(event ptrace.SpanEvent) string {
	for _, key := range []string{serveattr.ExceptionMessage, serveattr.ExceptionType} {
		if value, ok := event.Attributes().Get(key); ok && value.AsString() != "" {
			return value.AsString()
		}
	}
	return ""
}

// plainDescription takes the terminal's codes out of a status description. Ray
// puts the text of the remote exception there, colours included.
// Source: ray/exceptions.py, RayTaskError.__str__.
func plainDescription(span ptrace.Span) {
	if message := span.Status().Message(); strings.IndexByte(message, escape) >= 0 {
		span.Status().SetMessage(withoutANSI(message))
	}
}

const (
	escape = 0x1b
	bell   = 0x07
)

// withoutANSI removes ANSI escape sequences (ECMA-48): control sequences ESC [ …
// final byte, operating system commands ESC ] … BEL or ESC \, and the others,
// ESC … final byte.
func withoutANSI(text string) string {
	var plain strings.Builder
	plain.Grow(len(text))
	for {
		i := strings.IndexByte(text, escape)
		if i < 0 {
			plain.WriteString(text)
			return plain.String()
		}
		plain.WriteString(text[:i])
		text = text[i+sequenceLength(text[i:]):]
	}
}

// sequenceLength is the length of the escape sequence that text begins with.
// One that does not end is as long as what can be part of it.
func sequenceLength(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[':
		return finalByte(text, skip(text, 2, 0x20, 0x3f), 0x40)
	case ']':
		return commandLength(text)
	}
	return finalByte(text, skip(text, 1, 0x20, 0x2f), 0x30)
}

// skip is the offset behind the bytes of a range from i on.
func skip(text string, i int, low, high byte) int {
	for i < len(text) && low <= text[i] && text[i] <= high {
		i++
	}
	return i
}

// finalByte is the offset behind the byte at i if it is one that ends a sequence.
func finalByte(text string, i int, low byte) int {
	if i < len(text) && low <= text[i] && text[i] <= 0x7e {
		return i + 1
	}
	return i
}

// commandLength is the length of the operating system command that text begins with.
func commandLength(text string) int {
	for i := 2; i < len(text); i++ {
		switch {
		case text[i] == bell:
			return i + 1
		case text[i] == escape && i+1 < len(text) && text[i+1] == '\\':
			return i + 2
		case text[i] < 0x20:
			return i
		}
	}
	return len(text)
}
