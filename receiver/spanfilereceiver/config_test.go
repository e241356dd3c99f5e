package spanfilereceiver

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/otelcol-serve/otelcol-serve/internal/bytesize"
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

func TestConfigStruct(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(createDefaultConfig()))
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
	id := component.MustNewIDWithName("file_storage", "spans")
	assert.Equal(t, &Config{
		Include: []string{"/tmp/ray/session_latest/logs/serve/spans/*.json", "/tmp/spans/**/*.txt"},
		Exclude: []string{"/tmp/spans/**/old*"}, StartAt: StartAtEnd, IgnoreOlder: time.Hour,
		PollInterval: 50 * time.Millisecond, Storage: &id, MaxRecordSize: bytesize.MiB, MaxBatchSpans: 10,
		MaxOpenFiles: 20, DrainTimeout: time.Second,
		RetryOnFailure: RetryConfig{InitialInterval: 100 * time.Millisecond, MaxInterval: time.Second},
		ReleaseDisk:    true, DeleteAfter: 48 * time.Hour,
	}, cfg)
}

func TestInvalidConfigsNameTheKey(t *testing.T) {
	keys := []string{
		"include", "exclude", "start_at", "ignore_older", "poll_interval", "storage", "max_record_size",
		"max_batch_spans", "max_open_files", "drain_timeout", "retry_on_failure", "delete_after",
	}
	covered := make(map[string]bool)
	for _, path := range configFiles(t, "invalid") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		key := "pol_interval" // the one that is no key at all
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
