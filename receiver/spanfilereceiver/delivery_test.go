package spanfilereceiver

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var errFull = errors.New("disk full")

func TestOffsetMovesOnlyAfterConsume(t *testing.T) {
	b := newBench(t, nil)
	b.out.refuse = func(ptrace.Traces) error { return errFull }
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	assert.Zero(t, b.committed())
	b.out.refuse = nil
	b.run(2 * time.Second)
	assert.EqualValues(t, len(records("a", 0, 3)), b.committed())
	assert.Equal(t, names("a", 0, 3), b.out.got)
}

func TestRefusedFileIsNotReadOn(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
	b.out.refuse = func(ptrace.Traces) error { return errFull }
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	assert.Equal(t, 1, b.out.calls, "one refusal, then it waits")
	b.run(b.cfg.RetryOnFailure.InitialInterval / 2)
	assert.Equal(t, 1, b.out.calls)
	b.run(b.cfg.RetryOnFailure.InitialInterval)
	assert.Equal(t, 2, b.out.calls)
}

func TestBackOffDoublesUpToTheMaximum(t *testing.T) {
	limits := RetryConfig{InitialInterval: time.Second, MaxInterval: 5 * time.Second}
	var l ledger
	now := time.Unix(0, 0)
	var waits []time.Duration
	for range 4 {
		l.backOff(now, limits)
		l.backOff(now, limits) // of another batch, at the same time
		waits = append(waits, l.retryAt.Sub(now))
		now = l.retryAt
	}
	assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second}, waits)
}

func TestBackOffBeginsAnewAfterADelivery(t *testing.T) {
	b := newBench(t, nil)
	refuse := func(ptrace.Traces) error { return errFull }
	b.out.refuse = refuse
	b.write("a.json", record("a0"))
	b.run(20 * time.Second)
	b.out.refuse = nil
	b.run(b.cfg.RetryOnFailure.MaxInterval)
	require.Equal(t, []string{"a0"}, b.out.got)
	b.out.refuse = refuse
	b.append("a.json", record("a1"))
	b.run(maxLookInterval)
	b.out.refuse = nil
	b.run(2 * b.cfg.RetryOnFailure.InitialInterval)
	assert.Equal(t, []string{"a0", "a1"}, b.out.got)
}

func TestRefusalStopsNoOtherFile(t *testing.T) {
	b := newBench(t, nil)
	b.out.refuse = func(td ptrace.Traces) error {
		if spanNames(td)[0] == "bad0" {
			return errFull
		}
		return nil
	}
	b.write("bad.json", records("bad", 0, 1))
	b.write("good.json", records("good", 0, 1))
	b.settleDown()
	b.append("good.json", records("good", 1, 2))
	b.run(time.Second)
	assert.Equal(t, names("good", 0, 2), b.out.got)
}

func TestRefusalIsReportedAndCleared(t *testing.T) {
	b := newBench(t, nil)
	b.out.refuse = func(ptrace.Traces) error { return errFull }
	b.write("a.json", records("a", 0, 1))
	b.run(10 * time.Second)
	assert.Equal(t, componentstatus.StatusRecoverableError, b.host.lastStatus())
	assert.Equal(t, 1, b.logs.FilterMessage("cannot go on with it for now").Len(), "told once")
	b.out.refuse = nil
	b.run(time.Minute)
	assert.Equal(t, componentstatus.StatusOK, b.host.lastStatus())
}

func TestPermanentErrorGivesTheBatchUp(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 2 })
	b.out.refuse = func(td ptrace.Traces) error {
		if slices.Contains(spanNames(td), "a2") {
			return consumererror.NewPermanent(errFull)
		}
		return nil
	}
	b.write("a.json", records("a", 0, 6))
	b.settleDown()
	assert.Equal(t, append(names("a", 0, 2), names("a", 4, 6)...), b.out.got)
	assert.EqualValues(t, 2, b.metric("receiver_span_file_spans_given_up", "permanent_error"))
	assert.EqualValues(t, len(records("a", 0, 6)), b.committed())
	logged := b.logs.FilterMessage("spans refused, giving them up").All()
	require.Len(t, logged, 1)
	assert.EqualValues(t, endOf(records("a", 0, 2)), logged[0].ContextMap()["from_offset"])
	assert.EqualValues(t, endOf(records("a", 0, 4)), logged[0].ContextMap()["to_offset"])
}

