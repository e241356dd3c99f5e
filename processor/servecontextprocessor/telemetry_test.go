package servecontextprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
)

func TestEverySpanInIsCountedOut(t *testing.T) {
	b := newBench(t, nil)
	b.feed(batch(replicaFile, userSpan(1, 1, 0), userSpan(1, 2, 0)))
	b.feed(batch(replicaFile, userSpan(1, 1, 0), replicaRoot(1, time.Second)))
	assert.Equal(t, int64(4), b.metric("processor_incoming_items", "traces"))
	assert.Equal(t, int64(3), b.metric("processor_outgoing_items", "traces"))
	assert.Equal(t, int64(1), b.metric("processor_serve_context_spans_replaced", ""))
	assert.Equal(t, int64(3), b.metric("processor_serve_context_sampled_spans", "kept_by_rule"))
}

func TestSampledSpansAreCountedByRule(t *testing.T) {
	b := newBench(t, func(cfg *Config) { cfg.Sampling.Ratio = 0 })
	b.feed(batch(replicaFile, userSpan(1, 1, 0), replicaRoot(1, time.Second)))
	assert.Empty(t, b.out.take())
	assert.Equal(t, int64(2), b.metric("processor_serve_context_sampled_spans", "dropped_by_rule"))
	assert.Equal(t, int64(2), b.metric("processor_serve_context_sampled_spans", "default"))
	assert.Zero(t, b.metric("processor_serve_context_held_spans", ""))
}

func TestProcessHeadRatioIsReadFromTheResource(t *testing.T) {
	td := batch(map[string]string{serveattr.WorkerID: "w", serveattr.Component: "proxy"})
	attrs := td.ResourceSpans().At(0).Resource().Attributes()
	attrs.PutDouble("ray.serve.head_ratio", 0.25)
	o := originOf(attrs)
	assert.True(t, o.hasHeadRatio)
	assert.InDelta(t, 0.25, o.headRatio, 0)
}

func TestDecisionWithoutARouteIsNoted(t *testing.T) {
	b := newBench(t, func(cfg *Config) { cfg.Sampling.Rules = []sampling.RuleConfig{{Route: "/chat", Ratio: 0}} })
	b.feed(batch(replicaFile, userSpan(1, 1, 0)))
	b.pass(b.cfg.Wait)
	assert.Len(t, b.out.take(), 1)
	assert.Equal(t, int64(1), b.metric("processor_serve_context_sampling_notes", "route_unknown"))
}
