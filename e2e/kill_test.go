//go:build e2e

package e2e

import (
	"fmt"
	"math/rand"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestKillNineAtRandomMomentsLosesNoSpan shows "at least once": a span whose
// offset is not saved when the process dies is read again.
func TestKillNineAtRandomMomentsLosesNoSpan(t *testing.T) {
	e := newEmbedded(t)
	kills := int(number(t, "E2E_KILLS", 100))
	w := startWriter(t, e.in, 5, 1200, 0)
	killRun(t, e, w, kills, e.args())
}

// TestKillNineLosesNoSpanWhileDiskIsReleased is the same with files that lose
// their beginnings: what is given back must be on disk in the output.
func TestKillNineLosesNoSpanWhileDiskIsReleased(t *testing.T) {
	e := newEmbedded(t)
	kills := int(number(t, "E2E_KILLS", 100)) / 5
	w := startWriter(t, e.in, 3, 800, 6000)
	killRun(t, e, w, kills, e.args("receivers::span_file::release_disk=true"))
}

// killRun kills the collector at random moments while w writes, and asserts that
// every span is in the output in the end.
func killRun(t *testing.T, e *embedded, w *writer, kills int, args []string) {
	t.Helper()
	random := rand.New(rand.NewSource(seed(t)))
	begin, whenReady := time.Now(), 0
	for range kills {
		// Small batches, each with its fsync, keep the collector behind the writer, so
		// that a kill finds it with read, sent and unread spans.
		batch := []int{1, 10, 1000}[random.Intn(3)]
		collector := start(t, e.dir, append(args, set(fmt.Sprintf("receivers::span_file::max_batch_spans=%d", batch))...)...)
		// One in four moments lies in the start or soon after it, the others in the work.
		within := 300 * time.Millisecond
		if random.Intn(4) > 0 {
			collector.waitReady()
			within = 1500 * time.Millisecond
		}
		<-time.After(time.Duration(random.Int63n(int64(within))))
		whenReady += readyNow(collector)
		collector.kill()
	}
	took := time.Since(begin)

	written := w.stop()
	collector := startReady(t, e.dir, args...)
	waitFor(t, e.out, written, 60*time.Second)
	collector.terminate()

	d := compareKeys(written, countKeys(t, e.out))
	t.Logf("%d kills (%d after the start) in %.0f s: %d spans written, %d lost, %d duplicated, %d unknown",
		kills, whenReady, took.Seconds(), d.written, d.lost, d.repeated, d.extra)
	assert.Zero(t, d.lost, "spans lost")
	assert.Zero(t, d.extra, "spans that nobody wrote")
}

func readyNow(p *process) int {
	if p.stdout() == "" {
		return 0
	}
	return 1
}

// TestRestartsGiveEverySpanExactlyOnce ends the collector as a service manager
// does: what it has read is delivered, and the offsets are saved, before it is gone.
func TestRestartsGiveEverySpanExactlyOnce(t *testing.T) {
	e := newEmbedded(t)
	random := rand.New(rand.NewSource(seed(t)))
	const restarts = 10
	w := startWriter(t, e.in, 5, 600, 0)
	for range restarts {
		collector := startReady(t, e.dir, e.args()...)
		<-time.After(time.Duration(random.Int63n(int64(2 * time.Second))))
		collector.terminate()
	}
	written := w.stop()
	collector := startReady(t, e.dir, e.args()...)
	waitFor(t, e.out, written, 30*time.Second)
	collector.terminate()

	d := compareKeys(written, countKeys(t, e.out))
	t.Logf("%d restarts: %d spans written, %d lost, %d duplicated", restarts, d.written, d.lost, d.repeated)
	assert.Equal(t, onceEach(len(written)), d)
}

// TestKillNineOfTheWriterLeavesWholeSpansOnly covers a replica that
// Ray kills in the middle of a write: what is whole is delivered, once.
func TestKillNineOfTheWriterLeavesWholeSpansOnly(t *testing.T) {
	e := newEmbedded(t)
	collector := startReady(t, e.dir, e.args()...)
	w := startWriter(t, e.in, 2, 2000, 0)
	<-time.After(2 * time.Second)
	w.signal(syscall.SIGKILL)
	<-w.ended

	written := wholeSpans(t, matching(t, e.in+"/*.json")...)
	waitFor(t, e.out, written, 30*time.Second)
	collector.terminate()
	assert.Equal(t, onceEach(len(written)), compareKeys(written, countKeys(t, e.out)))
}
