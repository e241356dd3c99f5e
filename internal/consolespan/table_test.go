package consolespan

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// base is the record of one line that the cases change one member of.
func base(tb testing.TB) string {
	tb.Helper()
	for _, record := range records(tb, "sdk-1.45.2/seed1.jsonl", 1000) {
		if strings.Contains(string(record), `"name": "child", `) {
			return string(record)
		}
	}
	require.Fail(tb, "no such span")
	return ""
}

// formatCase is one member, as text and in pdata. Texts that the SDK does not
// write have an anomaly or another text in canonical.
type formatCase struct {
	old, text string // in base; old is replaced by text
	span      func(ptrace.Span)
	canonical string
	anomaly   Anomaly // or NumAnomalies
}

const noAnomaly = NumAnomalies

// value is a case of one attribute's value.
func value(text string, set func(pcommon.Value), canonical string, anomaly Anomaly) formatCase {
	member := func(v string) string { return `"attributes": {"before": 1, "a": ` + v + `, "after": 2}, "events"` }
	c := formatCase{old: `"attributes": {}, "events"`, text: member(text), anomaly: anomaly}
	if canonical != "" {
		c.canonical = member(canonical)
	}
	c.span = func(s ptrace.Span) {
		s.Attributes().PutInt("before", 1)
		set(s.Attributes().PutEmpty("a"))
		s.Attributes().PutInt("after", 2)
	}
	return c
}

func str(s string) func(pcommon.Value)     { return func(v pcommon.Value) { v.SetStr(s) } }
func integer(i int64) func(pcommon.Value)  { return func(v pcommon.Value) { v.SetInt(i) } }
func double(f float64) func(pcommon.Value) { return func(v pcommon.Value) { v.SetDouble(f) } }
func raw(x any) func(pcommon.Value)        { return func(v pcommon.Value) { _ = v.FromRaw(x) } }
func empty(pcommon.Value)                  {}
func same(ptrace.Span)                     {}

