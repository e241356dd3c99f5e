package consolespan

import (
	"math"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestDecodedSpansEqualTheSDKsOwnOTLP compares every field that the format
// carries with what the same SDK exported as OTLP in the same call.
func TestDecodedSpansEqualTheSDKsOwnOTLP(t *testing.T) {
	for _, pattern := range []string{"sdk-*/seed*.json", "sdk-*/seed*.jsonl"} {
		for _, name := range files(t, pattern) {
			t.Run(name, func(t *testing.T) { compareWithOracle(t, name) })
		}
	}
}

func compareWithOracle(t *testing.T, name string) {
	t.Helper()
	oracle, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(readFile(t, strings.TrimSuffix(name, path.Ext(name))+".otlp.pb"))
	require.NoError(t, err)
	got := decodeAll(t, readFile(t, name))
	require.Empty(t, got.skips)
	require.Empty(t, got.rest)
	require.Empty(t, got.anomalies)
	require.Len(t, got.spans, oracle.ResourceSpans().Len())
	for i, f := range got.spans {
		rs := oracle.ResourceSpans().At(i)
		want := rs.ScopeSpans().At(0).Spans().At(0)
		require.Equal(t, dump(want, rs), dump(f.span, f.rs))
		compareTimes(t, times(want), times(f.span))
		if isFlatVersion(name) {
			require.Empty(t, f.rs.SchemaUrl())
		} else {
			require.Equal(t, rs.SchemaUrl(), f.rs.SchemaUrl())
		}
	}
}

// isFlatVersion says whether the SDK that wrote a recording has no schema URL in the format.
func isFlatVersion(name string) bool {
	return strings.HasPrefix(name, "sdk-1.1.0/") || strings.HasPrefix(name, "sdk-1.11.0/")
}

// compareTimes allows for what the SDK's rounding loses: testdata/README.md, Timestamps.
func compareTimes(t *testing.T, want, got []pcommon.Timestamp) {
	t.Helper()
	const year2100 = 4_102_444_800_000_000_000
	require.Len(t, got, len(want))
	for i := range want {
		tolerance := 750.0
		if want[i] >= year2100 {
			tolerance = 2500
		}
		distance := float64(int64(got[i] - want[i]))
		assert.InDelta(t, 0, distance, tolerance, "time %d ns", want[i])
	}
}

// TestTimesBefore2106AreWholeMicroseconds shows that the search for a
// nanosecond that prints alike changes nothing where it is not needed.
func TestTimesBefore2106AreWholeMicroseconds(t *testing.T) {
	checked := 0
	for name := range recordings(t) {
		for _, f := range decodeAll(t, readFile(t, name)).spans {
			for _, ns := range times(f.span) {
				if ns > 1 && ns < floatSeconds*1e9 {
					require.Zero(t, ns%1000)
					checked++
				}
			}
		}
	}
	require.Greater(t, checked, 20_000)
}

// TestTimesAfter2106ComeBack decodes what the SDK prints for times whose float
// no longer tells all microseconds apart. For many of them the printed
// microsecond itself would be printed as another one.
func TestTimesAfter2106ComeBack(t *testing.T) {
	d := NewDecoder(testMaxRecordSize)
	moved := 0
	const first, steps = floatSeconds * 1_000_000_000, 11_000
	for i := range uint64(steps) {
		ns := first + i*((math.MaxUint64-first)/steps)
		seconds, micros := sdkTime(ns)
		got := d.nanoseconds(int64(seconds), int64(micros*1000))
		seconds2, micros2 := sdkTime(uint64(got))
		require.Equal(t, [2]uint64{seconds, micros}, [2]uint64{seconds2, micros2}, "%d ns", ns)
		require.InDelta(t, 0, float64(int64(uint64(got)-ns)), 4000, "%d ns", ns) // a float64 step is 3.8 µs
		if got%1000 != 0 {
			moved++
		}
	}
	require.Greater(t, moved, 1000)
	require.Zero(t, d.Anomalies()[AnomalyTimeRange])
}
