package jsonfileexporter

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BenchmarkConsume pushes the recorded spans of a Ray proxy, 500 or so a push.
func BenchmarkConsume(b *testing.B) {
	for _, bb := range []struct {
		name    string
		changes []func(*Config)
	}{
		{"console_lines/sync_none", []func(*Config){unsynced}},
		{"console_lines/sync_batch", nil},
		{"console_pretty/sync_none", []func(*Config){pretty, unsynced}},
		{"otlp_json/sync_none", []func(*Config){otlpJSON, unsynced}},
		{"otlp_json/sync_batch", []func(*Config){otlpJSON}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			td := benchmarkSpans(b)
			f := startFixture(b, newConfig(filepath.Join(b.TempDir(), "x.json"), append(bb.changes, benchmarkRotation)...))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, f.push(b.Context(), td))
			}
			reportSpans(b, td.SpanCount())
		})
	}
}

// BenchmarkConcurrentSync shows what sharing an fsync is worth: 16 pushes of 20 spans at once.
func BenchmarkConcurrentSync(b *testing.B) {
	var td ptrace.Traces
	for part := range split(benchmarkSpans(b), 20) {
		td = part
		break
	}
	td.MarkReadOnly()
	f := startFixture(b, newConfig(filepath.Join(b.TempDir(), "x.json"), benchmarkRotation))
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			require.NoError(b, f.push(b.Context(), td))
		}
	})
	reportSpans(b, td.SpanCount())
}

// benchmarkRotation keeps a long run from filling the disk.
func benchmarkRotation(cfg *Config) {
	cfg.Rotation = RotationConfig{MaxSize: 256 << 20, MaxBackups: 1, Compression: CompressionNone}
}

func benchmarkSpans(b *testing.B) ptrace.Traces {
	b.Helper()
	td := decode(b, recorded(b, "ray-2.60/spans/proxy_192.0.2.2_tracing.json"))
	td.MarkReadOnly()
	return td
}

func reportSpans(b *testing.B, spans int) {
	b.Helper()
	b.ReportMetric(float64(b.N)*float64(spans)/b.Elapsed().Seconds(), "spans/s")
}
