package consolespan

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const testdata = "../../testdata"

const testMaxRecordSize = 4 << 20

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(testdata, name))
	require.NoError(tb, err)
	return b
}

// files returns the recordings that match pattern; there must be some.
func files(tb testing.TB, pattern string) []string {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(testdata, pattern))
	require.NoError(tb, err)
	var names []string
	for _, path := range paths {
		name, err := filepath.Rel(testdata, path)
		require.NoError(tb, err)
		if !strings.HasSuffix(name, ".oracle.json") {
			names = append(names, name)
		}
	}
	require.NotEmpty(tb, names, "no recording matches %s", pattern)
	return names
}

// recordings returns every file of whole records, and the framing of each.
func recordings(tb testing.TB) map[string]Framing {
	tb.Helper()
	all := map[string]Framing{}
	for pattern, framing := range map[string]Framing{
		"sdk-*/seed*.json":              Pretty,
		"sdk-*/seed*.jsonl":             Lines,
		"ray-2.*/spans/*":               Pretty,
		"ray-core/*.txt":                Lines,
		"ray-2.60-console/worker-out/*": Pretty,
	} {
		for _, name := range files(tb, pattern) {
			all[name] = framing
		}
	}
	return all
}

// found is one record that a decoder found.
type found struct {
	text []byte
	span ptrace.Span
	rs   ptrace.ResourceSpans
}

// decoded is what a decoder made of some data.
type decoded struct {
	spans     []found
	skips     []SkipError
	rest      []byte
	anomalies map[string]int64
}

// decodeAll decodes data and checks the offsets that the decoder returns.
func decodeAll(tb testing.TB, data []byte) decoded {
	tb.Helper()
	return decodeWith(tb, NewDecoder(testMaxRecordSize), data)
}

func decodeWith(tb testing.TB, d *Decoder, data []byte) decoded {
	tb.Helper()
	out := decoded{anomalies: map[string]int64{}}
	for {
		traces := ptrace.NewTraces()
		d.Begin(traces)
		n, err := d.Next(data)
		require.True(tb, n >= 0 && n <= len(data), "offset %d outside of %d bytes", n, len(data))
		if errors.Is(err, ErrMore) {
			require.Zero(tb, traces.SpanCount())
			out.rest = data[n:]
			break
		}
		require.Positive(tb, n, "no progress")
		var skip *SkipError
		if errors.As(err, &skip) {
			require.Zero(tb, traces.SpanCount())
			require.Equal(tb, n, skip.Offset+skip.Length)
			out.skips = append(out.skips, *skip)
		} else {
			require.NoError(tb, err)
			require.Equal(tb, 1, traces.SpanCount())
			rs := traces.ResourceSpans().At(0)
			span := rs.ScopeSpans().At(0).Spans().At(0)
			out.spans = append(out.spans, found{bytes.TrimSpace(data[:n]), span, rs})
		}
		data = data[n:]
	}
	for a, n := range d.Anomalies() {
		if n > 0 {
			out.anomalies[Anomaly(a).String()] = n
		}
	}
	return out
}

// dump prints all that the format carries of a span, but for the times.
func dump(s ptrace.Span, rs ptrace.ResourceSpans) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name %q\ntrace %s span %s parent %s state %q\nkind %s status %s %q\n", s.Name(), s.TraceID(),
		s.SpanID(), s.ParentSpanID(), s.TraceState().AsRaw(), s.Kind(), s.Status().Code(), s.Status().Message())
	fmt.Fprintf(&b, "attributes %s\n", dumpMap(s.Attributes()))
	for _, e := range s.Events().All() {
		fmt.Fprintf(&b, "event %q %s\n", e.Name(), dumpMap(e.Attributes()))
	}
	for _, l := range s.Links().All() {
		fmt.Fprintf(&b, "link %s %s %q %s\n", l.TraceID(), l.SpanID(), l.TraceState().AsRaw(), dumpMap(l.Attributes()))
	}
	fmt.Fprintf(&b, "resource %s", dumpMap(rs.Resource().Attributes()))
	return b.String()
}

func dumpMap(m pcommon.Map) string {
	parts := []string{}
	for k, v := range m.All() {
		parts = append(parts, fmt.Sprintf("%q: %s", k, dumpValue(v)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func dumpValue(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeMap:
		return dumpMap(v.Map())
	case pcommon.ValueTypeSlice:
		parts := []string{}
		for _, e := range v.Slice().All() {
			parts = append(parts, dumpValue(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case pcommon.ValueTypeDouble:
		if math.IsNaN(v.Double()) {
			return "Double NaN"
		}
		return "Double " + strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	return fmt.Sprintf("%s %q", v.Type(), v.AsString())
}

// times returns all times of a span.
func times(s ptrace.Span) []pcommon.Timestamp {
	all := []pcommon.Timestamp{s.StartTimestamp(), s.EndTimestamp()}
	for _, e := range s.Events().All() {
		all = append(all, e.Timestamp())
	}
	return all
}

// encode encodes one span, newline included.
func encode(f Framing, s ptrace.Span, rs ptrace.ResourceSpans) []byte {
	e := NewEncoder(f)
	e.SetResource(rs.Resource(), rs.SchemaUrl())
	return e.AppendSpan(nil, s)
}

// dumps prints all spans with their times.
func dumps(spans []found) []string {
	out := []string{}
	for _, f := range spans {
		out = append(out, fmt.Sprint(dump(f.span, f.rs), times(f.span)))
	}
	return out
}

// decodeTogether decodes all records of data into one ptrace.Traces.
func decodeTogether(tb testing.TB, data []byte) (spans int, traces ptrace.Traces) {
	tb.Helper()
	d := NewDecoder(testMaxRecordSize)
	traces = ptrace.NewTraces()
	d.Begin(traces)
	for {
		n, err := d.Next(data)
		data = data[n:]
		switch {
		case errors.Is(err, ErrMore):
			return traces.SpanCount(), traces
		case err == nil:
			spans++
			require.Equal(tb, spans, traces.SpanCount())
		}
	}
}
