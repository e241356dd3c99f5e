//go:generate mdatagen metadata.yaml

// Package servecontextprocessor says of each span of Ray Serve to which request it
// belongs, gives Serve's spans the names that others expect, and samples.
//
// # The life of a span
//
//	ConsumeTraces                  state, under mu                      loop, outside mu
//
//	td ──► arrive ─► admit ─┬─ local root ────► gather ──┐
//	                        ├─ its root has left (late) ─┤
//	                        ├─ knows its request itself ─┤            ┌► write ─► pack ─► deliver
//	                        ├─ process is foreign ───────┤            │  context   │        │
//	                        └─ hold ─► group, queue      ├─► depart ──┤  names     │        │
//	                                    │  wait is over ─┤   sample   │  tracestate│        ▼
//	                                    │  evicted ──────┤            └► dropped   │  next component
//	                                    └─ shutdown ─────┘                         │        │
//	                                                                               │        ▼
//	token.Hold ────────────────────────────────────────────────────────────────────┴──► token.Release
//
// Serve ends a request's spans from the inside out, so what tells the request, the span
// of the proxy or of the replica (the local root), mostly comes last. Until then the spans
// below it are held, by process and trace (group.go). A local root leaves with its
// descendants, found by parent ids; other spans of the trace go on waiting, since a trace may
// enter a process several times. What has left is remembered (past.go): a span that comes
// after its root takes the root's context if it ended within a minute of it, else only that
// of its process, and is not held.
//
// A trace that begins inside a Serve process, FastAPI's own or one of an executor, is a
// fragment too. It waits for a second, so that the replica span that encloses it is there by then.
//
// # Processes
//
// A process is told by its resource as it came: span file, ray.worker_id, service.instance.id
// (process.go). Who it is comes from the resource, and from Serve's spans where these say it
// better. One without any span of Serve is foreign after a second: its spans are not held.
//
// # Tokens and refusals
//
// A batch is taken in whole or not at all. Its token (internal/delivery) is held until the
// last of its spans has ended, and is then told the worst that happened to any of them. The
// loop is one goroutine, since what is sent has an order and a refusal is everybody's. After a
// retryable refusal, spans with a token are left to their file, which is read again; spans
// without are sent again until they are accepted, the processor stops, or they are refused
// for good. Meanwhile ConsumeTraces refuses, so that the pressure goes back. When more than a
// few thousand spans are on their way out it waits instead.
//
// # Bounds
//
// Beyond max_spans or max_bytes the span held longest leaves with what else is held of its
// trace there. Processes, remembered spans and spans on their way out are bounded by
// constants. Each span costs the same whether the state is empty or full.
package servecontextprocessor
