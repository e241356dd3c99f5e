//go:build e2e

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-serve/otelcol-serve/internal/launch"
)

const endsWithin = 60 * time.Second

// requireRefused asserts that the binary ends with an error whose last line is
// ours and holds all of the given parts. It returns that line.
func requireRefused(t *testing.T, dir string, args []string, parts ...string) string {
	t.Helper()
	p := start(t, dir, args...)
	require.NotZero(t, p.exitCode(endsWithin), "exit code")
	line := p.lastLine()
	t.Log(line)
	require.True(t, strings.HasPrefix(line, "otelcol-serve: "), line)
	for _, part := range parts {
		assert.Contains(t, line, part)
	}
	assert.NotContains(t, p.stdout(), "is ready")
	return line
}

func TestATakenPortIsNamedWithItsKey(t *testing.T) {
	for _, key := range listeners {
		t.Run(key, func(t *testing.T) {
			e := newEmbedded(t)
			taken := listen(t, "localhost:0").Addr().String()
			line := requireRefused(t, e.dir, e.args(key+"="+taken), taken, "in use", "--set "+key+"=")
			_, suggested, _ := strings.Cut(line, "--set "+key+"=")
			address, err := net.ResolveTCPAddr("tcp", suggested)
			require.NoError(t, err, "the suggested address")
			assert.NotEqual(t, taken, address.String())
		})
	}
}

func TestATakenMetricsPortIsNamed(t *testing.T) {
	e := newEmbedded(t)
	_, port, err := net.SplitHostPort(listen(t, "localhost:0").Addr().String())
	require.NoError(t, err)
	requireRefused(t, e.dir, e.args("service::telemetry::metrics::level=normal",
		"service::telemetry::metrics::readers=[{pull: {exporter: {prometheus: {host: localhost, port: "+port+"}}}}]"),
		port, "in use", "service::telemetry::metrics")
}

// TestADirectoryThatCannotBeMadeIsNamedWithItsKey has a file where a directory
// should be, which stops root too.
func TestADirectoryThatCannotBeMadeIsNamedWithItsKey(t *testing.T) {
	for key, below := range map[string]string{
		"exporters::json_file::path":          "spans.json",
		"extensions::file_storage::directory": "checkpoints",
	} {
		t.Run(key, func(t *testing.T) {
			e := newEmbedded(t)
			file := filepath.Join(e.dir, "file")
			write(t, file, "")
			path := filepath.Join(file, "below", below)
			requireRefused(t, e.dir, e.args(key+"="+path), file, "not a directory", key)
		})
	}
}

func TestAnUnknownKeyIsNamedWithItsComponent(t *testing.T) {
	for _, component := range []string{"receivers::span_file", "exporters::json_file"} {
		t.Run(component, func(t *testing.T) {
			e := newEmbedded(t)
			_, name, _ := strings.Cut(component, "::")
			requireRefused(t, e.dir, e.args(component+"::colour=blue"), "colour", name)
		})
	}
}

func TestAnInvalidValueIsNamedWithItsKey(t *testing.T) {
	for _, c := range []struct{ setting, key string }{
		{"receivers::span_file::start_at=middle", "start_at"},
		{"receivers::span_file::max_batch_spans=0", "max_batch_spans"},
		{"exporters::json_file::format=xml", "format"},
		{"exporters::json_file::sync=sometimes", "sync"},
	} {
		t.Run(c.setting, func(t *testing.T) {
			e := newEmbedded(t)
			component := strings.Split(c.setting, "::")[1]
			requireRefused(t, e.dir, e.args(c.setting), component, c.key)
		})
	}
}

func TestAConfigurationFileThatCannotBeReadIsNamed(t *testing.T) {
	dir := folder(t)
	write(t, filepath.Join(dir, "bad.yaml"), "receivers:\n  span_file: [\n")
	requireRefused(t, dir, []string{"--config", "bad.yaml"}, "bad.yaml")
	requireRefused(t, dir, []string{"--config", "none.yaml"}, "none.yaml", "no such file")
}

// runs runs a command of the binary that ends by itself and returns what it printed.
func runs(t *testing.T, args ...string) string {
	t.Helper()
	p := start(t, folder(t), args...)
	p.finish(endsWithin)
	return p.stdout()
}

func TestDefaultConfigPrintsTheEmbeddedYAML(t *testing.T) {
	assert.Equal(t, launch.DefaultConfig, runs(t, "default-config"))
}

func TestThePrintedDefaultConfigIsValid(t *testing.T) {
	path := filepath.Join(folder(t), "x.yaml")
	write(t, path, runs(t, "default-config"))
	runs(t, "validate", "--config", path)
}

func TestValidateNeedsNoConfig(t *testing.T) {
	runs(t, "validate")
	runs(t, "validate", "--set", "exporters::json_file::framing=pretty")
}

func TestComponentsListsOurs(t *testing.T) {
	list := runs(t, "components")
	for _, name := range []string{"span_file", "json_file", "otlp_json_file", "datadog"} {
		assert.Contains(t, list, "name: "+name+"\n")
	}
}

func TestTheSummarySaysWhatRuns(t *testing.T) {
	e := newEmbedded(t)
	require.NoError(t, os.Mkdir(e.in, 0o700))
	write(t, filepath.Join(e.in, "a.json"), "")
	collector := startReady(t, e.dir, e.args()...)
	for _, line := range []string{
		"otelcol-serve " + launch.Version + " is ready; Ctrl-C stops it",
		"  listens on   " + e.otlpGRPC + " (otlp grpc)",
		"  listens on   " + e.otlpHTTP + " (otlp http)",
		"  listens on   " + e.datadog + " (datadog)",
		"  span files   " + filepath.Join(e.in, "*.json") + " (1 now)",
		"  writes to    " + e.out + " (json_file)",
	} {
		assert.Contains(t, collector.stdout(), line+"\n")
	}
	collector.terminate()
}
