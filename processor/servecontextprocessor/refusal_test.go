package servecontextprocessor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

var (
	errBusy = errors.New("busy")
	errBad  = consumererror.NewPermanent(errors.New("bad"))
)

func always(err error) func(ptrace.Traces) error {
	return func(ptrace.Traces) error { return err }
}

func TestNetworkSpansAreKeptUntilTheyAreAccepted(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		l.out.setRefuse(always(errBusy))
		begin := time.Now()
		var tries []time.Duration
		l.out.setRefuse(func(ptrace.Traces) error {
			tries = append(tries, time.Since(begin))
			return errBusy
		})
		require.NoError(t, l.feed(batch(replicaFile, userSpan(1, 1, 0), replicaRoot(1, time.Second))))
		require.ErrorIs(t, l.feed(batch(replicaFile, replicaRoot(2, time.Second))), errBusy)
		assert.Equal(t, int64(2), l.metric("processor_serve_context_held_spans", ""))
		time.Sleep(90 * time.Second)
		synctest.Wait()
		assert.Equal(t, []time.Duration{
			0, time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second, 31 * time.Second, 61 * time.Second,
		}, tries)
		l.out.setRefuse(nil)
		time.Sleep(maxBackoff)
		synctest.Wait()
		assert.ElementsMatch(t, []uint64{1000, 1001}, l.ids())
		require.NoError(t, l.feed(batch(replicaFile, replicaRoot(2, time.Second))))
		assert.Equal(t, []uint64{2000}, l.ids())
		assert.Equal(t, int64(len(tries)), l.metric("processor_serve_context_refused_sends", ""))
		assert.Zero(t, l.metric("processor_serve_context_spans_lost", ""))
	})
}

func TestFileSpansAreLeftToTheirFile(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		l.out.setRefuse(always(errBusy))
		first := l.feedFile(batch(replicaFile, userSpan(1, 1, 0), userSpan(2, 1, 0)))
		closed, _ := first.state()
		assert.False(t, closed)
		second := l.feedFile(batch(replicaFile, replicaRoot(1, time.Second)))
		_, err := second.state()
		require.ErrorIs(t, err, errBusy)
		closed, _ = first.state()
		assert.False(t, closed, "a span of it is still held")
		_, err = l.feedFile(batch(replicaFile, replicaRoot(3, time.Second))).state()
		require.ErrorIs(t, err, errBusy)

		// The file is read again after its own pause; by then the processor tries again, too.
		l.out.setRefuse(nil)
		time.Sleep(minBackoff)
		again := l.feedFile(batch(replicaFile, userSpan(1, 1, 0), userSpan(2, 1, 0)))
		root := l.feedFile(batch(replicaFile, replicaRoot(1, time.Second), replicaRoot(2, time.Second)))
		closed, err = first.state()
		assert.True(t, closed)
		require.ErrorIs(t, err, errBusy)
		for _, k := range []*ticket{again, root} {
			closed, err = k.state()
			assert.True(t, closed)
			require.NoError(t, err)
		}
		for _, g := range l.out.take() {
			n := numberOf(g)
			assert.Equal(t, requestID(n/1000), g.str("ray.serve.request_id"), n)
		}
		assert.Zero(t, l.metric("processor_serve_context_spans_lost", ""))
	})
}

func TestFileReadAgainAfterALongRefusalStillKnowsItsRequests(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		spans := func() ptrace.Traces { return batch(replicaFile, userSpan(1, 1, 0), replicaRoot(1, time.Second)) }
		l.out.setRefuse(always(errBusy))
		l.feedFile(spans())
		time.Sleep(time.Hour)
		l.out.setRefuse(nil)
		l.feedFile(spans())
		got := l.out.take()
		require.Len(t, got, 2)
		for _, g := range got {
			assert.Equal(t, requestID(1), g.str("ray.serve.request_id"))
		}
	})
}

// TestProxySpanReadAgainKeepsItsRoute, which it has only from the call that waited for it the first time.
func TestProxySpanReadAgainKeepsItsRoute(t *testing.T) {
	call := spec{
		name: "route_to_replica Llm __call__", trace: 1, id: 11, parent: 10, kind: ptrace.SpanKindServer,
		attrs: map[string]any{serveattr.RayRoute: "/chat/{id}"},
	}
	proxy := spec{
		name: "proxy_http_request Llm GET /17", trace: 1, id: 10, kind: ptrace.SpanKindServer, end: time.Second,
		attrs: map[string]any{serveattr.RayRequestID: "r"},
	}
	b := newBench(t, nil)
	for range 2 {
		b.feed(batch(proxyFile, call, proxy))
		got := b.out.take()
		require.Len(t, got, 2)
		for _, g := range got {
			assert.Equal(t, wanted{route: "/chat/{id}", requestID: "r"}, g.said(), g.Name())
		}
	}
}