var valueCases = map[string]formatCase{
	"text":                    value(`"x"`, str("x"), "", noAnomaly),
	"empty text":              value(`""`, str(""), "", noAnomaly),
	"escapes":                 value(`"\"\\\b\f\n\r\t\u0000\u001f\u007f/"`, str("\"\\\b\f\n\r\t\x00\x1f\x7f/"), "", noAnomaly),
	"escapes of others":       value(`"\/\u0041\u00E9"`, str("/Aé"), `"/A\u00e9"`, noAnomaly),
	"not ASCII":               value(`"\u00e9\u2028\ud83d\ude00"`, str("é\u2028😀"), "", noAnomaly),
	"not escaped":             value(`"é😀"`, str("é😀"), `"\u00e9\ud83d\ude00"`, noAnomaly),
	"high surrogate":          value(`"a\ud800b"`, str("a\ufffdb"), `"a\ufffdb"`, AnomalyText),
	"high surrogate at end":   value(`"a\ud800"`, str("a\ufffd"), `"a\ufffd"`, AnomalyText),
	"low surrogate":           value(`"\ude00x"`, str("\ufffdx"), `"\ufffdx"`, AnomalyText),
	"high surrogate, no low":  value(`"\ud83d\u0041"`, str("\ufffdA"), `"\ufffdA"`, AnomalyText),
	"invalid UTF-8":           value("\"a\xffb\"", str("a\ufffdb"), `"a\ufffdb"`, AnomalyText),
	"true":                    value(`true`, raw(true), "", noAnomaly),
	"false":                   value(`false`, raw(false), "", noAnomaly),
	"null":                    value(`null`, empty, "", noAnomaly),
	"zero":                    value(`0`, integer(0), "", noAnomaly),
	"18 digits":               value(`-999999999999999999`, integer(-999999999999999999), "", noAnomaly),
	"largest int64":           value(`9223372036854775807`, integer(math.MaxInt64), "", noAnomaly),
	"smallest int64":          value(`-9223372036854775808`, integer(math.MinInt64), "", noAnomaly),
	"beyond int64":            value(`9223372036854775808`, str("9223372036854775808"), `"9223372036854775808"`, AnomalyNumberRange),
	"far beyond int64":        value(`-1`+strings.Repeat("0", 80), str("-1"+strings.Repeat("0", 80)), `"-1`+strings.Repeat("0", 80)+`"`, AnomalyNumberRange),
	"float":                   value(`1.0`, double(1), "", noAnomaly),
	"negative zero":           value(`-0.0`, double(math.Copysign(0, -1)), "", noAnomaly),
	"float of others":         value(`1E+2`, double(100), `100.0`, noAnomaly),
	"largest without e":       value(`9999999999999998.0`, double(9999999999999998), "", noAnomaly),
	"smallest with e+":        value(`1e+16`, double(1e16), "", noAnomaly),
	"smallest without e-":     value(`0.0001`, double(0.0001), "", noAnomaly),
	"largest with e-":         value(`9.999e-05`, double(9.999e-05), "", noAnomaly),
	"beyond float64":          value(`-1e999`, double(math.Inf(-1)), `-Infinity`, AnomalyNumberRange),
	"NaN":                     value(`NaN`, double(math.NaN()), "", noAnomaly),
	"Infinity":                value(`Infinity`, double(math.Inf(1)), "", noAnomaly),
	"-Infinity":               value(`-Infinity`, double(math.Inf(-1)), "", noAnomaly),
	"empty array":             value(`[]`, raw([]any{}), "", noAnomaly),
	"mixed array":             value(`[1, "a", 2.5, true, null, []]`, raw([]any{1, "a", 2.5, true, nil, []any{}}), "", noAnomaly),
	"empty map":               value(`{}`, raw(map[string]any{}), "", noAnomaly),
	"nested map":              value(`{"": {"b": [1.5, {"d": null}]}}`, raw(map[string]any{"": map[string]any{"b": []any{1.5, map[string]any{"d": nil}}}}), "", noAnomaly),
	"white space":             value("[ 1 ,\t2\r\n]", raw([]any{1, 2}), `[1, 2]`, noAnomaly),
	"key twice in a map":      value(`{"k": 1, "k": 2}`, raw(map[string]any{"k": 2}), `{"k": 2}`, AnomalyDuplicateMember),
	"key twice, other escape": value(`{"k": 1, "\u006b": 2}`, raw(map[string]any{"k": 2}), `{"k": 2}`, AnomalyDuplicateMember),
}

func member(old, text string, span func(ptrace.Span), canonical string, anomaly Anomaly) formatCase {
	return formatCase{old, text, span, canonical, anomaly}
}

// sameState is a case of one trace state that comes back as it was.
func sameState(list, header string) formatCase {
	return formatCase{`"trace_state": "[]"`, `"trace_state": ` + list, func(s ptrace.Span) { s.TraceState().FromRaw(header) }, "", noAnomaly}
}

func noState(list string, anomaly Anomaly) formatCase {
	return formatCase{`"trace_state": "[]"`, `"trace_state": ` + list, same, `"trace_state": "[]"`, anomaly}
}

// textOf returns the text of a member of the recorded span called name.
func textOf(t *testing.T, name, member string) string {
	t.Helper()
	for _, record := range records(t, "sdk-1.45.2/seed1.jsonl", 1000) {
		if strings.Contains(string(record), `"name": "`+name+`", `) {
			_, rest, found := strings.Cut(string(record), `"`+member+`": `)
			require.True(t, found)
			text, _, _ := strings.Cut(rest, ", ")
			return text
		}
	}
	require.Fail(t, "no such span", name)
	return ""
}

