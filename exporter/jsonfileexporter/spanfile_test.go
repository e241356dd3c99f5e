package jsonfileexporter

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadatatest"
)

// faultyHandle is a file that fails when told to.
type faultyHandle struct {
	handle
	write, truncate, sync error
	short                 int    // bytes that a failing write still writes
	writes, syncs         func() // called before, without a lock
}

func (h *faultyHandle) Write(p []byte) (int, error) {
	if h.writes != nil {
		h.writes()
	}
	if h.write == nil {
		return h.handle.Write(p)
	}
	n, err := h.handle.Write(p[:min(h.short, len(p))])
	return n, errors.Join(err, h.write)
}

func (h *faultyHandle) Truncate(size int64) error {
	if h.truncate != nil {
		return h.truncate
	}
	return h.handle.Truncate(size)
}

func (h *faultyHandle) Sync() error {
	if h.syncs != nil {
		h.syncs()
	}
	if h.sync != nil {
		return h.sync
	}
	return h.handle.Sync()
}

// makeFaulty puts a handle under the open file.
func (f *fixture) makeFaulty(h *faultyHandle) {
	f.file(func(file *spanFile) {
		h.handle, file.file = file.file, h
	})
}

func TestShortWriteLeavesNoHalfRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	f := startFixture(t, newConfig(path, otlpJSON))
	f.send(t, spansOf("first"))
	first := content(t, path)
	h := &faultyHandle{write: syscall.ENOSPC, short: 20}
	f.makeFaulty(h)

	err := f.refuse(t, spansOf("second"))

	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, path)
	assert.False(t, consumererror.IsPermanent(err), "a full disk must be retried")
	assert.Equal(t, string(first), string(content(t, path)))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, f.status.seen())
	_ = f.refuse(t, spansOf("second"))
	assert.Empty(t, f.status.seen(), "the same fault is reported once")
	metadatatest.AssertEqualExporterJSONFileRefusals(t, f.telemetry, []metricdata.DataPoint[int64]{
		{Value: 2, Attributes: attribute.NewSet(attribute.String("reason", "full_disk"))},
	}, metricdatatest.IgnoreTimestamp())

	h.write = nil
	f.send(t, spansOf("second"))
	assert.Equal(t, string(first)+string(written(t, spansOf("second"), otlpJSON)), string(content(t, path)))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusOK}, f.status.seen())
}

func TestHalfRecordThatCannotBeCutIsCutBeforeTheNextWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	f := startFixture(t, newConfig(path, otlpJSON))
	f.send(t, spansOf("first"))
	first := content(t, path)
	h := &faultyHandle{write: syscall.EIO, truncate: syscall.EIO, short: 20}
	f.makeFaulty(h)
	_ = f.refuse(t, spansOf("second"))
	require.Len(t, content(t, path), len(first)+20, "the half record is there")

	h.write = nil
	_ = f.refuse(t, spansOf("second"))
	require.Len(t, content(t, path), len(first)+20, "nothing is written behind a half record")

	h.truncate = nil
	f.send(t, spansOf("second"))
	assert.Equal(t, string(first)+string(written(t, spansOf("second"), otlpJSON)), string(content(t, path)))
}

func TestMovedOrRemovedFileIsOpenedAnew(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(path string) error
	}{
		{"moved by logrotate", func(path string) error { return os.Rename(path, path+".1") }},
		{"removed", os.Remove},
		{"directory removed", func(path string) error { return os.RemoveAll(filepath.Dir(path)) }},
		{"directory moved", func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".old") }},
		{"truncated by copytruncate", func(path string) error { return os.Truncate(path, 0) }},
		{"replaced by an empty file", func(path string) error {
			return errors.Join(os.WriteFile(path+".new", nil, fileMode), os.Rename(path+".new", path))
		}},
		{"replaced by a torn record of the same size", func(path string) error {
			torn, err := os.ReadFile(path)
			copy(torn[len(`{"resourceSpans":`):], bytes.Repeat([]byte("x"), len(torn)))
			return errors.Join(err, os.WriteFile(path+".new", torn, fileMode), os.Rename(path+".new", path))
		}},
	} {
		for _, sync := range []Sync{SyncBatch, SyncNone} {
			t.Run(tt.name+", sync "+string(sync), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "a", "b", "x.json")
				f := startFixture(t, newConfig(path, otlpJSON, func(cfg *Config) { cfg.Sync = sync }))
				f.send(t, spansOf("first"))
				require.NoError(t, tt.do(path))
				f.send(t, spansOf("second"))
				f.send(t, spansOf("third"))
				want := append(written(t, spansOf("second"), otlpJSON), written(t, spansOf("third"), otlpJSON)...)
				assert.Equal(t, string(want), string(content(t, path)))
			})
		}
	}
}

