package servecontextprocessor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

var recordings = []string{"ray-2.55.0", "ray-2.60", "ray-2.60-ratio0.2", "ray-2.60-linked", "ray-2.60-linked-ratio0.2"}

// recordedFile is a span file of a recording: one process.
type recordedFile struct {
	path  string
	spans []got
}

func recorded(tb testing.TB, recording string) []recordedFile {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", recording, "spans", "*.json"))
	require.NoError(tb, err)
	require.NotEmpty(tb, paths)
	var files []recordedFile
	for _, path := range paths {
		files = append(files, recordedFile{path: path, spans: decoded(tb, path)})
	}
	return files
}

func decoded(tb testing.TB, path string) []got {
	tb.Helper()
	text, err := os.ReadFile(path)
	require.NoError(tb, err)
	decoder := consolespan.NewDecoder(16 << 20)
	td := ptrace.NewTraces()
	decoder.Begin(td)
	for {
		n, err := decoder.Next(text)
		text = text[n:]
		if errors.Is(err, consolespan.ErrMore) {
			require.Empty(tb, strings.TrimSpace(string(text)))
			break
		}
		require.NoError(tb, err)
	}
	var all []got
	for _, rs := range td.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			all = append(all, got{span, rs.Resource().Attributes()})
		}
	}
	return all
}

// sourceForm says what the resource tells of the process.
type sourceForm uint8

const (
	formFile    sourceForm = iota // span_file: the file's name, and what it says
	formPath                      // span_file with include_file_process: false
	formNetwork                   // nothing: as OTLP from an exporter function
)

// batch copies spans of the file as a source would send them.
func (f recordedFile) batch(form sourceForm, spans []got) ptrace.Traces {
	td := ptrace.NewTraces()
	var rs ptrace.ResourceSpans
	for i, g := range spans {
		if i == 0 || !g.resource.Equal(spans[i-1].resource) {
			rs = td.ResourceSpans().AppendEmpty()
			g.resource.CopyTo(rs.Resource().Attributes())
			f.describe(form, rs.Resource().Attributes())
			rs.ScopeSpans().AppendEmpty()
		}
		g.CopyTo(rs.ScopeSpans().At(0).Spans().AppendEmpty())
	}
	return td
}

func (f recordedFile) describe(form sourceForm, attrs pcommon.Map) {
	name := filepath.Base(f.path)
	if form == formNetwork {
		return
	}
	attrs.PutStr("log.file.path", f.path)
	attrs.PutStr("log.file.name", name)
	words := strings.Split(strings.TrimSuffix(name, "_tracing.json"), "_")
	if form == formPath || words[0] != "proxy" && words[0] != "replica" {
		return
	}
	attrs.PutStr(serveattr.Component, words[0])
	if len(words) == 4 {
		attrs.PutStr(serveattr.App, words[1])
		attrs.PutStr(serveattr.Deployment, words[2])
		attrs.PutStr(serveattr.ReplicaID, words[3])
	}
}

// wanted is what a span of a finished request must say.
type wanted struct {
	app, deployment, replica, route, requestID string
}

// truth is what must stand on the file's spans, from the parent ids and the roots'
// attributes alone. Spans without a local root in the file are not in it.
func (f recordedFile) truth() map[pcommon.SpanID]wanted {
	byID := map[pcommon.SpanID]got{}
	routes := map[pcommon.SpanID]string{} // of the calls, by their parent
	for _, g := range f.spans {
		byID[g.SpanID()] = g
		if serve.RoleOf(g.Name()) == serve.RoleRoute {
			routes[g.ParentSpanID()] = g.str("route")
		}
	}
	all := map[pcommon.SpanID]wanted{}
	for _, g := range f.spans {
		root, ok := g, true
		for ok && !serve.RoleOf(root.Name()).IsLocalRoot() {
			root, ok = byID[root.ParentSpanID()]
		}
		if !ok {
			continue
		}
		w := wanted{
			app: root.str("app"), deployment: root.str("deployment"), replica: root.str("replica_id"),
			route: root.str("route"), requestID: root.str("request_id"),
		}
		if serve.RoleOf(root.Name()) == serve.RoleProxy {
			w.route = routes[root.SpanID()]
		}
		all[g.SpanID()] = w
	}
	return all
}

func (g got) said() wanted {
	return wanted{
		app: g.str("ray.serve.app"), deployment: g.str("ray.serve.deployment"), replica: g.str("ray.serve.replica_id"),
		route: g.str("ray.serve.route"), requestID: g.str("ray.serve.request_id"),
	}
}

// piece is a batch of a file.
type piece struct {
	file  recordedFile
	spans []got
}

// inTurns cuts each file into chunks and takes one of each file in turn, as the
// tailer does with a backlog.
func inTurns(files []recordedFile, chunk int) []piece {
	var pieces []piece
	for at := 0; ; at += chunk {
		before := len(pieces)
		for _, f := range files {
			if at < len(f.spans) {
				pieces = append(pieces, piece{f, f.spans[at:min(at+chunk, len(f.spans))]})
			}
		}
		if len(pieces) == before {
			return pieces
		}
	}
}

// byTime cuts each file at the same moments, as processes that export every now and then.
func byTime(files []recordedFile, every pcommon.Timestamp) []piece {
	type position struct {
		piece
		at pcommon.Timestamp
	}
	var all []position
	for _, f := range files {
		from, latest := 0, pcommon.Timestamp(0)
		for i, g := range f.spans {
			tick := max(latest, g.EndTimestamp()/every)
			if i > from && tick > latest {
				all = append(all, position{piece{f, f.spans[from:i]}, latest})
				from = i
			}
			latest = tick
		}
		all = append(all, position{piece{f, f.spans[from:]}, latest})
	}
	slices.SortStableFunc(all, func(a, b position) int { return int(int64(a.at) - int64(b.at)) })
	pieces := make([]piece, len(all))
	for i, p := range all {
		pieces[i] = p.piece
	}
	return pieces
}
