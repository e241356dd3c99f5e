package jsonfileexporter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadata"
)

// faultMemory is how long a fault that nobody meets again keeps the exporter
// unhealthy: the spans of a path with attributes may never come back.
const faultMemory = 5 * time.Minute

// maxFaults bounds the faults known at a time; more are only counted.
const maxFaults = 1000

var (
	// errLocked says that another exporter or collector has the file.
	errLocked = errors.New("another json_file exporter or collector writes to it; give each a path of its own")
	// errNotRegular says that the path leads to something that is no file.
	errNotRegular = errors.New("not a regular file")
	// errSync wraps what fsync reported.
	errSync = errors.New("fsync")
)

// reasonOf sorts an error into the values of the metric attribute "reason".
func reasonOf(err error) string {
	is := func(targets ...error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG):
		return "full_disk"
	case is(fs.ErrPermission, syscall.EROFS):
		return "permission"
	case is(fs.ErrNotExist, syscall.ENOTDIR):
		return "missing"
	case is(errLocked):
		return "locked"
	case is(errForeign, errNotRegular):
		return "foreign"
	case is(errSync):
		return "sync"
	default:
		return "other"
	}
}

// faults knows what is wrong at the moment, so that each fault is logged once, counted
// always, and shown in the component's status until it is gone. Its methods may be
// called concurrently; they report inside mu, so that the last status is the true one.
type faults struct {
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	now       func() time.Time

	mu     sync.Mutex
	host   component.Host
	active map[string]fault // by what was being done, such as "write /var/spans/x.json"
}

type fault struct {
	reason string
	seen   time.Time // last
}

func newFaults(logger *zap.Logger, telemetry *metadata.TelemetryBuilder, now func() time.Time) *faults {
	return &faults{logger: logger, telemetry: telemetry, now: now, active: map[string]fault{}}
}

// start makes faults visible in the status of the component.
func (f *faults) start(host component.Host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.host = host
}

// refused counts a refused push to path, and returns the error that says so.
func (f *faults) refused(path string, err error) error {
	f.telemetry.ExporterJSONFileRefusals.Add(context.Background(), 1,
		metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", reasonOf(err)))))
	err = fmt.Errorf("write spans to %q: %w", path, err)
	f.raise("write "+path, err)
	return err
}

// raise records that what was being done meets err.
func (f *faults) raise(doing string, err error) {
	reason := reasonOf(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	earlier, known := f.active[doing]
	f.forget()
	if !known && len(f.active) == maxFaults {
		return
	}
	f.active[doing] = fault{reason: reason, seen: f.now()}
	if earlier.reason == reason {
		return
	}
	f.logger.Warn("cannot go on; trying again with what comes next",
		zap.String("doing", doing), zap.String("reason", reason), zap.Error(err))
	if f.host != nil {
		componentstatus.ReportStatus(f.host, componentstatus.NewRecoverableErrorEvent(err))
	}
}

// clear records that what was being done works.
func (f *faults) clear(doing string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.active) == 0 {
		return
	}
	_, cured := f.active[doing]
	delete(f.active, doing)
	f.forget()
	if cured {
		f.logger.Info("works again", zap.String("doing", doing))
	}
	if len(f.active) == 0 && f.host != nil {
		componentstatus.ReportStatus(f.host, componentstatus.NewEvent(componentstatus.StatusOK))
	}
}

// forget drops faults that nobody has met for long. mu must be held.
func (f *faults) forget() {
	for doing, fault := range f.active {
		if f.now().Sub(fault.seen) > faultMemory {
			delete(f.active, doing)
		}
	}
}
