package consolespan

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestHostileInputTakesLinearTime gives the decoder 4 MiB of what would take
// minutes if any byte were looked at as often as there are records or levels.
func TestHostileInputTakesLinearTime(t *testing.T) {
	const size = 4 << 20
	times := func(s string) string { return strings.Repeat(s, size/len(s)) }
	span := string(records(t, "sdk-1.45.2/seed1.jsonl", 1000)[0])
	head, _, _ := strings.Cut(span, `"kind"`)
	for name, text := range map[string]string{
		"names":                     times(`{"name":"x",`),
		"nested names":              times(`{"name":`),
		"nested names, wrong":       times(`{"name":`) + "]",
		"nested heads":              times(head + `"attributes": `),
		"nested heads, wrong":       times(head+`"attributes": `) + "]",
		"spans in heads, wrong":     times(head+`"x": [`+span+`, `) + "]",
		"spans in an array, wrong":  `{"a": [` + times(span+", ") + "}",
		"open brackets":             `{"a": ` + times("[") + "}",
		"open braces":               times("{"),
		"braces and quotes":         times(`{"`),
		"braces, spaces and quotes": times(`{          "`),
		"one long space":            "{" + times(" "),
		"escapes":                   `{"name": "` + times(`\"{\u0041`) + "\n",
		"one long string":           `{"name": "` + times("x"),
		"torn records":              times(span[:len(span)/2]),
		"torn in strings":           times(span[:12]),
		"whole spans":               times(span),
		"no brace":                  times("log line\n"),
		"byte order marks":          times("\xef\xbb\xbf"),
		"digits":                    `{"a": ` + times("1"),
		"equal keys":                head + `"attributes": {` + times(`"a": 1, `) + `"a": 1}}`,
		"other keys":                head + `"attributes": {` + manyKeys(size) + `"a": 1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			calls, rest := 0, []byte(text)
			d := NewDecoder(size / 2)
			for ; ; calls++ {
				n, err := d.Next(rest)
				rest = rest[n:]
				if err == ErrMore { //nolint:errorlint // the documented value
					break
				}
			}
			assert.Less(t, time.Since(begin), 20*time.Second)
			t.Log(calls, time.Since(begin))
		})
	}
}

func manyKeys(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size/2-4096; i++ {
		fmt.Fprintf(&b, `"%d": 1, `, i)
	}
	return b.String()
}

// TestNestingIsLimitedNotRefused nests an attribute ever deeper.
func TestNestingIsLimitedNotRefused(t *testing.T) {
	for _, levels := range []int{maxNesting, maxNesting + 1, 300, 100_000} {
		value := strings.Repeat(`[{"k": `, levels/2) + strings.Repeat("[", levels%2) + `"é"` +
			strings.Repeat("]", levels%2) + strings.Repeat(`}]`, levels/2)
		text := strings.Replace(base(t), `"attributes": {}, "events"`, `"attributes": {"a": `+value+`, "b": 1}, "events"`, 1)
		got := decodeAll(t, []byte(text))
		require.Len(t, got.spans, 1)
		b, ok := got.spans[0].span.Attributes().Get("b")
		require.True(t, ok)
		assert.EqualValues(t, 1, b.Int())
		a, _ := got.spans[0].span.Attributes().Get("a")
		assert.Contains(t, a.AsString(), "é")
		if levels > maxNesting {
			assert.Equal(t, map[string]int64{"nesting": 1}, got.anomalies)
		} else {
			assert.Empty(t, got.anomalies)
		}
	}
}

// TestMembersInAnyOrder sorts the members, as some other JSON writer would.
func TestMembersInAnyOrder(t *testing.T) {
	text := base(t)
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "{"), ", ")
	moved := "{" + strings.TrimSuffix(rest, "}") + ", " + name + "}"
	assert.Equal(t, dumps(decodeAll(t, []byte(text)).spans), dumps(decodeAll(t, []byte(moved)).spans))
}

// TestWhatIsASpan leaves out members one after the other.
func TestWhatIsASpan(t *testing.T) {
	ids := `"context": {"trace_id": "0x000102030405060708090a0b0c0d0e0f", "span_id": "0x0001020304050607"}`
	for text, want := range map[string]bool{
		`{"kind": "SpanKind.SERVER", ` + ids + `}`:                  true,
		`{"name": "x", ` + ids + `, "end_time": null}`:              true,
		`{` + ids + `, "attributes": {}}`:                           false, // a link
		`{"name": "log", ` + ids + `, "message": "a log's record"}`: false,
		`{"name": "log"}`: false,
		`{"name": "log", "context": {"trace_id": "0x000102030405060708090a0b0c0d0e0f"}}`: false,
		`{"context": null, "kind": null, "start_time": null}`:                            true,
		`{"context": null, "kind": null}`:                                                false,
	} {
		assert.Equal(t, want, len(decodeAll(t, []byte(text)).spans) == 1, "%s", text)
	}
}

// TestLinksOfADamagedRecordAreNoSpans: what stands behind a log line that another
// process wrote into the midst of a record begins with any object of the record.
func TestLinksOfADamagedRecordAreNoSpans(t *testing.T) {
	links := 0
	for _, record := range records(t, "sdk-1.45.2/seed1.json", 9000) {
		links += bytes.Count(record, []byte(`"context"`)) - 1
		damaged := bytes.Replace(record, []byte(`"kind"`), []byte("a log line\n\"kind\""), 1)
		got := decodeAll(t, append(damaged, record...))
		assert.Equal(t, dumps(decodeAll(t, record).spans), dumps(got.spans))
	}
	assert.Positive(t, links)
}

// TestTimeOfAnotherZoneChangesNoOtherTime: the text of both times has the same minute.
func TestTimeOfAnotherZoneChangesNoOtherTime(t *testing.T) {
	text := base(t)
	want := decodeAll(t, []byte(text)).spans[0].span.EndTimestamp()
	_, end, _ := strings.Cut(text, `"end_time": "`)
	minute := end[:len("2006-01-02T15:04")]
	start, rest, _ := strings.Cut(text, `"start_time": "`)
	_, rest, _ = strings.Cut(rest, `"`)
	got := decodeAll(t, []byte(start+`"start_time": "`+minute+`:00.0+01:00"`+rest))
	require.Len(t, got.spans, 1)
	assert.Equal(t, want, got.spans[0].span.EndTimestamp())
}

// TestLastOfEqualKeysWins also where a map between them has the key as well, and
// where the decoder knows the key from spans before.
func TestLastOfEqualKeysWins(t *testing.T) {
	text := strings.Replace(base(t), `"attributes": {}, "events"`, `"attributes": {"k": 1, "m": {"k": 2}, "k": 3}, "events"`, 1)
	want := `{"m": {"k": Int "2"}, "k": Int "3"}`
	got := decodeAll(t, []byte(strings.Repeat(text, 3)))
	require.Len(t, got.spans, 3)
	for _, f := range got.spans {
		assert.Equal(t, want, dumpMap(f.span.Attributes()))
	}
}

// TestOddResources: the resource is the one member that has two forms.
func TestOddResources(t *testing.T) {
	head, _, _ := strings.Cut(base(t), `"resource": `)
	for text, c := range map[string]struct{ want, schemaURL, anomaly string }{
		`{"attributes": null, "schema_url": "u"}`:            {"{}", "u", "wrong_type"},
		`{"attributes": {"a": 1}, "schema_url": null}`:       {`{"a": Int "1"}`, "", "wrong_type"},
		`{"attributes": {"a": 1}, "schema_url": "", "b": 1}`: {`{"a": Int "1"}`, "", "unknown_member"},
		`{"schema_url": "u", "attributes": {"a": 1}}`:        {`{"a": Int "1"}`, "u", ""},
		`{"schema_url": "u", "attributes": "x"}`:             {`{"schema_url": Str "u", "attributes": Str "x"}`, "", ""},
		`null`:                                               {"{}", "", "wrong_type"},
		`{}`:                                                 {"{}", "", ""},
	} {
		got := decodeAll(t, []byte(head+`"resource": `+text+"}"))
		require.Len(t, got.spans, 1, "%s", text)
		assert.Equal(t, c.want, dumpMap(got.spans[0].rs.Resource().Attributes()))
		assert.Equal(t, c.schemaURL, got.spans[0].rs.SchemaUrl())
		want := map[string]int64{}
		if c.anomaly != "" {
			want[c.anomaly] = 1
		}
		assert.Equal(t, want, got.anomalies, "%s", text)
	}
}

// TestAnomaliesOfWhatIsGivenUpDoNotCount: the record is read again later.
func TestAnomaliesOfWhatIsGivenUpDoNotCount(t *testing.T) {
	text := strings.Replace(base(t), `"links": []`, `"links": [], "new": 1`, 1)
	d := NewDecoder(testMaxRecordSize)
	for cut := range text {
		_, err := d.Next([]byte(text[:cut]))
		require.ErrorIs(t, err, ErrMore)
	}
	assert.Zero(t, d.Anomalies()[AnomalyUnknownMember])
	_, err := d.Next([]byte(text))
	require.NoError(t, err)
	assert.EqualValues(t, 1, d.Anomalies()[AnomalyUnknownMember])
}

// TestSpansOwnTheirMemory overwrites the data behind the decoder's back.
func TestSpansOwnTheirMemory(t *testing.T) {
	for _, name := range variedFiles {
		data := readFile(t, name)
		want := dumps(decodeAll(t, bytes.Clone(data)).spans)
		got := decodeAll(t, data)
		clear(data)
		require.Equal(t, want, dumps(got.spans), name)
	}
}

// TestHeldSpansAreAsSmallAsFromOTLP compares the memory of decoded spans with
// that of the same spans read from OTLP.
func TestHeldSpansAreAsSmallAsFromOTLP(t *testing.T) {
	for _, name := range []string{"ray-2.60/spans/proxy_192.0.2.2_tracing.json", "ray-2.60/spans/replica_hello_Hello_d60wo5jz_tracing.json"} {
		text := readFile(t, name)
		_, traces := decodeTogether(t, text)
		otlp, err := new(ptrace.ProtoMarshaler).MarshalTraces(traces)
		require.NoError(t, err)
		decoded := heapGrowth(func() ptrace.Traces { _, traces := decodeTogether(t, text); return traces })
		unmarshaled := heapGrowth(func() ptrace.Traces {
			traces, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(otlp)
			require.NoError(t, err)
			return traces
		})
		assert.Less(t, decoded, unmarshaled*13/10, name)
		t.Logf("%s: %d B decoded, %d B from OTLP, of %d B", name, decoded, unmarshaled, len(text))
	}
}

// heapGrowth returns how much memory ten of what read returns take.
func heapGrowth(read func() ptrace.Traces) uint64 {
	var before, after runtime.MemStats
	var held [10]ptrace.Traces
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range held {
		held[i] = read()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(held)
	return after.HeapAlloc - before.HeapAlloc
}
