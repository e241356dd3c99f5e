package servecontextprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// TestEverySpanOfAFinishedRequestKnowsIt feeds each recording as the sources would and
// compares every span with its local root.
func TestEverySpanOfAFinishedRequestKnowsIt(t *testing.T) {
	for _, recording := range recordings {
		files := recorded(t, recording)
		for name, c := range map[string]struct {
			form   sourceForm
			pieces []piece
		}{
			"files one record at a time":  {formFile, inTurns(files, 1)},
			"files in turns":              {formFile, inTurns(files, 7)},
			"files whole":                 {formFile, inTurns(files, 1000)},
			"files without process":       {formPath, inTurns(files, 50)},
			"live files":                  {formFile, byTime(files, pcommon.Timestamp(200*time.Millisecond))},
			"network every 500 ms":        {formNetwork, byTime(files, pcommon.Timestamp(500*time.Millisecond))},
			"network one span at a time":  {formNetwork, inTurns(files, 1)},
			"network all files at a time": {formNetwork, inTurns(files, 1000)},
		} {
			t.Run(recording+"/"+name, func(t *testing.T) {
				checkRecording(t, files, c.form, c.pieces)
			})
		}
	}
}

func checkRecording(t *testing.T, files []recordedFile, form sourceForm, pieces []piece) {
	t.Helper()
	truth := map[pcommon.SpanID]wanted{}
	spans := 0
	for _, f := range files {
		spans += len(f.spans)
		for id, w := range f.truth() {
			truth[id] = w
		}
	}
	require.NotEmpty(t, truth)
	b := newBench(t, nil)
	for _, p := range pieces {
		b.feed(p.file.batch(form, p.spans))
	}
	b.pass(b.cfg.Wait)
	all := b.out.take()
	assert.Len(t, all, spans)
	for _, g := range all {
		want, ok := truth[g.SpanID()]
		if !ok {
			// A call without one says itself to which request it belongs; nothing is guessed for others.
			assert.Equal(t, g.str("request_id"), g.str("ray.serve.request_id"), g.Name())
			continue
		}
		if !assert.Equal(t, want, g.said(), "%s %s", g.Name(), g.SpanID()) {
			return
		}
	}
	assert.Zero(t, b.metric("processor_serve_context_fragments", "evicted"))
	assert.Equal(t, int64(spans), b.metric("processor_outgoing_items", ""))
	assert.Zero(t, b.metric("processor_serve_context_held_spans", ""))
	assert.Zero(t, b.metric("processor_serve_context_held_bytes", ""))
}
