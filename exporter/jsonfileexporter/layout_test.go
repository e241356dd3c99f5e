package jsonfileexporter

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadatatest"
)

// written returns what the exporter makes of td in a file of its own.
func written(tb testing.TB, td ptrace.Traces, changes ...func(*Config)) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "x.json")
	f := startFixture(tb, newConfig(path, append(changes, unsynced)...))
	f.send(tb, td)
	return content(tb, path)
}

func content(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	require.NoError(tb, err)
	return data
}

var layouts = []struct {
	name   string
	change func(*Config)
}{
	{"lines", func(*Config) {}},
	{"pretty", pretty},
	{"otlp_json", otlpJSON},
}

func TestTornTailIsCutAtEveryByteOfTheLastRecord(t *testing.T) {
	for _, tt := range layouts {
		t.Run(tt.name, func(t *testing.T) {
			first := written(t, spansOf("first"), tt.change)
			last := written(t, spansOf("last"), tt.change)
			next := written(t, spansOf("next"), tt.change)
			for cut := range len(last) - 1 {
				path := filepath.Join(t.TempDir(), "x.json")
				require.NoError(t, os.WriteFile(path, append(bytes.Clone(first), last[:cut]...), fileMode))
				f := newFixture(t, newConfig(path, tt.change, unsynced))
				require.NoError(t, f.start(t.Context(), f.status))
				f.send(t, spansOf("next"))
				require.NoError(t, f.shutdown(t.Context()))

				want := append(bytes.Clone(first), next...)
				require.Equal(t, string(want), string(content(t, path)), "torn after %d bytes of the last record", cut)
			}
		})
	}
}

func TestOnlyTheNewlineIsAddedToAWholeRecord(t *testing.T) {
	for _, tt := range layouts {
		for _, before := range [][]byte{nil, written(t, spansOf("first"), tt.change)} {
			last, next := written(t, spansOf("last"), tt.change), written(t, spansOf("next"), tt.change)
			path := filepath.Join(t.TempDir(), "x.json")
			require.NoError(t, os.WriteFile(path, append(bytes.Clone(before), last[:len(last)-1]...), fileMode))
			f := startFixture(t, newConfig(path, tt.change))
			f.send(t, spansOf("next"))
			want := append(append(bytes.Clone(before), last...), next...)
			assert.Equal(t, string(want), string(content(t, path)), tt.name)
		}
	}
}

func TestTornFirstRecordIsCut(t *testing.T) {
	for _, tt := range layouts {
		t.Run(tt.name, func(t *testing.T) {
			record := written(t, spansOf("first"), tt.change)
			path := filepath.Join(t.TempDir(), "x.json")
			require.NoError(t, os.WriteFile(path, record[:len(record)/2], fileMode))
			f := startFixture(t, newConfig(path, tt.change))
			assert.Empty(t, content(t, path))
			metadatatest.AssertEqualExporterJSONFileTornBytes(t, f.telemetry,
				[]metricdata.DataPoint[int64]{{Value: int64(len(record) / 2)}}, metricdatatest.IgnoreTimestamp())
			f.send(t, spansOf("first"))
			assert.Equal(t, string(record), string(content(t, path)))
		})
	}
}

func TestForeignFileIsRefusedAndKept(t *testing.T) {
	lines, prettyText := written(t, spansOf("a")), written(t, spansOf("a"), pretty)
	otlp := written(t, spansOf("a"), otlpJSON)
	for _, tt := range []struct {
		name   string
		data   []byte
		change func(*Config)
	}{
		{"log file", []byte("2026-11-21 07:45:12 hello\n"), otlpJSON},
		{"other JSON", []byte(`{"version": 3}`), otlpJSON},
		{"other JSON, not one line", []byte("{\n    \"version\": 3\n}\n"), pretty},
		{"binary", []byte{0, 1, 2, 3}, otlpJSON},
		{"white space", []byte("\n\n"), otlpJSON},
		{"console spans for otlp_json", lines, otlpJSON},
		{"OTLP JSON for console", otlp, func(*Config) {}},
		{"pretty spans for lines", prettyText, func(*Config) {}},
		{"lines for pretty", lines, pretty},
		{"package.json in one line", []byte(`{"name": "my-app", "version": "1.0.0"}`), func(*Config) {}},
		{"package.json, indented", []byte("{\n    \"name\": \"my-\\\"app\",\n    \"version\": \"1.0.0\"\n}"), pretty},
		{"no record's end", append([]byte(`{"resourceSpans":`), bytes.Repeat([]byte("x"), maxTornBytes)...), otlpJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.json")
			require.NoError(t, os.WriteFile(path, tt.data, fileMode))
			f := newFixture(t, newConfig(path, tt.change))
			err := f.start(t.Context(), f.status)
			require.ErrorIs(t, err, errForeign)
			require.ErrorContains(t, err, "path: ")
			require.ErrorContains(t, err, path)
			assert.Equal(t, "foreign", reasonOf(err))
			assert.True(t, bytes.Equal(tt.data, content(t, path)), "the file was changed")
			require.NoError(t, f.shutdown(t.Context()))
		})
	}
}

func TestTornRecordLargerThanTheFirstWindowIsCut(t *testing.T) {
	first := written(t, spansOf("first"), otlpJSON)
	torn := append([]byte(`{"resourceSpans":`), bytes.Repeat([]byte("x"), 10*firstWindow)...)
	path := filepath.Join(t.TempDir(), "x.json")
	require.NoError(t, os.WriteFile(path, append(bytes.Clone(first), torn...), fileMode))
	startFixture(t, newConfig(path, otlpJSON))
	assert.Equal(t, string(first), string(content(t, path)))
}