func memberCases(t *testing.T) map[string]formatCase {
	t.Helper()
	parent, start := textOf(t, "child", "parent_id"), textOf(t, "child", "start_time")
	lastTime := textOf(t, "time extreme 18446744073709551615", "start_time")
	bare := strings.Replace(parent, "0x", "", 1)
	noParent := func(s ptrace.Span) { s.SetParentSpanID(pcommon.SpanID{}) }
	at := func(ns pcommon.Timestamp) func(ptrace.Span) { return func(s ptrace.Span) { s.SetStartTimestamp(ns) } }
	parentID, startTime := `"parent_id": `, `"start_time": `
	kind := func(k ptrace.SpanKind) func(ptrace.Span) { return func(s ptrace.Span) { s.SetKind(k) } }
	return map[string]formatCase{
		"no parent":                member(parentID+parent, parentID+`null`, noParent, "", noAnomaly),
		"parent without 0x":        member(parentID+parent, parentID+bare, same, parentID+parent, noAnomaly),
		"parent in capitals":       member(parentID+parent, parentID+strings.Replace(strings.ToUpper(parent), "0X", "0x", 1), same, parentID+parent, noAnomaly),
		"parent too short":         member(parentID+parent, parentID+`"0x12"`, noParent, parentID+`null`, AnomalyInvalidValue),
		"parent not hexadecimal":   member(parentID+parent, parentID+`"0x012345678901234g"`, noParent, parentID+`null`, AnomalyInvalidValue),
		"parent a number":          member(parentID+parent, parentID+`12`, noParent, parentID+`null`, AnomalyWrongType),
		"no start":                 member(startTime+start, startTime+`null`, at(0), "", noAnomaly),
		"the epoch":                member(startTime+start, startTime+`"1970-01-01T00:00:00.000000Z"`, at(1), "", noAnomaly),
		"a microsecond later":      member(startTime+start, startTime+`"1970-01-01T00:00:00.000001Z"`, at(1000), "", noAnomaly),
		"year 1":                   member(startTime+start, startTime+`"0001-01-01T00:00:00.000000Z"`, at(0), startTime+`null`, AnomalyTimeRange),
		"just before 1970":         member(startTime+start, startTime+`"1969-12-31T23:59:59.999999Z"`, at(0), startTime+`null`, AnomalyTimeRange),
		"year 9999":                member(startTime+start, startTime+`"9999-12-31T23:59:59.999999Z"`, at(math.MaxUint64), startTime+lastTime, AnomalyTimeRange),
		"last microsecond":         member(startTime+start, startTime+lastTime, at(math.MaxUint64), "", noAnomaly),
		"no 13th month":            member(startTime+start, startTime+`"2026-13-01T00:00:00.000000Z"`, at(0), startTime+`null`, AnomalyInvalidValue),
		"no 60th second":           member(startTime+start, startTime+strings.Replace(start, start[18:20], "60", 1), at(0), startTime+`null`, AnomalyInvalidValue),
		"other offset":             member(startTime+start, startTime+`"2026-01-01T01:00:00+01:00"`, at(1767225600_000000000), startTime+`"2026-01-01T00:00:00.000000Z"`, noAnomaly),
		"time a number":            member(startTime+start, startTime+`1767225600`, at(0), startTime+`null`, AnomalyWrongType),
		"kind":                     member(`SpanKind.INTERNAL`, `SpanKind.CONSUMER`, kind(ptrace.SpanKindConsumer), "", noAnomaly),
		"unknown kind":             member(`SpanKind.INTERNAL`, `SpanKind.OTHER`, kind(ptrace.SpanKindUnspecified), `SpanKind.INTERNAL`, AnomalyInvalidValue),
		"kind a number":            member(`"SpanKind.INTERNAL"`, `1`, kind(ptrace.SpanKindUnspecified), `"SpanKind.INTERNAL"`, AnomalyWrongType),
		"status null":              member(`{"status_code": "UNSET"}`, `null`, same, `{"status_code": "UNSET"}`, AnomalyWrongType),
		"status code null":         member(`{"status_code": "UNSET"}`, `{"status_code": null}`, same, `{"status_code": "UNSET"}`, AnomalyWrongType),
		"unknown status code":      member(`"UNSET"`, `"BAD"`, same, `"UNSET"`, AnomalyInvalidValue),
		"unknown member of status": member(`{"status_code": "UNSET"}`, `{"x": [1], "status_code": "UNSET"}`, same, `{"status_code": "UNSET"}`, AnomalyUnknownMember),
		"attributes null":          member(`"attributes": {}, "events"`, `"attributes": null, "events"`, same, `"attributes": {}, "events"`, AnomalyWrongType),
		"attributes twice":         member(`"attributes": {}, "events"`, `"attributes": {"a": 1}, "attributes": {}, "events"`, same, `"attributes": {}, "events"`, AnomalyDuplicateMember),
		"events null":              member(`"events": []`, `"events": null`, same, `"events": []`, AnomalyWrongType),
		"event a number":           member(`"events": []`, `"events": [1]`, same, `"events": []`, AnomalyWrongType),
		"event with null only": member(`"events": []`, `"events": [{"name": null}]`, func(s ptrace.Span) { s.Events().AppendEmpty() },
			`"events": [{"name": "", "timestamp": null, "attributes": {}}]`, AnomalyWrongType),
		"events twice":             member(`"events": []`, `"events": [{}], "events": []`, same, `"events": []`, AnomalyDuplicateMember),
		"links an object":          member(`"links": []`, `"links": {"context": null}`, same, `"links": []`, AnomalyWrongType),
		"links twice":              member(`"links": []`, `"links": [{}], "links": []`, same, `"links": []`, AnomalyDuplicateMember),
		"unknown member":           member(`"links": []`, `"links": [], "new": {"a": [{}, -1.5e3, "\"", NaN]}`, same, `"links": []`, AnomalyUnknownMember),
		"trace state":              sameState(`"['{key=a, value=1}', '{key=b@c, value=  x}']"`, "a=1,b@c=  x"),
		"trace state: '":           sameState(`"[\"{key=q, value=it's}\"]"`, "q=it's"),
		"trace state: both quotes": sameState(`"['{key=q, value=it\\'s \"both\"}']"`, `q=it's "both"`),
		"trace state: backslash":   sameState(`"['{key=b, value=\\\\x41}']"`, `b=\x41`),
		"trace state: braces":      sameState(`"['{key=b, value=}{}]}']"`, `b=}{}]`),
		"trace state: not ASCII":   sameState(`"['{key=b, value=\u00e9\\x00\\u200b\\n\\r\\tx}']"`, "b=é\x00\u200b\n\r\tx"),
		"trace state null":         noState(`null`, AnomalyWrongType),
		"trace state no list":      noState(`"a=b"`, AnomalyInvalidValue),
		"trace state no member":    noState(`"['a']"`, AnomalyInvalidValue),
		"trace state not closed":   noState(`"['{key=a, value=1}]"`, AnomalyInvalidValue),
		"trace state no comma":     noState(`"['{key=a, value=1}''{key=a, value=1}']"`, AnomalyInvalidValue),
		"trace state bad escape":   noState(`"['{key=a, value=\\q}']"`, AnomalyInvalidValue),
	}
}

