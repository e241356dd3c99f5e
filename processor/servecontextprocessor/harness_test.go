package servecontextprocessor

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/metadata"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/names"
)

// sink is the next component.
type sink struct {
	mu      sync.Mutex
	mutates bool
	refuse  func(td ptrace.Traces) error // nil accepts
	calls   int
	got     []got // accepted spans, in order
}

// got is an accepted span with its resource.
type got struct {
	ptrace.Span
	resource pcommon.Map
}

func (s *sink) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: s.mutates}
}

func (s *sink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.refuse != nil {
		if err := s.refuse(td); err != nil {
			return err
		}
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s.got = append(s.got, got{span, rs.Resource().Attributes()})
			}
		}
	}
	return nil
}

// take returns what was accepted since the last call.
func (s *sink) take() []got {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.got
	s.got = nil
	return taken
}

func (s *sink) setRefuse(refuse func(ptrace.Traces) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = refuse
}

// str is a span's attribute, "" if it has none.
func (g got) str(key string) string { return attrOf(g.Attributes(), key) }

func attrOf(attrs pcommon.Map, key string) string {
	if v, ok := attrs.Get(key); ok {
		return v.AsString()
	}
	return ""
}

// bench is a processor whose loop a test turns by hand, on a clock of its own.
type bench struct {
	*serveContext
	tb    testing.TB
	out   *sink
	tele  *componenttest.Telemetry
	clock time.Time
}

func newBench(tb testing.TB, change func(*Config)) *bench {
	tb.Helper()
	b := &bench{tb: tb, out: &sink{}, tele: componenttest.NewTelemetry(), clock: time.Unix(1_800_000_000, 0)}
	tb.Cleanup(func() { require.NoError(tb, b.tele.Shutdown(context.Background())) })
	b.serveContext = newTestProcessor(tb, b.tele, b.out, change)
	b.now = func() time.Time { return b.clock }
	tb.Cleanup(b.meter.tel.Shutdown)
	return b
}

func newTestProcessor(
	tb testing.TB, tele *componenttest.Telemetry, out consumer.Traces, change func(*Config),
) *serveContext {
	tb.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Names.Preset = names.PresetNone
	if change != nil {
		change(cfg)
	}
	set := processortest.NewNopSettings(metadata.Type)
	if tele != nil {
		set.TelemetrySettings = tele.NewTelemetrySettings()
	}
	p, err := newServeContext(set, cfg, out)
	require.NoError(tb, err)
	p.host = componenttest.NewNopHost()
	return p
}

// feed takes a batch in and sends what may leave.
func (b *bench) feed(td ptrace.Traces) {
	b.tb.Helper()
	require.NoError(b.tb, b.ConsumeTraces(context.Background(), td))
	b.turn()
}

// turn is one round of the loop, until nothing may leave.
func (b *bench) turn() {
	for {
		out, _, _ := b.collect()
		if len(out.fragments) == 0 {
			return
		}
		b.pack(&out, sendSpans, func(p *parcel) { b.deliver(context.Background(), p) })
		b.restore(out)
	}
}

// pass lets time pass.
func (b *bench) pass(d time.Duration) {
	b.clock = b.clock.Add(d)
	b.turn()
}

// metric is the sum of a counter or gauge over the points with that attribute value, or all if it is "".
func (b *bench) metric(name, value string) int64 {
	b.tb.Helper()
	return metricOf(b.tb, b.tele, name, value)
}

// spec describes a span of a test.
type spec struct {
	name       string
	trace      uint64
	id, parent uint64
	kind       ptrace.SpanKind
	start, end time.Duration // since the begin of the test's time
	attrs      map[string]any
	flags      uint32
}

func traceID(n uint64) (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:8], n^0x5eed)
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func spanID(n uint64) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

// origin of the spans' own time.
var epoch = time.Unix(1_800_000_000, 0)

func (s spec) put(span ptrace.Span) {
	span.SetName(s.name)
	span.SetTraceID(traceID(s.trace))
	span.SetSpanID(spanID(s.id))
	span.SetParentSpanID(spanID(s.parent))
	span.SetKind(s.kind)
	span.SetFlags(s.flags)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(epoch.Add(s.start)))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(epoch.Add(s.end)))
	for key, value := range s.attrs {
		switch value := value.(type) {
		case string:
			span.Attributes().PutStr(key, value)
		case int:
			span.Attributes().PutInt(key, int64(value))
		}
	}
}

// batch is spans of one process, named by its resource attributes.
func batch(resource map[string]string, specs ...spec) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	for key, value := range resource {
		rs.Resource().Attributes().PutStr(key, value)
	}
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for _, s := range specs {
		s.put(spans.AppendEmpty())
	}
	return td
}

// The processes of the tests.
var (
	replicaFile = map[string]string{
		"log.file.path": "/s/replica_chat_Llm_abc_tracing.json", "log.file.name": "replica_chat_Llm_abc_tracing.json",
		serveattr.Component: "replica", serveattr.App: "chat", serveattr.Deployment: "Llm", serveattr.ReplicaID: "abc",
	}
	proxyFile = map[string]string{
		"log.file.path": "/s/proxy_192.0.2.2_tracing.json", "log.file.name": "proxy_192.0.2.2_tracing.json",
		serveattr.Component: "proxy",
	}
	instance = map[string]string{"service.instance.id": "b163dde8-45ec-48c1-82b1-34d8a314a5bf"}
)

// replicaRoot is the local root of request n in trace n, with the id n000; its parent is in the proxy.
func replicaRoot(n uint64, end time.Duration) spec {
	return spec{
		name: "replica_handle_request Llm __call__", trace: n, id: n * 1000, parent: n*1000 + 999,
		kind: ptrace.SpanKindServer, end: end, attrs: map[string]any{
			serveattr.RayRequestID: requestID(n), serveattr.RayReplicaID: "abc", serveattr.RayDeployment: "Llm",
			serveattr.RayApp: "chat", serveattr.RayCallMethod: "__call__", serveattr.RayRoute: "/chat",
			serveattr.RayMultiplexedModelID: "", serveattr.HTTPMethod: "GET",
		},
	}
}

func requestID(n uint64) string { return "request-" + spanID(n).String() }

// userSpan is the i-th span of the application under the local root of request n.
func userSpan(n, i uint64, end time.Duration) spec {
	return spec{name: "work", trace: n, id: n*1000 + i, parent: n * 1000, kind: ptrace.SpanKindInternal, end: end}
}

// numberOf is the number that a span's spec had as id.
func numberOf(g got) uint64 {
	id := g.SpanID()
	return binary.BigEndian.Uint64(id[:])
}
