package spanfilereceiver

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// fileWriter is a process that appends spans to a file of its own.
type fileWriter struct {
	t    *testing.T
	dir  string
	mu   sync.Mutex
	runs int
	next int
}

func (w *fileWriter) Start() { w.runs++ }

// Stop removes what the scenario has written: each is another receiver, which begins anew.
func (w *fileWriter) Stop() {
	require.NoError(w.t, os.Remove(filepath.Join(w.dir, w.file())))
}

func (w *fileWriter) file() string { return fmt.Sprintf("run%d.json", w.runs) }

func (w *fileWriter) Generate() []receivertest.UniqueIDAttrVal {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	name := fmt.Sprintf("span%d", w.next)
	b := &bench{t: w.t, dir: w.dir}
	b.append(w.file(), record(name))
	return []receivertest.UniqueIDAttrVal{receivertest.UniqueIDAttrVal(name)}
}

func TestConsumeContract(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	dir := t.TempDir()
	cfg.Include = []string{filepath.Join(dir, "*.json")}
	cfg.PollInterval = 2 * time.Millisecond
	cfg.RetryOnFailure = RetryConfig{InitialInterval: time.Millisecond, MaxInterval: 5 * time.Millisecond}
	receivertest.CheckConsumeContract(receivertest.CheckConsumeContractParams{
		T: t, Factory: NewFactory(), Signal: pipeline.SignalTraces, Config: cfg,
		Generator: &fileWriter{t: t, dir: dir}, GenerateCount: 1000,
	})
}
