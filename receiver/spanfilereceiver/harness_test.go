package spanfilereceiver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-serve/otelcol-serve/internal/delivery"
)

// testClock is a time that only moves when a test says so.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// sink is a consumer whose behaviour a test can change.
type sink struct {
	mu     sync.Mutex
	got    []string // span names of accepted batches, in order
	calls  int
	refuse func(td ptrace.Traces) error // nil accepts
	hold   bool                         // take the token and keep it
	held   []*delivery.Token
	last   ptrace.Traces
}

func (*sink) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (p *sink) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.refuse != nil {
		if err := p.refuse(td); err != nil {
			return err
		}
	}
	if p.hold {
		token := delivery.FromContext(ctx)
		token.Hold()
		p.held = append(p.held, token)
	}
	p.last = td
	p.got = append(p.got, spanNames(td)...)
	return nil
}

func spanNames(td ptrace.Traces) []string {
	var names []string
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				names = append(names, s.Name())
			}
		}
	}
	return names
}

// statusHost is a host that remembers the status events.
type statusHost struct {
	extensions map[component.ID]component.Component
	mu         sync.Mutex
	events     []componentstatus.Status
}

func (h *statusHost) GetExtensions() map[component.ID]component.Component { return h.extensions }

func (h *statusHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e.Status())
}

func (h *statusHost) lastStatus() componentstatus.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) == 0 {
		return componentstatus.StatusNone
	}
	return h.events[len(h.events)-1]
}

// bench is a tailer on a directory of its own, polled by hand.
type bench struct {
	*tailer
	t     *testing.T
	dir   string
	clock *testClock
	out   *sink
	host  *statusHost
	logs  *observer.ObservedLogs
	tele  *componenttest.Telemetry
}

// newBench returns a bench that watches *.json in a new directory.
func newBench(t *testing.T, change func(*Config)) *bench {
	t.Helper()
	b := &bench{
		t: t, dir: t.TempDir(), clock: &testClock{now: time.Now()}, out: &sink{}, host: &statusHost{},
		tele: componenttest.NewTelemetry(),
	}
	t.Cleanup(func() { require.NoError(t, b.tele.Shutdown(context.Background())) })
	cfg := createDefaultConfig().(*Config)
	cfg.Include = []string{filepath.Join(b.dir, "*.json")}
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	b.start(cfg)
	return b
}

// start gives the bench a new tailer that knows nothing but the memory it is given.
func (b *bench) start(cfg *Config) {
	set := receivertest.NewNopSettings(component.MustNewType("span_file"))
	set.TelemetrySettings = b.tele.NewTelemetrySettings()
	core, logs := observer.New(zap.InfoLevel)
	set.Logger = zap.New(core)
	tailer, err := newTailer(cfg, set, b.out)
	require.NoError(b.t, err)
	tailer.now = b.clock.read
	tailer.reports.host = b.host
	b.tailer, b.logs = tailer, logs
	b.t.Cleanup(func() {
		for _, f := range tailer.files {
			tailer.shut(f)
		}
		tailer.tel.Shutdown()
	})
}

// restart is a crash: only the checkpoint of now survives.
func (b *bench) restart() {
	value, err := b.encode()
	require.NoError(b.t, err)
	entries, err := decodeCheckpoint(value, b.clock.read())
	require.NoError(b.t, err)
	for _, f := range b.files {
		b.shut(f)
	}
	b.start(b.cfg)
	b.memory, b.firstStart = newMemory(entries), false
}

func (b *bench) ok(err error) {
	b.t.Helper()
	require.NoError(b.t, err)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) write(name, content string) {
	require.NoError(b.t, os.WriteFile(b.path(name), []byte(content), 0o600))
}

func (b *bench) append(name, content string) {
	f, err := os.OpenFile(b.path(name), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	require.NoError(b.t, err)
	_, err = f.WriteString(content)
	require.NoError(b.t, err)
	require.NoError(b.t, f.Close())
}

// settleDown polls until nothing more happens now.
func (b *bench) settleDown() {
	for b.pollOnce() {
	}
}

func (b *bench) pollOnce() bool { return b.poll(context.Background()) }

// run lets d of time pass in polls.
func (b *bench) run(d time.Duration) {
	for end := b.clock.read().Add(d); b.clock.read().Before(end); {
		b.clock.advance(b.cfg.PollInterval)
		b.settleDown()
	}
}

// file returns a.json as it is watched.
func (b *bench) file() *spanFile {
	f := b.byPath[b.path("a.json")]
	require.NotNil(b.t, f)
	return f
}

// committed is the offset that would be saved for a.json.
func (b *bench) committed() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.file()
	return f.lowest(f.offset)
}

// metric returns the sum of a counter over all data points with the reason, or over all.
func (b *bench) metric(name, reason string) int64 {
	m, err := b.tele.GetMetric("otelcol_" + name)
	if err != nil {
		return 0
	}
	return sumOf(b.t, m, reason)
}

// record is a span as the SDK's ConsoleSpanExporter writes it, pretty.
func record(name string) string {
	return fmt.Sprintf(`{
    "name": %q,
    "context": {
        "trace_id": "0x%032x",
        "span_id": "0x%016x",
        "trace_state": "[]"
    },
    "kind": "SpanKind.INTERNAL",
    "parent_id": null,
    "start_time": "2026-01-02T03:04:05.000001Z",
    "end_time": "2026-01-02T03:04:06.000002Z",
    "status": {
        "status_code": "UNSET"
    },
    "attributes": {
        "test_id": %q
    },
    "events": [],
    "links": [],
    "resource": {
        "attributes": {
            "telemetry.sdk.language": "python",
            "service.name": "unknown_service"
        },
        "schema_url": ""
    }
}
`, name, hashOf(name), hashOf(name), name)
}

func records(prefix string, from, to int) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		text.WriteString(record(fmt.Sprintf("%s%d", prefix, i)))
	}
	return text.String()
}

func names(prefix string, from, to int) []string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprintf("%s%d", prefix, i))
	}
	return list
}
