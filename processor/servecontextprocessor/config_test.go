package servecontextprocessor

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/otelcol-serve/otelcol-serve/internal/bytesize"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/names"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
)

func loadConfig(t *testing.T, path string) (*Config, error) {
	t.Helper()
	cm, err := confmaptest.LoadConf(path)
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := cm.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

// configFiles returns the yaml files of a folder; their names begin with the key they are about.
func configFiles(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "config", folder, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

func TestValidConfigs(t *testing.T) {
	for _, path := range configFiles(t, "valid") {
		_, err := loadConfig(t, path)
		assert.NoError(t, err, path)
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	cfg, err := loadConfig(t, filepath.Join("testdata", "config", "valid", "all.yaml"))
	require.NoError(t, err)
	on := true
	assert.Equal(t, &Config{
		Wait: 5 * time.Minute, ShutdownTimeout: 10 * time.Second, MaxSpans: 1000, MaxBytes: 64 * bytesize.MiB,
		Names: names.Config{
			Preset:      names.PresetAgent,
			ServiceName: names.ServiceName{Enabled: &on, Template: "{deployment}", Proxy: "entry", Override: true},
			Kinds:       &on,
		},
		Sampling: sampling.Config{
			Ratio: 0.5, HeadRatio: 0.2, Rules: []sampling.RuleConfig{{Route: "/chat*", Ratio: 0.1}},
			File: "/etc/otelcol-serve/sampling.yaml", Headless: sampling.HeadlessDrop, DryRun: true,
		},
	}, cfg)
}

func TestInvalidConfigsNameTheKey(t *testing.T) {
	keys := []string{"wait", "shutdown_timeout", "max_spans", "max_bytes", "context", "names", "sampling"}
	covered := make(map[string]bool)
	for _, path := range configFiles(t, "invalid") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		key := "max_span" // the one that is no key at all
		for _, k := range keys {
			if strings.HasPrefix(name, k) {
				key = k
			}
		}
		covered[key] = true
		_, err := loadConfig(t, path)
		require.ErrorContains(t, err, key, path)
	}
	for _, key := range keys {
		assert.True(t, covered[key], key)
	}
}
