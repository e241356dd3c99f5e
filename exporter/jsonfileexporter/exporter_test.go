package jsonfileexporter

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadatatest"
)

func TestSpansAreSplitByPath(t *testing.T) {
	for _, tt := range layouts {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			f := startFixture(t, newConfig(filepath.Join(dir, "{a}", "x.json"), tt.change))
			f.send(t, spansOf("one", "two", "one", "", "three"))
			for name, want := range map[string]ptrace.Traces{
				"one": pick(spansOf("one", "two", "one"), 0, 2), "two": pick(spansOf("one", "two"), 1),
				"unknown": pick(spansOf("one", "two", "one", ""), 3), "three": pick(spansOf("", "", "", "", "three"), 4),
			} {
				assert.Equal(t, string(written(t, want, tt.change)), string(content(t, filepath.Join(dir, name, "x.json"))))
			}
			assert.Len(t, listing(t, dir), 4)
		})
	}
}

// pick returns the resources with these indexes.
func pick(td ptrace.Traces, indexes ...int) ptrace.Traces {
	var picked []ptrace.ResourceSpans
	for _, i := range indexes {
		picked = append(picked, td.ResourceSpans().At(i))
	}
	return copyResources(picked)
}

func TestOpenFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	f := startFixture(t, newConfig(filepath.Join(dir, "{a}.json"), otlpJSON, func(cfg *Config) { cfg.MaxOpenFiles = 3 }))
	for range 2 {
		f.send(t, spansOf(names(10)...))
		metadatatest.AssertEqualExporterJSONFileOpenFiles(t, f.telemetry,
			[]metricdata.DataPoint[int64]{{Value: 3}}, metricdatatest.IgnoreTimestamp())
	}
	for i, name := range names(10) {
		one := string(written(t, pick(spansOf(names(10)...), i), otlpJSON))
		assert.Equal(t, one+one, string(content(t, filepath.Join(dir, name+".json"))))
	}
}

func TestPathThatRefusesHasNoOtherWritten(t *testing.T) {
	dir := t.TempDir()
	f := startFixture(t, newConfig(filepath.Join(dir, "{a}", "x.json"), otlpJSON))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "blocked"), nil, fileMode))
	for range 3 {
		require.ErrorIs(t, f.refuse(t, spansOf("good", "blocked")), syscall.ENOTDIR)
	}
	assert.Empty(t, content(t, filepath.Join(dir, "good", "x.json")), "each retry would write it again")
	require.NoError(t, os.Remove(filepath.Join(dir, "blocked")))
	f.send(t, spansOf("good", "blocked"))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, f.status.seen())
}

func TestErrorCarriesWhatOtherPathsHaveNotAccepted(t *testing.T) {
	dir := t.TempDir()
	f := startFixture(t, newConfig(filepath.Join(dir, "{a}.json"), otlpJSON))
	f.send(t, spansOf("full")) // the one file that file() finds
	f.makeFaulty(&faultyHandle{write: syscall.ENOSPC})

	err := f.refuse(t, spansOf("good", "full", "later"))

	var rest consumererror.Traces
	require.ErrorAs(t, err, &rest)
	assert.Equal(t, spanTexts(t, pick(spansOf("good", "full", "later"), 1, 2)), spanTexts(t, rest.Data()))
	assert.False(t, consumererror.IsPermanent(err))
}

func TestSecondExporterWithTheSamePathIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	first := newFixture(t, newConfig(path, otlpJSON))
	require.NoError(t, first.start(t.Context(), first.status))
	second := newFixture(t, newConfig(path, otlpJSON))

	err := second.start(t.Context(), second.status)

	require.ErrorIs(t, err, errLocked)
	require.ErrorContains(t, err, "path: open "+path+": another json_file exporter or collector writes to it")
	require.NoError(t, second.shutdown(t.Context()))
	first.send(t, spansOf("a"))
	require.NoError(t, first.shutdown(t.Context()))
	third := startFixture(t, newConfig(path, otlpJSON))
	third.send(t, spansOf("b"))
}

func TestSecondExporterWithTheSamePathByAttributesIsRefused(t *testing.T) {
	dir := t.TempDir()
	first := startFixture(t, newConfig(filepath.Join(dir, "{a}.json"), otlpJSON))
	first.send(t, spansOf("x"))
	second := startFixture(t, newConfig(filepath.Join(dir, "{service.name}x.json"), otlpJSON))
	other := spansOf("")
	other.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "x")
	second.send(t, other) // xx.json
	third := startFixture(t, newConfig(filepath.Join(dir, "x.{service.name}"), otlpJSON))
	other = spansOf("")
	other.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "json")
	err := third.refuse(t, other)
	require.ErrorIs(t, err, errLocked)
	assert.Equal(t, "locked", reasonOf(err))
}

