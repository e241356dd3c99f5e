package names

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

var update = flag.Bool("update", false, "write testdata/datadog/spans.jsonl anew")

// datadogNames are the service, operation and resource name of a span in Datadog.
type datadogNames [3]string

// datadog restates what Datadog makes of the spans that Serve can make. Source:
// github.com/DataDog/datadog-agent/pkg/trace v0.81.0, transform/otelutil.go
// (getOTelService, getOTelOperationNameV2, getOTelResourceV2) and semantics/mappings.json.
func datadog(span ptrace.Span, resource pcommon.Map) datadogNames {
	value := func(keys ...string) string {
		for _, key := range keys {
			for _, attrs := range []pcommon.Map{span.Attributes(), resource} {
				if v, ok := attrs.Get(key); ok && v.Type() == pcommon.ValueTypeStr && v.Str() != "" {
					return v.Str()
				}
			}
		}
		return ""
	}
	method := value("http.request.method", "http.method")
	return datadogNames{
		strings.ToLower(value("service.name")),
		datadogOperation(span.Kind(), value("operation.name"), method, value("rpc.system")),
		datadogResource(span, value, method),
	}
}

func datadogOperation(kind ptrace.SpanKind, operation, method, system string) string {
	switch {
	case operation != "":
		return operation
	case kind != ptrace.SpanKindServer && kind != ptrace.SpanKindClient:
		return kind.String()
	case method != "":
		return "http." + strings.ToLower(kind.String()) + ".request"
	case system != "":
		return strings.ToLower(system) + "." + strings.ToLower(kind.String()) + ".request"
	}
	return strings.ToLower(kind.String()) + ".request"
}

func datadogResource(span ptrace.Span, value func(...string) string, method string) string {
	if resource := value("resource.name"); resource != "" {
		return resource
	}
	if method == "_OTHER" {
		method = "HTTP"
	}
	if method != "" {
		if route := value("http.route"); route != "" && span.Kind() == ptrace.SpanKindServer {
			return method + " " + route
		}
		return method
	}
	if method := value("rpc.method"); method != "" {
		return strings.TrimSpace(method + " " + value("rpc.service"))
	}
	return span.Name()
}

func TestRestatementOfDatadogsNames(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile("testdata/datadog/spans.jsonl", shapesJSON(t), 0o644))
	}
	spans, err := os.ReadFile("testdata/datadog/spans.jsonl")
	require.NoError(t, err)
	// A change of the rewriter or of the recordings must be shown to Datadog's code again.
	require.Equal(t, string(shapesJSON(t)), string(spans), "make testdata/datadog anew, its README says how")
	names, err := os.ReadFile("testdata/datadog/names.jsonl")
	require.NoError(t, err)
	want := bytes.Split(bytes.TrimSpace(names), []byte("\n"))
	have := bytes.Split(bytes.TrimSpace(spans), []byte("\n"))
	require.Len(t, have, len(want))
	for i, line := range have {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(line)
		require.NoError(t, err)
		var expected datadogNames
		require.NoError(t, json.Unmarshal(want[i], &expected))
		rs := td.ResourceSpans().At(0)
		assert.Equal(t, expected, datadog(spansOf(td)[0], rs.Resource().Attributes()), "line %d", i+1)
	}
}

// shapes is one span of each shape that Serve makes in the recordings: of each
// kind of span, kind of request and set of attributes; each with resource.name and without.
func shapes(tb testing.TB) []fragment {
	tb.Helper()
	seen := map[string]bool{}
	var all []fragment
	for _, recording := range recordings {
		for _, f := range recorded(tb, recording) {
			shape, isServes := shapeOf(f)
			if !isServes || seen[shape] {
				continue
			}
			seen[shape] = true
			bare := f
			bare.Span = copied(f.Span)
			bare.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return key == serveattr.ResourceName })
			all = append(all, f, bare)
		}
	}
	return all
}

func shapeOf(f fragment) (shape string, isServes bool) {
	var keys []string
	for key := range f.Attributes().All() {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	bare, _, _ := strings.Cut(f.Name(), " ")
	known := ""
	if f.req.Method != "" {
		known = "method known"
	}
	return bare + known + text(f.Span, serveattr.RPCSystem) + strings.Join(keys, ","), serve.RoleOf(f.Name()) != serve.RoleUser
}

func shapesJSON(t *testing.T) []byte {
	t.Helper()
	r := rewriter(t, nil)
	var lines []byte
	for _, f := range shapes(t) {
		for _, g := range []fragment{f, f.rewritten(r)} {
			td := ptrace.NewTraces()
			rs := td.ResourceSpans().AppendEmpty()
			g.resource.CopyTo(rs.Resource().Attributes())
			span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
			g.CopyTo(span)
			// Several kB of stack trace, of which no name is made.
			span.Status().SetMessage("")
			span.Events().RemoveIf(func(ptrace.SpanEvent) bool { return true })
			span.Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
			line, err := new(ptrace.JSONMarshaler).MarshalTraces(td)
			require.NoError(t, err)
			lines = append(append(lines, line...), '\n')
		}
	}
	return lines
}

func TestPresetAgentLeavesDatadogsNames(t *testing.T) {
	agent := rewriter(t, func(c *Config) { c.Preset = PresetAgent })
	for _, f := range shapes(t) {
		after := f.rewritten(agent)
		assert.Equal(t, datadog(f.Span, f.resource), datadog(after.Span, after.resource), f.Name())
	}
	for fragments := range eachRecording(t) {
		changed := 0
		for _, f := range fragments {
			after := f.rewritten(agent)
			require.Equal(t, datadog(f.Span, f.resource), datadog(after.Span, after.resource))
			if !f.Attributes().Equal(after.Attributes()) {
				changed++
			}
		}
		assert.NotZero(t, changed, "the preset repairs the rest")
	}
}
