package consolespan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// foreignSpan is a span that no Python SDK made.
func foreignSpan() (ptrace.Span, ptrace.ResourceSpans) {
	rs := ptrace.NewTraces().ResourceSpans().AppendEmpty()
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{2})
	return span, rs
}

// TestVersionSelectsTheForm encodes one span under the resource of each version.
func TestVersionSelectsTheForm(t *testing.T) {
	for version, want := range map[string]form{
		"1.0.0":     {flatResource: true, bareParent: true, nullLinkAttributes: true},
		"1.1.0":     {flatResource: true, bareParent: true, nullLinkAttributes: true},
		"1.2.0":     {flatResource: true},
		"1.11.1":    {flatResource: true},
		"1.12.0rc1": {},
		"1.45.2":    {},
		"2.0.0":     {},
		"1":         {},
		"":          {},
		"1.x":       {},
	} {
		resource := pcommon.NewMap()
		resource.PutStr("telemetry.sdk.version", version)
		assert.Equal(t, form{}, formOf(resource), "%s without language", version)
		resource.PutStr("telemetry.sdk.language", "python")
		assert.Equal(t, want, formOf(resource), "%s", version)
		resource.PutStr("telemetry.sdk.language", "go")
		assert.Equal(t, form{}, formOf(resource), "%s of Go", version)
		if want.flatResource {
			resource.PutStr("telemetry.sdk.language", "python")
			resource.PutEmptyMap("attributes")
			assert.False(t, formOf(resource).flatResource, "a flat resource would be read as nested")
		}
	}
}

// TestForeignSpansGetTheNearestForm encodes what Python never has.
func TestForeignSpansGetTheNearestForm(t *testing.T) {
	for name, c := range map[string]struct {
		change func(ptrace.Span)
		want   string
	}{
		"kind unspecified":      {func(ptrace.Span) {}, `"kind": "SpanKind.INTERNAL"`},
		"kind out of range":     {func(s ptrace.Span) { s.SetKind(17) }, `"kind": "SpanKind.INTERNAL"`},
		"status out of range":   {func(s ptrace.Span) { s.Status().SetCode(9) }, `"status": {"status_code": "UNSET"}`},
		"message without error": {func(s ptrace.Span) { s.Status().SetMessage("x") }, `"status": {"status_code": "UNSET"}`},
		"message of OK":         {func(s ptrace.Span) { s.Status().SetCode(1); s.Status().SetMessage("x") }, `"status": {"status_code": "OK"}`},
		"error without message": {func(s ptrace.Span) { s.Status().SetCode(2) }, `"status": {"status_code": "ERROR"}`},
		"bytes":                 {func(s ptrace.Span) { s.Attributes().PutEmptyBytes("b").FromRaw([]byte{0, 255, 16}) }, `"attributes": {"b": "AP8Q"}`},
		"invalid UTF-8":         {func(s ptrace.Span) { s.SetName("a\xff\xfeb\xc3") }, `"name": "a\ufffd\ufffdb\ufffd"`},
		"trace state with spaces": {
			func(s ptrace.Span) { s.TraceState().FromRaw(" a=1 ,\tb=2=3,, c ") },
			`"trace_state": "['{key=a, value=1}', '{key=b, value=2=3}', '{key=c, value=}']"`,
		},
		"link without attributes": {
			func(s ptrace.Span) { s.Links().AppendEmpty() },
			`"links": [{"context": {"trace_id": "0x` + strings.Repeat("0", 32) + `", "span_id": "0x` + strings.Repeat("0", 16) + `", "trace_state": "[]"}, "attributes": {}}]`,
		},
		"resource": {func(ptrace.Span) {}, `"resource": {"attributes": {}, "schema_url": ""}`},
	} {
		t.Run(name, func(t *testing.T) {
			span, rs := foreignSpan()
			c.change(span)
			text := encode(Lines, span, rs)
			assert.Contains(t, string(text), c.want)
			require.True(t, json.Valid(text))
			assert.Len(t, decodeAll(t, text).spans, 1)
		})
	}
}

// TestDeepNestingStaysSmall: indented, each level would be as long as it is deep.
func TestDeepNestingStaysSmall(t *testing.T) {
	const levels = 20_000
	span, rs := foreignSpan()
	value := span.Attributes().PutEmpty("deep")
	for i := range levels {
		if i%2 == 0 {
			value = value.SetEmptySlice().AppendEmpty()
		} else {
			value = value.SetEmptyMap().PutEmpty("k")
		}
	}
	value.SetStr("bottom")
	for _, framing := range []Framing{Pretty, Lines} {
		text := encode(framing, span, rs)
		assert.Less(t, len(text), 20*levels)
		got := decodeAll(t, text)
		require.Len(t, got.spans, 1)
		deep, _ := got.spans[0].span.Attributes().Get("deep")
		assert.Contains(t, strings.ReplaceAll(deep.AsString(), `\`, ""), `"bottom"`)
	}
}

// TestTimesArePrintedAsTheSDKDoes checks the cache over minute, day and year.
func TestTimesArePrintedAsTheSDKDoes(t *testing.T) {
	e := NewEncoder(Lines)
	checked := 0
	for _, name := range files(t, "sdk-*/seed*.json") {
		for _, f := range decodeAll(t, readFile(t, name)).spans {
			for _, ns := range times(f.span) {
				if text := e.time.append(nil, ns); ns != 0 {
					assert.Contains(t, string(f.text), string(text))
					checked++
				}
			}
		}
	}
	assert.Greater(t, checked, 5000)
}

// TestLastRecordEndFindsTheTornTail cuts a file that an Encoder wrote at every
// byte, and begins at every byte.
func TestLastRecordEndFindsTheTornTail(t *testing.T) {
	for file, framing := range map[string]Framing{"sdk-1.45.2/seed1.json": Pretty, "sdk-1.45.2/seed1.jsonl": Lines} {
		var text []byte
		ends := map[int]bool{}
		for _, record := range records(t, file, 900)[:4] {
			text = append(append(text, record...), '\n')
			ends[len(text)] = true
		}
		for start := 0; start < len(text); start += 7 {
			last := -1
			for end := start; end <= len(text); end++ {
				// A record's end is known only if its last line is in sight.
				if ends[end] && end-start > len("\n}\n")-1 {
					last = end - start
				}
				require.Equal(t, last, LastRecordEnd(text[start:end], framing), "%s from %d to %d", file, start, end)
			}
		}
	}
}
