package spanfilereceiver

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
	"github.com/otelcol-serve/otelcol-serve/receiver/spanfilereceiver/internal/metadata"
)

// count adds n to c, under a reason unless that is empty. Metrics are counted
// whatever becomes of the context of a send, so they take none of it.
func count(c metric.Int64Counter, n int64, reason string) {
	switch {
	case n == 0:
	case reason == "":
		c.Add(context.Background(), n)
	default:
		c.Add(context.Background(), n,
			metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", reason))))
	}
}

// levels are what the asynchronous metrics show. The loop writes them, the
// reader of the metrics reads them in a goroutine of its own.
type levels struct {
	known, open, lag atomic.Int64
}

func (l *levels) register(tel *metadata.TelemetryBuilder) error {
	show := func(v *atomic.Int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(v.Load())
			return nil
		}
	}
	if err := tel.RegisterReceiverSpanFileKnownFilesCallback(show(&l.known)); err != nil {
		return err
	}
	if err := tel.RegisterReceiverSpanFileOpenFilesCallback(show(&l.open)); err != nil {
		return err
	}
	return tel.RegisterReceiverSpanFileLagCallback(show(&l.lag))
}

// countAnomalies adds what the codec counted since the last call.
func (t *tailer) countAnomalies() {
	for reason, n := range t.dec.Anomalies() {
		count(t.tel.ReceiverSpanFileFieldAnomalies, n-t.anomalies[reason], consolespan.Anomaly(reason).String())
		t.anomalies[reason] = n
	}
}
