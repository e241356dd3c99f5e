package sampling

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// idDrawnAt makes a trace id whose HeadRandomness is r.
func idDrawnAt(r uint64) pcommon.TraceID {
	id := pcommon.TraceID{1, 2, 3, 4, 5, 6, 7, 8}
	binary.BigEndian.PutUint64(id[8:], (1<<56-1-r)<<8|0xab)
	return id
}

func TestThresholdItselfIsKept(t *testing.T) {
	half := atRatio(t, 0.5)
	at, below := half.Decide(Trace{ID: idWithR(1 << 55)}), half.Decide(Trace{ID: idWithR(1<<55 - 1)})
	assert.True(t, at.Sampled)
	assert.Equal(t, KeptByRule, at.Outcome)
	assert.False(t, below.Sampled)
	assert.Equal(t, DroppedByRule, below.Outcome)
	assert.False(t, below.Keep())
}

func TestRatioZeroDropsAll(t *testing.T) {
	d := atRatio(t, 0).Decide(Trace{ID: idWithR(1<<56 - 1)})
	assert.False(t, d.Sampled)
}

func TestRandomnessOfTheTrace(t *testing.T) {
	// As HeadRandomness it is the largest, in its low 56 bits the smallest.
	id := idDrawnAt(1<<56 - 1)
	rv := "ot=rv:00000000000007"
	for name, c := range map[string]struct {
		head  float64
		trace Trace
		want  uint64
	}{
		"the id's low 56 bits":           {1, Trace{ID: id}, 0xab},
		"rv wins over the id":            {1, Trace{ID: id, TraceState: rv}, 7},
		"the head's draw":                {0.2, Trace{ID: id}, 1<<56 - 1},
		"rv wins over the head's draw":   {0.2, Trace{ID: id, TraceState: rv}, 7},
		"a draw that Ray did not make":   {0.2, Trace{ID: idDrawnAt(0)}, 0xffffffffffffab},
		"the ratio in force wins over 1": {1, Trace{ID: id, HeadRatio: 0.2, HasHeadRatio: true}, 1<<56 - 1},
		"the ratio in force may be 1":    {0.2, Trace{ID: id, HeadRatio: 1, HasHeadRatio: true}, 0xab},
		"Ray draws nothing at ratio 0":   {1, Trace{ID: id, HeadRatio: 0, HasHeadRatio: true}, 0xab},
	} {
		t.Run(name, func(t *testing.T) {
			d := atHeadRatio(t, c.head, 1).Decide(c.trace)
			assert.Equal(t, c.want, d.R.Unsigned())
		})
	}
}

func TestTracestateAfterADecision(t *testing.T) {
	high := uint64(0xfedcba98765432)
	drawn := idDrawnAt(high)
	own := idWithR(high)
	rv := "ot=rv:fedcba98765432"
	half, tenth := ";th:8", ";th:e6666666666666"
	for name, c := range map[string]struct {
		head, ratio float64
		trace       Trace
		want        string
	}{
		"ratio 1":                             {1, 1, Trace{ID: own}, ""},
		"ratio 0.5":                           {1, 0.5, Trace{ID: own}, "ot=th:8"},
		"ratio 0.1":                           {1, 0.1, Trace{ID: own}, "ot=th:e6666666666666"},
		"randomness of the Serve spans":       {1, 0.5, Trace{ID: pcommon.TraceID{}, TraceState: rv}, rv + half},
		"head alone":                          {0.5, 1, Trace{ID: drawn, Head: HeadDrawn}, rv + half},
		"head stricter than the rule":         {0.1, 0.5, Trace{ID: drawn, Head: HeadDrawn}, rv + tenth},
		"rule stricter than the head":         {0.5, 0.1, Trace{ID: drawn, Head: HeadDrawn}, rv + tenth},
		"head not known":                      {0.5, 0.1, Trace{ID: drawn}, rv},
		"drawn, but with another rv":          {0.5, 0.1, Trace{ID: drawn, TraceState: "ot=rv:ffffffffffffff", Head: HeadDrawn}, "ot=rv:ffffffffffffff"},
		"headless":                            {0.5, 0.1, Trace{ID: drawn, Head: HeadRedrawn}, rv},
		"parentless at head ratio 1":          {1, 0.1, Trace{ID: own, Head: HeadRedrawn}, "ot=th:e6666666666666"},
		"headless by an earlier instance":     {1, 0.1, Trace{ID: own, Earlier: Marks{Headless: true}}, ""},
		"kept by link by an earlier instance": {1, 0.1, Trace{ID: own, Earlier: Marks{KeptByLink: true}}, ""},
		"the client sampled":                  {0.5, 0.1, Trace{ID: idWithR(0xf0000000000000 | 1<<56 - 1)}, ""},
		"ratio in force":                      {1, 1, Trace{ID: drawn, Head: HeadDrawn, HeadRatio: 0.5, HasHeadRatio: true}, rv + half},
	} {
		t.Run(name, func(t *testing.T) {
			d := atHeadRatio(t, c.head, c.ratio).Decide(c.trace)
			require.True(t, d.Sampled)
			span, notes := applied(&d, "")
			assert.Equal(t, c.want, span.TraceState().AsRaw())
			assert.Zero(t, notes)
		})
	}
}

