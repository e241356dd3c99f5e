package servecontextprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/metadata"
)

// run sends what leaves the state until the processor stops and nothing is held.
func (p *serveContext) run(ctx context.Context) {
	defer close(p.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		p.source.Check(p.now())
		out, wait, stopped := p.collect()
		if len(out.fragments) > 0 {
			p.pack(&out, sendSpans, func(parcel *parcel) { p.deliver(ctx, parcel) })
			p.restore(out)
			continue
		}
		if stopped {
			return
		}
		timer.Reset(wait)
		select {
		case <-p.wake:
		case <-timer.C:
		}
	}
}

// maxSleep is the longest that the loop sleeps when nothing is due.
const maxSleep = time.Minute

// collect takes out what may leave. If that is nothing, it says how long nothing will, and
// whether that is for ever.
func (p *serveContext) collect() (out outbox, wait time.Duration, stopped bool) {
	p.lock()
	defer p.unlock()
	now := p.now()
	if p.stopping {
		p.state.flush(endShutdown, maxLeaving)
	} else {
		p.state.expire(now, maxLeaving/2)
	}
	if len(p.state.ready.fragments) > 0 {
		out = p.state.ready
		p.state.ready, p.spare = p.spare, outbox{}
	}
	p.report()
	wait = maxSleep
	if at, ok := p.state.due(); ok {
		// One look for the spans of 10 ms is enough.
		wait = max(at.Sub(now), 10*time.Millisecond)
	}
	return out, wait, p.stopping && p.state.spans == 0
}

// restore gives the memory of a sent outbox back.
func (p *serveContext) restore(out outbox) {
	p.lock()
	defer p.unlock()
	for _, h := range out.spans {
		p.state.recycle(h)
	}
	clear(out.fragments)
	clear(out.spans)
	p.spare = outbox{fragments: out.fragments[:0], spans: out.spans[:0]}
}

// report hands what was counted to the metrics. mu is held.
func (p *serveContext) report() {
	if p.state.tally.counted {
		p.meter.report(&p.state.tally)
		p.state.tally = newTally()
	}
}

// observe registers the metrics that show the state.
func (p *serveContext) observe() error {
	show := func(read func() int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			p.lock()
			n := read()
			p.unlock()
			o.Observe(n)
			return nil
		}
	}
	return registerAll(p.meter.tel, []metric.Int64Callback{
		show(func() int64 { return p.state.bytes + p.state.leaving.bytes }),
		show(func() int64 { return int64(p.state.spans + p.state.leaving.spans) }),
		show(func() int64 { return int64(len(p.state.processes.byKey)) }),
	})
}

// registerAll registers the callbacks of held bytes, held spans and known processes.
func registerAll(tel *metadata.TelemetryBuilder, callbacks []metric.Int64Callback) error {
	for i, register := range []func(metric.Int64Callback) error{
		tel.RegisterProcessorServeContextHeldBytesCallback,
		tel.RegisterProcessorServeContextHeldSpansCallback,
		tel.RegisterProcessorServeContextKnownProcessesCallback,
	} {
		if err := register(callbacks[i]); err != nil {
			return err
		}
	}
	return nil
}