func TestFormat(t *testing.T) {
	for name, c := range valueCases {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
	for name, c := range memberCases(t) {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

// check decodes the case's text, encodes its span, and does each again with
// what came out.
func (c formatCase) check(t *testing.T) {
	t.Helper()
	plain := base(t)
	require.Equal(t, 1, strings.Count(plain, c.old), "%s", c.old)
	text := strings.Replace(plain, c.old, c.text, 1)
	canonical := text
	if c.canonical != "" {
		canonical = strings.Replace(plain, c.old, c.canonical, 1)
	}
	want := decodeAll(t, []byte(plain)).spans[0]
	c.span(want.span)

	got := decodeAll(t, []byte(text))
	require.Empty(t, got.skips)
	require.Len(t, got.spans, 1)
	assert.Equal(t, dumps([]found{want}), dumps(got.spans))
	if c.anomaly == noAnomaly {
		assert.Empty(t, got.anomalies)
	} else {
		assert.Equal(t, map[string]int64{c.anomaly.String(): 1}, got.anomalies)
	}
	assert.Equal(t, canonical+"\n", string(encode(Lines, want.span, want.rs)))
	pretty := encode(Pretty, want.span, want.rs)
	again := decodeAll(t, pretty)
	require.Len(t, again.spans, 1)
	assert.Equal(t, canonical+"\n", string(encode(Lines, again.spans[0].span, again.spans[0].rs)))
	assert.Equal(t, string(pretty), string(encode(Pretty, again.spans[0].span, again.spans[0].rs)))
}
