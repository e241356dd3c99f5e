package jsonfileexporter

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadata"
)

const (
	tempSuffix = ".tmp"
	// tendInterval is how often max_age is looked at without a rotation.
	tendInterval = time.Hour
)

// packedSuffixes are those of all compressions: backups that an earlier
// configuration packed otherwise are limited in number and age as well.
var packedSuffixes = []string{".gz", ".zst"}

// backups packs and deletes backups. Its goroutine exists so that no push waits for a
// compression; it owns all work on backups, and shutdown ends it. A crash or
// shutdown at any point leaves files that the next tend of their path puts in order:
//
//	x.json → x.json.gz.tmp (fsync) → x.json.gz (fsync) → x.json removed
type backups struct {
	limits    RotationConfig
	telemetry *metadata.TelemetryBuilder
	faults    *faults
	now       func() time.Time

	mu   sync.Mutex
	due  map[location]struct{} // guarded by mu
	wake chan struct{}         // holds one element while due is not empty

	ended  chan struct{} // closed by run; nil if it was never started
	cancel context.CancelFunc
}

func newBackups(limits RotationConfig, s *settings) *backups {
	return &backups{
		limits: limits, telemetry: s.telemetry, faults: s.faults, now: s.now,
		due:  map[location]struct{}{},
		wake: make(chan struct{}, 1),
	}
}

// start runs until shutdown; each tick makes all locations due.
func (b *backups) start(tick <-chan time.Time, locations func() []location) {
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.ended = cancel, make(chan struct{})
	go b.run(ctx, tick, locations)
}

func (b *backups) run(ctx context.Context, tick <-chan time.Time, locations func() []location) {
	defer close(b.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			for _, at := range locations() {
				b.tend(at)
			}
		case <-b.wake:
			b.tendDue(ctx)
		}
	}
}

// tend has the backups of the file at l put in order soon.
func (b *backups) tend(at location) {
	if b.limits.MaxSize == 0 {
		return
	}
	b.mu.Lock()
	b.due[at] = struct{}{}
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default: // it will wake up and find this location too
	}
}

func (b *backups) tendDue(ctx context.Context) {
	b.mu.Lock()
	due := b.due
	b.due = map[location]struct{}{}
	b.mu.Unlock()
	for at := range due {
		doing := "tend the backups of " + at.String()
		switch err := b.tendNow(ctx, at); {
		case errors.Is(err, errShutDown):
			return
		case err != nil:
			b.faults.raise(doing, err)
		default:
			b.faults.clear(doing)
		}
	}
}

// tendNow removes what a crash left, deletes backups beyond the limits, and packs the rest.
func (b *backups) tendNow(ctx context.Context, at location) error {
	root, err := os.OpenRoot(at.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	all, err := listBackups(root, at.name)
	if err != nil {
		return err
	}
	var errs error
	for i, backup := range all {
		limit := b.exceeded(i, backup)
		switch {
		case limit != "":
			err = b.remove(root, backup, limit)
		default:
			err = b.pack(ctx, root, backup)
		}
		if errors.Is(err, errShutDown) {
			return err
		}
		errs = errors.Join(errs, err)
	}
	return errs
}

// exceeded returns the limit that the backup exceeds, the newest having index 0, or "".
func (b *backups) exceeded(index int, backup backup) string {
	switch {
	case b.limits.MaxBackups > 0 && index >= b.limits.MaxBackups:
		return "max_backups"
	case b.limits.MaxAge > 0 && b.now().Sub(backup.at) > b.limits.MaxAge:
		return "max_age"
	default:
		return ""
	}
}

func (b *backups) remove(root *os.Root, backup backup, limit string) error {
	for _, name := range backup.forms {
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	b.telemetry.ExporterJSONFileBackupsDeleted.Add(context.Background(), 1,
		metric.WithAttributeSet(attribute.NewSet(attribute.String("limit", limit))))
	return nil
}

// pack compresses a backup that is plain, and finishes what a crash interrupted.
func (b *backups) pack(ctx context.Context, root *os.Root, backup backup) error {
	packed := false
	for suffix, name := range backup.forms {
		if strings.HasSuffix(suffix, tempSuffix) {
			if err := root.Remove(name); err != nil {
				return err
			}
			continue
		}
		packed = packed || suffix != ""
	}
	plain, ok := backup.forms[""]
	if !ok {
		return nil
	}
	if !packed {
		suffix, ok := map[Compression]string{CompressionGzip: ".gz", CompressionZstd: ".zst"}[b.limits.Compression]
		if !ok {
			return nil
		}
		if err := b.compress(ctx, root, plain, suffix); err != nil {
			return err
		}
	}
	// Also where an earlier run renamed: a power cut must not undo that and not the removal.
	dir, err := root.Open(filepath.Dir(plain))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := syncDir(dir); err != nil {
		return err
	}
	return root.Remove(plain)
}

// compress writes plain+suffix, which appears whole or not at all.
func (b *backups) compress(ctx context.Context, root *os.Root, plain, suffix string) error {
	in, err := root.Open(plain)
	if err != nil {
		return err
	}
	defer in.Close()
	temp := plain + suffix + tempSuffix
	out, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	err = compressTo(ctx, out, in, suffix)
	if err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	if err == nil {
		err = root.Rename(temp, plain+suffix)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

func compressTo(ctx context.Context, out io.Writer, in io.Reader, suffix string) error {
	var packer io.WriteCloser = gzip.NewWriter(out)
	if suffix == ".zst" {
		var err error
		if packer, err = zstd.NewWriter(out, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
	}
	_, err := io.Copy(packer, cancelable{ctx, in})
	return errors.Join(err, packer.Close())
}

// cancelable ends a copy when the context does.
type cancelable struct {
	ctx context.Context
	in  io.Reader
}

func (c cancelable) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, errShutDown
	}
	return c.in.Read(p)
}

// shutdown gives up the backup in work: to finish it could take longer than whoever
// stops the collector waits.
func (b *backups) shutdown() {
	if b.ended != nil {
		b.cancel()
		<-b.ended
	}
}
