package jsonfileexporter

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-serve/otelcol-serve/exporter/jsonfileexporter/internal/metadatatest"
	"github.com/otelcol-serve/otelcol-serve/internal/bytesize"
)

// maxSize rotates at this size.
func maxSize(size int) func(*Config) {
	return func(cfg *Config) { cfg.Rotation.MaxSize = bytesize.Size(size) }
}

// freeze stops the clock of an exporter; pushes and its backups must be at rest.
func (f *fixture) freeze(now time.Time) {
	f.files.settings.now = func() time.Time { return now }
	f.backups.now = f.files.settings.now
}

// listing returns the names in a directory, sorted.
func listing(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(tb, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 345e6, time.FixedZone("CET", 3600))

func TestFullFileBecomesABackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.json")
	one := written(t, spansOf("a"), otlpJSON)
	f := newFixture(t, newConfig(path, otlpJSON, maxSize(2*len(one))))
	f.freeze(noon)
	require.NoError(t, f.start(t.Context(), f.status))
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		f.send(t, spansOf(name))
	}
	require.NoError(t, f.shutdown(t.Context()))

	assert.Equal(t, []string{
		"spans-2026-11-21T11-00-00.345.json", "spans-2026-11-21T11-00-00.346.json", "spans.json",
	}, listing(t, filepath.Dir(path)), "in UTC, sorted by age, the second one a millisecond later since the clock stood")
	var all []byte
	for _, name := range listing(t, filepath.Dir(path)) {
		data := content(t, filepath.Join(filepath.Dir(path), name))
		assert.LessOrEqual(t, len(data), 2*len(one))
		all = append(all, data...)
	}
	var want []byte
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		want = append(want, written(t, spansOf(name), otlpJSON)...)
	}
	assert.Equal(t, string(want), string(all))
	metadatatest.AssertEqualExporterJSONFileRotations(t, f.telemetry,
		[]metricdata.DataPoint[int64]{{Value: 2}}, metricdatatest.IgnoreTimestamp())
	metadatatest.AssertEqualExporterJSONFileOpenedFiles(t, f.telemetry,
		[]metricdata.DataPoint[int64]{{Value: 3}}, metricdatatest.IgnoreTimestamp())
	metadatatest.AssertEqualExporterJSONFileOpenFiles(t, f.telemetry,
		[]metricdata.DataPoint[int64]{{Value: 0}}, metricdatatest.IgnoreTimestamp())
	metadatatest.AssertEqualExporterJSONFileWrittenBytes(t, f.telemetry,
		[]metricdata.DataPoint[int64]{{Value: int64(len(want))}}, metricdatatest.IgnoreTimestamp())
}

func TestBackupIsNewerThanItsPredecessorsWhenTheClockGoesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.json")
	f := newFixture(t, newConfig(path, otlpJSON, maxSize(1)))
	f.freeze(noon)
	require.NoError(t, f.start(t.Context(), f.status))
	for i := range 4 {
		f.send(t, spansOf(string(rune('a'+i))))
		f.freeze(noon.Add(-time.Duration(i) * time.Hour))
	}
	require.NoError(t, f.shutdown(t.Context()))
	all := listing(t, filepath.Dir(path))
	require.Len(t, all, 4)
	for i, name := range all {
		assert.Contains(t, string(content(t, filepath.Join(filepath.Dir(path), name))), `"`+string(rune('a'+i))+`"`)
	}
}

func TestPushLargerThanMaxSizeIsSplitBetweenRecords(t *testing.T) {
	dir := t.TempDir()
	td := oracle(t, "sdk-1.45.2/seed1.otlp.pb")
	whole := written(t, td)
	f := newFixture(t, newConfig(filepath.Join(dir, "spans.json"), maxSize(len(whole)/7)))
	require.NoError(t, f.start(t.Context(), f.status))
	f.send(t, td)
	require.NoError(t, f.shutdown(t.Context()))

	files := listing(t, dir)
	assert.GreaterOrEqual(t, len(files), 7)
	var all []byte
	for _, name := range files {
		data := content(t, filepath.Join(dir, name))
		assert.True(t, bytes.HasSuffix(data, []byte("\n")), "%s ends within a record", name)
		assert.True(t, bytes.HasPrefix(data, []byte(`{"name": `)), "%s starts within a record", name)
		if bytes.Count(data, []byte("\n")) > 1 {
			assert.LessOrEqual(t, len(data), len(whole)/7)
		}
		all = append(all, data...)
	}
	assert.True(t, bytes.Equal(whole, all), "the files together are what one file would be")
}

