// Package names is the duty of serve_context that gives Ray Serve's own spans
// the kinds, types and names that the rest of the world expects.
//
// A [Rewriter] looks at one span or one resource at a time and keeps nothing:
//
//	name ──► role ── user's span ──► left alone
//	           │
//	           ├─ proxy    raw path → route, url.path, current names
//	           ├─ route    kind, method, rpc.system, what Ray lost
//	           └─ replica  status code, rpc.system, exception → status
//
// What is not known stays as it was: a Rewriter that knows the request does
// more than one that does not, never anything else. So a span can pass through
// several of them, in several collectors, in any order; each finds only what
// the ones before it could not do. That is why every rule asks for the very
// value that Ray writes and never overwrites another: a value that differs
// was put there by a user or by an earlier run.
//
// Changes that move a service, operation or resource name in Datadog have a
// switch each. README.md has the table of all changes; a test keeps it true.
package names
