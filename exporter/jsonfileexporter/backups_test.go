package jsonfileexporter

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadatatest"
)

func limits(change func(*RotationConfig)) func(*Config) {
	return func(cfg *Config) {
		cfg.Rotation.MaxSize = 1
		change(&cfg.Rotation)
	}
}

// unpacked returns what a backup or output file holds.
func unpacked(tb testing.TB, path string) []byte {
	tb.Helper()
	data := content(tb, path)
	var in io.Reader = bytes.NewReader(data)
	var err error
	switch filepath.Ext(path) {
	case ".gz":
		in, err = gzip.NewReader(in)
	case ".zst":
		in, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
	}
	require.NoError(tb, err)
	text, err := io.ReadAll(in)
	require.NoError(tb, err)
	return text
}

// plant writes a file beside the output file.
func plant(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), fileMode))
}

// backupAged is the name of a backup of spans.json that old at noon.
func backupAged(age time.Duration) string { return backupName("spans.json", noon.Add(-age)) }

// tend puts the backups of spans.json in dir in order.
func tend(t *testing.T, dir string, change func(*RotationConfig)) *fixture {
	t.Helper()
	f := newFixture(t, newConfig(filepath.Join(dir, "spans.json"), limits(change)))
	f.freeze(noon)
	require.NoError(t, f.backups.tendNow(t.Context(), location{dir: dir, name: "spans.json"}))
	return f
}

func TestBackupsArePacked(t *testing.T) {
	for compression, suffix := range map[Compression]string{CompressionNone: "", CompressionGzip: ".gz", CompressionZstd: ".zst"} {
		t.Run(string(compression), func(t *testing.T) {
			dir := t.TempDir()
			text := strings.Repeat(`{"name": "x"}`+"\n", 10_000)
			plant(t, dir, backupAged(time.Hour), text)
			tend(t, dir, func(r *RotationConfig) { r.Compression = compression })
			assert.Equal(t, []string{backupAged(time.Hour) + suffix}, listing(t, dir))
			packed := filepath.Join(dir, backupAged(time.Hour)+suffix)
			assert.Equal(t, text, string(unpacked(t, packed)))
			found, err := os.Stat(packed)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(fileMode), found.Mode().Perm())
		})
	}
}

func TestCrashWhilePackingIsPutInOrder(t *testing.T) {
	dir := t.TempDir()
	half, whole, done, alone := backupAged(4*time.Hour), backupAged(3*time.Hour), backupAged(2*time.Hour), backupAged(time.Hour)
	plant(t, dir, half, "half")
	plant(t, dir, half+".gz.tmp", "garbage")
	plant(t, dir, whole, "whole")
	tend(t, dir, func(r *RotationConfig) { r.Compression = CompressionGzip })
	require.Equal(t, []string{half + ".gz", whole + ".gz"}, listing(t, dir))
	plant(t, dir, whole, "whole") // the crash came before the plain one was removed
	plant(t, dir, done, "done")
	plant(t, dir, alone+".zst.tmp", "garbage of another compression")

	tend(t, dir, func(r *RotationConfig) { r.Compression = CompressionGzip })

	assert.Equal(t, []string{half + ".gz", whole + ".gz", done + ".gz"}, listing(t, dir))
	for name, text := range map[string]string{half: "half", whole: "whole", done: "done"} {
		assert.Equal(t, text, string(unpacked(t, filepath.Join(dir, name+".gz"))))
	}
}

