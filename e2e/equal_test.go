//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compact is the object without white space: members in their order, every value as it was written.
func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.Compact(&out, raw))
	return out.String()
}

// fields is the object with numbers in their own text, less the resource attributes that span_file adds.
func fields(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var object map[string]any
	require.NoError(t, decoder.Decode(&object))
	resource, _ := object["resource"].(map[string]any)
	attributes, _ := resource["attributes"].(map[string]any)
	for name := range attributes {
		if strings.HasPrefix(name, "log.file.") || strings.HasPrefix(name, "ray.serve.") {
			delete(attributes, name)
		}
	}
	return object
}

// byKey indexes spans of which each occurs once.
func byKey(t *testing.T, spans []consoleSpan) map[spanKey]json.RawMessage {
	t.Helper()
	index := make(map[spanKey]json.RawMessage, len(spans))
	for _, s := range spans {
		assert.NotContains(t, index, s.key, "span is there twice")
		index[s.key] = s.raw
	}
	return index
}

// requireSameFields asserts that got has every span of want once, with the same fields.
func requireSameFields(t *testing.T, want, got []consoleSpan) {
	t.Helper()
	index := byKey(t, got)
	for _, w := range want {
		g, ok := index[w.key]
		require.True(t, ok, "span %v is missing", w.key)
		require.Equal(t, fields(t, w.raw), fields(t, g), "span %v", w.key)
	}
}

// requireSameText asserts that got has exactly the spans of want, each with the
// same text: members and attributes in the same order, numbers to the last digit.
func requireSameText(t *testing.T, want, got []consoleSpan) {
	t.Helper()
	index := byKey(t, got)
	for _, w := range want {
		g, ok := index[w.key]
		require.True(t, ok, "span %v is missing", w.key)
		require.Equal(t, compact(t, w.raw), compact(t, g), "span %v", w.key)
	}
	require.Len(t, got, len(want))
}
