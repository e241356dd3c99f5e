package servecontextprocessor

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/delivery"
)

// live is a started processor in a synctest bubble, where time passes when all sleep.
type live struct {
	*serveContext
	t    *testing.T
	out  *sink
	tele *componenttest.Telemetry
}

// inBubble runs a test with a started processor. The test may shut it down itself.
func inBubble(t *testing.T, change func(*Config), test func(l *live)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &live{t: t, out: &sink{}, tele: componenttest.NewTelemetry()}
		l.serveContext = newTestProcessor(t, l.tele, l.out, change)
		require.NoError(t, l.Start(context.Background(), componenttest.NewNopHost()))
		test(l)
		require.NoError(t, l.Shutdown(context.Background()))
		require.NoError(t, l.tele.Shutdown(context.Background()))
	})
}

func (l *live) feed(td ptrace.Traces) error {
	err := l.ConsumeTraces(context.Background(), td)
	synctest.Wait()
	return err
}

// ticket is a batch of a file and how its token closed.
type ticket struct {
	mu     sync.Mutex
	closed bool
	err    error
}

func (k *ticket) done(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed, k.err = true, err
}

func (k *ticket) state() (closed bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closed, k.err
}

// feedFile hands a batch over as span_file does.
func (l *live) feedFile(td ptrace.Traces) *ticket {
	k := l.hand(td)
	synctest.Wait()
	return k
}

// hand is feedFile for several goroutines at once.
func (l *live) hand(td ptrace.Traces) *ticket {
	k := &ticket{}
	token := delivery.New(k.done)
	token.Release(l.ConsumeTraces(delivery.NewContext(context.Background(), token), td))
	return k
}

func (l *live) metric(name, value string) int64 { return metricOf(l.t, l.tele, name, value) }

// ids are the numbers of the accepted spans, in order.
func (l *live) ids() []uint64 {
	var ids []uint64
	for _, g := range l.out.take() {
		ids = append(ids, numberOf(g))
	}
	return ids
}
