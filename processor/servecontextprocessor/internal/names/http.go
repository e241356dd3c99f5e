package names

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// defaultCall is the method that proxies call for every HTTP request.
// Source: ray/serve/_private/proxy.py; handle options default to it.
const defaultCall = "__call__"

// httpCall changes a call or an execution of an HTTP request.
func (r *Rewriter) httpCall(s *serveSpan, req *serve.Request) {
	method := s.text(httpMethod)
	isPython := method == defaultCall || method != "" && method == s.text(callMethod)
	switch {
	case isPython && !r.methods:
		method = ""
	case isPython:
		if method = req.Method; method != "" {
			s.set(httpMethod, method)
		}
	case r.lost && !s.has(httpMethod):
		method = req.Method
		s.fill(httpMethod, method)
	}
	if r.lost {
		s.fill(httpRoute, s.text(rayRoute))
		s.fill(httpRoute, req.Route)
	}
	r.currentMethod(s, method)
	httpStatus(s)
	if isPython && r.methods && req.Method == "" {
		s.drop(httpMethod)
	}
}

// currentMethod writes the current name of http.method beside it.
func (r *Rewriter) currentMethod(s *serveSpan, method string) {
	current := currentMethodOf(method)
	if current != method && !r.methods {
		return // Datadog prefers the current name, so another value would move its resource.
	}
	s.fill(httpRequestMethod, current)
}

// currentMethodOf is a method as http.request.method has it. Serve's "WS" is a
// websocket, whose handshake is a GET (RFC 6455, section 4.1).
// Source: semantic conventions, http.request.method.
func currentMethodOf(method string) string {
	switch method {
	case "", "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY":
		return method
	case "WS":
		return "GET"
	}
	return serveattr.HTTPMethodOther
}

// httpStatus makes the status code an int, in the old attribute and the current one.
func httpStatus(s *serveSpan) {
	if s.has(httpResponseStatusCode) {
		s.number(httpResponseStatusCode)
	}
	code, ok := s.number(httpStatusCode)
	// The close code of a websocket (1000, …) is not an HTTP status.
	if ok && 100 <= code && code <= 599 && !s.has(httpResponseStatusCode) {
		s.setInt(httpResponseStatusCode, code)
	}
}

// number is an attribute's number. A text of digits becomes an int on the way.
func (s *serveSpan) number(k known) (int64, bool) {
	if !s.has(k) {
		return 0, false
	}
	switch s.at[k].Type() {
	case pcommon.ValueTypeInt:
		return s.at[k].Int(), true
	case pcommon.ValueTypeStr:
		number, err := strconv.ParseInt(s.at[k].Str(), 10, 64)
		if err != nil {
			return 0, false
		}
		s.setInt(k, number)
		return number, true
	}
	return 0, false
}