func TestTokenClosesWhenSamplingDropsItsSpans(t *testing.T) {
	inBubble(t, func(cfg *Config) { cfg.Sampling.Ratio = 0 }, func(l *live) {
		k := l.feedFile(batch(replicaFile, userSpan(1, 1, 0), replicaRoot(1, time.Second)))
		closed, err := k.state()
		assert.True(t, closed)
		require.NoError(t, err)
		assert.Empty(t, l.ids())
	})
}

func TestSpansRefusedForGoodAreDroppedAndCounted(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		l.out.setRefuse(always(errBad))
		require.NoError(t, l.feed(batch(replicaFile, userSpan(1, 1, 0), replicaRoot(1, time.Second))))
		_, err := l.feedFile(batch(proxyFile, spec{name: "x", trace: 9, id: 9}, userSpan(8, 1, 0))).state()
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Equal(t, int64(4), l.metric("processor_serve_context_spans_lost", "permanent_error"))
		k := l.feedFile(batch(replicaFile, replicaRoot(2, time.Second)))
		_, err = k.state()
		assert.True(t, consumererror.IsPermanent(err))
		assert.Zero(t, l.metric("processor_serve_context_refused_sends", ""))
		assert.Zero(t, l.metric("processor_serve_context_held_spans", ""))
		assert.Equal(t, int64(5), l.metric("processor_serve_context_spans_lost", ""))
	})
}

// TestWhatWasHandedOverIsNotSentAgain has a next component that empties what it gets before it refuses.
func TestWhatWasHandedOverIsNotSentAgain(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		l.out.mutates = true
		refusals := 3
		l.out.setRefuse(func(td ptrace.Traces) error {
			if refusals--; refusals < 0 {
				return nil
			}
			td.ResourceSpans().RemoveIf(func(ptrace.ResourceSpans) bool { return true })
			return errBusy
		})
		require.NoError(t, l.feed(batch(replicaFile, userSpan(1, 1, 0), replicaRoot(1, time.Second))))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.ElementsMatch(t, []uint64{1000, 1001}, l.ids())
	})
}

func TestFragmentOfFileAndNetworkSpansEndsEachInItsWay(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		l.out.setRefuse(always(errBusy))
		k := l.feedFile(batch(replicaFile, userSpan(1, 1, 0)))
		l.out.setRefuse(func(td ptrace.Traces) error {
			if td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SpanID() == spanID(1001) {
				return errBusy
			}
			return nil
		})
		require.NoError(t, l.feed(batch(replicaFile, replicaRoot(1, time.Second))))
		_, err := k.state()
		require.ErrorIs(t, err, errBusy)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []uint64{1000}, l.ids())
	})
}

func TestSpanThatComesAgainTakesTheTokenOver(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		first := l.feedFile(batch(replicaFile, userSpan(1, 1, 0)))
		second := l.feedFile(batch(replicaFile, userSpan(1, 1, 0)))
		closed, err := first.state()
		assert.True(t, closed)
		require.NoError(t, err)
		closed, _ = second.state()
		assert.False(t, closed)
		l.feedFile(batch(replicaFile, replicaRoot(1, time.Second)))
		closed, err = second.state()
		assert.True(t, closed)
		require.NoError(t, err)
		assert.ElementsMatch(t, []uint64{1000, 1001}, l.ids())
	})
}

func TestSlowConsumerHoldsUpThoseWhoSend(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		gate := make(chan struct{})
		l.out.setRefuse(func(ptrace.Traces) error {
			<-gate
			return nil
		})
		fed := 0
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var err error
		for n := uint64(1); err == nil; n++ {
			err = l.ConsumeTraces(ctx, batch(replicaFile, replicaRoot(n, time.Second)))
			fed++
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, maxLeaving+1, fed)
		close(gate)
		synctest.Wait()
		assert.Len(t, l.ids(), maxLeaving)
		require.NoError(t, l.feed(batch(replicaFile, replicaRoot(1, time.Second))))
	})
}
