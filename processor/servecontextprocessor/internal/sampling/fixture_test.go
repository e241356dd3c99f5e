package sampling

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	otelsampling "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
)

// clientSampled is the trace of ray-2.60-ratio0.2 whose client had sampled it already.
const clientSampled = "0af7651916cd43dd8448eb211c80319c"

// newDraw makes the tests' random numbers; they are the same in each run.
func newDraw(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(4, seed)) }

func randomID(draw *rand.Rand) pcommon.TraceID {
	var id pcommon.TraceID
	binary.BigEndian.PutUint64(id[:8], draw.Uint64())
	binary.BigEndian.PutUint64(id[8:], draw.Uint64())
	return id
}

func parseID(t *testing.T, text string) pcommon.TraceID {
	t.Helper()
	var id pcommon.TraceID
	n, err := hex.Decode(id[:], []byte(text))
	require.NoError(t, err)
	require.Len(t, id, n)
	return id
}

// idWithR makes a trace id whose low 56 bits are r.
func idWithR(r uint64) pcommon.TraceID {
	id := pcommon.TraceID{1, 2, 3, 4, 5, 6, 7, 8}
	binary.BigEndian.PutUint64(id[8:], 0xab<<56|r)
	return id
}

// configured is the default configuration with some of it changed.
func configured(tb testing.TB, change func(*Config)) *Rules {
	tb.Helper()
	cfg := NewDefaultConfig()
	change(&cfg)
	rules, err := NewRules(cfg)
	require.NoError(tb, err)
	return rules
}

func atRatio(tb testing.TB, ratio float64) *Rules {
	tb.Helper()
	return configured(tb, func(c *Config) { c.Ratio = ratio })
}

func atHeadRatio(tb testing.TB, head, ratio float64) *Rules {
	tb.Helper()
	return configured(tb, func(c *Config) { c.HeadRatio, c.Ratio = head, ratio })
}

// applied is what a decision makes of a span that came with a tracestate.
func applied(d *Decision, tracestate string) (ptrace.Span, Notes) {
	span := ptrace.NewSpan()
	span.TraceState().FromRaw(tracestate)
	notes := d.Apply(span)
	return span, notes
}

// thresholdOn reads a span's th.
func thresholdOn(tb testing.TB, tracestate string) (Threshold, bool) {
	tb.Helper()
	state, err := otelsampling.NewW3CTraceState(tracestate)
	require.NoError(tb, err)
	return state.OTelValue().TValueThreshold()
}

// recorded is a span of a recording with the file, so the process, that it is from.
type recorded struct {
	file string
	ptrace.Span
}

// recording decodes all span files of a run in testdata.
func recording(tb testing.TB, run string) []recorded {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "testdata", run, "spans", "*.json"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files, "no recording %s", run)
	var all []recorded
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(tb, err)
		traces := ptrace.NewTraces()
		decoder := consolespan.NewDecoder(1 << 20)
		decoder.Begin(traces)
		for err == nil {
			var n int
			n, err = decoder.Next(text)
			text = text[n:]
		}
		require.True(tb, errors.Is(err, consolespan.ErrMore) && len(text) == 0, "%s: %v", file, err)
		for _, rs := range traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					all = append(all, recorded{filepath.Base(file), span})
				}
			}
		}
	}
	return all
}

// asR makes 56 bits a randomness.
func asR(tb testing.TB, bits uint64) Randomness {
	tb.Helper()
	r, err := otelsampling.UnsignedToRandomness(bits)
	require.NoError(tb, err)
	return r
}
