package consolespan

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fastjson"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// batchSpans is how many spans the benchmarks decode between two calls of
// Begin, as a receiver does.
const batchSpans = 512

// recordedSpans returns all span files of the largest Ray recording, one behind the other.
func recordedSpans(b *testing.B) []byte {
	b.Helper()
	var data []byte
	for _, name := range files(b, "ray-2.60/spans/*") {
		data = append(data, readFile(b, name)...)
	}
	return data
}

func reportSpans(b *testing.B, perLoop int) {
	b.Helper()
	b.ReportMetric(float64(perLoop)*float64(b.N)/b.Elapsed().Seconds(), "spans/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(perLoop)/float64(b.N), "ns/span")
}

// BenchmarkDecode reads recorded Ray spans: with this package, and with what
// one would use instead. Those do less: none of them makes pdata.
func BenchmarkDecode(b *testing.B) {
	data := recordedSpans(b)
	b.Run("consolespan", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		d := NewDecoder(testMaxRecordSize)
		spans := 0
		for b.Loop() {
			spans = decodeBatches(b, d, data)
		}
		reportSpans(b, spans)
	})
	texts := decodeAll(b, data).spans
	b.Run("fastjson", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		var parser fastjson.Parser
		for b.Loop() {
			for _, f := range texts {
				if _, err := parser.ParseBytes(f.text); err != nil {
					b.Fatal(err)
				}
			}
		}
		reportSpans(b, len(texts))
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			for _, f := range texts {
				var record jsonSpan
				if err := json.Unmarshal(f.text, &record); err != nil {
					b.Fatal(err)
				}
			}
		}
		reportSpans(b, len(texts))
	})
}

// decodeBatches decodes all of data and lets the spans go.
func decodeBatches(b *testing.B, d *Decoder, data []byte) (spans int) {
	b.Helper()
	for {
		d.Begin(ptrace.NewTraces())
		for range batchSpans {
			n, err := d.Next(data)
			if errors.Is(err, ErrMore) {
				return spans
			}
			if err != nil {
				b.Fatal(err)
			}
			data = data[n:]
			spans++
		}
	}
}

// BenchmarkEncode writes recorded Ray spans.
func BenchmarkEncode(b *testing.B) {
	data := recordedSpans(b)
	spans, traces := decodeTogether(b, data)
	b.Run("consolespan", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		e := NewEncoder(Pretty)
		text := make([]byte, 0, len(data))
		for b.Loop() {
			text = encodeTraces(e, text[:0], traces)
		}
		require.Equal(b, string(data), string(text))
		reportSpans(b, spans)
	})
	records := make([]jsonSpan, spans)
	for i, f := range decodeAll(b, data).spans {
		require.NoError(b, json.Unmarshal(f.text, &records[i]))
	}
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			for i := range records {
				if _, err := json.MarshalIndent(&records[i], "", "    "); err != nil {
					b.Fatal(err)
				}
			}
		}
		reportSpans(b, spans)
	})
}

func encodeTraces(e *Encoder, text []byte, traces ptrace.Traces) []byte {
	for _, rs := range traces.ResourceSpans().All() {
		e.SetResource(rs.Resource(), rs.SchemaUrl())
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			text = e.AppendSpan(text, span)
		}
	}
	return text
}

// jsonSpan is a record as encoding/json would be given it.
type jsonSpan struct {
	Name       string         `json:"name"`
	Context    jsonContext    `json:"context"`
	Kind       string         `json:"kind"`
	ParentID   *string        `json:"parent_id"`
	StartTime  string         `json:"start_time"`
	EndTime    string         `json:"end_time"`
	Status     jsonStatus     `json:"status"`
	Attributes map[string]any `json:"attributes"`
	Events     []jsonEvent    `json:"events"`
	Links      []jsonLink     `json:"links"`
	Resource   jsonResource   `json:"resource"`
}

type jsonContext struct {
	TraceID    string `json:"trace_id"`
	SpanID     string `json:"span_id"`
	TraceState string `json:"trace_state"`
}

type jsonStatus struct {
	StatusCode  string `json:"status_code"`
	Description string `json:"description,omitempty"`
}

type jsonEvent struct {
	Name       string         `json:"name"`
	Timestamp  string         `json:"timestamp"`
	Attributes map[string]any `json:"attributes"`
}

type jsonLink struct {
	Context    jsonContext    `json:"context"`
	Attributes map[string]any `json:"attributes"`
}

type jsonResource struct {
	Attributes map[string]any `json:"attributes"`
	SchemaURL  string         `json:"schema_url"`
}
