package servecontextprocessor

import (
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-serve/otelcol-serve/internal/bytesize"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/names"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/sampling"
)

// Config of serve_context.
type Config struct {
	// Wait is the longest that a span is held for its local root. At 0 nothing is
	// held: spans leave with what is known, in the caller's goroutine.
	Wait time.Duration `mapstructure:"wait"`
	// ShutdownTimeout is the time that Shutdown goes on sending what is held.
	ShutdownTimeout time.Duration `mapstructure:"shutdown_timeout"`
	// MaxSpans and MaxBytes are how many spans, and about how much memory of theirs,
	// are held at once. Beyond, the oldest leave with what is known.
	MaxSpans int           `mapstructure:"max_spans"`
	MaxBytes bytesize.Size `mapstructure:"max_bytes"`

	Context  ContextConfig   `mapstructure:"context"`
	Names    names.Config    `mapstructure:"names"`
	Sampling sampling.Config `mapstructure:"sampling"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// ContextConfig is the duty that says of each span to which request it belongs.
type ContextConfig struct {
	// Enabled false leaves the attributes alone and holds nothing, as wait: 0s does.
	Enabled bool `mapstructure:"enabled"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	return &Config{
		Wait:            time.Minute,
		ShutdownTimeout: 5 * time.Second,
		MaxSpans:        100_000,
		MaxBytes:        128 * bytesize.MiB,
		Context:         ContextConfig{Enabled: true},
		Names:           names.DefaultConfig(),
		Sampling:        sampling.NewDefaultConfig(),
	}
}

// Validate reports every rule that is broken, each with its key. The blocks of the
// duties validate themselves.
func (c *Config) Validate() error {
	var errs []error
	for _, rule := range []struct {
		holds   bool
		message string
	}{
		{c.Wait >= 0, "wait must not be negative"},
		{c.ShutdownTimeout >= 0, "shutdown_timeout must not be negative"},
		{c.MaxSpans > 0, "max_spans must be positive"},
		{c.MaxBytes > 0, "max_bytes must be positive"},
	} {
		if !rule.holds {
			errs = append(errs, errors.New(rule.message))
		}
	}
	return errors.Join(errs...)
}

// synchronous says that nothing is held.
func (c *Config) synchronous() bool { return c.Wait == 0 || !c.Context.Enabled }
