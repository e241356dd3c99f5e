package sampling

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"
)

const (
	// checkInterval is half of the second within which a change is promised to be in
	// force, so that the promise holds although checks wait for somebody's tick.
	checkInterval = 500 * time.Millisecond
	// maxFileSize is far above any set of rules; a file beyond it is a mistake in the path.
	maxFileSize = 1 << 20
)

// Source holds the rules in force and follows the file, if one is configured. It
// starts no goroutine and watches nothing: somebody calls Check. All methods may be
// called concurrently.
type Source struct {
	base    Config
	logger  *zap.Logger
	current atomic.Pointer[Rules]

	// mu guards everything declared below.
	mu        sync.Mutex
	nextCheck time.Time
	// text is the file as last read, to see a change without trusting its times:
	// two writes within one tick of the file system's clock have the same.
	text []byte
	// problem is what was last said about the file, empty if it is sound.
	problem string
}

// Change is what a check found.
type Change uint8

const (
	// Unchanged means that the same rules are in force, and nothing new to say.
	Unchanged Change = iota
	// Changed means that new rules are in force.
	Changed
	// Refused means that the file has become unusable, or in another way, and the rules stay.
	Refused
)

// NewSource makes the configuration ready and reads the file. A file that cannot
// be used, missing ones included, is no error: the configuration holds until it can.
func NewSource(cfg Config, logger *zap.Logger) (*Source, error) {
	rules, err := NewRules(cfg)
	if err != nil {
		return nil, err
	}
	s := &Source{base: cfg, logger: logger}
	s.current.Store(rules)
	if cfg.File != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.read()
	}
	return s, nil
}

// Rules are the rules in force.
func (s *Source) Rules() *Rules { return s.current.Load() }

// Check reads the file, if the last time was half a second ago or more.
func (s *Source) Check(now time.Time) Change {
	// Who comes while another is reading goes on with the rules in force.
	if s.base.File == "" || !s.mu.TryLock() {
		return Unchanged
	}
	defer s.mu.Unlock()
	if now.Before(s.nextCheck) {
		return Unchanged
	}
	s.nextCheck = now.Add(checkInterval)
	return s.read()
}

// read brings the file's rules into force. The caller holds mu.
func (s *Source) read() Change {
	text, err := readFile(s.base.File)
	if err == nil && s.text != nil && bytes.Equal(text, s.text) {
		s.settle()
		return Unchanged
	}
	var rules *Rules
	if err == nil {
		rules, err = parse(text, s.base)
	}
	if err != nil {
		return s.refuse(err)
	}
	s.text = text
	s.current.Store(rules)
	s.logger.Info("sampling rules read", zap.String("file", s.base.File), zap.Int("rules", len(rules.rules)-1))
	s.problem = ""
	return Changed
}

// settle notes that the file says again what is in force, after it had been unusable.
func (s *Source) settle() {
	if s.problem != "" {
		s.problem = ""
		s.logger.Info("sampling file is usable again", zap.String("file", s.base.File))
	}
}

// refuse keeps the rules in force and says why, once for each reason.
func (s *Source) refuse(err error) Change {
	if err.Error() == s.problem {
		return Unchanged
	}
	s.problem = err.Error()
	s.logger.Warn("sampling file cannot be used; the rules in force stay",
		zap.String("file", s.base.File), zap.Error(err))
	return Refused
}

// readFile reads a regular file: a pipe or a device would block or never end.
func readFile(path string) ([]byte, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read sampling file: %w", err)
	}
	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("read sampling file %q: not a regular file", path)
	}
	if stat.Size() > maxFileSize {
		return nil, fmt.Errorf("read sampling file %q: larger than %d bytes", path, maxFileSize)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read sampling file: %w", err)
	}
	return text, nil
}

// parse lays the file's keys over the configuration. An empty file is refused: it
// is what an editor leaves for a moment while it writes.
func parse(text []byte, base Config) (*Rules, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("parse sampling file: it is empty")
	}
	retrieved, err := confmap.NewRetrievedFromYAML(text)
	if err != nil {
		return nil, fmt.Errorf("parse sampling file: %w", err)
	}
	keys, err := retrieved.AsConf()
	if err != nil {
		return nil, fmt.Errorf("parse sampling file: %w", err)
	}
	if keys.IsSet("file") {
		return nil, errors.New("parse sampling file: it must not have the key file")
	}
	cfg := base
	if err := keys.Unmarshal(&cfg); err != nil {
		return nil, fmt.Errorf("parse sampling file: %w", err)
	}
	return NewRules(cfg)
}
