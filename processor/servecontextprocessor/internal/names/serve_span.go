package names

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

// known numbers the attributes that the rules read or write.
type known uint8

const (
	rayDeployment known = iota
	callMethod
	rayRoute
	requestType
	requestMethod
	requestRoutePath
	isHTTPRequest
	isGRPCRequest
	resourceName
	httpMethod
	httpStatusCode
	httpRoute
	httpRequestMethod
	httpResponseStatusCode
	urlPath
	rpcSystem
	rpcMethod
	rpcService
	rpcGRPCStatusCode
	rpcResponseStatusCode
	numKnown
)

// keys are the keys of the known attributes.
var keys = [numKnown]string{
	rayDeployment:          serveattr.RayDeployment,
	callMethod:             serveattr.RayCallMethod,
	rayRoute:               serveattr.RayRoute,
	requestType:            serveattr.RayRequestType,
	requestMethod:          serveattr.RayRequestMethod,
	requestRoutePath:       serveattr.RayRequestRoutePath,
	isHTTPRequest:          serveattr.RayIsHTTPRequest,
	isGRPCRequest:          serveattr.RayIsGRPCRequest,
	resourceName:           serveattr.ResourceName,
	httpMethod:             serveattr.HTTPMethod,
	httpStatusCode:         serveattr.HTTPStatusCode,
	httpRoute:              serveattr.HTTPRoute,
	httpRequestMethod:      serveattr.HTTPRequestMethod,
	httpResponseStatusCode: serveattr.HTTPResponseStatusCode,
	urlPath:                serveattr.URLPath,
	rpcSystem:              serveattr.RPCSystem,
	rpcMethod:              serveattr.RPCMethod,
	rpcService:             serveattr.RPCService,
	rpcGRPCStatusCode:      serveattr.RPCGRPCStatusCode,
	rpcResponseStatusCode:  serveattr.RPCResponseStatusCode,
}

// knownOf is the number of a key, or numKnown. It is a switch because the
// compiler makes a search of it that is several times as fast as a map.
func knownOf(key string) known {
	switch key {
	case serveattr.RayDeployment:
		return rayDeployment
	case serveattr.RayCallMethod:
		return callMethod
	case serveattr.RayRoute:
		return rayRoute
	case serveattr.RayRequestType:
		return requestType
	case serveattr.RayRequestMethod:
		return requestMethod
	case serveattr.RayRequestRoutePath:
		return requestRoutePath
	case serveattr.RayIsHTTPRequest:
		return isHTTPRequest
	case serveattr.RayIsGRPCRequest:
		return isGRPCRequest
	case serveattr.ResourceName:
		return resourceName
	case serveattr.HTTPMethod:
		return httpMethod
	case serveattr.HTTPStatusCode:
		return httpStatusCode
	case serveattr.HTTPRoute:
		return httpRoute
	case serveattr.HTTPRequestMethod:
		return httpRequestMethod
	case serveattr.HTTPResponseStatusCode:
		return httpResponseStatusCode
	case serveattr.URLPath:
		return urlPath
	case serveattr.RPCSystem:
		return rpcSystem
	case serveattr.RPCMethod:
		return rpcMethod
	case serveattr.RPCService:
		return rpcService
	case serveattr.RPCGRPCStatusCode:
		return rpcGRPCStatusCode
	case serveattr.RPCResponseStatusCode:
		return rpcResponseStatusCode
	}
	return numKnown
}

// serveSpan is a span of Serve's with its known attributes found in one pass,
// since each lookup in a pcommon.Map is a pass of its own.
type serveSpan struct {
	ptrace.Span
	attrs pcommon.Map
	// at holds the values that the span has; the others are the zero Value. After
	// an attribute is appended (moved is true), they may lie in an array that the
	// map has left: they can still be read, but no longer be written.
	at    [numKnown]pcommon.Value
	moved bool
}

func indexed(span ptrace.Span) serveSpan {
	s := serveSpan{Span: span, attrs: span.Attributes()}
	for key, value := range s.attrs.All() {
		if k := knownOf(key); k < numKnown {
			s.at[k] = value
		}
	}
	return s
}

func (s *serveSpan) has(k known) bool { return s.at[k] != pcommon.Value{} }

// text is a string attribute, or "" if there is none.
func (s *serveSpan) text(k known) string {
	if s.has(k) && s.at[k].Type() == pcommon.ValueTypeStr {
		return s.at[k].Str()
	}
	return ""
}

// isTrue says whether a bool attribute is there and true.
func (s *serveSpan) isTrue(k known) bool {
	return s.has(k) && s.at[k].Type() == pcommon.ValueTypeBool && s.at[k].Bool()
}

// writable is the attribute's value in the map, appended if it is not there.
func (s *serveSpan) writable(k known) pcommon.Value {
	if s.has(k) && !s.moved {
		return s.at[k]
	}
	if !s.has(k) {
		s.moved = true
	}
	s.at[k] = s.attrs.PutEmpty(keys[k])
	return s.at[k]
}

func (s *serveSpan) set(k known, text string) { s.writable(k).SetStr(text) }

func (s *serveSpan) setInt(k known, number int64) { s.writable(k).SetInt(number) }

// fill sets an attribute that is not there to a text that is known, thus not empty.
func (s *serveSpan) fill(k known, text string) {
	if text != "" && !s.has(k) {
		s.set(k, text)
	}
}

// drop removes an attribute. It must be the last change, for the values behind
// the attribute move, which serveSpan.at does not follow. pcommon.Map.Remove is
// not used because it reorders the attributes.
func (s *serveSpan) drop(k known) {
	s.attrs.RemoveIf(func(key string, _ pcommon.Value) bool { return key == keys[k] })
}
