package sampling

import (
	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
)

// DefaultRule is the name of the rule that the ratio beside the rules makes.
const DefaultRule = "default"

// Rules is a configuration made ready. It does not change; any number of goroutines may use it.
type Rules struct {
	headRatio float64
	// rules ends with the default, which matches every route.
	rules []Rule
	// generous is the rule with the highest ratio.
	generous     *Rule
	dropHeadless bool
	dryRun       bool
}

// Rule is a ratio for some routes, made ready. It stays what it is when the
// configuration changes, so it is what the decision for a trace is remembered as.
type Rule struct {
	name      string
	route     routeGlob
	threshold Threshold
	// tracestate is the whole of it for a span that came without one.
	tracestate string
}

// NewRules makes a configuration ready. The error is that of Validate.
func NewRules(cfg Config) (*Rules, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := &Rules{
		headRatio:    cfg.HeadRatio,
		rules:        make([]Rule, 0, len(cfg.Rules)+1),
		dropHeadless: cfg.Headless == HeadlessDrop,
		dryRun:       cfg.DryRun,
	}
	for _, rule := range cfg.Rules {
		r.rules = append(r.rules, newRule(rule.Route, newRouteGlob(rule.Route), rule.Ratio))
	}
	r.rules = append(r.rules, newRule(DefaultRule, newRouteGlob("*"), cfg.Ratio))
	r.generous = &r.rules[0]
	for i := range r.rules {
		if otelsampling.ThresholdLessThan(r.rules[i].threshold, r.generous.threshold) {
			r.generous = &r.rules[i]
		}
	}
	return r, nil
}

func newRule(name string, route routeGlob, ratio float64) Rule {
	threshold := RatioThreshold(ratio)
	rule := Rule{name: name, route: route, threshold: threshold}
	if isPositive(threshold) {
		rule.tracestate = newTracestate(nil, &threshold, nil)
	}
	return rule
}

// Route is the rule's glob as configured, or DefaultRule. It is a fit value for a metric's attribute.
func (r *Rule) Route() string { return r.name }

// Threshold is the threshold of the rule's ratio.
func (r *Rule) Threshold() Threshold { return r.threshold }

// rule finds the rule for a trace; known is false if it was guessed.
func (r *Rules) rule(t *Trace) (rule *Rule, known bool) {
	if t.Route == "" {
		if t.Remembered != nil {
			return t.Remembered, true
		}
		// With nothing to choose from there is nothing to guess.
		return r.generous, len(r.rules) == 1
	}
	i := 0
	for !r.rules[i].route.matches(t.Route) {
		// It ends: the default matches every route.
		i++
	}
	return &r.rules[i], true
}
