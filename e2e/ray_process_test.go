//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rayWithin is the hard limit of a Ray run; on 2 cores one takes 25 s.
const rayWithin = 180 * time.Second

// rayRun is what a run of ray_serve.py printed.
type rayRun struct {
	Session  string `json:"session"`
	Requests int    `json:"requests"`
}

// spanFiles are the files that Ray's default exporter wrote.
func (r rayRun) spanFiles(t *testing.T) []string {
	t.Helper()
	return matching(t, filepath.Join(r.Session, "logs", "serve", "spans", "*.json"))
}

// runRayServe deploys real Ray Serve applications, sends requests and takes
// everything down. tempDir is Ray's, "" for its default.
func runRayServe(t *testing.T, tempDir string, env ...string) rayRun {
	t.Helper()
	// Ray's processes make groups and sessions of their own; what they all have is the environment.
	mark := fmt.Sprintf("E2E_RUN=%d.%d", os.Getpid(), time.Now().UnixNano())
	t.Cleanup(func() { killMarked(mark) })
	program, err := filepath.Abs("python")
	require.NoError(t, err)
	env = append([]string{
		mark,
		"PYTHONPATH=" + program + string(os.PathListSeparator) + testdata(t, "tools", "ray"),
		"TRUTH_FILE=" + filepath.Join(folder(t), "batches.jsonl"),
		"RAY_SERVE_TRACING_SAMPLING_RATIO=1.0",
		"RAY_USAGE_STATS_ENABLED=0",
	}, env...)
	args := []string{"--http-port", freePort(t), "--grpc-port", freePort(t)}
	if tempDir != "" {
		args = append(args, "--temp-dir", tempDir)
	}
	begin := time.Now()
	driver := spawnPython(t, env, "ray_serve.py", args...)
	driver.finish(rayWithin)
	printed := objects[rayRun](driver)
	require.Len(t, printed, 2)
	run := rayRun{Session: printed[0].Session, Requests: printed[1].Requests}
	t.Logf("Ray Serve answered %d requests; the run took %.1f s", run.Requests, time.Since(begin).Seconds())
	return run
}

// killMarked ends the processes that have mark in their environment.
func killMarked(mark string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // None outside of Linux: there Ray's own reaper has to do.
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append(text, 0), []byte(mark+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
