package servecontextprocessor

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// moody is a next component that accepts two times in five; it is for the sink, which
// calls it under its lock.
func moody(forGood bool) func(ptrace.Traces) error {
	moods := []error{errBusy, errBad, nil, errBusy, nil}
	if !forGood {
		moods[1] = errBusy
	}
	calls := 0
	return func(ptrace.Traces) error {
		calls++
		return moods[calls%len(moods)]
	}
}

// small is a state that is full all the time.
func small(cfg *Config) { cfg.MaxSpans, cfg.Wait = 5, 3*time.Second }

const (
	senders = 6
	batches = 300
)

// sentBatch is the i-th of a sender: a request and a span whose root never comes.
func sentBatch(sender, i uint64) ptrace.Traces {
	n := sender*batches + i + 1
	return batch(replicaFile, userSpan(n, 1, 0), userSpan(n+senders*batches, 1, 0), replicaRoot(n, time.Second))
}

// inParallel runs a function for each sender at once.
func inParallel(send func(sender uint64)) {
	var group sync.WaitGroup
	for sender := range uint64(senders) {
		group.Go(func() { send(sender) })
	}
	group.Wait()
}

// times counts how often each span was accepted.
func (l *live) times() map[uint64]int {
	times := map[uint64]int{}
	for _, id := range l.ids() {
		times[id]++
	}
	return times
}

func TestEachNetworkSpanIsSentOnceOrCounted(t *testing.T) {
	inBubble(t, small, func(l *live) {
		l.out.setRefuse(moody(true))
		inParallel(func(sender uint64) {
			for i := range uint64(batches) {
				for l.ConsumeTraces(context.Background(), sentBatch(sender, i)) != nil {
					time.Sleep(time.Second)
				}
			}
		})
		time.Sleep(5 * time.Minute)
		require.NoError(t, l.Shutdown(context.Background()))
		times := l.times()
		for id, n := range times {
			require.Equal(t, 1, n, id)
		}
		lost := l.metric("processor_serve_context_spans_lost", "permanent_error")
		assert.Positive(t, lost)
		assert.Equal(t, int64(senders*batches*3), int64(len(times))+lost)
		assert.Positive(t, l.metric("processor_serve_context_fragments", "evicted"))
		assert.Equal(t, int64(len(times)), l.metric("processor_outgoing_items", ""))
		assert.Zero(t, l.metric("processor_serve_context_held_spans", ""))
		assert.Zero(t, l.metric("processor_serve_context_held_bytes", ""))
	})
}

func TestEachFileSpanIsSentAtLeastOnce(t *testing.T) {
	inBubble(t, small, func(l *live) {
		l.out.setRefuse(moody(false))
		again := 0
		var mu sync.Mutex
		inParallel(func(sender uint64) {
			for i := range uint64(batches) {
				for closed, err := false, error(nil); !closed; {
					k := l.hand(sentBatch(sender, i))
					for closed, err = k.state(); !closed; closed, err = k.state() {
						time.Sleep(time.Second)
					}
					if err != nil {
						require.False(t, consumererror.IsPermanent(err))
						mu.Lock()
						again++
						mu.Unlock()
						closed = false
						time.Sleep(time.Second)
					}
				}
			}
		})
		times := l.times()
		assert.Len(t, times, senders*batches*3)
		assert.Positive(t, again)
		assert.Zero(t, l.metric("processor_serve_context_spans_lost", ""))
	})
}