func TestOnlyOwnBackupsBeyondTheLimitsAreDeleted(t *testing.T) {
	foreign := []string{
		"spans.json", "spans-old.json", "other-2026-11-21T07-45-12.345.json", "spans-2026-11-21T07-45-12.345.json.bak",
		"spans-2026-11-21.json", "spans-2026-11-21T07-45-12.345.jsonl", "spans-2026-11-21T07-45-12.345",
	}
	for _, tt := range []struct {
		name    string
		change  func(*RotationConfig)
		kept    []time.Duration
		deleted int64
		limit   string
	}{
		{"max_backups", func(r *RotationConfig) { r.MaxBackups = 2 }, []time.Duration{2 * time.Hour, time.Hour}, 2, "max_backups"},
		{"max_age", func(r *RotationConfig) { r.MaxAge = 3 * time.Hour }, []time.Duration{3 * time.Hour, 2 * time.Hour, time.Hour}, 1, "max_age"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range foreign {
				plant(t, dir, name, "foreign")
			}
			require.NoError(t, os.Mkdir(filepath.Join(dir, backupAged(100*time.Hour)), dirMode))
			plant(t, dir, backupAged(4*time.Hour)+".zst", "")
			plant(t, dir, backupAged(3*time.Hour)+".gz", "")
			plant(t, dir, backupAged(2*time.Hour), "")
			plant(t, dir, backupAged(time.Hour), "")

			f := tend(t, dir, tt.change)

			left := listing(t, dir)
			for _, name := range append(foreign, backupAged(100*time.Hour)) {
				assert.Contains(t, left, name)
			}
			assert.Len(t, left, len(foreign)+1+len(tt.kept))
			for _, age := range tt.kept {
				assert.Contains(t, strings.Join(left, " "), backupAged(age))
			}
			metadatatest.AssertEqualExporterJSONFileBackupsDeleted(t, f.telemetry, []metricdata.DataPoint[int64]{
				{Value: tt.deleted, Attributes: attribute.NewSet(attribute.String("limit", tt.limit))},
			}, metricdatatest.IgnoreTimestamp())
		})
	}
}

func TestTickDeletesOldBackupsWithoutARotation(t *testing.T) {
	dir := t.TempDir()
	f := newFixture(t, newConfig(filepath.Join(dir, "spans.json"), limits(func(r *RotationConfig) { r.MaxAge = time.Hour })))
	asked := make(chan struct{})
	f.backups.now = func() time.Time {
		asked <- struct{}{}
		return noon
	}
	plant(t, dir, backupAged(2*time.Hour), "")
	tick := make(chan time.Time)
	f.backups.start(tick, func() []location { return []location{{dir: dir, name: "spans.json"}} })
	tick <- noon
	<-asked // it looks at the backup
	f.backups.shutdown()
	assert.Empty(t, listing(t, dir))
}

// hugeBackup is a backup that nobody can compress within the time of a test; it is sparse.
const hugeBackup = 1 << 40

func TestShutdownGivesUpACompression(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, backupAged(time.Hour), "")
	require.NoError(t, os.Truncate(filepath.Join(dir, backupAged(time.Hour)), hugeBackup))
	f := newFixture(t, newConfig(filepath.Join(dir, "spans.json"), limits(func(r *RotationConfig) { r.Compression = CompressionGzip })))
	require.NoError(t, f.start(t.Context(), f.status))
	assert.Eventually(t, func() bool { return len(listing(t, dir)) == 3 }, 10*time.Second, time.Millisecond, "it is at it")
	require.NoError(t, f.shutdown(t.Context()))
	assert.Equal(t, []string{backupAged(time.Hour), "spans.json"}, listing(t, dir), "nothing half packed is left, nothing is lost")
}

func TestRotationMakesThePackingOfItsBackupDue(t *testing.T) {
	dir := t.TempDir()
	f := newFixture(t, newConfig(filepath.Join(dir, "spans.json"), limits(func(r *RotationConfig) { r.Compression = CompressionGzip })))
	f.send(t, spansOf("a"))
	f.send(t, spansOf("b"))
	f.backups.tendDue(t.Context()) // the goroutine is not started
	require.NoError(t, f.shutdown(t.Context()))
	files := listing(t, dir)
	require.Len(t, files, 2)
	assert.Regexp(t, `\.json\.gz$`, files[0])
	assert.Equal(t, string(written(t, spansOf("a"))), string(unpacked(t, filepath.Join(dir, files[0]))))
	assert.Equal(t, string(written(t, spansOf("b"))), string(content(t, filepath.Join(dir, files[1]))))
}
