package spanfilereceiver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-serve/otelcol-serve/receiver/spanfilereceiver/internal/metadatatest"
)

func TestReadingIsCounted(t *testing.T) {
	b := newBench(t, nil)
	noise := "some log line\n"
	b.write("a.json", records("a", 0, 3)+noise+record("b"))
	b.settleDown()
	ignore := metricdatatest.IgnoreTimestamp()
	size := int64(len(records("a", 0, 3) + noise + record("b")))
	metadatatest.AssertEqualReceiverSpanFileRecordsRead(t, b.tele, []metricdata.DataPoint[int64]{{Value: 4}}, ignore)
	metadatatest.AssertEqualReceiverSpanFileBytesRead(t, b.tele, []metricdata.DataPoint[int64]{{Value: size}}, ignore)
	garbage := attribute.NewSet(attribute.String("reason", "garbage"))
	metadatatest.AssertEqualReceiverSpanFileRecordsSkipped(t, b.tele,
		[]metricdata.DataPoint[int64]{{Value: 1, Attributes: garbage}}, ignore)
	metadatatest.AssertEqualReceiverSpanFileBytesSkipped(t, b.tele,
		[]metricdata.DataPoint[int64]{{Value: int64(len(noise)), Attributes: garbage}}, ignore)
	accepted, err := b.tele.GetMetric("otelcol_receiver_accepted_spans")
	require.NoError(t, err)
	assert.EqualValues(t, 4, sumOf(t, accepted, ""))
}

func TestLagIsWhatIsNotDelivered(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
	b.out.hold = true
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	ignore := metricdatatest.IgnoreTimestamp()
	size := len(records("a", 0, 3))
	metadatatest.AssertEqualReceiverSpanFileLag(t, b.tele, []metricdata.DataPoint[int64]{{Value: int64(size)}}, ignore)
	b.out.held[0].Release(nil)
	b.run(b.cfg.PollInterval)
	left := int64(size - endOf(record("a0")))
	metadatatest.AssertEqualReceiverSpanFileLag(t, b.tele, []metricdata.DataPoint[int64]{{Value: left}}, ignore)
	b.out.held[1].Release(nil)
	b.out.held[2].Release(nil)
	b.run(b.cfg.PollInterval)
	metadatatest.AssertEqualReceiverSpanFileLag(t, b.tele, []metricdata.DataPoint[int64]{{Value: 0}}, ignore)
}

func TestAnomaliesAreCountedByReason(t *testing.T) {
	b := newBench(t, nil)
	odd := `{"name": "odd", "context": {"trace_id": "0x00000000000000000000000000000001", "span_id": "0x0000000000000001", "trace_state": "[]"}, ` +
		`"kind": "SpanKind.INTERNAL", "parent_id": null, "start_time": null, "end_time": null, "status": {"status_code": "UNSET"}, ` +
		`"attributes": {}, "events": [], "links": [], "resource": {"attributes": {}, "schema_url": ""}, "novelty": 1}` + "\n"
	b.write("a.json", odd+odd)
	b.settleDown()
	require.Equal(t, []string{"odd", "odd"}, b.out.got)
	assert.EqualValues(t, 2, b.metric("receiver_span_file_field_anomalies", "unknown_member"))
}

func TestLogTellsStartAndEndAndEachReasonOnce(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", "x\n"+record("a")+"y\n"+record("b"))
	b.run(10 * time.Second)
	b.ok(removeFile(b.path("a.json")))
	b.run(10 * time.Second)
	var messages []string
	for _, e := range b.logs.All() {
		messages = append(messages, e.Message)
	}
	assert.Equal(t, []string{
		"reading span file", "skipped bytes that are no span; more of them in this file are only counted", "span file ended",
	}, messages)
	assert.EqualValues(t, 0, b.logs.All()[1].ContextMap()["offset"])
}

func TestHeldBatchesBeyondTheLimitAreAFault(t *testing.T) {
	b := newBench(t, nil)
	b.openBatches = maxOpenBatches
	b.run(time.Second)
	assert.Equal(t, 1, b.logs.FilterMessage("cannot go on with it for now").Len())
	b.openBatches = 0
	b.run(time.Second)
	assert.Empty(t, b.reports.faults)
}
