package servecontextprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// metricOf sums a metric over the points that have the value as one of their attributes,
// or over all if it is "". A metric that was never counted is 0.
func metricOf(tb testing.TB, tele *componenttest.Telemetry, name, value string) int64 {
	tb.Helper()
	m, err := tele.GetMetric("otelcol_" + name)
	if err != nil {
		return 0
	}
	var points []metricdata.DataPoint[int64]
	switch all := m.Data.(type) {
	case metricdata.Sum[int64]:
		points = all.DataPoints
	case metricdata.Gauge[int64]:
		points = all.DataPoints
	default:
		require.Fail(tb, "no number", name)
	}
	var sum int64
	for _, point := range points {
		if value == "" || has(point.Attributes, value) {
			sum += point.Value
		}
	}
	return sum
}

func has(attrs attribute.Set, value string) bool {
	for _, kv := range attrs.ToSlice() {
		if kv.Value.AsString() == value {
			return true
		}
	}
	return false
}