func TestHeadlessTracesAreMarkedOrDropped(t *testing.T) {
	trace := Trace{ID: idDrawnAt(1<<56 - 1), Head: HeadRedrawn}
	mark := atHeadRatio(t, 0.2, 0.1).Decide(trace)
	assert.Equal(t, HeadlessMarked, mark.Outcome)
	span, _ := applied(&mark, "")
	marked, ok := span.Attributes().Get(AttrHeadless)
	require.True(t, ok)
	assert.True(t, marked.Bool())

	drop := configured(t, func(c *Config) { c.HeadRatio, c.Headless = 0.2, HeadlessDrop }).Decide(trace)
	assert.Equal(t, HeadlessDropped, drop.Outcome)
	assert.False(t, drop.Keep())

	legitimate := atHeadRatio(t, 1, 1).Decide(trace)
	assert.Equal(t, KeptByRule, legitimate.Outcome)
	span, _ = applied(&legitimate, "")
	assert.Zero(t, span.Attributes().Len())
}

func TestHeadlessTracesAreSampledLikeTheRest(t *testing.T) {
	trace := Trace{ID: idDrawnAt(0xd0000000000000), Head: HeadRedrawn}
	assert.Equal(t, HeadlessMarked, atHeadRatio(t, 0.2, 0.2).Decide(trace).Outcome)
	assert.Equal(t, DroppedByRule, atHeadRatio(t, 0.2, 0.1).Decide(trace).Outcome)
}

func TestClientSampledTracesAreCounted(t *testing.T) {
	rules := atHeadRatio(t, 0.2, 1)
	assert.Equal(t, ClientSampled, rules.Decide(Trace{ID: idDrawnAt(0)}).Notes)
	assert.Zero(t, rules.Decide(Trace{ID: idDrawnAt(1<<56 - 1)}).Notes)
	assert.Zero(t, rules.Decide(Trace{ID: idDrawnAt(0), TraceState: "ot=rv:00000000000007"}).Notes)
	assert.Zero(t, atHeadRatio(t, 1, 1).Decide(Trace{ID: idDrawnAt(0)}).Notes)
}

func TestNamesOfOutcomesAndNotesAreDistinct(t *testing.T) {
	names := map[string]bool{}
	for o := KeptByRule; o <= KeptByBatch; o++ {
		names[o.String()] = true
	}
	for _, note := range AllNotes {
		names[note.String()] = true
		assert.True(t, (note | RouteUnknown).Has(note))
	}
	assert.False(t, Notes(0).Has(RVIgnored))
	names[Notes(0).String()] = true
	assert.Len(t, names, int(KeptByBatch)+1+len(AllNotes)+1)
}
