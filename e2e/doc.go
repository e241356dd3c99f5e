//go:build e2e

// Package e2e tests otelcol-serve from outside: the built binary beside real Ray
// Serve applications, real Python SDKs and a real Datadog tracer.
//
//	Python process ──► span files, OTLP, Datadog ──► otelcol-serve ──► files
//	      │                                          (kill -9, SIGTERM,  │
//	      └──► what it made (ids, the SDK's own text) ◄──── compared ────┘
//
// `make e2e` builds the binary, installs the Python packages and sets
// OTELCOL_SERVE and PYTHON, which name both. The ground truth is read with
// encoding/json and never with our own codec. All processes that a test starts
// are ended with it, whatever happens; nothing else on the machine is touched.
//
// Environment: E2E_KILLS (100), E2E_SEED (taken from the clock, logged) and
// E2E_LIVE_SECONDS (20) change how long the randomised and the live-writer tests take.
package e2e
