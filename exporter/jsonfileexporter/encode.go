package jsonfileexporter

import (
	"fmt"
	"iter"
	"sync"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
)

const (
	// maxLineBytes is what otlp_json_file reads as one line unless its max_log_size is
	// raised (stanza's reader.DefaultMaxLogSize): a longer line is split there and lost.
	maxLineBytes = 1<<20 - 1
	// jsonPerProto is how much larger OTLP JSON is than protobuf, rounded up: it is
	// 1.6 to 2.5 for recorded spans. It only chooses the first split.
	jsonPerProto = 2.5
	// maxPooledBytes keeps the buffer of a rare, huge push from staying for ever.
	maxPooledBytes = 16 << 20
)

// records are whole records, one behind the other.
type records struct {
	bytes []byte
	ends  []int // ends[i] is the offset behind record i in bytes
}

// cut splits off the records that fit into room bytes, at least one.
func (r records) cut(room int64) (head []byte, rest records) {
	n := 1
	for n < len(r.ends) && int64(r.ends[n]) <= room {
		n++
	}
	end := r.ends[n-1]
	rest.bytes = r.bytes[end:]
	for _, e := range r.ends[n:] {
		rest.ends = append(rest.ends, e-end)
	}
	return r.bytes[:end], rest
}

// encoder turns spans into records. It belongs to one push at a time; the buffer
// of its records is valid until it goes back to the pool.
type encoder struct {
	console *consolespan.Encoder // nil for otlp_json
	json    ptrace.JSONMarshaler
	proto   ptrace.ProtoMarshaler
	out     records
}

// encoderPool hands encoders to concurrent pushes.
type encoderPool struct{ pool sync.Pool }

func newEncoderPool(cfg *Config) *encoderPool {
	framing := consolespan.Lines
	if cfg.Framing == FramingPretty {
		framing = consolespan.Pretty
	}
	return &encoderPool{pool: sync.Pool{New: func() any {
		if cfg.Format == FormatOTLPJSON {
			return &encoder{}
		}
		return &encoder{console: consolespan.NewEncoder(framing)}
	}}}
}

func (p *encoderPool) take() *encoder { return p.pool.Get().(*encoder) }

func (p *encoderPool) put(e *encoder) {
	if cap(e.out.bytes) <= maxPooledBytes {
		p.pool.Put(e)
	}
}

// encode returns the records of the spans in resources, which are all or some of td's.
func (e *encoder) encode(td ptrace.Traces, resources []ptrace.ResourceSpans) (records, error) {
	e.out = records{bytes: e.out.bytes[:0], ends: e.out.ends[:0]}
	if e.console != nil {
		e.encodeConsole(resources)
		return e.out, nil
	}
	if len(resources) != td.ResourceSpans().Len() {
		td = copyResources(resources)
	}
	err := e.encodeOTLP(td)
	return e.out, err
}

func (e *encoder) encodeConsole(resources []ptrace.ResourceSpans) {
	var current ptrace.ResourceSpans
	for o, span := range eachSpan(resources) {
		if o.resource != current {
			current = o.resource
			e.console.SetResource(current.Resource(), current.SchemaUrl())
		}
		e.out.bytes = e.console.AppendSpan(e.out.bytes, span)
		e.out.ends = append(e.out.ends, len(e.out.bytes))
	}
}

// encodeOTLP writes td as one line, or as several where one would be longer than
// otlp_json_file reads, and splitting makes shorter ones. A single span is never split.
func (e *encoder) encodeOTLP(td ptrace.Traces) error {
	spans := td.SpanCount()
	if spans == 0 {
		return nil
	}
	most := min(spans, e.mostParts(td))
	parts := min(most, 1+int(jsonPerProto*float64(e.proto.TracesSize(td)))/maxLineBytes)
	if parts == 1 {
		line, err := e.json.MarshalTraces(td)
		if err != nil {
			return fmt.Errorf("encode %d spans as OTLP JSON: %w", spans, err)
		}
		if len(line) <= maxLineBytes || most == 1 {
			e.out.bytes = append(append(e.out.bytes, line...), '\n')
			e.out.ends = append(e.out.ends, len(e.out.bytes))
			return nil
		}
		parts = 2
	}
	for part := range split(td, (spans+parts-1)/parts) {
		if err := e.encodeOTLP(part); err != nil {
			return err
		}
	}
	return nil
}

// mostParts is how many parts of td leave more of each line to its spans than to its
// resource, which all parts repeat: without a bound a push of some megabytes, most of
// them in one resource, becomes gigabytes.
func (e *encoder) mostParts(td ptrace.Traces) int {
	own, repeated := 0, 1
	for _, rs := range td.ResourceSpans().All() {
		spans := 0
		for _, span := range eachSpan([]ptrace.ResourceSpans{rs}) {
			spans += e.proto.SpanSize(span)
		}
		own += spans
		repeated = max(repeated, e.proto.ResourceSpansSize(rs)-spans)
	}
	return 1 + 2*own/repeated
}

// split yields copies of td's spans, up to n at a time, with their resources and scopes.
func split(td ptrace.Traces, n int) iter.Seq[ptrace.Traces] {
	return func(yield func(ptrace.Traces) bool) {
		var (
			part  = ptrace.NewTraces()
			last  origin
			rs    ptrace.ResourceSpans
			ss    ptrace.ScopeSpans
			spans int
		)
		for o, span := range eachSpan(resourcesOf(td)) {
			if spans == n {
				if !yield(part) {
					return
				}
				part, last, spans = ptrace.NewTraces(), origin{}, 0
			}
			if o.resource != last.resource {
				rs = part.ResourceSpans().AppendEmpty()
				o.resource.Resource().CopyTo(rs.Resource())
				rs.SetSchemaUrl(o.resource.SchemaUrl())
			}
			if o.scope != last.scope {
				ss = rs.ScopeSpans().AppendEmpty()
				o.scope.Scope().CopyTo(ss.Scope())
				ss.SetSchemaUrl(o.scope.SchemaUrl())
			}
			span.CopyTo(ss.Spans().AppendEmpty())
			last = o
			spans++
		}
		yield(part)
	}
}

// origin is where a span comes from.
type origin struct {
	resource ptrace.ResourceSpans
	scope    ptrace.ScopeSpans
}

// eachSpan yields the spans of resources in order.
func eachSpan(resources []ptrace.ResourceSpans) iter.Seq2[origin, ptrace.Span] {
	return func(yield func(origin, ptrace.Span) bool) {
		for _, rs := range resources {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(origin{rs, ss}, span) {
						return
					}
				}
			}
		}
	}
}

func resourcesOf(td ptrace.Traces) []ptrace.ResourceSpans {
	resources := make([]ptrace.ResourceSpans, 0, td.ResourceSpans().Len())
	for _, rs := range td.ResourceSpans().All() {
		resources = append(resources, rs)
	}
	return resources
}

func copyResources(resources []ptrace.ResourceSpans) ptrace.Traces {
	td := ptrace.NewTraces()
	for _, rs := range resources {
		rs.CopyTo(td.ResourceSpans().AppendEmpty())
	}
	return td
}
