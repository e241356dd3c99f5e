package consolespan

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// variedFiles are recordings of each form that together have every kind of member.
var variedFiles = []string{
	"sdk-1.1.0/seed1.json", "sdk-1.11.0/seed1.jsonl", "sdk-1.45.2/seed1.json", "sdk-1.45.2/seed1.jsonl", "ray-core/2693.txt",
}

// records returns the texts of the records of a recording that are at most size bytes.
func records(tb testing.TB, name string, size int) [][]byte {
	tb.Helper()
	var all [][]byte
	for _, f := range decodeAll(tb, readFile(tb, name)).spans {
		if len(f.text) <= size {
			all = append(all, f.text)
		}
	}
	require.NotEmpty(tb, all)
	return all
}

// TestFramingDoesNotMatter gives a recording's records with other text between
// and in them; the spans must be the same.
func TestFramingDoesNotMatter(t *testing.T) {
	crlf := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
	noIndent := func(b []byte) []byte {
		lines := bytes.Split(b, []byte("\n"))
		for i := range lines {
			lines[i] = bytes.TrimLeft(lines[i], " ")
		}
		return bytes.Join(lines, []byte("\n"))
	}
	colon := regexp.MustCompile(`[^\\]": `) // in a string, the quote has a backslash
	moreSpace := func(b []byte) []byte { return colon.ReplaceAll(b, []byte("$0\n\t ")) }
	as := func(b []byte) []byte { return b }
	mark := []byte("\xef\xbb\xbf")
	log := "\n2026-11-21 05:44:16,846 INFO {'a': {1}} \"quoted\\\" [\x1b[36m {}\n"
	cases := map[string]struct {
		record      func([]byte) []byte
		before, sep string
	}{
		"concatenated without newline": {as, "", ""},
		"one newline":                  {as, "", "\n"},
		"CRLF":                         {crlf, "", "\r\n"},
		"byte order mark":              {as, string(mark), "\n"},
		"byte order mark before each":  {as, string(mark), "\n" + string(mark)},
		"no indentation":               {noIndent, "", "\n"},
		"white space between":          {as, " \n\t", " \r\n\n\t  "},
		"more white space":             {moreSpace, "", ""},
		"log lines between":            {as, ":job_id:01000000\n:actor_name:ServeReplica:a:B\n", log},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, file := range variedFiles {
				want := decodeAll(t, readFile(t, file))
				text := []byte(c.before)
				for _, f := range want.spans {
					text = append(text, c.record(f.text)...)
					text = append(text, c.sep...)
				}
				got := decodeAll(t, text)
				require.Equal(t, dumps(want.spans), dumps(got.spans))
				for _, skip := range got.skips {
					require.Equal(t, SkipGarbage, skip.Reason, "%v", skip)
				}
				if !strings.HasPrefix(name, "log lines") {
					require.Empty(t, got.skips)
				}
			}
		})
	}
}

// TestFedByteByByte gives the decoder one byte more each time it asks for more.
func TestFedByteByByte(t *testing.T) {
	for _, file := range append(slices.Clone(variedFiles), "ray-2.60-console/worker-out/worker-100a2b9c-11072.out") {
		var text []byte
		for i, record := range records(t, file, 1200) {
			if i < 40 {
				text = append(append(text, record...), "\nlog line\n"...)
			}
		}
		want := decodeAll(t, text)
		require.Equal(t, dumps(want.spans), dumps(feed(t, text)), file)
	}
}

// feed decodes text, which reaches the decoder byte by byte.
func feed(t *testing.T, text []byte) []found {
	t.Helper()
	d := NewDecoder(testMaxRecordSize)
	var spans []found
	start := 0
	for end := 0; end <= len(text); {
		traces := ptrace.NewTraces()
		d.Begin(traces)
		n, err := d.Next(text[start:end])
		start += n
		switch {
		case errors.Is(err, ErrMore):
			require.Zero(t, traces.SpanCount())
			end++
		case err == nil:
			rs := traces.ResourceSpans().At(0)
			spans = append(spans, found{span: rs.ScopeSpans().At(0).Spans().At(0), rs: rs})
		default:
			require.Positive(t, n)
		}
	}
	return spans
}

// TestCutAtEveryByte shows that the first part of a record is asked for more of,
// at whichever byte it ends, and leaves nothing behind.
func TestCutAtEveryByte(t *testing.T) {
	for _, file := range variedFiles {
		for i, record := range records(t, file, 2500) {
			if i%4 != 0 {
				continue
			}
			d := NewDecoder(testMaxRecordSize)
			traces := ptrace.NewTraces()
			d.Begin(traces)
			for cut := range len(record) {
				n, err := d.Next(record[:cut])
				require.ErrorIs(t, err, ErrMore, "%s", record[:cut])
				require.Zero(t, n)
			}
			require.Zero(t, traces.SpanCount())
			n, err := d.Next(record)
			require.NoError(t, err)
			require.Equal(t, len(record), n)
			require.Equal(t, 1, traces.SpanCount())
			require.Equal(t, [NumAnomalies]int64{}, *d.Anomalies())
		}
	}
}

// TestPossibleStartIsKept shows what of garbage at the end of the data waits for more.
func TestPossibleStartIsKept(t *testing.T) {
	for text, kept := range map[string]string{
		"":                        "",
		" \n\t\r":                 "",
		"a log line":              "",
		"a log line {":            "{",
		"a log line {\n   ":       "{\n   ",
		"a log line {\n    \"na":  "{\n    \"na",
		"{":                       "{",
		"{\n":                     "{\n",
		"{\"name\": \"x":          "{\"name\": \"x",
		"{'python': 'dict'":       "",
		"{}{":                     "{",
		"\xef\xbb":                "\xef\xbb",
		"\xef\xbb\xbf":            "",
		"{{{{{":                   "{",
		"} ] \" garbage, {\"a\":": "{\"a\":",
	} {
		assert.Equal(t, kept, string(decodeAll(t, []byte(text)).rest), "%q", text)
	}
}

// TestGarbageIsLetGoBeforeMoreIsAskedFor keeps a log file without any span from filling a buffer.
func TestGarbageIsLetGoBeforeMoreIsAskedFor(t *testing.T) {
	d := NewDecoder(testMaxRecordSize)
	log := []byte("  log\nlog in progress {")
	n, err := d.Next(log)
	var skip *SkipError
	require.ErrorAs(t, err, &skip)
	assert.Equal(t, SkipError{Reason: SkipGarbage, Offset: 2, Length: len(log) - 3}, *skip)
	assert.Equal(t, len(log)-1, n)
	n, err = d.Next(log[n:])
	require.ErrorIs(t, err, ErrMore)
	assert.Zero(t, n)
}

// TestOneDecoderServesManyFiles alternates between two files record by record.
func TestOneDecoderServesManyFiles(t *testing.T) {
	d := NewDecoder(testMaxRecordSize)
	traces := ptrace.NewTraces()
	d.Begin(traces)
	a, b := readFile(t, variedFiles[0]), readFile(t, variedFiles[3])
	spansA, spansB := decodeAll(t, a).spans, decodeAll(t, b).spans
	var want, got []found
	for i := range min(len(spansA), len(spansB)) {
		want = append(want, spansA[i], spansB[i])
		for _, data := range []*[]byte{&a, &b} {
			n, err := d.Next(*data)
			require.NoError(t, err)
			*data = (*data)[n:]
		}
	}
	for _, rs := range traces.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			got = append(got, found{span: span, rs: rs})
		}
	}
	require.Equal(t, dumps(want), dumps(got))
}
