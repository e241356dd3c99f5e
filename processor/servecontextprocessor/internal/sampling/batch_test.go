package sampling

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBatchIsKeptIfAnyMemberIs(t *testing.T) {
	rules := atRatio(t, 0.5)
	won, lost := idWithR(0xf0000000000000), idWithR(0x10000000000000)
	winner, loser := rules.Decide(Trace{ID: won}), rules.Decide(Trace{ID: lost})
	for name, c := range map[string]struct {
		own     Trace
		members []Member
		want    Outcome
		th      string
	}{
		"its own trace won":      {Trace{ID: won}, []Member{loser.Member()}, KeptByRule, "ot=th:8"},
		"a member won":           {Trace{ID: lost}, []Member{loser.Member(), winner.Member()}, KeptByBatch, ""},
		"nobody won":             {Trace{ID: lost}, []Member{loser.Member(), loser.Member()}, DroppedByRule, ""},
		"no members known":       {Trace{ID: lost}, nil, DroppedByRule, ""},
		"headless, a member won": {Trace{ID: lost, Earlier: Marks{Headless: true}}, []Member{winner.Member()}, KeptByBatch, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := rules.DecideBatch(c.own, c.members)
			assert.Equal(t, c.want, d.Outcome)
			require.Equal(t, c.want.Sampled(), d.Sampled)
			if !d.Sampled {
				return
			}
			span, _ := applied(&d, "")
			assert.Equal(t, c.th, span.TraceState().AsRaw())
			assert.Equal(t, c.want == KeptByBatch, MarksOf(span.Attributes()).KeptByLink)
		})
	}
}

func TestBatchKeptByLinkLosesItsThreshold(t *testing.T) {
	d := atRatio(t, 0.5).DecideBatch(Trace{ID: idWithR(0x70000000000000)}, []Member{{Sampled: true}})
	span, notes := applied(&d, "a=1,ot=th:4;x:1")
	assert.Equal(t, "ot=x:1,a=1", span.TraceState().AsRaw())
	assert.Equal(t, ThresholdErased, notes)
}

func TestHeadlessBatchIsKeptForItsMembersEvenIfHeadlessIsDropped(t *testing.T) {
	rules := configured(t, func(c *Config) { c.HeadRatio, c.Headless = 0.2, HeadlessDrop })
	own := Trace{ID: idDrawnAt(1<<56 - 1), Head: HeadRedrawn}
	assert.Equal(t, HeadlessDropped, rules.DecideBatch(own, []Member{{}}).Outcome)
	d := rules.DecideBatch(own, []Member{{Sampled: true}})
	assert.Equal(t, KeptByBatch, d.Outcome)
	span, _ := applied(&d, "")
	assert.Equal(t, Marks{Headless: true, KeptByLink: true, HasMaxR: true}, MarksOf(span.Attributes()))
	_, hasT := thresholdOn(t, span.TraceState().AsRaw())
	assert.False(t, hasT)
}

func TestLargestMemberStandsOnTheBatch(t *testing.T) {
	members := []Member{{R: asR(t, 5)}, {R: asR(t, 9)}, {R: asR(t, 7)}}
	for _, ratio := range []float64{1, 0} {
		d := configured(t, func(c *Config) { c.Ratio, c.DryRun = ratio, ratio == 0 }).DecideBatch(Trace{}, members)
		span, _ := applied(&d, "")
		assert.Equal(t, asR(t, 9), MarksOf(span.Attributes()).MaxR, "ratio %g", ratio)
	}
	d := atRatio(t, 1).DecideBatch(Trace{Earlier: Marks{MaxR: asR(t, 10), HasMaxR: true}}, members)
	span, _ := applied(&d, "")
	assert.Equal(t, asR(t, 10), MarksOf(span.Attributes()).MaxR, "an earlier instance knew more members")
}

// twoInstances decides on a batch where its members are known, then span by span
// where only the marks are, and says what each keeps.
func twoInstances(t *testing.T, first, second *Rules, ids [4]Trace) (early, late [4]bool) {
	t.Helper()
	var members []Member
	for i, trace := range ids {
		d := first.Decide(trace)
		members = append(members, d.Member())
		early[i] = d.Sampled
	}
	batch := first.DecideBatch(ids[0], members)
	require.Equal(t, early[0] || early[1] || early[2] || early[3], batch.Sampled)
	early[0] = batch.Sampled
	for i, trace := range ids {
		if !early[i] {
			continue
		}
		d := first.Decide(trace)
		if i == 0 {
			d = batch
		}
		span, _ := applied(&d, trace.TraceState)
		state, marks := span.TraceState().AsRaw(), MarksOf(span.Attributes())
		again := second.Decide(Trace{ID: trace.ID, TraceState: state, Route: trace.Route, Earlier: marks})
		late[i] = again.Sampled
	}
	return early, late
}

func TestInstanceThatOnlySamplesDecidesOnBatchesAlike(t *testing.T) {
	draw := newDraw(5)
	outcomes := map[[2]bool]int{}
	for range 20_000 {
		var ids [4]Trace
		for i := range ids {
			ids[i] = Trace{ID: randomID(draw), Route: "/"}
		}
		_, direct := twoInstances(t, atRatio(t, 1), atRatio(t, 0.2), ids)
		early, staged := twoInstances(t, atRatio(t, 0.5), atRatio(t, 0.2), ids)
		require.Equal(t, direct, staged)
		_, want := twoInstances(t, atRatio(t, 0.2), atRatio(t, 1), ids)
		require.Equal(t, want, staged)
		outcomes[[2]bool{early[0], staged[0]}]++
	}
	assert.Len(t, outcomes, 3, "dropped at once, dropped late, kept: %v", outcomes)
}

func TestBatchThatLostItsThresholdDoesNotGetOneLater(t *testing.T) {
	first := atRatio(t, 0.1).DecideBatch(Trace{ID: idWithR(0x90000000000000)}, []Member{{R: asR(t, 1<<56-1), Sampled: true}})
	require.Equal(t, KeptByBatch, first.Outcome)
	span, _ := applied(&first, "")
	second := atRatio(t, 0.5).Decide(Trace{ID: idWithR(0x90000000000000), Earlier: MarksOf(span.Attributes())})
	require.Equal(t, KeptByRule, second.Outcome)
	second.Apply(span)
	assert.Empty(t, span.TraceState().AsRaw())
}
