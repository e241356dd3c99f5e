package sampling

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// ruleFile is a sampling file with a source that follows it on a clock of its own.
type ruleFile struct {
	t      *testing.T
	path   string
	now    time.Time
	source *Source
	logs   *observer.ObservedLogs
}

func newRuleFile(t *testing.T, base Config, text string) *ruleFile {
	t.Helper()
	f := &ruleFile{t: t, path: filepath.Join(t.TempDir(), "sampling.yaml"), now: time.Unix(1_800_000_000, 0)}
	if text != "" {
		f.write(text)
	}
	base.File = f.path
	core, logs := observer.New(zapcore.InfoLevel)
	f.logs = logs
	var err error
	f.source, err = NewSource(base, zap.New(core))
	require.NoError(t, err)
	return f
}

func (f *ruleFile) write(text string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(f.path, []byte(text), 0o600))
}

// check lets a second pass, after which a change is promised to be in force.
func (f *ruleFile) check() Change {
	f.now = f.now.Add(time.Second)
	return f.source.Check(f.now)
}

// threshold is the one in force for a route.
func (f *ruleFile) threshold(route string) Threshold {
	rule, _ := f.source.Rules().rule(&Trace{Route: route})
	return rule.Threshold()
}

func (f *ruleFile) warnings() int {
	return f.logs.FilterLevelExact(zapcore.WarnLevel).Len()
}

func TestFileChangesTheRatioWithinASecond(t *testing.T) {
	f := newRuleFile(t, NewDefaultConfig(), "ratio: 0.1\n")
	require.Equal(t, RatioThreshold(0.1), f.threshold("/"))
	f.write("ratio: 0.2\n") // The same length, and the same time on a coarse clock.
	assert.Equal(t, Changed, f.check())
	assert.Equal(t, RatioThreshold(0.2), f.threshold("/"))
	assert.Equal(t, Unchanged, f.check())
}

func TestFileIsReadAtMostTwiceASecond(t *testing.T) {
	f := newRuleFile(t, NewDefaultConfig(), "ratio: 0.1\n")
	require.Equal(t, Unchanged, f.check())
	f.write("ratio: 0.2\n")
	for range 9 {
		f.now = f.now.Add(50 * time.Millisecond)
		require.Equal(t, Unchanged, f.source.Check(f.now))
	}
	f.now = f.now.Add(50 * time.Millisecond)
	assert.Equal(t, Changed, f.source.Check(f.now))
}

func TestFileReplacedByRenameIsRead(t *testing.T) {
	f := newRuleFile(t, NewDefaultConfig(), "ratio: 0.1\n")
	next := f.path + ".next"
	require.NoError(t, os.WriteFile(next, []byte("ratio: 0.5\n"), 0o600))
	require.NoError(t, os.Rename(next, f.path))
	require.Equal(t, Changed, f.check())
	assert.Equal(t, RatioThreshold(0.5), f.threshold("/"))
}

func TestFileThatCannotBeUsedKeepsTheRulesAndSaysSoOnce(t *testing.T) {
	for name, text := range map[string]string{
		"empty":         " \n",
		"no YAML":       "ratio: [",
		"not a mapping": "0.5",
		"unknown key":   "ration: 0.5",
		"wrong type":    "ratio: half",
		"out of range":  "rules: [{route: /, ratio: 2}]",
		"names a file":  "file: other.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			f := newRuleFile(t, NewDefaultConfig(), "ratio: 0.1\n")
			f.write(text)
			assert.Equal(t, Refused, f.check())
			assert.Equal(t, Unchanged, f.check())
			assert.Equal(t, 1, f.warnings())
			assert.Equal(t, RatioThreshold(0.1), f.threshold("/"))
			f.write("ratio: 0.3")
			assert.Equal(t, Changed, f.check())
			assert.Equal(t, RatioThreshold(0.3), f.threshold("/"))
			f.write(text)
			assert.Equal(t, Refused, f.check(), "said again after the file had been sound")
		})
	}
}

