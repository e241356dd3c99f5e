// Package jsonfileexporter implements the exporter json_file. It writes spans to
// files, either as Python's ConsoleSpanExporter does (what Ray's own tools and
// span_file read) or as OTLP JSON lines (what otlp_json_file reads).
//
// A push is encoded, without a lock, into whole records, split by file where the
// path holds resource attributes, and each file's part is appended by one write:
//
//	ConsumeTraces ─► pathTemplate ─► encoder ─► fileSet ─► spanFile ──► spans.json
//	                 which file      records    open ones     │         write, fsync, nil
//	                                                          │ rename at max_size
//	                                            backups ◄─────┴───────► spans-<time>.json
//	                                            pack, delete            spans-<time>.json.gz
//
// There is neither queue nor retry: nil means that the spans are in the file, and
// with sync: batch on the disk. Everything else is an error that the source
// sees, may retry, and that leaves the file as it was. So before each write the file is
// made sure of: it is still the one at its path, as long as it was left, and ends with a
// whole record. Whoever moves, truncates or removes it in between is noticed there.
//
// Concurrent pushes share an fsync: those that write while one is running wait
// for the next one together. When fsync fails, all that was written since the
// last good one is cut off again and refused, since nobody knows what of it the disk has.
package jsonfileexporter

//go:generate mdatagen metadata.yaml
