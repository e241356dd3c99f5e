package sampling

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

func TestRatioThresholdIsTotal(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		want  uint64
	}{
		{1, 0},
		{0.5, 1 << 55},
		{0, 1 << 56},
		{0x1p-56, 1<<56 - 1},
		{0x1p-57, 1<<56 - 1},
		{math.SmallestNonzeroFloat64, 1<<56 - 1},
		{2, 0},
		{-1, 0},
		{math.Inf(1), 0},
		{math.NaN(), 0},
	} {
		assert.Equal(t, c.want, RatioThreshold(c.ratio).Unsigned(), "ratio %g", c.ratio)
	}
}

func TestHeadThresholdIsTotal(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		want  uint64
	}{
		{1, 0},
		{0.5, 1 << 55},
		{0x1p-56, 1<<56 - 1},
		{0x1p-64, 1<<56 - 1}, // The SDK keeps low64 == 0 alone, which shares its R with 255 others.
		{0x1p-66, 1 << 56},   // The SDK rounds the bound to 0 and keeps nothing.
		{0, 1 << 56},
		{1 - 0x1p-53, 8},
		{2, 0},
		{-1, 0},
		{math.NaN(), 0},
	} {
		assert.Equal(t, c.want, HeadThreshold(c.ratio).Unsigned(), "ratio %g", c.ratio)
	}
}

func TestHeadThresholdIsTheRatiosFromOneSixteenthOn(t *testing.T) {
	draw := newDraw(1)
	for range 100_000 {
		ratio := 1.0/16 + draw.Float64()*15/16
		require.Equal(t, RatioThreshold(ratio), HeadThreshold(ratio), "ratio %g", ratio)
	}
}

func TestExplicitRandomnessIsReadFromAnyPlaceInTheTracestate(t *testing.T) {
	want, err := otelsampling.UnsignedToRandomness(0xabcdef01234567)
	require.NoError(t, err)
	for _, state := range []string{
		"ot=rv:abcdef01234567",
		"ot=th:8;rv:abcdef01234567,vendor=x y",
		"vendor=x y, ot=th:8;x:1;rv:abcdef01234567",
	} {
		r, ok := ExplicitRandomness(state)
		assert.True(t, ok, state)
		assert.Equal(t, want, r, state)
	}
	for _, state := range []string{
		"", "vendor=1", "ot=th:8", "ot=rv:abcdef", "ot=rv:abcdef0123456g", "vendor=rv:abcdef01234567", "ot=rv:abcdef01234567,=",
	} {
		_, ok := ExplicitRandomness(state)
		assert.False(t, ok, state)
	}
}
