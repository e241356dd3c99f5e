package bytesize

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

func TestSizesAsUsersWriteThem(t *testing.T) {
	for text, want := range map[string]Size{
		"65536": 65536, "0": 0, "64KiB": 64 * KiB, "4MiB": 4 * MiB, "4 mib": 4 * MiB, "10MB": 10e6, "1.5GB": 15e8, "2GiB": 2 * GiB,
	} {
		var s Size
		require.NoError(t, s.UnmarshalText([]byte(text)), text)
		assert.Equal(t, want, s, text)
	}
}

func TestNoSizes(t *testing.T) {
	for _, text := range []string{"", "-1", "4 apples", "MiB", "10000000TiB", "NaN", "1,5GB"} {
		var s Size
		assert.ErrorContains(t, s.UnmarshalText([]byte(text)), "is not a number of bytes such as", text)
	}
}

func TestSizeIsReadFromYAMLNumbersAndTexts(t *testing.T) {
	var config struct {
		Number Size `mapstructure:"number"`
		Text   Size `mapstructure:"text"`
	}
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"number": 42, "text": "1MiB"}).Unmarshal(&config))
	assert.Equal(t, Size(42), config.Number)
	assert.Equal(t, MiB, config.Text)
}
