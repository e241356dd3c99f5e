package spanfilereceiver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"
)

// spanFileReceiver runs a tailer in one goroutine.
type spanFileReceiver struct {
	*tailer
	id   component.ID
	done chan struct{} // closed when the goroutine has ended; nil if it never ran
	// stop ends the polling: the goroutine drains and ends. cancel ends the
	// ConsumeTraces in flight and the drain.
	stop, cancel context.CancelFunc
}

func newSpanFileReceiver(set receiver.Settings, cfg *Config, next consumer.Traces) (*spanFileReceiver, error) {
	t, err := newTailer(cfg, set, next)
	if err != nil {
		return nil, err
	}
	return &spanFileReceiver{tailer: t, id: set.ID}, nil
}

// Start reads the checkpoint and begins to poll.
func (r *spanFileReceiver) Start(ctx context.Context, host component.Host) error {
	s, err := openStore(ctx, host, r.cfg.Storage, r.id)
	if err != nil {
		return err
	}
	r.store = s
	if err := r.restore(ctx); err != nil {
		return errors.Join(err, s.close())
	}
	r.reports.host = host
	// Start's context ends with Start, so neither of these descends from it.
	sends, cancel := context.WithCancel(context.Background())
	polling, stop := context.WithCancel(sends)
	r.cancel, r.stop = cancel, stop
	r.done = make(chan struct{})
	go r.run(polling, sends)
	return nil
}

// run is the loop: it polls at each tick, and at once while there is more to read.
func (r *spanFileReceiver) run(polling, sends context.Context) {
	defer close(r.done)
	defer r.end()
	ticker := time.NewTicker(r.cfg.PollInterval)
	defer ticker.Stop()
	for polling.Err() == nil {
		if r.poll(sends) {
			continue
		}
		select {
		case <-polling.Done():
		case <-ticker.C:
		}
	}
	r.drain(sends)
}

// Shutdown reads on for at most drain_timeout. Batches that are still held when it
// returns save the checkpoint when the last of them ends.
func (r *spanFileReceiver) Shutdown(ctx context.Context) error {
	if r.done == nil {
		return nil
	}
	r.stop()
	timer := time.AfterFunc(r.cfg.DrainTimeout, r.cancel)
	defer timer.Stop()
	defer context.AfterFunc(ctx, r.cancel)()
	defer r.tel.Shutdown()
	select {
	case <-r.done:
		r.cancel()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop reading span files: %w", ctx.Err())
	}
}

// restore loads the checkpoint. One that this program cannot read is worth a
// warning and nothing more: all is read again.
func (r *spanFileReceiver) restore(ctx context.Context) error {
	value, err := r.store.get(ctx)
	if err != nil {
		return err
	}
	if value == nil {
		return nil
	}
	r.firstStart = false
	entries, err := decodeCheckpoint(value, r.now())
	if err != nil {
		r.logger.Warn("ignoring the checkpoint, span files are read again", zap.Error(err))
		return nil
	}
	r.memory = newMemory(entries)
	return nil
}