// Nothing here depends on permission bits, which do not bind root.
func TestStartRefusesAPathThatCanNeverWork(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		make       func(dir string) error
		want       string
	}{
		{"file in the way of the directory", "a/b/x.json", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a"), nil, fileMode) }, "a file stands where path needs a directory"},
		{"file in the way of a template's directory", "a/{b}.json", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a"), nil, fileMode) }, "a file stands where path needs a directory"},
		{"directory", "x.json", func(dir string) error { return os.Mkdir(filepath.Join(dir, "x.json"), dirMode) }, "not a regular file but a directory"},
		{"symbolic link", "x.json", func(dir string) error { return os.Symlink("y.json", filepath.Join(dir, "x.json")) }, "set path to the file itself"},
		{"pipe", "x.json", func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "x.json"), fileMode) }, "not a regular file but a device, pipe or socket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, tt.make(dir))
			f := newFixture(t, newConfig(filepath.Join(dir, tt.path), otlpJSON))
			err := f.start(t.Context(), f.status)
			require.ErrorContains(t, err, "path: ")
			require.ErrorContains(t, err, dir)
			require.ErrorContains(t, err, tt.want)
			require.NoError(t, f.shutdown(t.Context()))
		})
	}
}

func TestDeniedPathSaysWhoNeedsToWrite(t *testing.T) {
	err := &os.PathError{Op: "open", Path: "/var/x.json", Err: syscall.EACCES}
	assert.Regexp(t, `^; let user \d+ write there, or set path to another place$`, advice(err))
}

func TestFaultThatIsNotMetAgainIsForgotten(t *testing.T) {
	dir := t.TempDir()
	f := startFixture(t, newConfig(filepath.Join(dir, "{a}.json"), otlpJSON))
	now := noon
	f.faults.now = func() time.Time { return now }
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bad.json"), dirMode))
	_ = f.refuse(t, spansOf("bad"))
	now = now.Add(faultMemory)
	f.send(t, spansOf("good"))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, f.status.seen())
	now = now.Add(time.Second)
	f.send(t, spansOf("good"))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusOK}, f.status.seen())
}

// A full disk meets all paths, and attributes that senders choose make any number of them.
func TestNumberOfFaultsIsBounded(t *testing.T) {
	f := startFixture(t, newConfig(filepath.Join(t.TempDir(), "x.json"), otlpJSON))
	for i := range 2 * maxFaults {
		f.faults.raise(strconv.Itoa(i), syscall.ENOSPC)
	}
	assert.Len(t, f.faults.active, maxFaults)
	assert.Len(t, f.status.seen(), maxFaults)
}

// Otherwise the status of a fault could come behind that of its end, and stay.
func TestStatusIsReportedBeforeTheNextFaultOrItsEnd(t *testing.T) {
	f := startFixture(t, newConfig(filepath.Join(t.TempDir(), "x.json"), otlpJSON))
	f.status.reporting = func() {
		if f.faults.mu.TryLock() {
			f.faults.mu.Unlock()
			assert.Fail(t, "another push can report in between")
		}
	}
	f.faults.raise("write x", syscall.EIO)
	f.faults.clear("write x")
	assert.Len(t, f.status.seen(), 2)
}

func TestFactoryPassesErrorsThroughWithoutQueueOrRetry(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "x.json")
	e, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(NewFactory().Type()), newConfig(path))
	require.NoError(t, err)
	assert.False(t, e.Capabilities().MutatesData)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, e.ConsumeTraces(t.Context(), spansOf("a")))
	assert.Equal(t, string(written(t, spansOf("a"))), string(content(t, path)), "nil means written")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "a")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, fileMode))
	err = e.ConsumeTraces(t.Context(), spansOf("b"))
	require.ErrorIs(t, err, syscall.ENOTDIR)
	assert.False(t, consumererror.IsPermanent(err))
	require.NoError(t, e.Shutdown(t.Context()))
}

func TestPushWithoutSpansWritesNothing(t *testing.T) {
	dir := t.TempDir()
	f := startFixture(t, newConfig(filepath.Join(dir, "{a}.json"), otlpJSON))
	td := ptrace.NewTraces()
	f.send(t, td)
	td = ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	f.send(t, td)
	assert.Empty(t, listing(t, dir))
}
