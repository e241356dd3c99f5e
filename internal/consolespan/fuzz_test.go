package consolespan

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// FuzzDecode gives the decoder any bytes: it must not panic, must make progress
// inside of the input, find the same spans wherever the input is cut, and what
// it makes of a span must come back. As a JSON value it must take the input
// exactly if encoding/json does.
func FuzzDecode(f *testing.F) {
	for _, name := range variedFiles {
		for i, record := range records(f, name, 2000) {
			if i%16 == 0 {
				f.Add(record, uint16(i))
			}
		}
	}
	f.Add([]byte("log\n{\"name\": \"x\", \"context\": {}} {'a': 1} {\"a\": [1, NaN, -Infinity, 1e5, \"\\ud800\"]}"), uint16(5))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		whole := decodeAll(t, data)
		require.Equal(t, dumps(whole.spans), dumps(decodeInTwo(t, data, int(cut))))
		for _, f := range whole.spans {
			checkRoundTrip(t, f)
		}
		checkValue(t, data)
	})
}

// decodeInTwo decodes data of which the decoder sees only the first cut bytes at first.
func decodeInTwo(t *testing.T, data []byte, cut int) []found {
	t.Helper()
	first := decodeAll(t, data[:min(cut, len(data))])
	rest := append(bytes.Clone(first.rest), data[min(cut, len(data)):]...)
	return append(first.spans, decodeAll(t, rest).spans...)
}

// checkRoundTrip shows that what was encoded once does not change any more.
func checkRoundTrip(t *testing.T, f found) {
	t.Helper()
	for _, framing := range []Framing{Pretty, Lines} {
		text := encode(framing, f.span, f.rs)
		again := decodeAll(t, text)
		require.Empty(t, again.skips, "%s", text)
		require.Empty(t, again.rest)
		require.Len(t, again.spans, 1)
		require.Empty(t, again.anomalies, "%s", text)
		require.Equal(t, string(text), string(encode(framing, again.spans[0].span, again.spans[0].rs)))
	}
}

// checkValue compares with encoding/json, which does not know Python's bare words.
func checkValue(t *testing.T, text []byte) {
	t.Helper()
	if len(text) > 9000 {
		return // encoding/json refuses 10,000 levels
	}
	taken := takesAsValue(text, func(d *Decoder, i int) int { return d.value(i, pcommon.NewValueEmpty(), 0) })
	skipped := takesAsValue(text, (*Decoder).skipValue)
	require.Equal(t, taken, skipped, "decoding and skipping must agree on %q", text)
	if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) {
		return
	}
	require.Equal(t, json.Valid(text), taken, "encoding/json does not agree on %q", text)
}

func takesAsValue(text []byte, read func(d *Decoder, i int) int) bool {
	d := NewDecoder(testMaxRecordSize)
	d.data = append(bytes.Clone(text), '\n') // a number at the end could go on
	next := read(d, spaceEnd(d.data, 0))
	return next != failed && spaceEnd(d.data, next) == len(d.data)
}

// FuzzEncode encodes any span: the text must be ASCII and JSON, be one record
// to the decoder, and mean the same in both framings.
func FuzzEncode(f *testing.F) {
	f.Add("name", "key", "text", uint64(1790000000_123456789), math.Float64bits(0.1), int64(-5), "a=1,b='", uint8(3))
	f.Add("é\U0001f600\xff", "", "\"\\\n\x7f", uint64(math.MaxUint64), math.Float64bits(math.NaN()), int64(math.MinInt64), " x=\u200b , ,y", uint8(255))
	f.Add("", "\xff", "\xed\xa0\x80", uint64(1), math.Float64bits(1e16), int64(0), "\\'\"", uint8(22))
	f.Fuzz(func(t *testing.T, name, key, text string, ns, bits uint64, integer int64, state string, shape uint8) {
		span, rs := fuzzedSpan(name, key, text, ns, shape)
		span.TraceState().FromRaw(state)
		span.Attributes().PutDouble("\x00double", math.Float64frombits(bits))
		span.Attributes().PutInt("\x00integer", integer)
		lines := encode(Lines, span, rs)
		pretty := encode(Pretty, span, rs)
		for _, b := range pretty {
			require.True(t, b == '\n' || b >= ' ' && b < 0x7f)
		}
		require.Equal(t, len(lines)-1, bytes.IndexByte(lines, '\n'))
		require.Equal(t, len(pretty), LastRecordEnd(pretty, Pretty))
		if x := math.Float64frombits(bits); !math.IsNaN(x) && !math.IsInf(x, 0) {
			require.True(t, json.Valid(lines))
			require.True(t, json.Valid(pretty))
		}
		require.Equal(t, dumps(decodeAll(t, lines).spans), dumps(decodeAll(t, pretty).spans))
		if valid := strings.ToValidUTF8(key, "\ufffd"); !strings.HasPrefix(valid, "\x00") {
			checkRoundTrip(t, found{span: span, rs: rs})
		}
	})
}

// fuzzedSpan puts the texts at every place that has one; shape selects what is there.
func fuzzedSpan(name, key, text string, ns uint64, shape uint8) (ptrace.Span, ptrace.ResourceSpans) {
	span, rs := foreignSpan()
	span.SetName(name)
	span.SetKind(ptrace.SpanKind(shape % 7))
	span.Status().SetCode(ptrace.StatusCode(shape % 4))
	span.Status().SetMessage(text)
	span.SetStartTimestamp(pcommon.Timestamp(ns))
	span.SetEndTimestamp(pcommon.Timestamp(ns + uint64(shape)))
	span.Attributes().PutStr(key, text)
	if shape&1 != 0 {
		value := span.Attributes().PutEmpty("\x00nested").SetEmptySlice()
		for range shape {
			value = value.AppendEmpty().SetEmptyMap().PutEmptySlice(key)
		}
		value.AppendEmpty().SetEmptyBytes().FromRaw([]byte(text))
	}
	if shape&2 != 0 {
		event := span.Events().AppendEmpty()
		event.SetName(text)
		event.SetTimestamp(pcommon.Timestamp(ns / 2))
		event.Attributes().PutEmpty(key)
	}
	if shape&4 != 0 {
		link := span.Links().AppendEmpty()
		link.SetTraceID(pcommon.TraceID{shape})
		link.Attributes().PutStr(key, name)
	}
	if shape&8 != 0 {
		rs.Resource().Attributes().PutStr("telemetry.sdk.language", "python")
		rs.Resource().Attributes().PutStr("telemetry.sdk.version", [...]string{"1.1.0", "1.2.0", "1.12.0", ""}[shape>>4%4])
	}
	if shape&16 != 0 {
		rs.SetSchemaUrl(text)
		rs.Resource().Attributes().PutStr("attributes", name)
	}
	return span, rs
}
