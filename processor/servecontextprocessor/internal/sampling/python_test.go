package sampling

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// pythonSDK is what the real SDK decided; testdata/python_sdk.py writes it.
type pythonSDK struct {
	Rates  []float64 `json:"rates"`
	Bounds []string  `json:"bounds"`
	Traces []struct {
		ID   string `json:"id"`
		Kept []bool `json:"kept"`
	} `json:"traces"`
}

func readPythonSDK(t *testing.T) *pythonSDK {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "python_sdk.json"))
	require.NoError(t, err)
	var sdk pythonSDK
	require.NoError(t, json.Unmarshal(text, &sdk))
	require.NotEmpty(t, sdk.Traces)
	return &sdk
}

// bound is TraceIdRatioBased's for the i-th rate: above all ids for rate 1, which is 2^64 there.
func (sdk *pythonSDK) bound(t *testing.T, i int) uint64 {
	t.Helper()
	if sdk.Rates[i] == 1 {
		return 1<<64 - 1
	}
	bound, err := strconv.ParseUint(sdk.Bounds[i], 10, 64)
	require.NoError(t, err)
	return bound
}

func low64(id pcommon.TraceID) uint64 { return binary.BigEndian.Uint64(id[8:]) }

// sharesItsR says whether R stands for ids on both sides of the bound, so that 56
// bits cannot tell what the SDK's 64 do. No more than 255 of 2^64 ids are like that.
func sharesItsR(id pcommon.TraceID, bound uint64) bool {
	return bound%256 != 0 && bound != 1<<64-1 && low64(id)>>8 == bound>>8
}

// The rule is opentelemetry.sdk.trace.sampling.TraceIdRatioBased.should_sample:
// trace_id & TRACE_ID_LIMIT < round(rate * (TRACE_ID_LIMIT + 1)).
func TestHeadRandomnessTurnsPythonsDrawIntoTheSpecifications(t *testing.T) {
	sdk := readPythonSDK(t)
	shared := 0
	for _, trace := range sdk.Traces {
		id := parseID(t, trace.ID)
		for i, rate := range sdk.Rates {
			bound := sdk.bound(t, i)
			require.Equal(t, trace.Kept[i], rate == 1 || low64(id) < bound, "the rule as restated here: %s at %g", trace.ID, rate)
			kept := HeadThreshold(rate).ShouldSample(HeadRandomness(id))
			if sharesItsR(id, bound) {
				shared++
				require.True(t, kept, "rounded in the trace's favour: %s at %g", trace.ID, rate)
				continue
			}
			require.Equal(t, trace.Kept[i], kept, "%s at %g", trace.ID, rate)
		}
	}
	assert.Positive(t, shared, "the vectors show no id that shares its R across a bound")
}

func TestSamplingBehindPythonKeepsWhatPythonWouldHaveKept(t *testing.T) {
	sdk := readPythonSDK(t)
	const head, ratio = 5, 3 // 0.2 and 0.05.
	require.Equal(t, []float64{0.2, 0.05}, []float64{sdk.Rates[head], sdk.Rates[ratio]})
	rules := atHeadRatio(t, 0.2, 0.05)
	arrived, kept := 0, 0
	for _, trace := range sdk.Traces {
		if !trace.Kept[head] {
			continue
		}
		arrived++
		d := rules.Decide(Trace{ID: parseID(t, trace.ID), Route: "/", Head: HeadDrawn})
		require.Equal(t, trace.Kept[ratio], d.Sampled, trace.ID)
		require.Zero(t, d.Notes, trace.ID)
		if d.Sampled {
			kept++
			span, _ := applied(&d, "")
			th, ok := thresholdOn(t, span.TraceState().AsRaw())
			require.True(t, ok)
			require.InDelta(t, 0.05, th.Probability(), 1e-15)
		}
	}
	assert.Greater(t, arrived, kept)
	assert.Positive(t, kept)
}

// At any rates: a later, smaller ratio keeps what Python would have kept at it.
func TestSamplingBehindPythonAgreesAtRandomRates(t *testing.T) {
	draw := newDraw(3)
	for range 200 {
		head := 1.0/16 + draw.Float64()*15/16
		ratio := 1.0/16 + draw.Float64()*(head-1.0/16)
		rules := atHeadRatio(t, head, ratio)
		for range 500 {
			id := randomID(draw)
			if float64(low64(id)) >= head*0x1p64 {
				continue
			}
			d := rules.Decide(Trace{ID: id, Route: "/", Head: HeadDrawn})
			require.Equal(t, float64(low64(id)) < ratio*0x1p64, d.Sampled, "%s at %g behind %g", id, ratio, head)
		}
	}
}

func TestEveryTraceThatRayDrewAtRatioOneFifthIsRecognised(t *testing.T) {
	for _, run := range []string{"ray-2.60-ratio0.2", "ray-2.60-linked-ratio0.2"} {
		rules := atHeadRatio(t, 0.2, 1)
		roots := 0
		for _, span := range recording(t, run) {
			if !span.ParentSpanID().IsEmpty() {
				continue
			}
			roots++
			head := HeadRedrawn
			if serve.RoleOf(span.Name()) == serve.RoleProxy {
				head = HeadDrawn
			}
			d := rules.Decide(Trace{ID: span.TraceID(), Route: "/", Head: head})
			require.False(t, d.Notes.Has(ClientSampled), "%s: %s", run, span.Name())
		}
		assert.Greater(t, roots, 50, run)
	}
}

func TestTraceThatTheClientSampledIsKeptOrDroppedWhole(t *testing.T) {
	id := parseID(t, clientSampled)
	spans := []recorded{}
	files := map[string]bool{}
	for _, span := range recording(t, "ray-2.60-ratio0.2") {
		if span.TraceID() == id {
			spans = append(spans, span)
			files[span.file] = true
		}
	}
	require.Len(t, spans, 8)
	require.Len(t, files, 2, "the trace crosses two processes")
	keptAt := map[bool]int{}
	for _, ratio := range []float64{1, 0.9, 0.75, 0.7, 0.5, 0.2, 0.05, 0} {
		rules := atHeadRatio(t, 0.2, ratio)
		kept := map[bool]int{}
		for _, span := range spans {
			// No span of it has a parentless proxy above it, so its head is not known.
			d := rules.Decide(Trace{ID: span.TraceID(), Route: "/hello/{name}"})
			assert.True(t, d.Notes.Has(ClientSampled))
			kept[d.Sampled]++
			if !d.Sampled {
				continue
			}
			before := span.TraceState().AsRaw()
			after, _ := applied(&d, before)
			_, hasT := thresholdOn(t, after.TraceState().AsRaw())
			switch {
			case before == "" || ratio == 1:
				assert.Equal(t, before, after.TraceState().AsRaw())
			default:
				assert.False(t, hasT, "another rv's th beside our decision")
				assert.Contains(t, after.TraceState().AsRaw(), "rv:abcdef01234567")
			}
		}
		require.Len(t, kept, 1, "torn at ratio %g: %v", ratio, kept)
		keptAt[kept[true] > 0]++
		require.True(t, ratio < 1 || kept[true] > 0, "dropped at ratio 1")
	}
	assert.Positive(t, keptAt[true])
	assert.Positive(t, keptAt[false])
}