func TestFileThatBreaksInAnotherWaySaysSoAgain(t *testing.T) {
	f := newRuleFile(t, NewDefaultConfig(), "ratio: 0.1\n")
	f.write("ratio: 2")
	require.Equal(t, Refused, f.check())
	require.NoError(t, os.Remove(f.path))
	assert.Equal(t, Refused, f.check())
	assert.Equal(t, 2, f.warnings())
	f.write("ratio: 0.1\n")
	assert.Equal(t, Unchanged, f.check())
	require.NoError(t, os.Remove(f.path))
	assert.Equal(t, Refused, f.check(), "said again after the file had been sound")
}

func TestMissingFileLeavesTheConfigurationInForceUntilItComes(t *testing.T) {
	base := NewDefaultConfig()
	base.Ratio = 0.4
	f := newRuleFile(t, base, "")
	assert.Equal(t, 1, f.warnings())
	assert.Equal(t, RatioThreshold(0.4), f.threshold("/"))
	f.write("ratio: 0.3")
	assert.Equal(t, Changed, f.check())
	assert.Equal(t, RatioThreshold(0.3), f.threshold("/"))
}

func TestFileLaysItsKeysOverTheConfiguration(t *testing.T) {
	base := NewDefaultConfig()
	base.Ratio = 0.4
	base.Rules = []RuleConfig{{Route: "/a", Ratio: 0.5}, {Route: "/b", Ratio: 0.6}}
	f := newRuleFile(t, base, "headless: drop\n")
	assert.Equal(t, RatioThreshold(0.5), f.threshold("/a"))
	assert.True(t, f.source.Rules().dropHeadless)

	f.write("rules: [{route: /b, ratio: 0.7}]")
	require.Equal(t, Changed, f.check())
	assert.Equal(t, RatioThreshold(0.4), f.threshold("/a"), "the file's rules stand for all")
	assert.Equal(t, RatioThreshold(0.7), f.threshold("/b"))
	assert.False(t, f.source.Rules().dropHeadless, "a key that left the file is the configuration's again")

	f.write("ratio: 0.3")
	require.Equal(t, Changed, f.check())
	assert.Equal(t, RatioThreshold(0.5), f.threshold("/a"), "the configuration's rules were not written over")
}

func TestOnlyRegularFilesAreSamplingFiles(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(large, make([]byte, maxFileSize+1), 0o600))
	for path, want := range map[string]string{
		t.TempDir(): "not a regular file",
		os.DevNull:  "not a regular file",
		large:       "larger than",
	} {
		cfg := NewDefaultConfig()
		cfg.File = path
		core, logs := observer.New(zapcore.WarnLevel)
		_, err := NewSource(cfg, zap.New(core))
		require.NoError(t, err)
		require.Equal(t, 1, logs.Len())
		assert.Contains(t, logs.All()[0].ContextMap()["error"], want)
	}
}

func TestRulesAreReadWhileTheFileIsChecked(t *testing.T) {
	f := newRuleFile(t, NewDefaultConfig(), "ratio: 0.1\n")
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for step := range 200 {
				f.source.Check(f.now.Add(time.Duration(step*4+i) * time.Second))
				d := f.source.Rules().Decide(Trace{Route: "/"})
				assert.Equal(t, RatioThreshold(0.1), d.Threshold)
			}
		})
	}
	wait.Wait()
}

func TestSourceWithoutFileNeverChanges(t *testing.T) {
	s, err := NewSource(NewDefaultConfig(), zap.NewNop())
	require.NoError(t, err)
	rules := s.Rules()
	assert.Equal(t, Unchanged, s.Check(time.Unix(1_800_000_000, 0)))
	assert.Same(t, rules, s.Rules())
}

func TestSourceRefusesAnInvalidConfiguration(t *testing.T) {
	_, err := NewSource(Config{Ratio: 2, HeadRatio: 1, Headless: HeadlessMark}, zap.NewNop())
	assert.ErrorContains(t, err, "sampling::ratio")
}
