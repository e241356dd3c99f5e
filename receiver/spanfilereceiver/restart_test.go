package spanfilereceiver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestRestartAfterEveryRecord(t *testing.T) {
	const count = 12
	for k := 1; k <= 5; k++ {
		b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
		b.write("a.json", records("a", 0, count))
		for read := 0; len(b.out.got) < count; read++ {
			if read > 0 && read%k == 0 {
				b.restart()
			}
			b.clock.advance(time.Second)
			b.pollOnce()
		}
		b.run(time.Second)
		require.Equal(t, names("a", 0, count), b.out.got, "restart after every %d", k)
	}
}

func TestRestartWithHeldBatchReadsItAgain(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBatchSpans = 1 })
	b.out.hold = true
	b.write("a.json", records("a", 0, 3))
	b.settleDown()
	b.out.held[0].Release(nil)
	b.out.held[2].Release(nil)
	b.out.hold = false
	b.restart()
	b.run(time.Second)
	assert.Equal(t, append(names("a", 0, 3), names("a", 1, 3)...), b.out.got)
}

func TestRestartWithRefusedBatchReadsItAgain(t *testing.T) {
	b := newBench(t, nil)
	b.out.refuse = func(ptrace.Traces) error { return errFull }
	b.write("a.json", records("a", 0, 3))
	b.run(5 * time.Second)
	b.out.refuse = nil
	b.restart()
	b.run(time.Second)
	assert.Equal(t, names("a", 0, 3), b.out.got)
}

func TestFileThatGrewRenamedOrWasReplacedWhileStopped(t *testing.T) {
	for name, while := range map[string]struct {
		happens func(b *bench)
		want    []string
	}{
		"nothing": {func(*bench) {}, nil},
		"grew":    {func(b *bench) { b.append("a.json", records("a", 3, 5)) }, names("a", 3, 5)},
		"renamed": {func(b *bench) {
			b.append("a.json", records("a", 3, 4))
			require.NoError(b.t, os.Rename(b.path("a.json"), b.path("b.json")))
		}, names("a", 3, 4)},
		"copied to another directory": {func(b *bench) {
			content, err := os.ReadFile(b.path("a.json"))
			require.NoError(b.t, err)
			require.NoError(b.t, os.Remove(b.path("a.json")))
			b.write("moved.json", string(content)+records("a", 3, 4))
		}, names("a", 3, 4)},
		"replaced":               {func(b *bench) { b.write("a.json", records("b", 0, 5)) }, names("b", 0, 5)},
		"truncated":              {func(b *bench) { b.write("a.json", records("a", 0, 1)) }, names("a", 0, 1)},
		"emptied":                {func(b *bench) { b.write("a.json", "") }, nil},
		"joined by a second":     {func(b *bench) { b.write("b.json", records("b", 0, 1)) }, names("b", 0, 1)},
		"deleted, inode reused?": {func(b *bench) { os.Remove(b.path("a.json")); b.write("x.json", records("x", 0, 9)) }, names("x", 0, 9)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.write("a.json", records("a", 0, 3))
			b.settleDown()
			b.out.got = nil
			while.happens(b)
			b.restart()
			b.run(5 * time.Second)
			assert.Equal(t, while.want, b.out.got)
		})
	}
}

// TestLogFilesThatBeginAlikeAreToldApart: output files of workers begin with the
// same lines, so only path or inode may connect them with a checkpoint.
func TestLogFilesThatBeginAlikeAreToldApart(t *testing.T) {
	b := newBench(t, nil)
	banner := string(make64("job started on a node of the cluster\n", 2*headSize))
	b.write("a.json", banner+records("a", 0, 2))
	b.settleDown()
	require.NoError(t, os.Rename(b.path("a.json"), filepath.Join(b.dir, "kept"))) // so that its inode stays taken
	b.write("b.json", banner+records("b", 0, 2))
	b.restart()
	b.run(5 * time.Second)
	assert.Equal(t, append(names("a", 0, 2), names("b", 0, 2)...), b.out.got)
}

// TestLogFileOfTheSameNameIsReadAnew: a program that was started again writes the
// same first lines to a new file of the same name.
func TestLogFileOfTheSameNameIsReadAnew(t *testing.T) {
	b := newBench(t, nil)
	banner := string(make64("job started on a node of the cluster\n", 2*headSize))
	b.write("a.json", banner+records("a", 0, 2))
	b.settleDown()
	require.NoError(t, os.Rename(b.path("a.json"), b.path("kept"))) // so that its inode stays taken
	b.write("a.json", banner+records("b", 0, 3))
	b.restart()
	b.run(5 * time.Second)
	assert.Equal(t, append(names("a", 0, 2), names("b", 0, 3)...), b.out.got)
}

func make64(line string, size int) []byte {
	var text []byte
	for len(text) < size {
		text = append(text, line...)
	}
	return text
}

func TestStartAtEndPassesOverWhatIsThere(t *testing.T) {
	b := newBench(t, func(c *Config) { c.StartAt = StartAtEnd })
	b.write("a.json", records("a", 0, 2))
	b.settleDown()
	b.append("a.json", records("a", 2, 3))
	b.write("late.json", records("late", 0, 1))
	b.run(3 * time.Second)
	assert.ElementsMatch(t, []string{"a2", "late0"}, b.out.got)
	b.write("while-stopped.json", record("w"))
	b.restart()
	b.run(3 * time.Second)
	assert.ElementsMatch(t, []string{"a2", "late0", "w"}, b.out.got)
}

func TestOldFilesAreIgnoredAtTheFirstStartOnly(t *testing.T) {
	b := newBench(t, nil)
	yesterday := b.clock.read().Add(-25 * time.Hour)
	old := func(name string) {
		b.write(name, record(name))
		require.NoError(t, os.Chtimes(b.path(name), yesterday, yesterday))
	}
	old("old.json")
	b.write("new.json", record("new"))
	b.settleDown()
	assert.Equal(t, []string{"new"}, b.out.got)
	assert.EqualValues(t, 1, b.metric("receiver_span_file_files_ignored", ""))
	old("moved-in.json")
	b.run(3 * time.Second)
	assert.Equal(t, []string{"new", "moved-in.json"}, b.out.got, "found later")
	old("while-stopped.json")
	b.restart()
	b.append("old.json", record("alive"))
	b.run(3 * time.Second)
	assert.ElementsMatch(t, []string{"new", "moved-in.json", "while-stopped.json", "alive"}, b.out.got)
	assert.EqualValues(t, 1, b.metric("receiver_span_file_files_ignored", ""))
}
