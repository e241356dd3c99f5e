package sampling

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRouteGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern      string
		match, other []string
	}{
		{"/", []string{"/"}, []string{"", "/a"}},
		{"/chat", []string{"/chat"}, []string{"/chat/", "/chats", "/v1/chat"}},
		{"/chat*", []string{"/chat", "/chat/", "/chat/completions", "/chats"}, []string{"/Chat", "/v1/chat", "chat"}},
		{"/chat/*", []string{"/chat/", "/chat/a", "/chat/a/b"}, []string{"/chat", "/chats"}},
		{"*/embed", []string{"/embed", "/v1/embed"}, []string{"/embeds", "/embed/a"}},
		{"*/v*/chat", []string{"/v1/chat", "/a/v/b/chat"}, []string{"/chat", "/v1/chats"}},
		{"/a*a", []string{"/aa", "/aba"}, []string{"/a"}},
		{"/a?", []string{"/a?"}, []string{"/ab"}},
		{"*", []string{"/", "grpc", "/a/b"}, nil},
		{"grpc", []string{"grpc"}, []string{"/grpc"}},
		{"/hello/{name}", []string{"/hello/{name}"}, []string{"/hello/name", "/hello/bob"}},
		{"/hello/{*}", []string{"/hello/{name}", "/hello/{p:path}"}, []string{"/hello/name"}},
		{"/a[b]", []string{"/a[b]"}, []string{"/ab"}},
		{`/a\b`, []string{`/a\b`}, []string{"/ab"}},
		{"/a,b-c!", []string{"/a,b-c!"}, []string{"/a"}},
	} {
		route := newRouteGlob(c.pattern)
		for _, text := range c.match {
			assert.True(t, route.matches(text), "%s matches %s", c.pattern, text)
		}
		for _, text := range c.other {
			assert.False(t, route.matches(text), "%s does not match %s", c.pattern, text)
		}
	}
}

// Short texts over few letters meet the corners of a matcher that is made of special cases.
func TestRouteGlobsAgreeWithRegularExpressions(t *testing.T) {
	draw := newDraw(4)
	text := func(letters string, longest int) string {
		var b strings.Builder
		for range draw.IntN(longest + 1) {
			b.WriteByte(letters[draw.IntN(len(letters))])
		}
		return b.String()
	}
	toRegexp := strings.NewReplacer(`\*`, `.*`)
	for range 4_000 {
		pattern := text(`ab/*?{}[],\!-`, 8)
		route := newRouteGlob(pattern)
		want := regexp.MustCompile(`(?s)^` + toRegexp.Replace(regexp.QuoteMeta(pattern)) + `$`)
		for range 20 {
			candidate := text(`ab/{}[],\!-`, 8)
			require.Equal(t, want.MatchString(candidate), route.matches(candidate), "%q on %q", pattern, candidate)
		}
	}
}
