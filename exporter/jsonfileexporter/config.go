package jsonfileexporter

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-serve/otelcol-serve/internal/bytesize"
)

// Format is what a file consists of.
type Format string

const (
	// FormatConsole is what Python's ConsoleSpanExporter writes, one object a span.
	FormatConsole Format = "console"
	// FormatOTLPJSON is OTLP JSON, one object a line, as otlp_json_file reads it.
	FormatOTLPJSON Format = "otlp_json"
)

// Framing is how console spans follow each other.
type Framing string

const (
	// FramingLines is one span a line.
	FramingLines Framing = "lines"
	// FramingPretty is the SDK's default: indented by 4, one object after the other.
	FramingPretty Framing = "pretty"
)

// Sync is what a push waits for.
type Sync string

const (
	// SyncBatch waits for fsync: what was accepted survives a power cut.
	SyncBatch Sync = "batch"
	// SyncNone waits for write: what was accepted survives a crash of the collector.
	SyncNone Sync = "none"
)

// Compression is how backups are packed.
type Compression string

const (
	// CompressionNone leaves backups as they are.
	CompressionNone Compression = "none"
	// CompressionGzip packs backups into .gz files.
	CompressionGzip Compression = "gzip"
	// CompressionZstd packs backups into .zst files.
	CompressionZstd Compression = "zstd"
)

// Config of the exporter.
type Config struct {
	// Path of the file. {name} stands for a resource attribute; spans of resources
	// that differ in it go to different files.
	Path string `mapstructure:"path"`
	// Format of the file.
	Format Format `mapstructure:"format"`
	// Framing of console spans; format otlp_json has lines only.
	Framing Framing `mapstructure:"framing"`
	// Sync says what a push waits for before it is accepted.
	Sync Sync `mapstructure:"sync"`
	// Rotation renames full files to backups.
	Rotation RotationConfig `mapstructure:"rotation"`
	// MaxOpenFiles bounds the descriptors of a path with attributes; the file
	// used longest ago is closed first.
	MaxOpenFiles int `mapstructure:"max_open_files"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// RotationConfig says when a file becomes a backup, and what happens to backups.
type RotationConfig struct {
	// MaxSize of a file, in bytes or with a unit ("100MiB"); 0 never rotates. Only a
	// file that holds a single, larger record exceeds it.
	MaxSize bytesize.Size `mapstructure:"max_size"`
	// MaxBackups is the number of backups kept for each path; 0 keeps all.
	MaxBackups int `mapstructure:"max_backups"`
	// MaxAge is how long a backup is kept after its rotation; 0 keeps it for ever.
	MaxAge time.Duration `mapstructure:"max_age"`
	// Compression of backups.
	Compression Compression `mapstructure:"compression"`

	// prevent unkeyed literal initialization
	_ struct{}
}

var _ component.Config = (*Config)(nil)

func createDefaultConfig() component.Config {
	return &Config{
		Format:       FormatConsole,
		Framing:      FramingLines,
		Sync:         SyncBatch,
		MaxOpenFiles: 100,
		Rotation:     RotationConfig{Compression: CompressionNone},
	}
}

// Validate checks the configuration; each error names its key.
func (cfg *Config) Validate() error {
	_, err := parseTemplate(cfg.Path)
	if err == nil {
		err = oneOf("format", cfg.Format, FormatConsole, FormatOTLPJSON)
	}
	if err == nil {
		err = oneOf("framing", cfg.Framing, FramingLines, FramingPretty)
	}
	if err == nil {
		err = oneOf("sync", cfg.Sync, SyncBatch, SyncNone)
	}
	switch {
	case err != nil:
		return err
	case cfg.Format == FormatOTLPJSON && cfg.Framing == FramingPretty:
		return errors.New("framing: pretty needs format: console; otlp_json is written one object a line")
	case cfg.MaxOpenFiles < 1:
		return fmt.Errorf("max_open_files must be at least 1, not %d", cfg.MaxOpenFiles)
	}
	return nil
}

// Validate checks the rotation's keys.
func (r *RotationConfig) Validate() error {
	if err := oneOf("compression", r.Compression, CompressionNone, CompressionGzip, CompressionZstd); err != nil {
		return err
	}
	switch {
	case r.MaxSize < 0:
		return fmt.Errorf("max_size must not be negative: %d", r.MaxSize)
	case r.MaxBackups < 0:
		return fmt.Errorf("max_backups must not be negative: %d", r.MaxBackups)
	case r.MaxAge < 0:
		return fmt.Errorf("max_age must not be negative: %s", r.MaxAge)
	case r.MaxSize > 0:
		return nil
	case r.MaxBackups > 0:
		return errors.New("max_backups needs max_size: without it no file becomes a backup")
	case r.MaxAge > 0:
		return errors.New("max_age needs max_size: without it no file becomes a backup")
	case r.Compression != CompressionNone:
		return errors.New("compression needs max_size: without it no file becomes a backup")
	}
	return nil
}

func oneOf[T ~string](key string, value T, allowed ...T) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%s must be one of %q, not %q", key, allowed, value)
}
