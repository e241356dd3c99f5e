package names

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// tableCase is a kind of span that has a table in README.md.
type tableCase struct {
	title     string
	recording string // where the table's example is: the first span of the kind
	isOf      func(f fragment) bool
}

var tableCases = []tableCase{
	{"proxy_http_request", "ray-2.60", func(f fragment) bool { return isProxy(f, "http") && f.Events().Len() == 0 }},
	{"proxy_http_request of a failed request", "ray-2.60", func(f fragment) bool { return isProxy(f, "http") && f.Events().Len() > 0 }},
	{"proxy_grpc_request", "ray-2.60", func(f fragment) bool { return isProxy(f, "grpc") }},
	{"route_to_replica for an HTTP request", "ray-2.60", func(f fragment) bool { return isHTTPCall(f) && f.req.Method != "" }},
	{"route_to_replica for an HTTP request whose proxy span was not sampled", "ray-2.60-ratio0.2", func(f fragment) bool {
		return isHTTPCall(f) && f.req.Method == ""
	}},
	{"route_to_replica for a gRPC request", "ray-2.60", func(f fragment) bool { return isCall(f) && text(f.Span, serveattr.RPCSystem) == "gRPC" }},
	{"route_to_replica by a deployment's handle", "ray-2.60", func(f fragment) bool {
		return isCall(f) && text(f.Span, serveattr.RPCSystem) == "UNDEFINED"
	}},
	{"route_to_replica by a deployment's handle, attributes lost", "ray-2.60-linked", func(f fragment) bool {
		return isCall(f) && !isHTTPCall(f) && text(f.Span, serveattr.RPCSystem) == ""
	}},
	{"replica_handle_request for an HTTP request", "ray-2.60", func(f fragment) bool { return isHTTPExecution(f) && f.Events().Len() == 0 }},
	{"replica_handle_request of a failed request", "ray-2.60", func(f fragment) bool { return isHTTPExecution(f) && f.Events().Len() > 0 }},
	{"replica_handle_request for a gRPC request", "ray-2.60", func(f fragment) bool {
		return isExecution(f) && text(f.Span, serveattr.RPCSystem) == "gRPC"
	}},
	{"replica_handle_request by a deployment's handle", "ray-2.60", func(f fragment) bool {
		return isExecution(f) && text(f.Span, serveattr.RPCSystem) == "UNDEFINED"
	}},
}

func isProxy(f fragment, protocol string) bool {
	return text(f.Span, serveattr.RayRequestType) == protocol
}
func isCall(f fragment) bool { return serve.RoleOf(f.Name()) == serve.RoleRoute }
func isHTTPCall(f fragment) bool {
	return isCall(f) && text(f.Span, serveattr.RayIsHTTPRequest) == "true"
}

func isExecution(f fragment) bool { return serve.RoleOf(f.Name()) == serve.RoleReplica }

func isHTTPExecution(f fragment) bool {
	return isExecution(f) && text(f.Span, serveattr.HTTPMethod) != ""
}

// caseOf is the case of a span of Serve's.
func caseOf(tb testing.TB, f fragment) tableCase {
	tb.Helper()
	i := slices.IndexFunc(tableCases, func(c tableCase) bool { return c.isOf(f) })
	require.NotEqual(tb, -1, i, f.Name())
	for _, other := range tableCases[i+1:] {
		require.False(tb, other.isOf(f), "%s is of %s and of %s", f.Name(), tableCases[i].title, other.title)
	}
	return tableCases[i]
}

func (c tableCase) example(tb testing.TB) fragment {
	tb.Helper()
	all := recorded(tb, c.recording)
	i := slices.IndexFunc(all, c.isOf)
	require.NotEqual(tb, -1, i, c.title)
	return all[i]
}

// cells are what the rewriter can change, rendered: `"200"` is a string, `200` a number.
func cells(f fragment) map[string]string {
	rendered := map[string]string{
		"span's name":        quoted(f.Name()),
		"span's kind":        code(strings.ToUpper(f.Kind().String())),
		"status":             code(strings.ToUpper(f.Status().Code().String())),
		"status description": quoted(f.Status().Message()),
	}
	for key, value := range f.Attributes().All() {
		rendered[code(key)] = cell(value)
	}
	for key, value := range f.resource.All() {
		rendered["resource's "+code(key)] = cell(value)
	}
	return rendered
}

func cell(value pcommon.Value) string {
	if value.Type() == pcommon.ValueTypeStr {
		return quoted(value.Str())
	}
	return code(value.AsString())
}

func quoted(text string) string {
	if runes := []rune(text); len(runes) > 50 {
		text = string(runes[:49]) + "…"
	}
	return code(strconv.Quote(text))
}

func code(text string) string { return "`" + text + "`" }

// row is what happens to an attribute: before, after, and the switches without which it does not.
type row struct{ attribute, before, after, switches string }

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |", r.attribute, r.before, r.after, r.switches)
}

// rowsOf are the rows of the changes that rewriting makes to f.
func rowsOf(tb testing.TB, f fragment) []row {
	tb.Helper()
	after := cells(f.rewritten(rewriter(tb, nil)))
	rows := changes(cells(f), after)
	for i := range rows {
		var needed []string
		for _, s := range switches {
			without := cells(f.rewritten(rewriter(tb, func(c *Config) { s.turn(c, false) })))
			if without[rows[i].attribute] != after[rows[i].attribute] {
				needed = append(needed, code(s.key))
			}
		}
		rows[i].switches = strings.Join(needed, ", ")
	}
	return rows
}

func changes(before, after map[string]string) []row {
	var rows []row
	for attribute := range after {
		if before[attribute] != after[attribute] {
			rows = append(rows, row{attribute: attribute, before: before[attribute], after: after[attribute]})
		}
	}
	for attribute := range before {
		if _, ok := after[attribute]; !ok {
			rows = append(rows, row{attribute: attribute, before: before[attribute]})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.attribute, b.attribute) })
	return rows
}

// switches are the switches of Config.
var switches = []struct {
	key  string
	turn func(c *Config, on bool)
}{
	{"service_name::enabled", func(c *Config, on bool) { c.ServiceName.Enabled = &on }},
	{"kinds", func(c *Config, on bool) { c.Kinds = &on }},
	{"methods", func(c *Config, on bool) { c.Methods = &on }},
	{"rpc_system", func(c *Config, on bool) { c.RPCSystem = &on }},
	{"routes", func(c *Config, on bool) { c.Routes = &on }},
	{"lost_attributes", func(c *Config, on bool) { c.LostAttributes = &on }},
	{"exceptions_as_errors", func(c *Config, on bool) { c.ExceptionsAsErrors = on }},
}
