package names

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BenchmarkSpan rewrites the spans of a recording: all as they come, all with
// the room that is left in the attributes after the context duty, which comes
// first and grows them, and those of each kind of Serve's alone. Copying the
// spans is not measured.
func BenchmarkSpan(b *testing.B) {
	all := recorded(b, "ray-2.60")
	b.Run("recording", func(b *testing.B) { benchmarkSpans(b, all, 0) })
	b.Run("recording after context", func(b *testing.B) { benchmarkSpans(b, all, 6) })
	for _, c := range tableCases {
		var some []fragment
		for _, f := range all {
			if c.isOf(f) {
				some = append(some, f)
			}
		}
		if len(some) > 0 {
			b.Run(c.title, func(b *testing.B) { benchmarkSpans(b, some, 0) })
		}
	}
}

func benchmarkSpans(b *testing.B, fragments []fragment, room int) {
	b.Helper()
	r := rewriter(b, nil)
	b.ReportAllocs()
	var copies []ptrace.Span
	for i := range b.N {
		at := i % len(fragments)
		if at == 0 {
			b.StopTimer()
			copies = copies[:0]
			for _, f := range fragments {
				span := copied(f.Span)
				span.Attributes().EnsureCapacity(span.Attributes().Len() + room)
				copies = append(copies, span)
			}
			b.StartTimer()
		}
		r.Span(copies[at], fragments[at].req, fragments[at].p)
	}
}

// BenchmarkResource names the service of a resource of a replica's.
func BenchmarkResource(b *testing.B) {
	f := recorded(b, "ray-2.60")[0]
	r := rewriter(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		f.resource.PutStr("service.name", unknownService)
		r.Resource(f.resource, f.p)
	}
}
