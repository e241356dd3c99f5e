package servecontextprocessor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestShutdownSendsWhatIsHeld(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		require.NoError(t, l.feed(batch(replicaFile, userSpan(1, 1, 0), userSpan(2, 1, 0))))
		k := l.feedFile(batch(proxyFile, userSpan(3, 1, 0)))
		begin := time.Now()
		require.NoError(t, l.Shutdown(context.Background()))
		assert.Zero(t, time.Since(begin))
		closed, err := k.state()
		assert.True(t, closed)
		require.NoError(t, err)
		for _, g := range l.out.take() {
			if g.SpanID() != spanID(3001) {
				assert.Equal(t, wanted{app: "chat", deployment: "Llm", replica: "abc"}, g.said())
			}
		}
		assert.Equal(t, int64(3), l.metric("processor_serve_context_spans", "shutdown"))
		assert.ErrorIs(t, l.feed(batch(replicaFile, userSpan(4, 1, 0))), errStopping)
	})
}

// TestWhatIsRefusedDuringShutdown has a next component that refuses to the end.
func TestWhatIsRefusedDuringShutdown(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		require.NoError(t, l.feed(batch(replicaFile, userSpan(1, 1, 0), userSpan(2, 1, 0))))
		k := l.feedFile(batch(proxyFile, userSpan(3, 1, 0)))
		l.out.setRefuse(always(errBusy))
		begin := time.Now()
		require.NoError(t, l.Shutdown(context.Background()))
		assert.Equal(t, l.cfg.ShutdownTimeout, time.Since(begin))
		closed, err := k.state()
		assert.True(t, closed)
		require.Error(t, err)
		assert.Equal(t, int64(2), l.metric("processor_serve_context_spans_lost", "shutdown"))
		assert.Equal(t, int64(2), l.metric("processor_serve_context_spans_lost", ""))
	})
}

func TestRefusalThatEndsDuringShutdownLosesNothing(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		l.out.setRefuse(always(errBusy))
		require.NoError(t, l.feed(batch(replicaFile, userSpan(2, 1, 0), replicaRoot(1, time.Second))))
		time.Sleep(time.Minute) // deep in the backoff
		time.AfterFunc(2*time.Second, func() { l.out.setRefuse(nil) })
		require.NoError(t, l.Shutdown(context.Background()))
		assert.ElementsMatch(t, []uint64{1000, 2001}, l.ids())
		assert.Zero(t, l.metric("processor_serve_context_spans_lost", ""))
	})
}

func TestShutdownEndsASendThatHangs(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		l.next = hanging{l.out}
		require.NoError(t, l.feed(batch(replicaFile, userSpan(1, 1, 0), replicaRoot(2, time.Second))))
		begin := time.Now()
		require.NoError(t, l.Shutdown(context.Background()))
		assert.Equal(t, l.cfg.ShutdownTimeout, time.Since(begin))
		assert.Equal(t, int64(2), l.metric("processor_serve_context_spans_lost", "shutdown"))
	})
}

// hanging takes a batch and does nothing until it is told to stop.
type hanging struct{ *sink }

func (hanging) ConsumeTraces(ctx context.Context, _ ptrace.Traces) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestShutdownWithoutTimeoutCountsEverythingHeld(t *testing.T) {
	inBubble(t, func(cfg *Config) { cfg.ShutdownTimeout = 0 }, func(l *live) {
		l.next = hanging{l.out}
		for n := range uint64(20_000) {
			require.NoError(t, l.ConsumeTraces(context.Background(), batch(replicaFile, userSpan(n+1, 1, 0))))
		}
		require.NoError(t, l.Shutdown(context.Background()))
		assert.Equal(t, int64(20_000), l.metric("processor_serve_context_spans_lost", "shutdown"))
	})
}

func TestSynchronousHoldsNothing(t *testing.T) {
	inBubble(t, func(cfg *Config) { cfg.Wait = 0 }, func(l *live) {
		assert.Nil(t, l.done, "no goroutine")
		require.NoError(t, l.feed(batch(replicaFile, userSpan(2, 1, 0), userSpan(1, 1, 0), replicaRoot(1, time.Second))))
		got := map[uint64]string{}
		for _, g := range l.out.take() {
			got[numberOf(g)] = g.str("ray.serve.request_id")
		}
		assert.Equal(t, map[uint64]string{1000: requestID(1), 1001: requestID(1), 2001: ""}, got)
		k := l.feedFile(batch(replicaFile, userSpan(1, 2, 0)))
		closed, err := k.state()
		assert.True(t, closed)
		require.NoError(t, err)
		assert.Equal(t, requestID(1), l.out.take()[0].str("ray.serve.request_id"), "memory works over calls")
		l.out.setRefuse(always(errBusy))
		assert.Equal(t, errBusy, l.feed(batch(replicaFile, userSpan(3, 1, 0))))
		l.out.setRefuse(always(errBad))
		assert.Equal(t, errBad, l.feed(batch(replicaFile, userSpan(3, 1, 0))))
		assert.Zero(t, l.metric("processor_serve_context_held_spans", ""))
	})
}

func TestShutdownBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestProcessor(t, nil, &sink{}, nil)
		require.NoError(t, p.Shutdown(context.Background()))
		require.NoError(t, p.Start(context.Background(), componenttest.NewNopHost()))
		require.NoError(t, p.Shutdown(context.Background()))
		require.NoError(t, p.Shutdown(context.Background()))
	})
}
