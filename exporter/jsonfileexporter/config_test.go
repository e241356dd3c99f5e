package jsonfileexporter

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// load reads the exporter's part of a file as the collector does.
func load(t *testing.T, file string) (*Config, error) {
	t.Helper()
	conf, err := confmaptest.LoadConf(file)
	require.NoError(t, err)
	part, err := conf.Sub("json_file")
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := part.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func TestInvalidConfigNamesTheKey(t *testing.T) {
	files, err := filepath.Glob("testdata/config/invalid/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			conf, err := confmaptest.LoadConf(file)
			require.NoError(t, err)
			want, ok := conf.Get("error").(string)
			require.True(t, ok, "the file must say which error it expects")
			_, err = load(t, file)
			require.ErrorContains(t, err, want)
		})
	}
}

func TestValidConfigIsReadAsWritten(t *testing.T) {
	for _, tt := range []struct {
		file string
		want *Config
	}{
		{"defaults", &Config{
			Path: "/var/spans/spans.json", Format: FormatConsole, Framing: FramingLines, Sync: SyncBatch,
			MaxOpenFiles: 100, Rotation: RotationConfig{Compression: CompressionNone},
		}},
		{"all_keys", &Config{
			Path: "/var/spans/{service.name}/{ray.serve.app}.json", Format: FormatConsole, Framing: FramingPretty,
			Sync: SyncNone, MaxOpenFiles: 7,
			Rotation: RotationConfig{MaxSize: 100 << 20, MaxBackups: 3, MaxAge: 48 * time.Hour, Compression: CompressionZstd},
		}},
		{"otlp_json", &Config{
			Path: "spans.json", Format: FormatOTLPJSON, Framing: FramingLines, Sync: SyncBatch, MaxOpenFiles: 100,
			Rotation: RotationConfig{MaxSize: 4096, Compression: CompressionGzip},
		}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			cfg, err := load(t, "testdata/config/valid/"+tt.file+".yaml")
			require.NoError(t, err)
			assert.Equal(t, tt.want, cfg)
		})
	}
}
