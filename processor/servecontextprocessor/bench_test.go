package servecontextprocessor

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/names"
)

// again gives the spans of a batch ids of their own, as another run of the same requests has.
func again(td ptrace.Traces, run uint64) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				trace := span.TraceID()
				binary.LittleEndian.PutUint64(trace[:], binary.LittleEndian.Uint64(trace[:])^run)
				span.SetTraceID(trace)
				span.SetSpanID(otherSpan(span.SpanID(), run))
				if !span.ParentSpanID().IsEmpty() {
					span.SetParentSpanID(otherSpan(span.ParentSpanID(), run))
				}
			}
		}
	}
}

func otherSpan(id pcommon.SpanID, run uint64) pcommon.SpanID {
	binary.BigEndian.PutUint64(id[:], binary.BigEndian.Uint64(id[:])^run)
	return id
}

// BenchmarkRecorded takes the spans of a recording through all that is done to them;
// an op is a span. Making the spans is not measured, collecting their garbage is.
func BenchmarkRecorded(b *testing.B) {
	for name, change := range map[string]func(*Config){
		"all":           func(cfg *Config) { cfg.Names = names.DefaultConfig() },
		"all sampled":   func(cfg *Config) { cfg.Names, cfg.Sampling.Ratio = names.DefaultConfig(), 0.1 },
		"context":       func(*Config) {},
		"synchronous":   func(cfg *Config) { cfg.Names, cfg.Wait = names.DefaultConfig(), 0 },
		"only sampling": func(cfg *Config) { cfg.Context.Enabled, cfg.Sampling.Ratio = false, 0.1 },
	} {
		b.Run(name, func(b *testing.B) { benchmarkRecorded(b, "ray-2.60", change) })
	}
}

func benchmarkRecorded(b *testing.B, recording string, change func(*Config)) {
	b.Helper()
	bench := newBench(b, change)
	bench.next = discard{}
	pieces := byTime(recorded(b, recording), pcommon.Timestamp(time.Second))
	var batches []ptrace.Traces
	b.ReportAllocs()
	b.ResetTimer()
	for done, run := 0, uint64(1); done < b.N; run++ {
		b.StopTimer()
		batches = batches[:0]
		n := 0
		for _, p := range pieces {
			td := p.file.batch(formFile, p.spans)
			again(td, run*0x9e3779b97f4a7c15)
			batches = append(batches, td)
			n += len(p.spans)
		}
		done += n
		b.StartTimer()
		for i, td := range batches {
			_ = bench.ConsumeTraces(context.Background(), td)
			if i%10 == 0 {
				bench.turn()
			}
		}
		bench.pass(time.Second)
	}
}

// discard is a next component that costs nothing.
type discard struct{}

func (discard) Capabilities() consumer.Capabilities                { return consumer.Capabilities{} }
func (discard) ConsumeTraces(context.Context, ptrace.Traces) error { return nil }
