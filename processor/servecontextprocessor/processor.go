package servecontextprocessor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-serve/otelcol-serve/internal/delivery"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/metadata"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/names"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
)

// serveContext takes spans in under mu, and sends them in one goroutine outside it.
type serveContext struct {
	cfg    *Config
	logger *zap.Logger
	next   consumer.Traces
	meter  meter
	source *sampling.Source
	writer writer
	now    func() time.Time
	host   component.Host

	// wake tells the goroutine that there is something to do; it holds one reminder.
	wake chan struct{}
	// stop is closed when the processor stops, to end the pause before another try.
	stop chan struct{}
	// done is closed when the goroutine has ended; nil if it never ran.
	done chan struct{}
	// cancel ends the send in flight, and all that would follow.
	cancel context.CancelFunc

	// mu guards everything declared below.
	mu       sync.Mutex
	state    *state
	spare    outbox // what state.ready is exchanged for
	stopping bool
	// waiting is closed and made anew when ConsumeTraces calls that wait should look again.
	waiting chan struct{}
	// refusal is why nothing is accepted; nil if all is well. From retryAt on it is tried again.
	refusal error
	backoff time.Duration
	retryAt time.Time
}

func newServeContext(set processor.Settings, cfg *Config, next consumer.Traces) (*serveContext, error) {
	rewriter, err := names.New(cfg.Names)
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	source, err := sampling.NewSource(cfg.Sampling, set.Logger)
	if err != nil {
		return nil, err
	}
	tel, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	p := &serveContext{
		cfg: cfg, logger: set.Logger, next: next, source: source, now: time.Now,
		meter: meter{tel: tel, items: metric.WithAttributeSet(attribute.NewSet(
			attribute.String("processor", set.ID.String()), attribute.String("otel.signal", "traces")))},
		writer:  writer{context: cfg.Context.Enabled, names: rewriter},
		wake:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
		waiting: make(chan struct{}),
		state:   newState(cfg, source.Rules),
	}
	return p, p.observe()
}

// Capabilities says that spans are changed in place.
func (*serveContext) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// Start begins to send.
func (p *serveContext) Start(_ context.Context, host component.Host) error {
	p.host = host
	if p.cfg.synchronous() {
		return nil
	}
	// Start's context ends with Start.
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel, p.done = cancel, make(chan struct{})
	go p.run(ctx)
	return nil
}

// Shutdown sends what is held, for at most shutdown_timeout.
func (p *serveContext) Shutdown(ctx context.Context) error {
	p.lock()
	if !p.stopping {
		p.stopping = true
		close(p.stop)
	}
	p.wakeWaiting()
	p.unlock()
	defer p.meter.tel.Shutdown()
	if p.done == nil {
		return nil
	}
	p.remind()
	timer := time.AfterFunc(p.cfg.ShutdownTimeout, p.cancel)
	defer timer.Stop()
	defer context.AfterFunc(ctx, p.cancel)()
	select {
	case <-p.done:
		p.cancel()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("send the spans that are held: %w", ctx.Err())
	}
}

var errStopping = errors.New("serve_context is shutting down")

// ConsumeTraces takes a batch in, whole or not at all.
func (p *serveContext) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	n := td.SpanCount()
	if n == 0 {
		return nil
	}
	now := p.now()
	p.source.Check(now)
	if p.cfg.synchronous() {
		return p.consumeNow(ctx, td, n)
	}
	if err := p.lockForBatch(ctx); err != nil {
		return err
	}
	p.state.arrive(td, delivery.FromContext(ctx), now)
	p.unlock()
	p.meter.incoming(n)
	p.remind()
	return nil
}

// lockForBatch locks as soon as a batch may come in, or says why it may not.
func (p *serveContext) lockForBatch(ctx context.Context) error {
	for {
		p.lock()
		if err := p.refused(); err != nil {
			p.unlock()
			return err
		}
		l := p.state.leaving
		if l.spans < maxLeaving && l.bytes <= p.state.maxBytes/2 {
			return nil
		}
		waiting := p.waiting
		p.unlock()
		select {
		case <-waiting:
		case <-ctx.Done():
			return fmt.Errorf("wait for the next component to take spans: %w", ctx.Err())
		}
	}
}

// refused says why nothing is accepted now. mu is held.
func (p *serveContext) refused() error {
	switch {
	case p.stopping:
		return errStopping
	case p.refusal == nil:
		return nil
	case p.state.leaving.spans == 0 && !p.now().Before(p.retryAt):
		// Nothing is left to try with, so the next batch is the trial.
		return nil
	}
	return fmt.Errorf("no spans are accepted until the next component takes some: %w", p.refusal)
}

// consumeNow does everything in the caller's goroutine and keeps no span.
func (p *serveContext) consumeNow(ctx context.Context, td ptrace.Traces, n int) error {
	p.lock()
	p.state.arrive(td, nil, p.now())
	p.state.flush(endExpired, n+1)
	out := p.state.ready
	p.state.ready = outbox{}
	p.state.leaving = load{}
	p.report()
	p.unlock()
	p.meter.incoming(n)
	var err error
	p.pack(&out, math.MaxInt, func(parcel *parcel) {
		if err == nil {
			err = p.next.ConsumeTraces(ctx, parcel.traces)
		}
		p.meter.noted(parcel.notes)
		if err == nil {
			p.meter.outgoing(parcel.spans)
		}
	})
	return err
}

func (p *serveContext) lock() { p.mu.Lock() }

// unlock gives mu back and then releases the tokens that are due, whose owners may
// take locks of their own.
func (p *serveContext) unlock() {
	due := p.state.closing
	p.state.closing = nil
	p.mu.Unlock()
	for _, c := range due {
		c.token.Release(c.err)
	}
}

// wakeWaiting makes the calls of ConsumeTraces that wait look again. mu is held.
func (p *serveContext) wakeWaiting() {
	close(p.waiting)
	p.waiting = make(chan struct{})
}

// remind tells the goroutine to look for something to do.
func (p *serveContext) remind() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
