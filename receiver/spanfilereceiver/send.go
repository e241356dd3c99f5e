package spanfilereceiver

import (
	"context"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-serve/otelcol-serve/internal/delivery"
)

// maxOpenBatches bounds the memory of the ledgers, some 20 MB. A processor that
// holds spans for a minute keeps about 36,000 batches open at full speed.
const maxOpenBatches = 100_000

// obsFormat names the wire format in the receiver's own traces.
const obsFormat = "console_span"

// send hands a batch down the pipeline. Its end may come long after.
func (t *tailer) send(ctx context.Context, b *batch, td ptrace.Traces) {
	count(t.tel.ReceiverSpanFileRecordsRead, int64(b.spans), "")
	t.describe(b.file, td)
	token := delivery.New(func(err error) { t.settle(b, err) })
	op := t.obs.StartTracesOp(delivery.NewContext(ctx, token))
	err := t.next.ConsumeTraces(op, td)
	t.obs.EndTracesOp(op, obsFormat, b.spans, err)
	token.Release(err)
}

// describe adds to each resource where its spans come from.
func (t *tailer) describe(f *spanFile, td ptrace.Traces) {
	resources := td.ResourceSpans()
	for i := range resources.Len() {
		attrs := resources.At(i).Resource().Attributes()
		if t.cfg.IncludeFileName {
			putString(attrs, attrFileName, f.name())
		}
		if t.cfg.IncludeFilePath {
			putString(attrs, attrFilePath, f.path)
		}
		if t.cfg.IncludeFileProcess {
			f.origin.put(attrs)
		}
	}
}

// settle takes in how a batch ended. It runs in the goroutine of whoever let go
// of the batch last, perhaps after Shutdown has returned.
func (t *tailer) settle(b *batch, err error) {
	t.mu.Lock()
	b.file.end(b)
	t.openBatches--
	t.dirty = true
	last := t.stopped && t.openBatches == 0
	gone := b.file.gone
	switch {
	case err == nil:
		b.file.wait = 0
	case consumererror.IsPermanent(err) || gone:
	default:
		t.refused = true
		b.file.refuse(b.extent)
		b.file.refusal = err
		b.file.backOff(t.now(), t.cfg.RetryOnFailure)
	}
	t.mu.Unlock()
	switch {
	case err == nil:
	case consumererror.IsPermanent(err):
		t.giveUp(b, "permanent_error", err)
	case gone:
		t.giveUp(b, "file_gone", err)
	}
	if last {
		t.finish()
	}
}

func (t *tailer) giveUp(b *batch, reason string, err error) {
	count(t.tel.ReceiverSpanFileSpansGivenUp, int64(b.spans), reason)
	t.logger.Error("spans refused, giving them up",
		zap.String("file", b.file.path), zap.Int64("from_offset", b.from), zap.Int64("to_offset", b.to),
		zap.Int("spans", b.spans), zap.String("reason", reason), zap.Error(err))
}
