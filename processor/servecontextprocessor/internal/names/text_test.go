package names

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFullPath(t *testing.T) {
	for _, c := range []struct{ route, raw, want string }{
		{"/hello/{name}", "/zoë", "/hello/zoë"},
		{"/hello/{name}", "/hello/zoë", "/hello/zoë"}, // prefix "/"
		{"/batch", "", "/batch"},
		{"/batch", "/", "/batch/"},
		{"/files", "/a/b", "/files/a/b"},
		{"/", "/", "/"},
		{"/", "/a/b", "/a/b"},
		{"/hello/", "", "/hello"},
		{"/hello/", "/", "/hello/"},
		{"/v1/chat", "/v1/chat", "/v1/chat"},
		{"/v1/chat", "/chat", "/v1/chat"},
		{"/v1/{a}/{b}", "/x/y", "/v1/x/y"},
		{"/v1/{id:int}.json", "/7.json", "/v1/7.json"},
		{"/files/{rest:path}", "/a/b/c", "/files/a/b/c"},
		{"/files/{rest:path}", "/", "/files/"},
		{"/a/{rest:path}", "/a/a/b", ""}, // prefix "/" or "/a"
		{"/hello/{name}", "/a/b/c", ""},
		{"/hello/{name}", "", ""},
		{"/hello", "elsewhere", ""},
	} {
		assert.Equal(t, c.want, fullPath(c.route, c.raw), "%s asked for as %q", c.route, c.raw)
	}
}

func TestRoutedNameOnlyReplacesThePath(t *testing.T) {
	for _, c := range []struct{ name, method, raw, want string }{
		{"proxy_http_request Llm POST /7", "POST", "/7", "proxy_http_request Llm POST /chat/{id}"},
		{"proxy_http_request Llm POST ", "POST", "", "proxy_http_request Llm POST /chat/{id}"},
		{"proxy_http_request Llm POST /chat/{id}", "POST", "/7", "proxy_http_request Llm POST /chat/{id}"},
		{"proxy_http_request Llm POST /chat/{id}", "POST", "", "proxy_http_request Llm POST /chat/{id}"},
		{"proxy_http_request Llm POST /8/7", "POST", "/7", "proxy_http_request Llm POST /8/7"},
		{"proxy_http_request Llm POST /7", "", "/7", "proxy_http_request Llm POST /7"},
		{"proxy_http_request Llm REPOST /7", "POST", "/7", "proxy_http_request Llm REPOST /7"},
		{"proxy_http_request", "POST", "", "proxy_http_request"},
	} {
		assert.Equal(t, c.want, routed(c.name, c.method, c.raw, "/chat/{id}"))
	}
}

func TestWithoutANSI(t *testing.T) {
	for before, want := range map[string]string{
		"plain":                            "plain",
		"\x1b[36mray\x1b[39m (pid=1)":      "ray (pid=1)",
		"\x1b[1;31;48;5;7mred\x1b[m":       "red",
		"\x1b]8;;https://ray.io\x1b\\link": "link",
		"\x1b]0;title\abell":               "bell",
		"\x1b]0;torn\nnext line":           "\nnext line",
		"\x1b(Bset":                        "set",
		"\x1b\x1b[0mtwo":                   "two",
		"zoë\x1b[0mé":                      "zoëé",
		"end\x1b":                          "end",
		"end\x1b[36":                       "end",
	} {
		assert.Equal(t, want, withoutANSI(before))
	}
}

func FuzzWithoutANSI(f *testing.F) {
	f.Add("\x1b[36mray\x1b[39m (pid=1)")
	f.Add("\x1b]0;torn\x1b")
	f.Fuzz(func(t *testing.T, text string) {
		plain := withoutANSI(text)
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%q keeps an escape: %q", text, plain)
		}
		if !strings.Contains(text, "\x1b") && plain != text {
			t.Errorf("%q became %q", text, plain)
		}
	})
}

func FuzzFullPath(f *testing.F) {
	f.Add("/hello/{name}", "/zoë")
	f.Add("/files/{rest:path}", "/")
	f.Fuzz(func(t *testing.T, route, raw string) {
		if full := fullPath(route, raw); full != "" && !strings.HasSuffix(full, raw) {
			t.Errorf("%q asked for as %q became %q", route, raw, full)
		}
	})
}
