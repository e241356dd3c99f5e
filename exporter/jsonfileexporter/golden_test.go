package jsonfileexporter

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// newerSDKs are those whose every span comes back byte for byte; the codec's tests
// list the objects of 1.1.0 and 1.11.0 that cannot.
const newerSDKs = "sdk-1.[1-4][245].[0-9]"

// goldenFiles returns the names of the recordings that match.
func goldenFiles(t *testing.T, patterns ...string) (files []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(recordings, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		for _, file := range found {
			name, err := filepath.Rel(recordings, file)
			require.NoError(t, err)
			files = append(files, name)
		}
	}
	return files
}

func TestConsoleFilesAreByteForByteWhatPythonWrites(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		files  []string
	}{
		{"pretty", pretty, goldenFiles(t, "ray-2.*/spans/*.json", newerSDKs+"/seed[12].json")},
		{"lines", func(*Config) {}, goldenFiles(t, newerSDKs+"/seed1.jsonl", "ray-core/*.txt")},
	} {
		for _, name := range tt.files {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				want := recorded(t, name)
				path := filepath.Join(t.TempDir(), "x.json")
				f := startFixture(t, newConfig(path, tt.change, unsynced))
				f.send(t, decode(t, want))
				got := content(t, path)
				if !bytes.Equal(want, got) {
					i := firstDifference(want, got)
					t.Errorf("differs at offset %d:\nwant …%.200q\ngot  …%.200q", i, want[max(0, i-60):], got[max(0, i-60):])
				}
			})
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// Several pushes, one span each, with resources and scopes repeated in each.
func TestManySmallPushesGiveTheSameFile(t *testing.T) {
	want := recorded(t, "sdk-1.45.2/seed1.jsonl")
	path := filepath.Join(t.TempDir(), "x.json")
	f := startFixture(t, newConfig(path))
	for part := range split(decode(t, want), 1) {
		f.send(t, part)
	}
	assert.True(t, bytes.Equal(want, content(t, path)))
}

func TestOTLPJSONLosesNothing(t *testing.T) {
	for _, name := range goldenFiles(t, "sdk-*/seed[12].otlp.pb") {
		t.Run(name, func(t *testing.T) {
			td := oracle(t, name)
			assert.Equal(t, spanTexts(t, td), spanTexts(t, readOTLPJSON(t, written(t, td, otlpJSON))))
		})
	}
}

func TestLargePushIsSplitIntoLinesThatOTLPJSONFileReads(t *testing.T) {
	td := ptrace.NewTraces()
	for _, name := range goldenFiles(t, "sdk-*/seed[12].otlp.pb") {
		oracle(t, name).ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	data := written(t, td, otlpJSON)
	require.Greater(t, len(data), 2*maxLineBytes, "too few spans for this test")
	lines := bytes.SplitAfter(data, []byte("\n"))
	for _, line := range lines {
		assert.LessOrEqual(t, len(bytes.TrimSuffix(line, []byte("\n"))), maxLineBytes)
	}
	assert.LessOrEqual(t, len(lines), 2+3*len(data)/maxLineBytes, "lines are much shorter than they could be")
	assert.Equal(t, spanTexts(t, td), spanTexts(t, readOTLPJSON(t, data)))
}

// Many small attributes are over three times larger in JSON than in protobuf, so the
// first line made of these spans is too long.
func TestPushWhoseSizeIsMisjudgedIsSplitAgain(t *testing.T) {
	td := spansOf(names(40)...)
	for _, rs := range td.ResourceSpans().All() {
		attributes := rs.ScopeSpans().At(0).Spans().At(0).Attributes()
		for i := range 800 {
			attributes.PutInt(strconv.Itoa(i), 1)
		}
	}
	require.Less(t, jsonPerProto*float64((&ptrace.ProtoMarshaler{}).TracesSize(td)), float64(maxLineBytes), "not misjudged")
	data := written(t, td, otlpJSON)
	require.Greater(t, len(data), maxLineBytes)
	for line := range bytes.Lines(data) {
		assert.LessOrEqual(t, len(line)-1, maxLineBytes)
	}
	assert.Equal(t, spanTexts(t, td), spanTexts(t, readOTLPJSON(t, data)))
}

// readOTLPJSON reads lines as otlp_json_file does.
func readOTLPJSON(tb testing.TB, data []byte) ptrace.Traces {
	tb.Helper()
	all := ptrace.NewTraces()
	for line := range bytes.Lines(data) {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		require.NoError(tb, err)
		td.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	return all
}

// spanTexts returns each span with its resource and scope, sorted.
func spanTexts(tb testing.TB, td ptrace.Traces) (all []string) {
	tb.Helper()
	for part := range split(td, 1) {
		text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(part)
		require.NoError(tb, err)
		all = append(all, string(text))
	}
	slices.Sort(all)
	return all
}

// Each line repeats its resource: one span a line would make gigabytes of some megabytes.
func TestLargeResourceIsNotRepeatedForEverySpan(t *testing.T) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("large", strings.Repeat("x", maxLineBytes*2/3))
	for _, span := range eachSpan(resourcesOf(spansOf(names(100)...))) {
		span.CopyTo(rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	}
	data := written(t, td, otlpJSON)
	assert.Less(t, len(data), 3*maxLineBytes)
	assert.Equal(t, 100, readOTLPJSON(t, data).SpanCount())
}
