//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// otlpJSONFile is contrib's receiver of OTLP JSON lines.
func otlpJSONFile(include string) string {
	return fmt.Sprintf("{include: [%q], start_at: beginning, include_file_name: false, poll_interval: 50ms}", include)
}

// TestOTLPJSONGoesBothWays has our OTLP JSON read by contrib's receiver, and the
// OTLP JSON of contrib's file exporter written as console spans.
func TestOTLPJSONGoesBothWays(t *testing.T) {
	recording := filepath.Join(testdata(t, "ray-2.60", "spans"), "*.json")
	want := readSpans(t, matching(t, recording)...)
	for _, exporter := range []struct{ name, config string }{
		{"json_file", "{path: %q, format: otlp_json}"},
		{"file", "{path: %q}"},
	} {
		t.Run(exporter.name, func(t *testing.T) {
			dir := folder(t)
			otlp, console := filepath.Join(dir, "otlp.json"), filepath.Join(dir, "console.json")
			collector := startReady(t, dir, "--config", configFile(t, dir,
				pipeline{"span_file", spanFile(recording), exporter.name, fmt.Sprintf(exporter.config, otlp)},
				pipeline{"otlp_json_file", otlpJSONFile(otlp), "json_file", fmt.Sprintf("{path: %q}", console)},
			))
			require.Eventually(t, func() bool { return lineCount(console) >= len(want) }, 30*time.Second, 50*time.Millisecond)
			collector.terminate()
			requireSameText(t, want, readSpans(t, console))
		})
	}
}

// TestOTLPJSONIsThatOfTheFileExporter compares what both write of the same spans.
func TestOTLPJSONIsThatOfTheFileExporter(t *testing.T) {
	recording := filepath.Join(testdata(t, "ray-2.60", "spans"), "*.json")
	dir := folder(t)
	ours, theirs := filepath.Join(dir, "ours.json"), filepath.Join(dir, "theirs.json")
	collector := startReady(t, dir, "--config", configFile(t, dir,
		pipeline{"span_file", spanFile(recording), "json_file", fmt.Sprintf("{path: %q, format: otlp_json}", ours)},
		pipeline{"span_file", spanFile(recording), "file", fmt.Sprintf("{path: %q}", theirs)},
	))
	want := countKeys(t, matching(t, recording)...)
	require.Eventually(t, func() bool {
		return len(otlpSpans(ours)) >= len(want) && len(otlpSpans(theirs)) >= len(want)
	}, 30*time.Second, 100*time.Millisecond)
	collector.terminate()
	require.Len(t, otlpSpans(ours), len(want))
	require.Equal(t, otlpSpans(theirs), otlpSpans(ours))
}

// otlpSpans reads OTLP JSON lines: the protobuf text of each span with its resource, by the ids.
func otlpSpans(path string) map[spanKey]string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil // It is not there yet.
	}
	found := map[spanKey]string{}
	for line := range bytes.Lines(text) {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(line)
		if err != nil {
			return found // The line is not whole yet.
		}
		for _, resource := range td.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					found[spanKey{span.TraceID().String(), span.SpanID().String()}] = single(resource, span)
				}
			}
		}
	}
	return found
}

// single is one span alone with its resource, serialized.
func single(resource ptrace.ResourceSpans, span ptrace.Span) string {
	td := ptrace.NewTraces()
	target := td.ResourceSpans().AppendEmpty()
	resource.Resource().CopyTo(target.Resource())
	target.SetSchemaUrl(resource.SchemaUrl())
	span.CopyTo(target.ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	text, err := new(ptrace.JSONMarshaler).MarshalTraces(td)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