func TestRecordLargerThanMaxSizeHasAFileOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	f := startFixture(t, newConfig(filepath.Join(dir, "spans.json"), otlpJSON, maxSize(10)))
	f.send(t, spansOf("a"))
	f.send(t, spansOf("b"))
	assert.Equal(t, string(written(t, spansOf("b"), otlpJSON)), string(content(t, filepath.Join(dir, "spans.json"))))
	assert.Len(t, listing(t, dir), 2)
}

func TestFileThatCannotBeRenamedGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.json")
	f := startFixture(t, newConfig(path, otlpJSON, maxSize(1)))
	f.send(t, spansOf("a"))
	// The directory to rename in is gone, while the path still leads to the open file.
	f.file(func(file *spanFile) { file.at.dir += ".gone" })
	f.send(t, spansOf("b"))
	f.send(t, spansOf("c"))
	assert.Equal(t, 3, strings.Count(string(content(t, path)), "\n"))
	assert.Len(t, f.status.seen(), 1, "reported once")

	f.file(func(file *spanFile) { file.at.dir = strings.TrimSuffix(file.at.dir, ".gone") })
	f.send(t, spansOf("d"))
	assert.Equal(t, string(written(t, spansOf("d"), otlpJSON)), string(content(t, path)))
	assert.Len(t, f.status.seen(), 1, "and cleared")
}

func TestRotationNeverTakesANameThatIsTaken(t *testing.T) {
	// Behind the last year that a backup's name can hold there is only one name, which is no backup's.
	dir := t.TempDir()
	plant(t, dir, "spans-9999-12-31T23-59-59.999.json", "")
	f := startFixture(t, newConfig(filepath.Join(dir, "spans.json"), maxSize(1)))
	for _, name := range []string{"a", "b", "c", "d"} {
		f.send(t, spansOf(name))
	}
	count := 0
	for _, name := range listing(t, dir) {
		count += bytes.Count(content(t, filepath.Join(dir, name)), []byte("\n"))
	}
	assert.Equal(t, 4, count, "a backup was replaced by another one")
}

func TestFileThatIsNotDurableIsNotRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.json")
	f := startFixture(t, newConfig(path, maxSize(1)))
	f.makeFaulty(&faultyHandle{sync: syscall.EIO})
	err := f.refuse(t, spansOf("a", "b")) // a file of its own for each
	require.ErrorIs(t, err, errSync)
	assert.Equal(t, []string{"spans.json"}, listing(t, filepath.Dir(path)))
	assert.Empty(t, content(t, path))
}

func TestBackupNamesOfOtherFilesAreNotOurs(t *testing.T) {
	for _, name := range []string{"spans.json", "x", "a.b.json", ".hidden"} {
		made := backupName(name, noon)
		for _, suffix := range []string{"", ".gz", ".zst", ".gz.tmp", ".zst.tmp"} {
			at, found, ok := parseBackupName(name, made+suffix)
			assert.True(t, ok, made+suffix)
			assert.Equal(t, suffix, found)
			assert.True(t, noon.Equal(at))
		}
		foreign := []string{
			name, made + ".bz2", made + ".tmp", made + ".gz.gz", made + "~", "x" + made, name + "-2026-11-21",
			strings.Replace(made, "2026-11-21", "2026-13-41", 1), strings.Replace(made, "T", " ", 1),
			strings.Replace(made, ".345", ".3456", 1), strings.Replace(made, ".345", "", 1),
			strings.Replace(made, ".345", ",345", 1), strings.ToUpper(made) + "x", backupName("other.json", noon),
		}
		for _, candidate := range foreign {
			_, _, ok := parseBackupName(name, candidate)
			assert.False(t, ok, "%s is no backup of %s", candidate, name)
		}
	}
}

func TestBackupNamesSortByAge(t *testing.T) {
	var made []string
	for _, step := range []time.Duration{0, time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour, 400 * 24 * time.Hour} {
		made = append(made, backupName("spans.json", noon.Add(step)))
	}
	assert.True(t, slices.IsSorted(made), made)
}
