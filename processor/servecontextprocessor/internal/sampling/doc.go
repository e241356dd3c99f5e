// Package sampling is the sampling duty of serve_context: it decides which traces
// are kept, and writes on their spans how many they stand for. It holds no spans
// and waits for nothing; whoever holds them says what is known (Trace), asks
// (Rules.Decide, Rules.DecideBatch), and lets the answer be written (Decision.Apply).
//
//	Source ── Rules() ──▶ Rules ── Decide(Trace) ──▶ Decision ── Apply(span), if Keep()
//	  ▲                                                 │ Outcome, Notes: to count
//	Check(now): sampling.file                           │ Rule: to remember for process and trace
//	                                                    └ Member(): for the batches of the request
//
// # The decision
//
// It is OpenTelemetry's consistent probability sampling
// (https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/),
// by contrib's pkg/sampling, equalizing. Each trace has a randomness R of 56
// bits, each ratio a threshold T = 2^56 · (1 − ratio), and
//
//	a trace is kept iff R ≥ T, so with probability 1 − T/2^56, and each of its
//	spans then stands for 1 / (1 − T/2^56).
//
// All samplers of a trace use the same R, so of two thresholds the larger one
// decides, whichever comes first, and is what stands in tracestate as th. R is
// rv where the trace's Serve spans carry it, else the low 56 bits of the trace id
// (https://www.w3.org/TR/trace-context-2/#randomness-of-trace-id). T is written at
// full precision: 14 hexadecimal digits, less the zeros at the end.
//
// A th that R does not reach was false when it came. It does not drop the span,
// because other processes of the trace do not see it; it is erased instead, which
// says that the probability is not known. The same holds beside an rv that is not
// the trace's R: FastAPI reads tracestate from the request's headers, Ray's proxy drops it.
//
// At ratio 1 and head ratio 1 nothing is decided and no byte of a tracestate changes,
// since a sampler that knows nothing of th and rv, such as contrib's
// probabilistic_sampler in its default mode, drops the spans that have them.
//
// # Ray's own sampling
//
// Ray samples with the Python SDK's ParentBasedTraceIdRatio
// (ray/serve/_private/tracing_utils.py, setup_tracing), and writes no th. The SDK
// (opentelemetry.sdk.trace.sampling, TraceIdRatioBased.should_sample) keeps
//
//	low64(trace id) < round(ratio · 2^64),
//
// the small ids, the specification the large R. With
//
//	R      = 2^56 − 1 − (low64 >> 8)
//	T_head = 2^56 − ⌈round(ratio · 2^64) / 2^8⌉
//
// R ≥ T_head says what the SDK says, bit by bit from a ratio of 1/16 on (float64
// has 53 bits, so that the bound is a multiple of 2^8), and but for at most 255
// of 2^64 ids below. A later, smaller ratio then keeps exactly what Python would have
// kept at it. Where that R is below T_head, Ray did not draw: its sampler follows
// its parent, so a client had sampled. Such a trace is decided on by its own low 56 bits.
//
// Which R a trace has so follows from its id and the head ratio alone, and every
// process finds the same. R is written as rv, so that samplers behind this one find it, too.
// What the trace stands for does not follow from it: a span that is not sampled
// leaves no context behind (TraceContextManager.__enter__), so the next hop of the
// request starts another trace and draws again. Only a trace with a parentless proxy span,
// or one that the companion marks, was drawn once, and gets th: Head says which it
// is. A trace that is known to be drawn again is headless, is marked or dropped, and never
// has th. Of the rest it is not known; they keep the th they brought, raised, and get none.
//
// # Batches
//
// A batch's spans stand in the trace of one member and serve all. In mode link they
// are kept if any member's trace is. Where their own trace lost, their probability is
// that of a union and th is erased. AttrBatchMaxR, the largest R of the members,
// lets an instance that knows no members decide alike: some member has R ≥ T iff the
// largest has. With different ratios for the members' routes it takes the highest.
package sampling