func TestHeldBatchKeepsTheOffsetAndBlocksNothing(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
	b.out.hold = true
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	assert.Equal(t, names("a", 0, 3), b.out.got, "later batches flow")
	assert.Zero(t, b.committed())
	b.out.held[1].Release(nil)
	assert.Zero(t, b.committed(), "the first is still held")
	b.out.held[0].Release(nil)
	assert.EqualValues(t, endOf(records("a", 0, 2)), b.committed())
	b.out.held[2].Release(nil)
	assert.EqualValues(t, len(records("a", 0, 3)), b.committed())
}

func TestHeldBatchThatFailsIsReadAgain(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
	b.out.hold = true
	b.write("a.json", records("a", 0, 4))
	b.settleDown()
	b.out.hold = false
	b.out.held[0].Release(nil)
	b.out.held[1].Release(errFull)
	b.out.held[2].Release(errFull)
	b.out.held[3].Release(nil)
	assert.EqualValues(t, endOf(records("a", 0, 1)), b.committed())
	b.run(2 * time.Second)
	assert.Equal(t, append(names("a", 0, 4), "a1", "a2"), b.out.got, "only what was refused is sent again")
	assert.EqualValues(t, len(records("a", 0, 4)), b.committed())
}

// TestRefusalDuringARereadIsNotForgotten: batches end in other goroutines, also
// between the moments when a turn chooses what to read again and notes that it has.
func TestRefusalDuringARereadIsNotForgotten(t *testing.T) {
	for _, atEnd := range []bool{false, true} {
		b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
		b.out.hold = true
		b.write("a.json", records("a", 0, 3))
		b.settleDown()
		b.out.held[1].Release(errFull)
		f := b.file()
		part := f.again[0]
		r, err := b.decode(f, part, false)
		b.ok(err)
		if r.atEnd = atEnd; atEnd {
			r.end = part.from // as if the file had been damaged meanwhile
		}
		b.out.held[0].Release(errFull)
		reread := &batch{file: f, extent: extent{part.from, r.end}, spans: r.spans}
		b.book(reread, part, r, true)
		assert.Zero(t, b.committed())
		b.settle(reread, nil)
		b.out.held[2].Release(nil)
		b.out.hold, b.out.got = false, nil
		b.run(2 * time.Second)
		assert.Contains(t, b.out.got, "a0")
		assert.EqualValues(t, len(records("a", 0, 3)), b.committed())
	}
}

func TestHeldBatchThatFailsPermanentlyIsGivenUp(t *testing.T) {
	b := newBench(t, nil)
	b.out.hold = true
	b.write("a.json", records("a", 0, 4))
	b.settleDown()
	b.out.held[0].Release(consumererror.NewPermanent(errFull))
	b.run(2 * time.Second)
	assert.Equal(t, names("a", 0, 4), b.out.got)
	assert.EqualValues(t, 4, b.metric("receiver_span_file_spans_given_up", "permanent_error"))
	assert.EqualValues(t, len(records("a", 0, 4)), b.committed())
}

func TestHeldBatchOfTruncatedFileThatFailsIsCounted(t *testing.T) {
	b := newBench(t, nil)
	b.out.hold = true
	b.write("a.json", records("a", 0, 4))
	b.settleDown()
	b.out.hold = false
	b.write("a.json", records("b", 0, 1))
	b.run(2 * time.Second)
	b.out.held[0].Release(errFull)
	b.run(5 * time.Second)
	assert.Equal(t, append(names("a", 0, 4), "b0"), b.out.got)
	assert.EqualValues(t, 4, b.metric("receiver_span_file_spans_given_up", "file_gone"))
}

func TestUndeliveredFileStaysOpen(t *testing.T) {
	b := newBench(t, nil)
	b.out.hold = true
	b.write("a.json", records("a", 0, 2))
	b.settleDown()
	b.run(2 * closeAfter)
	require.NotNil(t, b.file().handle)
	require.NoError(t, removeFile(b.path("a.json")))
	b.run(2 * closeAfter)
	b.out.hold = false
	b.out.held[0].Release(errFull)
	b.run(5 * time.Second)
	assert.Equal(t, append(names("a", 0, 2), names("a", 0, 2)...), b.out.got, "read again although it was deleted")
	b.run(time.Minute)
	assert.Empty(t, b.files)
}

func TestTooManyOpenBatchesStopTheReading(t *testing.T) {
	b := newBench(t, nil)
	b.openBatches = maxOpenBatches
	b.write("a.json", records("a", 0, 1))
	b.run(time.Second)
	assert.Empty(t, b.out.got)
	b.openBatches = 0
	b.run(time.Second)
	assert.Equal(t, names("a", 0, 1), b.out.got)
}
