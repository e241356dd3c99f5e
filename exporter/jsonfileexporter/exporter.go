package jsonfileexporter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/sys/unix"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadata"
)

// jsonFileExporter owns its files. push may be called concurrently.
type jsonFileExporter struct {
	template *pathTemplate
	encoders *encoderPool
	files    *fileSet
	faults   *faults
	backups  *backups
	rotates  bool
	ticker   *time.Ticker // of backups; nil until start
}

func newJSONFileExporter(cfg *Config, set exporter.Settings) (*jsonFileExporter, error) {
	template, err := parseTemplate(cfg.Path)
	if err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	shared := &settings{
		layout:    layoutOf(cfg),
		maxSize:   int64(cfg.Rotation.MaxSize),
		durable:   cfg.Sync == SyncBatch,
		now:       time.Now,
		logger:    set.Logger,
		telemetry: telemetry,
		faults:    newFaults(set.Logger, telemetry, time.Now),
	}
	shared.backups = newBackups(cfg.Rotation, shared)
	return &jsonFileExporter{
		template: template,
		encoders: newEncoderPool(cfg),
		files:    newFileSet(shared, cfg.MaxOpenFiles),
		faults:   shared.faults,
		backups:  shared.backups,
		rotates:  shared.maxSize > 0,
	}, nil
}

// start opens a file without attributes in its path, and checks the directory otherwise,
// so that a path that can never work ends the collector with a message. A full
// disk does not: it is waited for like later on.
func (e *jsonFileExporter) start(_ context.Context, host component.Host) error {
	e.faults.start(host)
	switch err := e.checkPath(); {
	case err != nil && reasonOf(err) == "full_disk":
		e.faults.raise("write "+e.template.locate(pcommon.NewMap()).String(), err)
	case err != nil:
		return fmt.Errorf("path: %w%s", err, advice(err))
	}
	if e.rotates {
		e.ticker = time.NewTicker(tendInterval)
		e.backups.start(e.ticker.C, e.files.locations)
	}
	return nil
}

func (e *jsonFileExporter) checkPath() error {
	if !e.template.varies() {
		return e.files.use(e.template.locate(pcommon.NewMap()), (*spanFile).check)
	}
	if err := makeDir(e.template.dir, e.files.settings.durable); err != nil {
		return err
	}
	if err := unix.Access(e.template.dir, unix.W_OK|unix.X_OK); err != nil {
		return &os.PathError{Op: "write into directory", Path: e.template.dir, Err: err}
	}
	return nil
}

// advice says what to change after a start error whose text does not.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return "; a file stands where path needs a directory: remove it, or set path to another place"
	case reasonOf(err) == "permission":
		return fmt.Sprintf("; let user %d write there, or set path to another place", os.Geteuid())
	case errors.Is(err, errNotRegular):
		return "; set path to the file itself"
	default:
		return ""
	}
}

// push writes td; nil means that it is as safe as sync asks for. All errors but those
// of the encoder are retryable, and then no part of td was written, except where some
// paths had accepted theirs already: then the error carries the rest.
func (e *jsonFileExporter) push(_ context.Context, td ptrace.Traces) error {
	groups := e.groupByFile(td)
	if len(groups) > 1 {
		if err := e.check(groups); err != nil {
			return err
		}
	}
	for i, g := range groups {
		if err := e.write(td, g); err != nil {
			if i == 0 {
				return err
			}
			return consumererror.NewTraces(err, copyGroups(groups[i:]))
		}
	}
	return nil
}

// group is what goes into one file.
type group struct {
	at        location
	resources []ptrace.ResourceSpans
}

// groupByFile returns td's resources by file, in the order of their first spans.
func (e *jsonFileExporter) groupByFile(td ptrace.Traces) []group {
	if td.SpanCount() == 0 {
		return nil
	}
	resources := resourcesOf(td)
	if !e.template.varies() {
		return []group{{at: e.template.locate(resources[0].Resource().Attributes()), resources: resources}}
	}
	var groups []group
	index := map[string]int{}
	for _, rs := range resources {
		at := e.template.locate(rs.Resource().Attributes())
		i, ok := index[at.name]
		if !ok {
			i = len(groups)
			index[at.name] = i
			groups = append(groups, group{at: at})
		}
		groups[i].resources = append(groups[i].resources, rs)
	}
	return groups
}

// check opens the files of all groups before anything is written: a path that
// refuses would otherwise have the others written again with each retry.
func (e *jsonFileExporter) check(groups []group) error {
	for _, g := range groups {
		if err := e.files.use(g.at, (*spanFile).check); err != nil {
			return e.faults.refused(g.at.String(), err)
		}
	}
	return nil
}

func (e *jsonFileExporter) write(td ptrace.Traces, g group) error {
	enc := e.encoders.take()
	defer e.encoders.put(enc)
	out, err := enc.encode(td, g.resources)
	if err != nil {
		return consumererror.NewPermanent(err)
	}
	if len(out.bytes) == 0 {
		return nil
	}
	path := g.at.String()
	err = e.files.use(g.at, func(f *spanFile) error { return f.append(out) })
	if err != nil {
		return e.faults.refused(path, err)
	}
	e.faults.clear("write " + path)
	return nil
}

func copyGroups(groups []group) ptrace.Traces {
	var all []ptrace.ResourceSpans
	for _, g := range groups {
		all = append(all, g.resources...)
	}
	return copyResources(all)
}

// shutdown closes the files; pushes after it are refused. The backups come first,
// while the files' locks keep their next writer out.
func (e *jsonFileExporter) shutdown(context.Context) error {
	if e.ticker != nil {
		e.ticker.Stop()
	}
	e.backups.shutdown()
	return e.files.shutdown()
}
