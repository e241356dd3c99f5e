package spanfilereceiver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	former  = "session_2026-01-02_03-04-05_000006_7"
	current = "session_2026-01-03_03-04-05_000006_8"
)

// newRayDir returns a bench on a directory as Ray makes it, with two sessions of
// which the second runs; the first has been idle for two days.
func newRayDir(t *testing.T, change func(*Config)) *bench {
	t.Helper()
	b := newBench(t, func(c *Config) {
		c.Include = []string{filepath.Join(filepath.Dir(c.Include[0]), "session_2*", raySpanDir, "*.json")}
		c.DeleteAfter = 24 * time.Hour
		c.IgnoreOlder = 0
		if change != nil {
			change(c)
		}
	})
	for _, session := range []string{former, current} {
		b.ok(os.MkdirAll(b.path(filepath.Join(session, raySpanDir)), 0o700))
		b.write(filepath.Join(session, raySpanDir, "p.json"), records(session, 0, 2))
		b.write(filepath.Join(session, "logs", "raylet.out"), "started\n")
	}
	b.ok(os.Symlink(current, b.path(latestLink)))
	b.age()
	return b
}

// age makes everything in the former session two days old.
func (b *bench) age() {
	old := b.clock.read().Add(-48 * time.Hour)
	b.ok(filepath.WalkDir(b.path(former), func(path string, _ os.DirEntry, err error) error {
		b.ok(err)
		return os.Chtimes(path, old, old) //nolint:gosec // a folder of this test alone
	}))
}

func (b *bench) exists(name string) bool {
	_, err := os.Lstat(b.path(name))
	return err == nil
}

func TestFormerSessionIsDeletedWhenDeliveredAndIdle(t *testing.T) {
	b := newRayDir(t, nil)
	b.write("unrelated", "x")
	b.run(2 * sweepInterval)
	assert.False(t, b.exists(former))
	assert.True(t, b.exists(current))
	assert.True(t, b.exists("unrelated"))
	assert.True(t, b.exists(latestLink))
	assert.ElementsMatch(t, append(names(former, 0, 2), names(current, 0, 2)...), b.out.got)
	assert.EqualValues(t, 1, b.metric("receiver_span_file_sessions_deleted", ""))
	assert.Len(t, b.files, 1)
	assert.Zero(t, b.metric("receiver_span_file_files_lost", ""))
}

func TestSessionWithATornTailIsDeleted(t *testing.T) {
	b := newRayDir(t, nil)
	b.append(filepath.Join(former, raySpanDir, "p.json"), record("torn")[:99])
	b.age()
	b.run(2 * sweepInterval)
	assert.False(t, b.exists(former))
	assert.EqualValues(t, 99, b.metric("receiver_span_file_bytes_skipped", "torn"))
}

func TestSessionIsKept(t *testing.T) {
	spans := filepath.Join(former, raySpanDir)
	for name, doubt := range map[string]struct {
		change func(*Config)
		set    func(b *bench)
	}{
		"delete_after is off":      {change: func(c *Config) { c.DeleteAfter = 0 }},
		"not idle for long enough": {change: func(c *Config) { c.DeleteAfter = 49 * time.Hour }},
		"it is the latest": {set: func(b *bench) {
			b.ok(os.Remove(b.path(latestLink)))
			b.ok(os.Symlink(former, b.path(latestLink)))
		}},
		"no session_latest": {set: func(b *bench) { b.ok(os.Remove(b.path(latestLink))) }},
		"session_latest leads nowhere": {set: func(b *bench) {
			b.ok(os.Remove(b.path(latestLink)))
			b.ok(os.Symlink("session_2027-01-01_00-00-00_000000_1", b.path(latestLink)))
		}},
		"session_latest is a directory": {set: func(b *bench) {
			b.ok(os.Remove(b.path(latestLink)))
			b.ok(os.Mkdir(b.path(latestLink), 0o700))
		}},
		"session_latest is no session": {set: func(b *bench) {
			b.ok(os.Mkdir(b.path("other"), 0o700))
			b.ok(os.Remove(b.path(latestLink)))
			b.ok(os.Symlink("other", b.path(latestLink)))
		}},
		"a batch is held": {set: func(b *bench) { b.out.hold = true }},
		"a batch is refused": {set: func(b *bench) {
			b.out.refuse = func(ptrace.Traces) error { return errFull }
		}},
		"a log of it is written": {set: func(b *bench) {
			b.append(filepath.Join(former, "logs", "raylet.out"), "alive\n")
		}},
		"a span file that is not included": {set: func(b *bench) {
			b.write(filepath.Join(spans, "other.jsonl"), record("x"))
			b.age()
		}},
		"a span file that is excluded": {
			change: func(c *Config) { c.Exclude = []string{"/**/proxy*.json"} },
			set: func(b *bench) {
				b.write(filepath.Join(spans, "proxy.json"), record("x"))
				b.age()
			},
		},
		"a span file that cannot be read": {set: func(b *bench) {
			b.write(filepath.Join(spans, "binary.json"), "\x01\x00")
			b.age()
		}},
		"a span file that was passed over":       {change: func(c *Config) { c.IgnoreOlder = time.Hour }},
		"a span file that was read from its end": {change: func(c *Config) { c.StartAt = StartAtEnd }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newRayDir(t, doubt.change)
			if doubt.set != nil {
				doubt.set(b)
			}
			b.run(3 * sweepInterval)
			assert.True(t, b.exists(filepath.Join(spans, "p.json")))
			assert.Zero(t, b.metric("receiver_span_file_sessions_deleted", ""))
		})
	}
}

func TestOnlyDirectoriesNamedAsRayDoesAreSessions(t *testing.T) {
	for _, name := range []string{"session_2", "session_latest2", "sessions", "session_2026-01-02_03-04-05_000006_7.bak"} {
		b := newRayDir(t, func(c *Config) {
			c.Include[0] = strings.Replace(c.Include[0], "session_2*", "*", 1)
		})
		b.ok(os.Rename(b.path(former), b.path(name)))
		b.run(3 * sweepInterval)
		assert.True(t, b.exists(name), name)
		assert.NotEmpty(t, b.files)
	}
}

// TestSessionReachedThroughASymlink: what a symlink leads to elsewhere is removed
// only if it is a former session there.
func TestSessionReachedThroughASymlink(t *testing.T) {
	b := newRayDir(t, nil)
	elsewhere := t.TempDir()
	require.NoError(t, os.Rename(b.path(former), filepath.Join(elsewhere, former)))
	b.ok(os.Symlink(filepath.Join(elsewhere, former), b.path(former)))
	b.run(3 * sweepInterval)
	assert.Contains(t, b.out.got, former+"0")
	_, err := os.Stat(filepath.Join(elsewhere, former, raySpanDir, "p.json"))
	assert.NoError(t, err, "no session_latest beside it")
}
