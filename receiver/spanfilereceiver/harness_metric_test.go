package spanfilereceiver

import (
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// sumOf adds up the data points of m whose attribute "reason" is reason, or all if it is empty.
func sumOf(t *testing.T, m metricdata.Metrics, reason string) int64 {
	t.Helper()
	var points []metricdata.DataPoint[int64]
	switch d := m.Data.(type) {
	case metricdata.Sum[int64]:
		points = d.DataPoints
	case metricdata.Gauge[int64]:
		points = d.DataPoints
	default:
		require.Fail(t, "unexpected kind of metric", m.Name)
	}
	var sum int64
	for _, p := range points {
		value, _ := p.Attributes.Value("reason")
		if reason == "" || value.AsString() == reason {
			sum += p.Value
		}
	}
	return sum
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}

// endOf is where a full batch that ends with text's last record ends: white space
// behind a record belongs to the next batch.
func endOf(text string) int {
	return len(strings.TrimRight(text, "\n"))
}
