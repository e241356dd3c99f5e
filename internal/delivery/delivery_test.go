package delivery

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ending remembers what done was told, and how often.
type ending struct {
	calls int
	err   error
}

func (e *ending) open() *Token {
	return New(func(err error) {
		e.calls++
		e.err = err
	})
}

func TestTokenClosesWithTheLastHolder(t *testing.T) {
	var e ending
	token := e.open()
	token.Hold()
	token.Hold()
	token.Release(nil)
	token.Release(nil)
	require.Zero(t, e.calls)
	token.Release(nil)
	assert.Equal(t, ending{1, nil}, e)
}

func TestTokenTellsTheErrorThatDecides(t *testing.T) {
	retryable, other := errors.New("full"), errors.New("full too")
	permanent := consumererror.NewPermanent(errors.New("bad"))
	for name, c := range map[string]struct {
		reported []error
		want     error
	}{
		"none":                     {[]error{nil, nil}, nil},
		"the only one":             {[]error{nil, retryable, nil}, retryable},
		"the first of equals":      {[]error{retryable, other}, retryable},
		"retryable then permanent": {[]error{retryable, permanent}, retryable},
		"permanent then retryable": {[]error{permanent, retryable}, retryable},
		"permanent and success":    {[]error{permanent, nil}, permanent},
	} {
		t.Run(name, func(t *testing.T) {
			var e ending
			token := e.open()
			for range c.reported[1:] {
				token.Hold()
			}
			for _, err := range c.reported {
				token.Release(err)
			}
			assert.Equal(t, ending{1, c.want}, e)
		})
	}
}

func TestTokenOfNetworkSpansHoldsNothing(t *testing.T) {
	token := FromContext(context.Background())
	assert.Nil(t, token)
	token.Hold()
	token.Release(errors.New("nobody hears it"))
}

func TestTokenTravelsInTheContext(t *testing.T) {
	var e ending
	token := e.open()
	ctx, cancel := context.WithCancel(NewContext(context.Background(), token))
	defer cancel()
	assert.Same(t, token, FromContext(ctx))
}

func TestClosedTokenRefusesFurtherUse(t *testing.T) {
	var e ending
	token := e.open()
	token.Release(nil)
	assert.Panics(t, token.Hold)
	assert.Panics(t, func() { token.Release(nil) })
	assert.Equal(t, 1, e.calls)
}

func TestTokenIsReleasedByManyAtOnce(t *testing.T) {
	const holders = 100
	var calls atomic.Int64
	token := New(func(err error) {
		assert.Error(t, err) //nolint:testifylint // require may not be called in another goroutine
		calls.Add(1)
	})
	var wg sync.WaitGroup
	for i := range holders {
		token.Hold()
		wg.Go(func() { token.Release(fmt.Errorf("holder %d", i)) })
	}
	wg.Wait()
	assert.Zero(t, calls.Load(), "the opener still holds it")
	token.Release(nil)
	assert.EqualValues(t, 1, calls.Load())
}

func ExampleToken() {
	token := New(func(err error) { fmt.Println("delivered:", err == nil) })

	// A processor keeps the spans beyond ConsumeTraces.
	held := FromContext(NewContext(context.Background(), token))
	held.Hold()
	token.Release(nil) // ConsumeTraces has returned
	fmt.Println("ConsumeTraces returned")

	held.Release(nil) // the processor has sent them
	// Output:
	// ConsumeTraces returned
	// delivered: true
}
