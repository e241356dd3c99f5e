package servecontextprocessor

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
)

const (
	// sendSpans is how many spans make a parcel. A fragment is never divided.
	sendSpans = 1000
	// maxLeaving is how many spans may be on their way out before ConsumeTraces waits.
	maxLeaving = 8 * sendSpans

	minBackoff = time.Second
	maxBackoff = 30 * time.Second
)

// pack makes parcels of at least limit spans of an outbox and gives each to deliver: one
// for spans that come again by themselves, one for those that do not, because they end
// differently when refused.
func (p *serveContext) pack(out *outbox, limit int, deliver func(*parcel)) {
	var parcels [2]*parcel
	spans := out.spans
	for i := range out.fragments {
		f := &out.fragments[i]
		m := marksOf(f.identity, f.request)
		for _, h := range spans[:f.n] {
			kind := 0
			if h.arrival.token != nil {
				kind = 1
			}
			if parcels[kind] == nil {
				parcels[kind] = newParcel(kind == 1)
			}
			p.writer.add(parcels[kind], h, f, &m)
		}
		spans = spans[f.n:]
		for kind, full := range parcels {
			if full != nil && full.spans >= limit {
				parcels[kind] = nil
				deliver(full)
			}
		}
	}
	for _, rest := range parcels {
		if rest != nil {
			deliver(rest)
		}
	}
}

// deliver sends a parcel until it has ended: accepted, or refused and not to be sent
// again by us.
func (p *serveContext) deliver(ctx context.Context, parcel *parcel) {
	for {
		err := p.send(ctx, parcel)
		if ctx.Err() == nil {
			p.judge(err)
		}
		retry := err != nil && !consumererror.IsPermanent(err)
		if retry && !parcel.again && p.pause(ctx) {
			continue
		}
		p.account(parcel, err)
		p.settle(parcel, err)
		if retry {
			p.pause(ctx)
		}
		return
	}
}

// send hands a parcel over. What a component that may change it has seen is never
// sent again: such a one gets a copy, if there may be another time.
func (p *serveContext) send(ctx context.Context, parcel *parcel) error {
	if ctx.Err() != nil {
		return fmt.Errorf("send spans before the end of shutdown_timeout: %w", ctx.Err())
	}
	td := parcel.traces
	if !parcel.again && p.next.Capabilities().MutatesData {
		td = ptrace.NewTraces()
		parcel.traces.CopyTo(td)
	}
	return p.next.ConsumeTraces(ctx, td)
}

// account counts how a parcel ended.
func (p *serveContext) account(parcel *parcel, err error) {
	p.meter.noted(parcel.notes)
	switch {
	case err == nil:
		p.meter.outgoing(parcel.spans)
	case consumererror.IsPermanent(err):
		p.meter.lost(parcel.spans, "permanent_error")
	case !parcel.again:
		p.meter.lost(parcel.spans, "shutdown")
	}
}

// settle tells the arrivals how their spans ended.
func (p *serveContext) settle(parcel *parcel, err error) {
	p.lock()
	defer p.unlock()
	p.state.leaving.spans -= parcel.spans
	p.state.leaving.bytes -= parcel.bytes
	for _, s := range parcel.shares {
		p.state.end(s.arrival, s.n, err)
	}
	p.wakeWaiting()
}

// judge takes in how a send went: from a refusal on nothing is accepted until a
// send is, so that the pressure goes back to where the spans come from.
func (p *serveContext) judge(err error) {
	p.lock()
	before := p.refusal
	switch {
	case err == nil:
		p.refusal, p.backoff = nil, 0
	case consumererror.IsPermanent(err):
		// It says nothing about the next spans.
	default:
		p.refusal = err
		p.backoff = min(max(2*p.backoff, minBackoff), maxBackoff)
		p.retryAt = p.now().Add(p.backoff)
		p.wakeWaiting()
	}
	after := p.refusal
	p.unlock()
	p.announce(before, after, err)
}

// announce says when refusing begins and ends, and what is given up.
func (p *serveContext) announce(before, after, err error) {
	switch {
	case err != nil && consumererror.IsPermanent(err):
		p.logger.Error("spans refused for good, dropping them", zap.Error(err))
	case before == nil && after != nil:
		p.logger.Warn("spans refused, no more are accepted until some are taken", zap.Error(err))
		componentstatus.ReportStatus(p.host, componentstatus.NewRecoverableErrorEvent(err))
	case before != nil && after == nil:
		p.logger.Info("spans are taken again")
		componentstatus.ReportStatus(p.host, componentstatus.NewEvent(componentstatus.StatusOK))
	}
	if after != nil && err != nil && !consumererror.IsPermanent(err) {
		count(p.meter.tel.ProcessorServeContextRefusedSends, 1, "", "")
	}
}

// pause waits until it is time to try again. It returns whether there will be a time.
// When the processor stops, it is time at once, and then every minBackoff.
func (p *serveContext) pause(ctx context.Context) bool {
	p.lock()
	wait, stop := p.retryAt.Sub(p.now()), p.stop
	if p.stopping {
		wait, stop = min(wait, minBackoff), nil
	}
	p.unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stop:
		return true
	case <-ctx.Done():
		return false
	}
}
