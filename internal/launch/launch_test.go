package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"
)

func settings() otelcol.CollectorSettings {
	return otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "otelcol-serve", Version: Version},
		Factories: otelcoltest.NopFactories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()},
		}},
	}
}

func TestDefaultConfigCommandPrintsTheEmbeddedYAML(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Zero(t, Run(settings(), []string{"default-config"}, &stdout, &stderr))
	assert.Equal(t, DefaultConfig, stdout.String())
	assert.Empty(t, stderr.String())
}

func TestWithoutConfigTheEmbeddedOneIsRead(t *testing.T) {
	require.NoError(t, confmaptest.ValidateProviderScheme(embedded{}))
	var stdout, stderr bytes.Buffer
	// The no-op distribution has no otlp receiver: the embedded configuration was read and refused in one line.
	assert.Equal(t, 1, Run(settings(), []string{"validate"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "unknown type: \"memory_limiter\"")
	assert.Equal(t, 1, bytes.Count(stderr.Bytes(), []byte("\n")), stderr.String())
}

func TestConfigFlagReplacesTheEmbeddedOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.yaml")
	require.NoError(t, os.WriteFile(path, []byte(
		"receivers: {nop: }\nexporters: {nop: }\nservice: {pipelines: {traces: {receivers: [nop], exporters: [nop]}}}\n"), 0o600))
	var stdout, stderr bytes.Buffer
	assert.Zero(t, Run(settings(), []string{"validate", "--config", path}, &stdout, &stderr), stderr.String())
}

func TestConfigFileThatIsNoYAMLIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.yaml")
	require.NoError(t, os.WriteFile(path, []byte("receivers: [\n"), 0o600))
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 1, Run(settings(), []string{"validate", "--config", path}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "otelcol-serve: configuration ["+path+"]: ")
}

// embeddedConf resolves the embedded configuration as the collector does.
func embeddedConf(t *testing.T) *confmap.Conf {
	t.Helper()
	var resolved recorder
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:               []string{embeddedURI},
		ProviderFactories:  []confmap.ProviderFactory{confmap.NewProviderFactory(newEmbedded), envprovider.NewFactory()},
		ConverterFactories: []confmap.ConverterFactory{resolved.factory()},
	})
	require.NoError(t, err)
	_, err = resolver.Resolve(t.Context())
	require.NoError(t, err)
	return resolved.conf
}

func TestExplain(t *testing.T) {
	inUse := func(port int) error {
		return &net.OpError{
			Op: "listen", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port},
			Err: os.NewSyscallError("bind", syscall.EADDRINUSE),
		}
	}
	refused := func(path string, why error) error {
		return &fs.PathError{Op: "open", Path: path, Err: why}
	}
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"port in use names its key": {
			fmt.Errorf("cannot start pipelines: %w", inUse(4318)),
			"127.0.0.1:4318 is in use by another process (an OpenTelemetry Collector or Datadog agent?): stop that one, " +
				"or choose another port, for example with --set receivers::otlp::protocols::http::endpoint=localhost:14318",
		},
		"a suggested port is a port": {
			inUse(13133),
			"127.0.0.1:13133 is in use by another process (an OpenTelemetry Collector or Datadog agent?): stop that one, " +
				"or choose another port, for example with --set extensions::health_check::http::endpoint=localhost:23133",
		},
		"port in use inside of a list": {
			inUse(8888),
			"127.0.0.1:8888 is in use by another process (an OpenTelemetry Collector or Datadog agent?): stop that one, " +
				"or choose another port in service::telemetry::metrics::readers",
		},
		"port in use that no key names": {
			inUse(9),
			"127.0.0.1:9 is in use by another process (an OpenTelemetry Collector or Datadog agent?): stop that one, or choose another port",
		},
		"directory not writable names its key": {
			fmt.Errorf("start json_file: %w", refused("otelcol-serve-data/spans.json", syscall.EACCES)),
			"start json_file: open otelcol-serve-data/spans.json: permission denied; " +
				"to write elsewhere: --set exporters::json_file::path=/path/to/write",
		},
		"directory above the configured one is a file": {
			refused("otelcol-serve-data", syscall.ENOTDIR),
			"open otelcol-serve-data: not a directory; " +
				"to write elsewhere: --set exporters::json_file::path=/path/to/write",
		},
		"directory that no key names": {
			refused("/somewhere/else", syscall.EACCES),
			"open /somewhere/else: permission denied",
		},
		"directory whose name only begins alike": {
			refused("otelcol-serve-data/spans.json.d", syscall.EACCES),
			"open otelcol-serve-data/spans.json.d: permission denied",
		},
		"nested lists become one line": {
			errors.New("decoding failed:\n\n'' has invalid keys: a"),
			"decoding failed: '' has invalid keys: a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, explain(tc.err, embeddedConf(t)))
		})
	}
	assert.Equal(t, "boom", explain(errors.New("boom"), nil), "before any configuration was resolved")
}

func TestSummarySaysWhatRuns(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.json", "b.json", "c.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	conf := confmap.NewFromStringMap(map[string]any{
		"receivers": map[string]any{
			"otlp":      map[string]any{"protocols": map[string]any{"grpc": map[string]any{"endpoint": "localhost:4317"}}},
			"span_file": map[string]any{"include": []any{folder + "/*.json"}},
		},
		"exporters": map[string]any{
			"json_file": map[string]any{"path": "/var/spans.json", "format": "console"},
			"otlp_grpc": map[string]any{"endpoint": "tempo:4317"},
		},
	})
	var out bytes.Buffer
	s := summary{out: &out, info: settings().BuildInfo}
	require.NoError(t, s.NotifyConfigSnapshot(t.Context(), extensioncapabilities.NewConfigSnapshot(conf, conf)))
	require.NoError(t, s.Ready())
	assert.Equal(t, "otelcol-serve "+Version+` is ready; Ctrl-C stops it
  listens on   localhost:4317 (otlp grpc)
  span files   `+folder+`/*.json (2 now)
  writes to    /var/spans.json (json_file)
  writes to    tempo:4317 (otlp_grpc)
`, out.String())
}

func TestSummaryThatNobodyCanReadStopsNothing(t *testing.T) {
	closed, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	s := summary{out: closed, info: settings().BuildInfo, conf: confmap.New()}
	assert.NoError(t, s.Ready())
}
