package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
)

const maxRecordSize = 4 << 20

// spanSet is the spans of some files, with the process that made each.
type spanSet struct {
	files int
	spans []ptrace.Span
	// process of a span id: the resource's service.instance.id, which Python's SDK makes anew in each process.
	process map[pcommon.SpanID]string
}

func readSpans(pattern string) (*spanSet, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	set := &spanSet{files: len(paths), process: map[pcommon.SpanID]string{}}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := set.decode(data); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return set, nil
}

func (s *spanSet) decode(data []byte) error {
	td := ptrace.NewTraces()
	decoder := consolespan.NewDecoder(maxRecordSize)
	decoder.Begin(td)
	for {
		n, err := decoder.Next(data)
		data = data[n:]
		if errors.Is(err, consolespan.ErrMore) {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(strings.TrimSpace(string(data))) > 0 {
		return io.ErrUnexpectedEOF
	}
	for _, resource := range td.ResourceSpans().All() {
		instance, _ := resource.Resource().Attributes().Get("service.instance.id")
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				s.spans = append(s.spans, span)
				s.process[span.SpanID()] = instance.Str()
			}
		}
	}
	return nil
}

func (s *spanSet) traces() map[pcommon.TraceID][]ptrace.Span {
	traces := map[pcommon.TraceID][]ptrace.Span{}
	for _, span := range s.spans {
		traces[span.TraceID()] = append(traces[span.TraceID()], span)
	}
	return traces
}

func (s *spanSet) processes() map[string]bool {
	processes := map[string]bool{}
	for _, p := range s.process {
		processes[p] = true
	}
	return processes
}

// missingIn lists the ids of the spans of s that other does not have.
func (s *spanSet) missingIn(other *spanSet) []pcommon.SpanID {
	var missing []pcommon.SpanID
	for _, span := range s.spans {
		if _, ok := other.process[span.SpanID()]; !ok {
			missing = append(missing, span.SpanID())
		}
	}
	return missing
}

// showcase is the trace with the most processes, then the most spans, then the lowest id.
func (s *spanSet) showcase() []ptrace.Span {
	processes := func(trace []ptrace.Span) int {
		seen := map[string]bool{}
		for _, span := range trace {
			seen[s.process[span.SpanID()]] = true
		}
		return len(seen)
	}
	var best []ptrace.Span
	for _, trace := range s.traces() {
		if best == nil || cmp.Or(
			cmp.Compare(processes(trace), processes(best)),
			cmp.Compare(len(trace), len(best)),
			strings.Compare(best[0].TraceID().String(), trace[0].TraceID().String()),
		) > 0 {
			best = trace
		}
	}
	return best
}

// printTree prints a trace, children below their parent and indented, with start and duration in ms.
func (s *spanSet) printTree(w io.Writer, trace []ptrace.Span) {
	slices.SortFunc(trace, func(a, b ptrace.Span) int { return cmp.Compare(a.StartTimestamp(), b.StartTimestamp()) })
	present := map[pcommon.SpanID]bool{}
	children := map[pcommon.SpanID][]ptrace.Span{}
	for _, span := range trace {
		present[span.SpanID()] = true
		children[span.ParentSpanID()] = append(children[span.ParentSpanID()], span)
	}
	start := trace[0].StartTimestamp()
	fmt.Fprintf(w, "   trace %s\n   %9s %9s\n", trace[0].TraceID(), "start ms", "ms")
	var below func(span ptrace.Span, depth int)
	below = func(span ptrace.Span, depth int) {
		fmt.Fprintf(w, "   %9.1f %9.1f  %s%s\n", milliseconds(span.StartTimestamp()-start),
			milliseconds(span.EndTimestamp()-span.StartTimestamp()), strings.Repeat("  ", depth), span.Name())
		for _, child := range children[span.SpanID()] {
			below(child, depth+1)
		}
	}
	for _, span := range trace {
		if !present[span.ParentSpanID()] {
			below(span, 0)
		}
	}
}

func milliseconds(d pcommon.Timestamp) float64 { return float64(d) / 1e6 }
