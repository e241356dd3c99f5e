package spanfilereceiver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
	"github.com/otelcol-serve/otelcol-serve/receiver/spanfilereceiver/internal/metadata"
)

// tailer finds, reads and sends span files. One goroutine calls its methods; only
// settle and what it calls run in other goroutines too.
type tailer struct {
	cfg     *Config
	logger  *zap.Logger
	next    consumer.Traces
	obs     *receiverhelper.ObsReport
	tel     *metadata.TelemetryBuilder
	now     func() time.Time // may be called concurrently
	reports *reports
	store   *store

	files      []*spanFile // in the order in which they were found
	byID       map[fileID]*spanFile
	byPath     map[string]*spanFile
	lost       map[string]uint64 // paths that could not be followed, and the scan that last tried
	memory     *memory
	firstStart bool   // no checkpoint was found
	scans      uint64 // how often was scanned
	nextScan   time.Time
	nextSweep  time.Time
	nextSave   time.Time
	openFiles  int
	maxOpen    int
	draining   bool
	ignored    int         // files passed over by ignore_older
	due, turns []*spanFile // of one look, of one round; reused

	dec  *consolespan.Decoder
	win  *window
	head [headSize]byte // reused
	// anomalies is what the decoder had counted when it was last asked.
	anomalies [consolespan.NumAnomalies]int64

	levels levels

	// mu guards everything declared below, and the ledgers of all files.
	mu          sync.Mutex
	openBatches int
	dirty       bool // the checkpoint is not what was saved last
	refused     bool // a batch was refused retryably since it was last cleared
	stopped     bool // the loop has ended: the last batch to end saves the checkpoint
}

// newTailer returns a tailer that has no storage and knows no file.
func newTailer(cfg *Config, set receiver.Settings, next consumer.Traces) (*tailer, error) {
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "file", LongLivedCtx: true, ReceiverCreateSettings: set,
	})
	if err != nil {
		return nil, err
	}
	tel, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	t := &tailer{
		cfg: cfg, logger: set.Logger, next: next, obs: obs, tel: tel, now: time.Now,
		reports: newReports(set.Logger), store: &store{},
		byID: make(map[fileID]*spanFile), byPath: make(map[string]*spanFile),
		lost: make(map[string]uint64), memory: newMemory(nil), firstStart: true,
		maxOpen: openFilesBound(cfg.MaxOpenFiles, descriptorLimit()),
		dec:     consolespan.NewDecoder(int(cfg.MaxRecordSize)), win: newWindow(int(cfg.MaxRecordSize)),
	}
	return t, t.levels.register(tel)
}

// poll is one cycle. It returns whether there is more to read at once.
func (t *tailer) poll(ctx context.Context) bool {
	now := t.now()
	if !now.Before(t.nextScan) {
		t.scan(now)
	}
	t.look(now)
	more := t.round(ctx)
	t.tidy(t.now())
	t.saveWhenDue()
	return more
}

// closeAfter is how long a delivered file stays open after it last grew.
const closeAfter = 5 * time.Second

// tidy looks after what the round left: it closes files at rest, gives disk space
// back, and says how much there is still to do.
func (t *tailer) tidy(now time.Time) {
	var lag int64
	var refusal error
	for _, f := range t.files {
		t.mu.Lock()
		delivered, clean := f.lowest(f.offset), f.clean()
		if len(f.again) > 0 {
			refusal = f.refusal
		}
		t.mu.Unlock()
		lag += max(0, f.size-delivered)
		rest := clean && !f.unread() && !f.away && f.idle(now) >= closeAfter
		if t.cfg.ReleaseDisk {
			t.release(f, delivered, rest)
		}
		if rest {
			t.shut(f)
		}
	}
	t.reports.refusal(refusal)
	t.reportHeld()
	t.levels.known.Store(int64(len(t.files)))
	t.levels.open.Store(int64(t.openFiles))
	t.levels.lag.Store(lag)
}

var errTooManyOpen = fmt.Errorf("%d batches are held by the pipeline, reading waits for some of them to end", maxOpenBatches)

// reportHeld tells why nothing is read while the pipeline holds too much.
func (t *tailer) reportHeld() {
	t.mu.Lock()
	held := t.openBatches >= maxOpenBatches
	t.mu.Unlock()
	if held {
		t.reports.fail(heldFault, errTooManyOpen)
		return
	}
	t.reports.clear(heldFault)
}

// drain reads on to the end that each file has now, until ctx ends or the first
// refusal. A batch that was refused before is tried once more.
func (t *tailer) drain(ctx context.Context) {
	t.draining = true
	t.reports.host = nil // the service itself reports the status from here on
	t.mu.Lock()
	t.refused = false
	t.mu.Unlock()
	now := t.now()
	t.scan(now)
	for _, f := range t.snapshot() {
		t.lookAt(f, now)
	}
	for more := true; more && ctx.Err() == nil; {
		more = t.round(ctx)
	}
	if left := t.left(); left > 0 {
		t.logger.Info("stopped before the end of the span files, the next start reads on", zap.Int64("bytes_left", left))
	}
}

// left is how many bytes are to be read, or read again, by the next start as far
// as is known now: batches under way may still be refused.
func (t *tailer) left() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var left int64
	for _, f := range t.files {
		if f.unread() {
			left += f.size - f.offset
		}
		for _, x := range f.again {
			left += x.to - x.from
		}
	}
	return left
}

// end saves what is known and closes the files. What is still under way refines
// the checkpoint: the last batch to end saves it again.
func (t *tailer) end() {
	if err := t.save(); err != nil {
		t.logger.Error("saving the offsets of span files", zap.Error(err))
	}
	for _, f := range t.files {
		t.shut(f)
	}
	t.mu.Lock()
	t.stopped = true
	none := t.openBatches == 0
	t.mu.Unlock()
	if none {
		t.finish()
	}
}

// finish saves the checkpoint for the last time. It is called once, when the loop
// has ended and no batch is under way.
func (t *tailer) finish() {
	if err := errors.Join(t.save(), t.store.close()); err != nil {
		t.logger.Error("saving the offsets of span files for the last time", zap.Error(err))
	}
}
