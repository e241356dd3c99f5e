package jsonfileexporter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadata"
)

var errShutDown = errors.New("the exporter is shut down")

// settings is what all files of an exporter share. It is immutable.
type settings struct {
	layout    layout
	maxSize   int64 // 0: no rotation
	durable   bool  // sync: batch
	now       func() time.Time
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	faults    *faults
	backups   *backups
}

// handle is an open file. It is an interface because no test can make a real
// file's fsync or truncate fail at a chosen moment.
type handle interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// spanFile is one output file, open or not. Its methods may be called concurrently.
//
//	         synced              size
//	│ durable  │ written, pending  │ torn, cut before the next write │
//
// 0 <= synced <= size. Without durable, synced and pending are not used.
type spanFile struct {
	*settings
	at    location
	path  string // at as text
	users int    // guarded by fileSet.mu

	mu     sync.Mutex // guards everything declared below
	idle   sync.Cond  // syncing became false
	file   handle     // nil while closed
	stat   os.FileInfo
	size   int64
	synced int64
	torn   bool // there may be bytes behind size
	// stuck says that the last rotation was not possible: the file grows beyond maxSize
	// rather than refuse spans that it can hold.
	stuck   bool
	pending *commit // of the bytes between synced and size, or nil
	syncing bool    // a push calls fsync outside of mu
	done    bool    // shut down
}

func newSpanFile(s *settings, at location) *spanFile {
	f := &spanFile{settings: s, at: at, path: at.String()}
	f.idle.L = &f.mu
	return f
}

// check opens the file if it is not open, so that faults show before anything is written.
func (f *spanFile) check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ready(0)
}

// append writes records, and returns when they are as safe as sync asks for. After
// an error the file ends with a whole record; of a push that is larger than
// max_size, records in files already rotated away stay.
func (f *spanFile) append(r records) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stuck = false
	// A push is split only from an empty file on, where nobody's fsync runs: ready does not
	// wait between two pieces, so no failed fsync of another push cuts the first one meanwhile.
	for rest := r; len(rest.bytes) > 0; {
		if err := f.ready(len(rest.bytes)); err != nil {
			return err
		}
		var piece []byte
		piece, rest = f.fitting(rest)
		if err := f.write(piece); err != nil {
			return err
		}
	}
	if !f.durable {
		return nil
	}
	return f.wait(f.pending)
}

// fitting splits r into what belongs into this file and the rest.
func (f *spanFile) fitting(r records) (piece []byte, rest records) {
	if f.maxSize == 0 || f.stuck || f.size+int64(len(r.bytes)) <= f.maxSize {
		return r.bytes, records{}
	}
	return r.cut(f.maxSize - f.size)
}

// ready makes the file ready for n more bytes: open, at its path, with room, and
// without torn bytes. It may let go of mu while it waits.
func (f *spanFile) ready(n int) error {
	for {
		replaced := f.file != nil && f.replaced()
		full := f.file != nil && f.full(n)
		var err error
		switch {
		case f.done:
			return errShutDown
		case f.file == nil:
			err = f.open()
		case (replaced || full) && f.syncing:
			f.idle.Wait()
		case replaced:
			err = f.retire()
		case full:
			err = f.rotate()
		default:
			return f.cut()
		}
		if err != nil {
			return err
		}
	}
}

// replaced says whether the path leads to another file than the open one, or if
// somebody else changed its size (logrotate's copytruncate).
func (f *spanFile) replaced() bool {
	named, err := os.Lstat(f.path)
	if err != nil || !os.SameFile(named, f.stat) {
		f.logger.Info("output file was moved or removed, opening it anew", zap.String("path", f.path))
		return true
	}
	if named.Size() < f.size || named.Size() > f.size && !f.torn {
		f.logger.Info("output file was changed by somebody else, opening it anew", zap.String("path", f.path),
			zap.Int64("expected_size", f.size), zap.Int64("size", named.Size()))
		return true
	}
	return false
}

func (f *spanFile) full(n int) bool {
	return f.maxSize > 0 && !f.stuck && f.size > 0 && f.size+int64(n) > f.maxSize
}

// open opens the file and cuts a torn record from its end.
func (f *spanFile) open() error {
	file, err := openOutput(f.at, f.durable)
	if err != nil {
		return err
	}
	stat, err := file.Stat()
	if err == nil {
		err = f.mend(file, stat.Size())
	}
	if err != nil {
		_ = file.Close() // the error that matters came before
		return fmt.Errorf("open %q: %w", f.path, err)
	}
	f.file, f.stat, f.synced, f.torn = file, stat, f.size, false
	f.telemetry.ExporterJSONFileOpenedFiles.Add(context.Background(), 1)
	f.telemetry.ExporterJSONFileOpenFiles.Add(context.Background(), 1)
	f.logger.Debug("output file opened", zap.String("path", f.path), zap.Int64("size", f.size))
	f.backups.tend(f.at)
	return nil
}

// mend makes a file of this size end with a whole record, and sets f.size.
func (f *spanFile) mend(file *os.File, size int64) error {
	end, err := f.layout.wholeRecords(file, size)
	if err != nil {
		return err
	}
	switch {
	case end > size:
		if _, err := file.Write([]byte("\n")); err != nil {
			return err
		}
	case end < size:
		if err := file.Truncate(end); err != nil {
			return err
		}
		f.telemetry.ExporterJSONFileTornBytes.Add(context.Background(), size-end)
		f.logger.Warn("cut a torn record from the end of the output file", zap.String("path", f.path),
			zap.Int64("offset", end), zap.Int64("bytes", size-end))
	}
	f.size = end
	return nil
}

// write appends p, whole or not at all.
func (f *spanFile) write(p []byte) error {
	f.torn = true
	if _, err := f.file.Write(p); err != nil {
		if cutErr := f.cut(); cutErr != nil {
			f.logger.Warn("cannot cut a torn write yet, it is cut before the next one", zap.String("path", f.path),
				zap.Int64("offset", f.size), zap.Error(cutErr))
		}
		return err
	}
	f.torn = false
	f.size += int64(len(p))
	if f.durable && f.pending == nil {
		f.pending = &commit{}
	}
	f.telemetry.ExporterJSONFileWrittenBytes.Add(context.Background(), int64(len(p)))
	return nil
}

// cut removes what a failed write or fsync left behind size.
func (f *spanFile) cut() error {
	if !f.torn {
		return nil
	}
	if err := f.file.Truncate(f.size); err != nil {
		return fmt.Errorf("cut a torn record: %w", err)
	}
	f.torn = false
	return nil
}

// retire closes the file; syncing must be false. The next push opens it anew. It
// returns the error of what could not be made durable, which its pushes get as well.
func (f *spanFile) retire() error {
	if f.file == nil {
		return nil
	}
	err := f.settle()
	_ = f.cut()        // what stays torn is cut when the file is opened
	_ = f.file.Close() // after fsync there is nothing left that could be lost
	f.file, f.stat = nil, nil
	f.telemetry.ExporterJSONFileOpenFiles.Add(context.Background(), -1)
	return err
}

// shutdown closes the file for good.
func (f *spanFile) shutdown() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.syncing {
		f.idle.Wait()
	}
	f.done = true
	return f.retire()
}
