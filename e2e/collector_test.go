//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// readyWithin is generous: the first start of the day reads 190 MB from disk.
const readyWithin = 60 * time.Second

// start runs the binary with args in dir and does not wait.
func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return spawn(t, dir, nil, binary(t), args...)
}

// startReady runs the binary and waits until it says that it is ready.
func startReady(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := start(t, dir, args...)
	p.waitReady()
	return p
}

func (p *process) waitReady() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		return !p.running() || strings.Contains(p.stdout(), "is ready")
	}, readyWithin, 10*time.Millisecond)
	require.True(p.t, p.running(), "the collector ended at its start: %s", p.stderr())
}

// set makes command line arguments that change single keys.
func set(values ...string) []string {
	var args []string
	for _, v := range values {
		args = append(args, "--set", v)
	}
	return args
}

// listeners are the keys of the default configuration that have an address.
var listeners = []string{
	"receivers::otlp::protocols::grpc::endpoint",
	"receivers::otlp::protocols::http::endpoint",
	"receivers::datadog::endpoint",
	"extensions::health_check::http::endpoint",
}

// embedded is the embedded configuration moved to a folder of its own: span
// files below in/, output in out/spans.json, and ports that are free.
type embedded struct {
	dir, in, out                        string
	otlpGRPC, otlpHTTP, datadog, health string
}

func newEmbedded(t *testing.T) *embedded {
	t.Helper()
	dir := folder(t)
	return &embedded{
		dir: dir, in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out", "spans.json"),
		otlpGRPC: freeAddress(t), otlpHTTP: freeAddress(t), datadog: freeAddress(t), health: freeAddress(t),
	}
}

// args are the arguments for the embedded configuration, with more keys set.
func (e *embedded) args(more ...string) []string {
	return set(append([]string{
		"receivers::otlp::protocols::grpc::endpoint=" + e.otlpGRPC,
		"receivers::otlp::protocols::http::endpoint=" + e.otlpHTTP,
		"receivers::datadog::endpoint=" + e.datadog,
		"extensions::health_check::http::endpoint=" + e.health,
		"receivers::span_file::include=[" + filepath.Join(e.in, "*.json") + "]",
		"exporters::json_file::path=" + e.out,
		"extensions::file_storage::directory=" + filepath.Join(e.dir, "checkpoints"),
		"service::telemetry::metrics::level=none",
	}, more...)...)
}
