package servecontextprocessor

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/metadata"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
)

// detachedKind is what the root of a detached fragment is.
type detachedKind uint8

const (
	detachedServer detachedKind = iota
	detachedOther
	numDetachedKinds
)

// tally counts what happens in the state. It is handed to the metrics once per send,
// since a counter with attributes costs as much as the rest of a span.
type tally struct {
	counted   bool // there is something to report
	fragments [numEnds]int64
	spans     [numEnds]int64
	detached  [numDetachedKinds]int64
	replaced  int64
	foreign   int64
	shared    int64
	sampled   map[sampledKey]int64
	notes     noteTally
}

// noteTally counts single notes.
type noteTally map[sampling.Notes]int64

type sampledKey struct {
	outcome sampling.Outcome
	rule    *sampling.Rule
}

func newTally() tally {
	return tally{sampled: make(map[sampledKey]int64), notes: make(noteTally)}
}

// decided counts a decision.
func (t *tally) decided(f *fragment) {
	t.sampled[sampledKey{f.decision.Outcome, f.decision.Rule}] += int64(f.n)
	t.notes.note(f.decision.Notes)
}

func (t noteTally) note(notes sampling.Notes) {
	if notes == 0 {
		return
	}
	for _, note := range sampling.AllNotes {
		if notes.Has(note) {
			t[note]++
		}
	}
}

// meter writes the metrics.
type meter struct {
	tel   *metadata.TelemetryBuilder
	items metric.MeasurementOption
}

// count adds n to c, under a value of an attribute unless its key is empty. Metrics are
// counted whatever becomes of the context of a send, so they take none of it.
func count(c metric.Int64Counter, n int64, key, value string) {
	switch {
	case n == 0:
	case key == "":
		c.Add(context.Background(), n)
	default:
		c.Add(context.Background(), n, metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value))))
	}
}

// report adds a tally to the metrics.
func (m *meter) report(t *tally) {
	for e := range numEnds {
		count(m.tel.ProcessorServeContextFragments, t.fragments[e], "end", e.String())
		count(m.tel.ProcessorServeContextSpans, t.spans[e], "end", e.String())
	}
	count(m.tel.ProcessorServeContextDetachedRoots, t.detached[detachedServer], "kind", "server")
	count(m.tel.ProcessorServeContextDetachedRoots, t.detached[detachedOther], "kind", "other")
	count(m.tel.ProcessorServeContextSpansReplaced, t.replaced, "", "")
	count(m.tel.ProcessorServeContextForeignProcesses, t.foreign, "", "")
	count(m.tel.ProcessorServeContextSharedProcesses, t.shared, "", "")
	m.noted(t.notes)
	for key, n := range t.sampled {
		m.tel.ProcessorServeContextSampledSpans.Add(context.Background(), n, metric.WithAttributeSet(attribute.NewSet(
			attribute.String("outcome", key.outcome.String()), attribute.String("rule", key.rule.Route()))))
	}
}

func (m *meter) noted(notes noteTally) {
	for note, n := range notes {
		count(m.tel.ProcessorServeContextSamplingNotes, n, "note", note.String())
	}
}

// incoming and outgoing count as processorhelper does for processors that hold nothing.
func (m *meter) incoming(n int) {
	m.tel.ProcessorIncomingItems.Add(context.Background(), int64(n), m.items)
}

func (m *meter) outgoing(n int) {
	m.tel.ProcessorOutgoingItems.Add(context.Background(), int64(n), m.items)
}

func (m *meter) lost(n int, reason string) {
	count(m.tel.ProcessorServeContextSpansLost, int64(n), "reason", reason)
}
