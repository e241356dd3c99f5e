package spanfilereceiver

import (
	"errors"
	"fmt"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-serve/otelcol-serve/internal/bytesize"
)

// StartAt says where in a file reading begins when nothing is known about it.
type StartAt string

const (
	// StartAtBeginning reads files from their first byte.
	StartAtBeginning StartAt = "beginning"
	// StartAtEnd passes over what stands in the files at the first start.
	StartAtEnd StartAt = "end"
)

// Config of span_file. The keys are file_log's where file_log has the same notion.
type Config struct {
	// Include and Exclude are doublestar globs of the files to read and not to read.
	Include []string `mapstructure:"include"`
	Exclude []string `mapstructure:"exclude"`
	// StartAt holds for the files found at the first start, when there is no checkpoint.
	StartAt StartAt `mapstructure:"start_at"`
	// IgnoreOlder passes over the content of files that have not changed for that
	// long when they are found at the first start. 0 reads all.
	IgnoreOlder time.Duration `mapstructure:"ignore_older"`
	// PollInterval is the time between two looks at files that are being written.
	PollInterval time.Duration `mapstructure:"poll_interval"`
	// Storage is the storage extension that keeps the offsets over restarts.
	Storage *component.ID `mapstructure:"storage"`

	// MaxRecordSize is the size of a record beyond which it is skipped.
	MaxRecordSize bytesize.Size `mapstructure:"max_record_size"`
	// MaxBatchSpans is the number of spans sent down the pipeline at once.
	MaxBatchSpans int `mapstructure:"max_batch_spans"`
	// MaxOpenFiles is the number of files held open at once, at most half of what the system allows the process.
	MaxOpenFiles int `mapstructure:"max_open_files"`
	// DrainTimeout is the time that Shutdown goes on reading.
	DrainTimeout time.Duration `mapstructure:"drain_timeout"`
	// RetryOnFailure is the waiting time after a refused batch.
	RetryOnFailure RetryConfig `mapstructure:"retry_on_failure"`

	// IncludeFileName adds the resource attribute log.file.name.
	IncludeFileName bool `mapstructure:"include_file_name"`
	// IncludeFilePath adds the resource attribute log.file.path.
	IncludeFilePath bool `mapstructure:"include_file_path"`
	// IncludeFileProcess adds what the file's name says about the process.
	IncludeFileProcess bool `mapstructure:"include_file_process"`

	// ReleaseDisk gives the disk space of delivered spans back to the file system.
	ReleaseDisk bool `mapstructure:"release_disk"`
	// DeleteAfter removes a former Ray session directory once its span files
	// are delivered and nothing in it has changed for that long. 0 removes nothing.
	DeleteAfter time.Duration `mapstructure:"delete_after"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// RetryConfig is how long to wait before a refused batch is read and sent
// again: at first InitialInterval, then each time twice as long up to MaxInterval.
// There is no end to it: the spans stay in their file until they are accepted.
type RetryConfig struct {
	InitialInterval time.Duration `mapstructure:"initial_interval"`
	MaxInterval     time.Duration `mapstructure:"max_interval"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// defaultInclude names the real session directories and not session_latest, so that
// the last spans of the session before are read too.
const defaultInclude = "/tmp/ray/session_2*/logs/serve/spans/*.json"

func createDefaultConfig() component.Config {
	return &Config{
		Include:        []string{defaultInclude},
		StartAt:        StartAtBeginning,
		IgnoreOlder:    24 * time.Hour,
		PollInterval:   200 * time.Millisecond,
		MaxRecordSize:  4 * bytesize.MiB,
		MaxBatchSpans:  1000,
		MaxOpenFiles:   1024,
		DrainTimeout:   3 * time.Second,
		RetryOnFailure: RetryConfig{InitialInterval: time.Second, MaxInterval: 30 * time.Second},

		IncludeFileName:    true,
		IncludeFilePath:    true,
		IncludeFileProcess: true,
	}
}

// Validate reports every rule that is broken, each with its key.
func (c *Config) Validate() error {
	errs := []error{c.validateFiles()}
	if c.StartAt != StartAtBeginning && c.StartAt != StartAtEnd {
		errs = append(errs, fmt.Errorf("start_at must be beginning or end, not %q", c.StartAt))
	}
	for _, rule := range []struct {
		holds   bool
		message string
	}{
		{c.IgnoreOlder >= 0, "ignore_older must not be negative"},
		{c.PollInterval > 0, "poll_interval must be positive"},
		{c.MaxRecordSize > 0, "max_record_size must be positive"},
		{c.MaxRecordSize <= maxRecordSizeLimit, "max_record_size must not be above 1GiB"},
		{c.MaxBatchSpans > 0, "max_batch_spans must be positive"},
		{c.MaxOpenFiles > 0, "max_open_files must be positive"},
		{c.DrainTimeout >= 0, "drain_timeout must not be negative"},
		{c.RetryOnFailure.InitialInterval > 0, "retry_on_failure::initial_interval must be positive"},
		{
			c.RetryOnFailure.MaxInterval >= c.RetryOnFailure.InitialInterval,
			"retry_on_failure::max_interval must not be below initial_interval",
		},
		{c.DeleteAfter >= 0, "delete_after must not be negative"},
	} {
		if !rule.holds {
			errs = append(errs, errors.New(rule.message))
		}
	}
	return errors.Join(errs...)
}

func (c *Config) validateFiles() error {
	var errs []error
	if len(c.Include) == 0 {
		errs = append(errs, errors.New("include must name at least one file or glob"))
	}
	for _, pattern := range c.Include {
		if pattern == "" || !doublestar.ValidatePathPattern(pattern) {
			errs = append(errs, fmt.Errorf("include holds %q, which is not a glob", pattern))
		}
	}
	for _, pattern := range c.Exclude {
		if pattern == "" || !doublestar.ValidatePathPattern(pattern) {
			errs = append(errs, fmt.Errorf("exclude holds %q, which is not a glob", pattern))
		}
	}
	return errors.Join(errs...)
}

// maxRecordSizeLimit keeps a slip of the pen from filling the memory: a record is held whole.
const maxRecordSizeLimit = bytesize.GiB
