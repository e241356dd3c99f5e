package sampling

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
)

func TestDefaultConfigIsValid(t *testing.T) {
	cfg := NewDefaultConfig()
	assert.NoError(t, cfg.Validate())
	assert.NoError(t, componenttest.CheckConfigStruct(&cfg))
}

func TestConfigErrorsNameTheKey(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Config)
	}{
		{"sampling::ratio must be between 0 and 1", func(c *Config) { c.Ratio = 1.1 }},
		{"sampling::ratio must be between 0 and 1", func(c *Config) { c.Ratio = math.NaN() }},
		{"sampling::head_ratio must be greater than 0 and at most 1", func(c *Config) { c.HeadRatio = 0 }},
		{"sampling::head_ratio must be greater than 0 and at most 1", func(c *Config) { c.HeadRatio = 2 }},
		{"sampling::rules::0::ratio must be between 0 and 1", func(c *Config) { c.Rules = []RuleConfig{{Route: "/", Ratio: -0.1}} }},
		{"sampling::rules::1::route must not be empty", func(c *Config) { c.Rules = []RuleConfig{{Route: "/"}, {}} }},
		{`sampling::headless must be "mark" or "drop"`, func(c *Config) { c.Headless = "keep" }},
	} {
		cfg := NewDefaultConfig()
		c.change(&cfg)
		require.EqualError(t, cfg.Validate(), c.want)
		_, err := NewRules(cfg)
		assert.EqualError(t, err, c.want)
	}
}

func TestConfigReportsAllErrorsAtOnce(t *testing.T) {
	cfg := Config{Ratio: 2, HeadRatio: 2, Headless: HeadlessMark}
	err := cfg.Validate()
	require.ErrorContains(t, err, "sampling::ratio")
	assert.ErrorContains(t, err, "sampling::head_ratio")
}

func TestConfigIsReadFromItsKeys(t *testing.T) {
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(
		`{ratio: 0.1, head_ratio: 0.2, rules: [{route: "/chat*", ratio: 0.5}], file: f.yaml, headless: drop, dry_run: true}`))
	require.NoError(t, err)
	keys, err := retrieved.AsConf()
	require.NoError(t, err)
	cfg := NewDefaultConfig()
	require.NoError(t, keys.Unmarshal(&cfg))
	assert.Equal(t, Config{
		Ratio: 0.1, HeadRatio: 0.2, Rules: []RuleConfig{{Route: "/chat*", Ratio: 0.5}},
		File: "f.yaml", Headless: HeadlessDrop, DryRun: true,
	}, cfg)
}
