package jsonfileexporter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestPathIsMadeFromResourceAttributes(t *testing.T) {
	for _, tt := range []struct {
		name       string
		path       string
		attributes map[string]any
		want       string
	}{
		{"no attributes", "/var/spans/x.json", nil, "/var/spans/x.json"},
		{"relative", "x.json", nil, "x.json"},
		{"in root", "/{a}.json", map[string]any{"a": "b"}, "/b.json"},
		{"two elements", "/var/{service.name}/{app}.json", map[string]any{"service.name": "s", "app": "a"}, "/var/s/a.json"},
		{"two in one element", "/var/{a}-{b}.json", map[string]any{"a": "1", "b": "2"}, "/var/1-2.json"},
		{"missing", "/var/{a}.json", nil, "/var/unknown.json"},
		{"empty", "/var/{a}.json", map[string]any{"a": ""}, "/var/unknown.json"},
		{"number", "/var/{a}.json", map[string]any{"a": 7}, "/var/7.json"},
		{"parent", "/var/{a}/x.json", map[string]any{"a": ".."}, "/var/_./x.json"},
		{"this directory", "/var/{a}/x.json", map[string]any{"a": "."}, "/var/_/x.json"},
		{"parents", "/var/{a}", map[string]any{"a": "../../etc/passwd"}, "/var/_._.._etc_passwd"},
		{"absolute", "/var/{a}", map[string]any{"a": "/etc/passwd"}, "/var/_etc_passwd"},
		{"backslash", "/var/{a}", map[string]any{"a": `a\b`}, "/var/a_b"},
		{"hidden", "/var/{a}", map[string]any{"a": ".bashrc"}, "/var/_bashrc"},
		{"NUL, newline, escape", "/var/{a}", map[string]any{"a": "a\x00b\nc\x1b[31m"}, "/var/a_b_c_[31m"},
		{"text direction", "/var/{a}", map[string]any{"a": "a\u202egnp"}, "/var/a_gnp"},
		{"invalid UTF-8", "/var/{a}", map[string]any{"a": "a\xffb"}, "/var/a_b"},
		{"letters", "/var/{a}", map[string]any{"a": "größe 模型"}, "/var/größe 模型"},
		{"too long", "/var/{a}.json", map[string]any{"a": strings.Repeat("x", 500)}, "/var/" + strings.Repeat("x", maxValueBytes) + ".json"},
		{"too long, not cut in a rune", "/var/{a}", map[string]any{"a": strings.Repeat("模", 500)}, "/var/" + strings.Repeat("模", maxValueBytes/3)},
		{"name of a backup", "/var/{a}.json", map[string]any{"a": "x-2026-11-21T07-45-12.345"}, "/var/x-2026-11-21_07-45-12.345.json"},
		{"name of a packed backup", "/var/{a}", map[string]any{"a": "x.gz"}, "/var/x_gz"},
		{"braces are no template", "/var/{a}", map[string]any{"a": "{b}", "b": "no"}, "/var/{b}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			template, err := parseTemplate(tt.path)
			require.NoError(t, err)
			attributes := pcommon.NewMap()
			require.NoError(t, attributes.FromRaw(tt.attributes))
			assert.Equal(t, tt.want, template.locate(attributes).String())
		})
	}
}

// FuzzPathStaysInItsDirectory has no table of expected names: whatever the attribute
// says, the path is a clean one with as many elements as the template.
func FuzzPathStaysInItsDirectory(f *testing.F) {
	for _, seed := range []string{"", ".", "..", "../..", "/", "a/../../b", "\x00", "..\\..", "\xff\xfe/", "x-2026-11-21T07-45-12.345", strings.Repeat("é", 99)} {
		f.Add(seed)
	}
	template, err := parseTemplate("/var/{a}/{a}.{a}.json")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, value string) {
		attributes := pcommon.NewMap()
		attributes.PutStr("a", value)
		at := template.locate(attributes)
		assert.True(t, filepath.IsLocal(at.name), at.name)
		assert.Equal(t, filepath.Clean(at.name), at.name)
		elements := strings.Split(at.name, "/")
		assert.Len(t, elements, 2)
		for _, element := range elements {
			assert.LessOrEqual(t, len(element), maxElementBytes)
			assert.True(t, utf8.ValidString(element))
			assert.NotRegexp(t, `^\.`, element)
		}
		_, _, isBackup := parseBackupName("x.json", elements[1])
		assert.False(t, isBackup, at.name)
	})
}

func TestPlantedSymlinkIsNotFollowed(t *testing.T) {
	for _, tt := range []struct{ name, path, link, target string }{
		{"to a directory outside", "{a}/x.json", "evil", ""},
		{"to a file outside", "{a}/x.json", "evil/x.json", "x.json"},
		{"dangling", "{a}", "evil", "created"},
	} {
		for _, relative := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, relative %t", tt.name, relative), func(t *testing.T) {
				dir, outside := t.TempDir(), t.TempDir()
				f := startFixture(t, newConfig(filepath.Join(dir, tt.path), otlpJSON))
				link, target := filepath.Join(dir, tt.link), filepath.Join(outside, tt.target)
				require.NoError(t, os.MkdirAll(filepath.Dir(link), dirMode))
				if relative {
					var err error
					target, err = filepath.Rel(filepath.Dir(link), target)
					require.NoError(t, err)
				}
				require.NoError(t, os.Symlink(target, link))

				_ = f.refuse(t, spansOf("evil"))

				assert.Empty(t, listing(t, outside), "something was written through the link")
				f.send(t, spansOf("good"))
			})
		}
	}
}

// spansOf returns one span for each value of the resource attribute "a".
func spansOf(values ...string) ptrace.Traces {
	td := ptrace.NewTraces()
	for i, value := range values {
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("a", value)
		span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		span.SetName(value)
		span.SetTraceID(pcommon.TraceID{15: byte(i + 1)})
		span.SetSpanID(pcommon.SpanID{7: byte(i + 1)})
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Unix(1, 0)))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Unix(2, 0)))
	}
	return td
}
