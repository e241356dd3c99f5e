package sampling

import "strings"

// routeGlob matches whole routes: `*` stands for any characters, none and slashes
// included, all else for itself. Libraries do not fit: they read the braces that
// routes contain ("/hello/{name}") as alternatives, doublestar's `*` ends at a
// slash, where a route prefix does not, and gobwas/glob v0.2.3 lets "?" match "".
type routeGlob struct {
	// first and last are what stands before the first and behind the last `*`.
	first, last string
	// middle is what stands between two.
	middle []string
	// isLiteral is true if there is no `*`; first is the whole route then.
	isLiteral bool
}

func newRouteGlob(pattern string) routeGlob {
	parts := strings.Split(pattern, "*")
	end := len(parts) - 1
	if end == 0 {
		return routeGlob{first: pattern, isLiteral: true}
	}
	return routeGlob{first: parts[0], middle: parts[1:end], last: parts[end]}
}

func (g *routeGlob) matches(route string) bool {
	if g.isLiteral {
		return route == g.first
	}
	rest, ok := strings.CutPrefix(route, g.first)
	if !ok {
		return false
	}
	// The first place for each part is as good as any later one: it leaves the most behind it.
	for _, part := range g.middle {
		_, rest, ok = strings.Cut(rest, part)
		if !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, g.last)
}
