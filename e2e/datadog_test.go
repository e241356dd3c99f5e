//go:build e2e

package e2e

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// datadogSpan is a span as ddtrace_app.py describes it.
type datadogSpan struct {
	TraceID  string `json:"trace_id"`
	SpanID   string `json:"span_id"`
	ParentID string `json:"parent_id"`
	Name     string `json:"name"`
	Service  string `json:"service"`
	Resource string `json:"resource"`
	Start    int64  `json:"start"`
	Duration int64  `json:"duration"`
	Error    int    `json:"error"`
}

// writtenSpan is a span of our output.
type writtenSpan struct {
	Name    string `json:"name"`
	Context struct {
		TraceID string `json:"trace_id"`
		SpanID  string `json:"span_id"`
	} `json:"context"`
	ParentID  string    `json:"parent_id"`
	StartTime time.Time `json:"start_time"`
	EndTime   time.Time `json:"end_time"`
	Status    struct {
		Code string `json:"status_code"`
	} `json:"status"`
	Attributes map[string]any `json:"attributes"`
	Resource   struct {
		Attributes map[string]any `json:"attributes"`
	} `json:"resource"`
}

func TestEverySpanOfADatadogTracerComesOut(t *testing.T) {
	for _, version := range []string{"", "v0.4", "v0.5"} {
		t.Run(cmp.Or(version, "default"), func(t *testing.T) {
			e := newEmbedded(t)
			collector := startReady(t, e.dir, e.args()...)
			env := []string{"DD_TRACE_AGENT_URL=http://" + e.datadog}
			if version != "" {
				env = append(env, "DD_TRACE_API_VERSION="+version)
			}
			tracer := spawnPython(t, env, "ddtrace_app.py", "--traces", "50")
			tracer.finish(time.Minute)
			made := objects[datadogSpan](tracer)
			require.Len(t, made, 200)
			require.Eventually(t, func() bool { return lineCount(e.out) >= len(made) }, 20*time.Second, 100*time.Millisecond)
			collector.terminate()

			got := byKey(t, readSpans(t, e.out))
			assert.Len(t, got, len(made))
			for _, m := range made {
				requireDatadogSpan(t, m, got)
			}
			t.Logf("%d spans of ddtrace, %d came out", len(made), len(got))
		})
	}
}

func requireDatadogSpan(t *testing.T, m datadogSpan, got map[spanKey]json.RawMessage) {
	t.Helper()
	raw, ok := got[spanKey{"0x" + m.TraceID, "0x" + m.SpanID}]
	require.True(t, ok, "span %+v is missing", m)
	var w writtenSpan
	require.NoError(t, json.Unmarshal(raw, &w))
	assert.Equal(t, m.Name, w.Name)
	assert.Equal(t, m.ParentID, strings.TrimPrefix(w.ParentID, "0x"))
	assert.Equal(t, m.Resource, w.Attributes["dd.span.Resource"])
	assert.Contains(t, []any{w.Attributes["service.name"], w.Resource.Attributes["service.name"]}, m.Service)
	assert.Equal(t, map[int]string{0: "OK", 1: "ERROR"}[m.Error], w.Status.Code)
	// The console format has microseconds.
	assert.WithinDuration(t, time.Unix(0, m.Start), w.StartTime, time.Microsecond)
	assert.WithinDuration(t, time.Unix(0, m.Start+m.Duration), w.EndTime, time.Microsecond)
	if m.Name == "serve.request" {
		assert.Equal(t, "zoë 🙂", w.Attributes["e2e.text"])
		text, _ := w.Attributes["e2e.number"].(string)
		number, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		assert.InDelta(t, number+0.5, w.Attributes["e2e.metric"], 0)
	}
}
