package jsonfileexporter

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadatatest"
	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
)

// recordings is where the spans are that real SDKs and a real Ray wrote.
const recordings = "../../testdata"

// recorded returns a file of the recordings.
func recorded(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(recordings, name))
	require.NoError(tb, err)
	return data
}

// decode reads console spans, in either framing.
func decode(tb testing.TB, data []byte) ptrace.Traces {
	tb.Helper()
	td := ptrace.NewTraces()
	decoder := consolespan.NewDecoder(1 << 20)
	decoder.Begin(td)
	for len(data) > 0 {
		n, err := decoder.Next(data)
		if errors.Is(err, consolespan.ErrMore) {
			require.Equal(tb, len(data), n, "a torn record: %.80q", data)
		} else {
			require.NoError(tb, err)
		}
		data = data[n:]
	}
	return td
}

// oracle returns the spans of one of the recorded protobuf messages.
func oracle(tb testing.TB, name string) ptrace.Traces {
	tb.Helper()
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(recorded(tb, name))
	require.NoError(tb, err)
	return td
}

// fixture is a started exporter and what it tells the outside.
type fixture struct {
	*jsonFileExporter
	telemetry *componenttest.Telemetry
	status    *statusRecorder
}

// newConfig is the default configuration with a path.
func newConfig(path string, changes ...func(*Config)) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Path = path
	for _, change := range changes {
		change(cfg)
	}
	return cfg
}

func otlpJSON(cfg *Config) { cfg.Format = FormatOTLPJSON }

func pretty(cfg *Config) { cfg.Framing = FramingPretty }

func unsynced(cfg *Config) { cfg.Sync = SyncNone }

// newFixture builds an exporter without starting it.
func newFixture(tb testing.TB, cfg *Config) *fixture {
	tb.Helper()
	require.NoError(tb, cfg.Validate())
	f := &fixture{telemetry: componenttest.NewTelemetry(), status: &statusRecorder{}}
	e, err := newJSONFileExporter(cfg, metadatatest.NewSettings(f.telemetry))
	require.NoError(tb, err)
	f.jsonFileExporter = e
	tb.Cleanup(func() { require.NoError(tb, f.telemetry.Shutdown(context.Background())) })
	return f
}

// startFixture starts an exporter that is shut down when the test ends.
func startFixture(tb testing.TB, cfg *Config) *fixture {
	tb.Helper()
	f := newFixture(tb, cfg)
	require.NoError(tb, f.start(context.Background(), f.status))
	tb.Cleanup(func() { require.NoError(tb, f.shutdown(context.Background())) })
	return f
}

// send pushes spans that must be accepted, and not be changed: a write to them panics.
func (f *fixture) send(tb testing.TB, td ptrace.Traces) {
	tb.Helper()
	td.MarkReadOnly()
	require.NoError(tb, f.push(context.Background(), td))
}

// refuse pushes spans that must be refused retryably, and returns the error.
func (f *fixture) refuse(tb testing.TB, td ptrace.Traces) error {
	tb.Helper()
	td.MarkReadOnly()
	err := f.push(context.Background(), td)
	require.Error(tb, err)
	return err
}

// file returns the spanFile of a path without attributes, with its lock taken
// while with runs.
func (f *fixture) file(with func(*spanFile)) {
	file, err := f.files.acquire(f.files.locations()[0])
	if err != nil {
		panic(err)
	}
	defer f.files.release(file)
	file.mu.Lock()
	defer file.mu.Unlock()
	with(file)
}

// statusRecorder is a host that remembers the statuses reported to it.
type statusRecorder struct {
	reporting func() // called before, without a lock
	mu        sync.Mutex
	events    []*componentstatus.Event // guarded by mu
}

func (*statusRecorder) GetExtensions() map[component.ID]component.Component { return nil }

func (s *statusRecorder) Report(event *componentstatus.Event) {
	if s.reporting != nil {
		s.reporting()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event)
}

// seen returns the statuses reported since the last call.
func (s *statusRecorder) seen() []componentstatus.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []componentstatus.Status
	for _, event := range s.events {
		all = append(all, event.Status())
	}
	s.events = nil
	return all
}
