package sampling

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFirstRuleThatMatchesDecides(t *testing.T) {
	rules := configured(t, func(c *Config) {
		c.Ratio = 0.3
		c.Rules = []RuleConfig{{Route: "/chat/admin", Ratio: 1}, {Route: "/chat*", Ratio: 0.1}, {Route: "/chat/x", Ratio: 0.9}}
	})
	for route, want := range map[string]string{
		"/chat/admin": "/chat/admin", "/chat/x": "/chat*", "/chat": "/chat*", "/other": DefaultRule, "grpc": DefaultRule,
	} {
		d := rules.Decide(Trace{ID: idWithR(0), Route: route})
		assert.Equal(t, want, d.Rule.Route(), route)
		assert.Zero(t, d.Notes)
	}
}

func TestUnknownRouteTakesTheHighestRatioOfAllRules(t *testing.T) {
	for _, c := range []struct {
		ratio, a, b float64
		want        string
	}{
		{0.1, 0.5, 0.2, "/a"}, {0.1, 0.2, 0.5, "/b"}, {0.9, 0.2, 0.5, DefaultRule},
	} {
		rules := configured(t, func(cfg *Config) {
			cfg.Ratio = c.ratio
			cfg.Rules = []RuleConfig{{Route: "/a", Ratio: c.a}, {Route: "/b", Ratio: c.b}}
		})
		d := rules.Decide(Trace{ID: idWithR(0)})
		assert.Equal(t, c.want, d.Rule.Route())
		assert.Equal(t, RouteUnknown, d.Notes)
	}
}

func TestUnknownRouteIsNoGuessWithoutRules(t *testing.T) {
	d := atRatio(t, 0.1).Decide(Trace{ID: idWithR(0)})
	assert.Zero(t, d.Notes)
	assert.Equal(t, DefaultRule, d.Rule.Route())
}

func TestUnknownRouteTakesTheRememberedRuleEvenOfOldRules(t *testing.T) {
	withRules := func(ratio float64) *Rules {
		return configured(t, func(c *Config) { c.Rules = []RuleConfig{{Route: "/a", Ratio: ratio}} })
	}
	first := withRules(0.1).Decide(Trace{ID: idWithR(1 << 55), Route: "/a"})
	require.False(t, first.Sampled)
	second := withRules(0.9).Decide(Trace{ID: idWithR(1 << 55), Remembered: first.Rule})
	assert.Equal(t, first.Sampled, second.Sampled)
	assert.Equal(t, first.Threshold, second.Threshold)
	assert.Zero(t, second.Notes)
}

func TestKnownRouteWinsOverTheRememberedRule(t *testing.T) {
	rules := configured(t, func(c *Config) { c.Rules = []RuleConfig{{Route: "/a", Ratio: 0.1}, {Route: "/b", Ratio: 0.2}} })
	first := rules.Decide(Trace{Route: "/a"})
	assert.Equal(t, "/b", rules.Decide(Trace{Route: "/b", Remembered: first.Rule}).Rule.Route())
}
