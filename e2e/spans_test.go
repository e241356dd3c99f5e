//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spanKey identifies a span, both ids as the console format writes them.
type spanKey struct{ trace, span string }

// consoleSpan is one object of a span file.
type consoleSpan struct {
	key spanKey
	raw json.RawMessage
}

// keyed is what of an object says which span it is.
type keyed struct {
	Context struct {
		TraceID string `json:"trace_id"`
		SpanID  string `json:"span_id"`
	} `json:"context"`
}

// eachObject decodes console spans, pretty or one a line, with encoding/json and
// so independently of the code under test. An object that is torn at the end of
// the file is io.ErrUnexpectedEOF.
func eachObject[T any](in io.Reader, yield func(T)) error {
	decoder := json.NewDecoder(in)
	for {
		var object T
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		yield(object)
	}
}

// readSpans returns the spans of whole files.
func readSpans(t *testing.T, paths ...string) []consoleSpan {
	t.Helper()
	var spans []consoleSpan
	for _, path := range paths {
		require.NoError(t, eachIn(path, func(raw json.RawMessage) {
			var object keyed
			require.NoError(t, json.Unmarshal(raw, &object))
			spans = append(spans, consoleSpan{object.key(), raw})
		}), "%s is not a sequence of whole objects", path)
	}
	return spans
}

// countKeys counts how often each span occurs in whole files; it keeps only the ids.
func countKeys(t *testing.T, paths ...string) map[spanKey]int {
	t.Helper()
	counts := map[spanKey]int{}
	for _, path := range paths {
		require.NoError(t, eachIn(path, func(k keyed) { counts[k.key()]++ }), "%s is not a sequence of whole objects", path)
	}
	return counts
}

// wholeSpans counts the spans of files whose last object may be torn.
func wholeSpans(t *testing.T, paths ...string) map[spanKey]int {
	t.Helper()
	counts := map[spanKey]int{}
	for _, path := range paths {
		if err := eachIn(path, func(k keyed) { counts[k.key()]++ }); err != nil {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, path)
		}
	}
	return counts
}

func eachIn[T any](path string, yield func(T)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return eachObject(file, yield)
}

func (k keyed) key() spanKey { return spanKey{k.Context.TraceID, k.Context.SpanID} }

// lineCount is the number of spans in a file that has one a line, or 0 as long as there is none.
func lineCount(path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	lines, buffer := 0, make([]byte, 1<<20)
	for {
		n, err := file.Read(buffer)
		lines += bytes.Count(buffer[:n], []byte("\n"))
		if err != nil {
			return lines
		}
	}
}

// delivery is what became of the spans that were written.
type delivery struct{ written, lost, repeated, extra int }

// compareKeys says what became of the spans in want, by what got has.
func compareKeys(want, got map[spanKey]int) delivery {
	d := delivery{written: len(want)}
	for key := range want {
		if got[key] == 0 {
			d.lost++
		}
	}
	for key, n := range got {
		d.repeated += n - 1
		if want[key] == 0 {
			d.extra++
		}
	}
	return d
}

// onceEach is what an undisturbed run gives.
func onceEach(spans int) delivery { return delivery{written: spans} }

// patience is how long an output may stand still before a test gives up on it.
const patience = 10 * time.Second

// waitFor waits until every span of want is in the file out, which is being written.
func waitFor(t *testing.T, out string, want map[spanKey]int, limit time.Duration) {
	t.Helper()
	lines, since := -1, time.Now()
	require.Eventually(t, func() bool {
		if now := lineCount(out); now != lines {
			lines, since = now, time.Now()
		}
		return lines >= len(want) && compareKeys(want, wholeSpans(t, out)).lost == 0 || time.Since(since) > patience
	}, limit, 200*time.Millisecond, "%d spans to come out", len(want))
	require.Zero(t, compareKeys(want, wholeSpans(t, out)).lost, "spans of %d that did not come out", len(want))
}
