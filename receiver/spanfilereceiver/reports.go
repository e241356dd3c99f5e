package spanfilereceiver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
)

// reports tells the user once about each fault that can be acted on: in the log,
// and as the component's status, which is OK again when the last fault is gone.
// Only the poll loop calls it.
type reports struct {
	logger *zap.Logger
	host   component.Host // nil before Start and after the loop
	faults map[string]error
	told   map[string]string // per fault, what the log says already
}

// The keys of the faults that are no path's.
const (
	refusalFault = "refused spans"
	heldFault    = "held spans"
	storageFault = "checkpoint"
)

func newReports(logger *zap.Logger) *reports {
	return &reports{logger: logger, faults: make(map[string]error), told: make(map[string]string)}
}

// fail reports that something is wrong at key, which is a path in most cases.
func (r *reports) fail(key string, err error) {
	if r.told[key] != err.Error() {
		r.told[key] = err.Error()
		r.logger.Warn("cannot go on with it for now", zap.String("what", key), zap.Error(err))
	}
	if _, known := r.faults[key]; !known {
		r.faults[key] = fmt.Errorf("%s: %w", key, err)
		r.report()
	}
}

// clear reports that it is well again.
func (r *reports) clear(key string) {
	if _, known := r.faults[key]; known {
		delete(r.faults, key)
		r.report()
	}
}

// forget is clear for a path that is gone for good, told errors included.
func (r *reports) forget(key string) {
	delete(r.told, key)
	r.clear(key)
}

// refusal reports that the pipeline refuses spans, or with nil that it does not.
func (r *reports) refusal(err error) {
	_, refusing := r.faults[refusalFault]
	switch {
	case err != nil && !refusing:
		r.fail(refusalFault, err)
	case err == nil && refusing:
		r.forget(refusalFault)
		r.logger.Info("spans are accepted again")
	}
}

// once logs that a service to the disk is not possible, once per cause.
func (r *reports) once(message, path string, err error) {
	cause := err.Error()
	var errno syscall.Errno
	if errors.As(err, &errno) {
		cause = errno.Error() // without the path
	}
	if r.told[message] == cause {
		return
	}
	r.told[message] = cause
	r.logger.Warn(message, zap.String("path", path), zap.Error(err))
}

func (r *reports) report() {
	if r.host == nil {
		return
	}
	if len(r.faults) == 0 {
		componentstatus.ReportStatus(r.host, componentstatus.NewEvent(componentstatus.StatusOK))
		return
	}
	first := slices.Sorted(maps.Keys(r.faults))[0]
	componentstatus.ReportStatus(r.host, componentstatus.NewRecoverableErrorEvent(r.faults[first]))
}

// troubled notes that f cannot be read for now. It is tried again at the next look,
// with a fresh handle if there is a path to open.
func (t *tailer) troubled(f *spanFile, err error) {
	f.trouble = err
	if !f.away {
		t.shut(f)
	}
	t.reports.fail(f.path, err)
}

// logStart says once that reading of f begins.
func (t *tailer) logStart(f *spanFile) {
	if f.started {
		return
	}
	f.started = true
	t.logger.Info("reading span file", zap.String("file", f.path), zap.Int64("offset", f.offset))
}

// skip counts bytes of f that became no span, and logs the first of each reason.
func (t *tailer) skip(f *spanFile, reason string, at, length int64, err error) {
	count(t.tel.ReceiverSpanFileRecordsSkipped, 1, reason)
	count(t.tel.ReceiverSpanFileBytesSkipped, length, reason)
	if f.firstTime(reason) {
		t.logger.Warn("skipped bytes that are no span; more of them in this file are only counted",
			zap.String("file", f.path), zap.String("reason", reason),
			zap.Int64("offset", at), zap.Int64("bytes", length), zap.Error(err))
	}
}
