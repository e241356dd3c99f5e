//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const rayFileExporter = "RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH=ray.serve._private.tracing_utils:default_tracing_exporter"

func TestEverySpanOfRaysFilesComesOut(t *testing.T) {
	e := newEmbedded(t)
	rayTemp := folder(t)
	collector := startReady(t, e.dir, e.args(
		"receivers::span_file::include=["+filepath.Join(rayTemp, "session_2*/logs/serve/spans/*.json")+"]",
	)...)

	run := runRayServe(t, rayTemp, rayFileExporter)
	want := run.spanFiles(t)
	waitFor(t, e.out, countKeys(t, want...), 30*time.Second)
	collector.terminate()

	written, got := readSpans(t, want...), readSpans(t, e.out)
	t.Logf("%d spans in %d files of Ray, %d came out", len(written), len(want), len(got))
	requireSameFields(t, written, got)
	assert.Len(t, got, len(written))
}

func TestWithoutArgumentsEverySpanOfRaysDefaultDirectoryComesOut(t *testing.T) {
	for _, port := range []string{"4317", "4318", "8126", "13133", "8888"} {
		require.NoError(t, listen(t, "localhost:"+port).Close(), "this test needs the default ports to be free")
	}
	dir := folder(t)
	collector := startReady(t, dir)

	run := runRayServe(t, "", rayFileExporter)
	t.Cleanup(func() { _ = os.RemoveAll(run.Session) }) // Outside of the test's own folder.
	want := run.spanFiles(t)
	out := filepath.Join(dir, "otelcol-serve-data", "spans.json")
	waitFor(t, out, countKeys(t, want...), 30*time.Second)
	collector.terminate()

	written := readSpans(t, want...)
	t.Logf("%d spans in %d files of Ray in %s", len(written), len(want), run.Session)
	requireSameFields(t, written, readSpans(t, out)) // Spans of other sessions may be there too.
}

func TestEverySpanOfRaysOTLPExporterComesOut(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			e := newEmbedded(t)
			truth := folder(t)
			collector := startReady(t, e.dir, e.args()...)
			endpoint := e.otlpHTTP
			if protocol == "grpc" {
				endpoint = e.otlpGRPC
			}
			runRayServe(t, folder(t),
				"RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH=otlp_exporter:export",
				"OTEL_EXPORTER_OTLP_PROTOCOL="+protocol,
				"OTEL_EXPORTER_OTLP_ENDPOINT=http://"+endpoint,
				"E2E_TRUTH_FOLDER="+truth)
			want := matching(t, filepath.Join(truth, "*.json"))
			waitFor(t, e.out, countKeys(t, want...), 30*time.Second)
			collector.terminate()

			written, got := readSpans(t, want...), readSpans(t, e.out)
			t.Logf("%d spans of %d processes, %d came out", len(written), len(want), len(got))
			// What OTLP carries beyond the console format (scope, flags, nanoseconds) is not written; the rest is the SDK's text.
			requireSameText(t, written, got)
		})
	}
}
