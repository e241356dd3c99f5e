// Package delivery says when a batch of spans has left everything that holds it.
//
// A receiver that can read its input again (span_file) opens one [Token] for
// each batch and hands it down the pipeline in the context of ConsumeTraces.
// Whoever keeps spans of the batch after ConsumeTraces has returned (serve_context)
// takes a hold and releases it with the result of its own send. The last release
// closes the token, and the receiver learns whether the batch was delivered:
//
//	span_file          serve_context               exporter
//	New ─ 1 hold
//	ConsumeTraces ───► FromContext(ctx).Hold() 2
//	Release(nil) 1 ◄── nil
//	                   (spans are held)
//	                   ConsumeTraces ────────────► nil, written
//	done(nil) ◄─────── Release(nil) 0
//
// The guarantee ends at a component that drops the context.
package delivery

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/consumer/consumererror"
)

// Token counts the holders of one batch. All methods may be called concurrently,
// and on a nil Token, which holds nothing: spans from the network have none.
type Token struct {
	done func(error)

	mu    sync.Mutex
	holds int   // guarded by mu; once 0 it stays 0
	err   error // guarded by mu; what done will be told
}

// New opens a token with one hold, the opener's own. When the last holder has
// released it, done is called once, in the goroutine of that holder. It is told
// nil if no holder reported an error, else the first error, but a retryable one
// rather than a permanent one: the batch goes to several exporters perhaps, and
// while one of them may still accept it, it must not be given up.
func New(done func(error)) *Token {
	return &Token{done: done, holds: 1}
}

// Hold adds a holder. It must be called by somebody who knows that the token is
// open: inside ConsumeTraces, or while holding it already.
func (t *Token) Hold() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds == 0 {
		panic("delivery: Hold of a closed token")
	}
	t.holds++
}

// Release says that a holder has let go: with nil when its spans were accepted
// downstream, or with the error that refused them.
func (t *Token) Release(err error) {
	if t == nil {
		return
	}
	t.mu.Lock()
	if t.holds == 0 {
		t.mu.Unlock()
		panic("delivery: Release of a closed token")
	}
	if err != nil && (t.err == nil || consumererror.IsPermanent(t.err) && !consumererror.IsPermanent(err)) {
		t.err = err
	}
	t.holds--
	last, result := t.holds == 0, t.err
	t.mu.Unlock()
	if last {
		t.done(result)
	}
}

type contextKey struct{}

// NewContext returns ctx with the token of the batch that is sent with it.
func NewContext(ctx context.Context, t *Token) context.Context {
	return context.WithValue(ctx, contextKey{}, t)
}

// FromContext returns the token that ctx carries, or nil.
func FromContext(ctx context.Context) *Token {
	t, _ := ctx.Value(contextKey{}).(*Token)
	return t
}
