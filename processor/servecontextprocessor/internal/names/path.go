package names

import "strings"

// fullPath is the path of a request, of which the proxy's span has only the
// part below the app's route prefix. The prefix is the beginning of the route,
// but the span does not say how much of it: it is found by fitting raw to the
// route's end. "" if several beginnings fit, or none.
//
//	route /hello/{name}, raw /zoë    → /hello/zoë
//	route /batch,        raw ""      → /batch
//	route /files,        raw /a/b    → /files/a/b   (an app without patterns: the route is the prefix)
//	route /v1/chat,      raw /v1/chat → /v1/chat    (prefix "/")
//
// An app without patterns whose prefix ends as the raw path does would be
// misread, /v1/chat asked for as /v1/chat/v1/chat.
// Source: ray/serve/_private/proxy_router.py, match_route_pattern;
// ray/serve/_private/thirdparty/get_asgi_route_name.py.
func fullPath(route, raw string) string {
	if raw != "" && raw[0] != '/' {
		return ""
	}
	prefix, fits := "", 0
	for i := 0; i < len(route) && strings.IndexByte(route[:i], '{') < 0; i = nextSlash(route, i+1) {
		if matches(route[i:], raw) {
			prefix = route[:i]
			fits++
		}
	}
	switch {
	case fits == 1:
		return joined(prefix, raw)
	case strings.IndexByte(route, '{') >= 0:
		return ""
	}
	return joined(strings.TrimSuffix(route, "/"), raw)
}

func joined(prefix, raw string) string {
	if raw == "" {
		return prefix
	}
	return prefix + raw
}

// nextSlash is the offset of the next slash in path from i on, or its length.
func nextSlash(path string, i int) int {
	if slash := strings.IndexByte(path[i:], '/'); slash >= 0 {
		return i + slash
	}
	return len(path)
}

// matches says whether a path fits a Starlette pattern, in which {…} stands for
// something in one segment and {…:path} for any number of them.
func matches(pattern, path string) bool {
	pattern = strings.Trim(pattern, "/")
	path = strings.Trim(path, "/")
	for pattern != "" && path != "" {
		want, restOfPattern, _ := strings.Cut(pattern, "/")
		if isRest(want) {
			return true
		}
		have, restOfPath, _ := strings.Cut(path, "/")
		if want != have && strings.IndexByte(want, '{') < 0 {
			return false
		}
		pattern, path = restOfPattern, restOfPath
	}
	return path == "" && (pattern == "" || isRest(pattern))
}

// isRest says whether a segment of a pattern stands for all that follows.
func isRest(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, ":path}")
}
