package sampling

import (
	"errors"
	"fmt"
)

// Config is the block `sampling` of serve_context.
type Config struct {
	// Ratio is the share of traces that is kept where no rule matches, from 0 to 1.
	Ratio float64 `mapstructure:"ratio"`
	// HeadRatio is the ratio that Ray sampled at, above 0 and at most 1. The
	// companion's ray.serve.head_ratio wins over it.
	HeadRatio float64 `mapstructure:"head_ratio"`
	// Rules are tried in their order; the first whose route matches decides.
	Rules []RuleConfig `mapstructure:"rules"`
	// File is the path of a YAML file with these keys but for `file`. What stands
	// there wins, and is read again when it changes. Empty: none.
	File string `mapstructure:"file"`
	// Headless says what becomes of traces that Ray drew in the middle of a request.
	Headless Headless `mapstructure:"headless"`
	// DryRun keeps everything and writes into attributes what would have been done.
	DryRun bool `mapstructure:"dry_run"`

	_ struct{}
}

// RuleConfig is a ratio for some routes.
type RuleConfig struct {
	// Route is a glob for the whole route: `*` stands for any characters, none and
	// slashes included; all else, braces included, for itself.
	Route string `mapstructure:"route"`
	// Ratio is the share of the routes' traces that is kept, from 0 to 1.
	Ratio float64 `mapstructure:"ratio"`

	_ struct{}
}

// Headless says what becomes of traces that Ray drew in the middle of a request.
type Headless string

const (
	// HeadlessMark keeps them, subject to the ratio, with AttrHeadless.
	HeadlessMark Headless = "mark"
	// HeadlessDrop drops them.
	HeadlessDrop Headless = "drop"
)

// NewDefaultConfig is the configuration that changes nothing.
func NewDefaultConfig() Config {
	return Config{Ratio: 1, HeadRatio: 1, Headless: HeadlessMark}
}

// Validate checks the configuration; its errors name the key from `sampling` on.
func (c *Config) Validate() error {
	var errs error
	if !isShare(c.Ratio) {
		errs = errors.Join(errs, errors.New("sampling::ratio must be between 0 and 1"))
	}
	if !isShare(c.HeadRatio) || c.HeadRatio == 0 {
		errs = errors.Join(errs, errors.New("sampling::head_ratio must be greater than 0 and at most 1"))
	}
	for i, rule := range c.Rules {
		if rule.Route == "" {
			errs = errors.Join(errs, fmt.Errorf("sampling::rules::%d::route must not be empty", i))
		}
		if !isShare(rule.Ratio) {
			errs = errors.Join(errs, fmt.Errorf("sampling::rules::%d::ratio must be between 0 and 1", i))
		}
	}
	if c.Headless != HeadlessMark && c.Headless != HeadlessDrop {
		errs = errors.Join(errs, fmt.Errorf("sampling::headless must be %q or %q", HeadlessMark, HeadlessDrop))
	}
	return errs
}

// isShare is false for NaN, too.
func isShare(ratio float64) bool { return ratio >= 0 && ratio <= 1 }