// After logrotate's copytruncate a cut back to the old size would make a hole.
func TestFailedWriteAfterATruncationCutsToTheNewSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	f := startFixture(t, newConfig(path, otlpJSON))
	f.send(t, spansOf("first"))
	require.NoError(t, os.Truncate(path, 0))
	f.file(func(file *spanFile) { require.NoError(t, file.ready(0)) })
	f.makeFaulty(&faultyHandle{write: syscall.ENOSPC, short: 20})
	_ = f.refuse(t, spansOf("second"))
	assert.Empty(t, content(t, path))
}

// A half record that waits to be cut must not be mistaken for the size that the file had.
func TestTruncationWhileAHalfRecordWaitsToBeCutMakesNoHole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	f := startFixture(t, newConfig(path, otlpJSON))
	f.send(t, spansOf("first"))
	f.makeFaulty(&faultyHandle{write: syscall.EIO, truncate: syscall.EIO, short: 20})
	_ = f.refuse(t, spansOf("second"))
	require.NoError(t, os.Truncate(path, 0))
	f.send(t, spansOf("third"))
	assert.Equal(t, string(written(t, spansOf("third"), otlpJSON)), string(content(t, path)))
}

func TestMovedFileKeepsWhatWasAccepted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	f := startFixture(t, newConfig(path, otlpJSON))
	f.send(t, spansOf("first"))
	require.NoError(t, os.Rename(path, path+".1"))
	f.send(t, spansOf("second"))
	assert.Equal(t, string(written(t, spansOf("first"), otlpJSON)), string(content(t, path+".1")))
}

// A file in the way of a directory stops root as well, unlike permission bits.
func TestBlockedDirectoryIsRefusedUntilItIsFree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spans")
	path := filepath.Join(dir, "x.json")
	f := startFixture(t, newConfig(path, otlpJSON))
	f.send(t, spansOf("first"))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, fileMode))

	err := f.refuse(t, spansOf("second"))
	require.ErrorIs(t, err, syscall.ENOTDIR)
	assert.Equal(t, "missing", reasonOf(err))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, f.status.seen())

	require.NoError(t, os.Remove(dir))
	f.send(t, spansOf("second"))
	assert.Equal(t, string(written(t, spansOf("second"), otlpJSON)), string(content(t, path)))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusOK}, f.status.seen())
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "x.json")
	startFixture(t, newConfig(path, otlpJSON))
	for name, want := range map[string]os.FileMode{path: fileMode, filepath.Dir(path): dirMode, filepath.Join(dir, "a"): dirMode} {
		found, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, want, found.Mode().Perm(), name)
	}
}

func TestPushAfterShutdownIsRefused(t *testing.T) {
	f := newFixture(t, newConfig(filepath.Join(t.TempDir(), "x.json"), otlpJSON))
	require.NoError(t, f.start(t.Context(), f.status))
	require.NoError(t, f.shutdown(t.Context()))
	require.ErrorIs(t, f.refuse(t, spansOf("late")), errShutDown)
}

func TestReasonsAreThoseThatTheMetricDeclares(t *testing.T) {
	declared := strings.Split(string(content(t, "documentation.md")), "\n")
	for _, err := range []error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOENT,
		syscall.ENOTDIR, errLocked, errForeign, errNotRegular, errSync, syscall.EIO,
	} {
		assert.True(t, func() bool {
			for _, line := range declared {
				if strings.HasPrefix(line, "| reason |") && strings.Contains(line, "``"+reasonOf(err)+"``") {
					return true
				}
			}
			return false
		}(), "%v has the undeclared reason %q", err, reasonOf(err))
	}
}
