// Package consolespan reads and writes the text form of spans that Python's
// ConsoleSpanExporter writes, which is what Ray puts into its span files. It
// goes straight between bytes and pdata, one pass each way, and nothing else in
// otelcol-serve knows the format.
//
//	file, any part of it                            ptrace.Traces
//	┌───────────────────────────┐   Decoder.Next   ┌──────────────────┐
//	│ :actor_name:ServeReplica… │ ── SkipError ─▷  │ ResourceSpans    │
//	│ {"name": "a", …}          │ ── a span ────▶  │ ├ span a         │
//	│ {"name": "b", …}          │ ── a span ────▶  │ └ span b         │
//	│ {"name": "c", "conte      │ ── ErrMore       │                  │
//	└───────────────────────────┘                  └──────────────────┘
//	  ▲                             AppendSpan              │
//	  └─────────────────────────────────────────────────────┘
//
// # The format
//
// A record is what ReadableSpan.to_json() returns: json.dumps with ensure_ascii,
// either with an indent of 4 over many lines (Pretty, the SDK's default and Ray
// Serve's files) or on one line (Lines, Ray Core's). Its members always stand in
// the order name, context, kind, parent_id, start_time, end_time, status,
// attributes, events, links, resource. Python's extensions to JSON are part of
// it: NaN, Infinity and -Infinity are bare words, an integer's text has neither
// point nor exponent, a float's always has. The SDK versions differ:
//
//	since   resource                    parent_id      a link's missing attributes
//	1.1     its attributes, flat        no 0x          null
//	1.2     its attributes, flat        0x             {}
//	1.12    {attributes, schema_url}    0x             {}
//
// The decoder reads all of these, told apart by the text alone. The encoder
// writes the form of the version in telemetry.sdk.version if
// telemetry.sdk.language is python, and the newest form otherwise.
//
// # What is kept
//
// Decoding and encoding a record gives its bytes back. Times are the hard part:
// the SDK computes ns/1e9 as a float and rounds that to microseconds, so it
// prints up to 0.75 µs beside the truth (until 2100; 2.5 µs until 2554). The
// decoder returns a nanosecond that the SDK prints as the given text, the whole
// microsecond wherever that is one. The exceptions, each forced by the format:
//
//   - a flat resource (before 1.12) without telemetry.sdk.version, which only
//     Resource(…) without create() makes, is written in the newest form;
//   - a link with an empty map as attributes, before 1.2, is written with null.
//
// What other sources know and the format cannot carry is lost by the encoder:
//
//	field                                           is written as
//	scope: name, version, attributes, schema URL    -
//	nanoseconds below 1 µs                          the SDK's rounding
//	flags of spans and links                        -
//	dropped counts of attributes, events, links     -
//	resource schema URL, before 1.12                -
//	entity references of the resource               -
//	status message without an error                 - (the SDK drops it, too)
//	kind UNSPECIFIED                                SpanKind.INTERNAL
//	bytes                                           a string: base64
//	trace state: spaces around members              -
//	trace state: a member without =                 key with an empty value
//	invalid UTF-8                                   U+FFFD for each byte
//	more than about 30 nested maps and arrays       a string: their JSON
//
// An empty value is null, a map is an object and an array of mixed types is
// written as it is, as SDK 1.45 does.
//
// # What is wrong with a span
//
// A record is a span if it has ids and kind, parent_id or a time, or at least
// context, kind and start_time; ids alone stand in links and log lines, too.
// Whatever else is odd about it is counted as an Anomaly and costs only the
// member that it concerns. Integers beyond int64 become strings of their digits,
// since in attributes they are ids and hashes, of which a double loses the end.
//
// # What is no span
//
// Everything else comes back as a SkipError that says where it stands and why it
// was passed over. Log lines between records end at the next opening brace that
// a quote follows. A record that is wrong was mostly torn, by a writer that
// crashed, and followed by a fresh one, which begins anywhere in the torn one: in
// a string, or where a value was expected. The decoder finds it in both cases;
// in the second as soon as the byte behind the fresh record shows that it is not
// part of the torn one, or with WholeInside where no byte will come. Work stays
// linear in the input, however hostile it is.
package consolespan
