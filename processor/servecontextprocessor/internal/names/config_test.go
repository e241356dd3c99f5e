package names

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

func TestConfigErrorNamesTheKey(t *testing.T) {
	for want, settings := range map[string]map[string]any{
		`preset must be serve, agent or none, not "datadog"`:                                             {"preset": "datadog"},
		"kinds has no effect with preset none":                                                           {"preset": "none", "kinds": true},
		"service_name::enabled has no effect with preset none":                                           {"preset": "none", "service_name::enabled": true},
		"service_name::template: must not be empty":                                                      {"service_name::template": ""},
		"service_name::template: no } after {app":                                                        {"service_name::template": "{app"},
		"service_name::template: unknown member {route}; there are {app}, {deployment} and {replica_id}": {"service_name::template": "{app}{route}"},
		"service_name::proxy must not be empty":                                                          {"service_name::proxy": ""},
		"service_name::override has no effect without service_name::enabled":                             {"preset": "agent", "service_name::override": true},
		"": {"preset": "agent", "service_name::override": true, "service_name::enabled": true},
	} {
		c := DefaultConfig()
		require.NoError(t, confmap.NewFromStringMap(settings).Unmarshal(&c))
		_, err := New(c)
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, want)
		}
	}
}

func TestSwitchWinsOverPreset(t *testing.T) {
	on, off := true, false
	serveButOne := rewriter(t, func(c *Config) { c.Kinds = &off })
	assert.False(t, serveButOne.kinds)
	assert.True(t, serveButOne.routes)
	agentAndOne := rewriter(t, func(c *Config) { c.Preset, c.Kinds = PresetAgent, &on })
	assert.True(t, agentAndOne.kinds)
	assert.False(t, agentAndOne.routes)
}

func TestTemplateNamesNothingHalfKnown(t *testing.T) {
	for source, want := range map[string]string{
		"{app}.{deployment}": "chat.Llm",
		"serve":              "serve",
		"a{deployment}b":     "aLlmb",
		"{app}/{replica_id}": "",
	} {
		parsed, err := parseTemplate(source)
		require.NoError(t, err)
		assert.Equal(t, want, parsed.of(&serve.Process{App: "chat", Deployment: "Llm"}), source)
	}
}
