//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a program that a test started. Its output goes to files, so that it
// can be read at any time and outlives a kill -9.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	output *os.File
	log    *os.File
	ended  chan struct{} // closed when the process is gone: Wait can be called once, and several wait for it
}

// spawn starts a program in dir with the given additions to the environment.
// It is gone when the test has ended, at the latest.
func spawn(t *testing.T, dir string, env []string, program string, args ...string) *process {
	t.Helper()
	p := &process{t: t, output: outputFile(t, "stdout"), log: outputFile(t, "stderr"), ended: make(chan struct{})}
	p.cmd = exec.Command(program, args...) //nolint:noctx // A context can only kill; the tests choose the signal and the moment.
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.log
	p.cmd.SysProcAttr = endWithParent()
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // The exit code is in cmd.ProcessState.
		close(p.ended)
	}()
	t.Cleanup(p.cleanUp)
	return p
}

func outputFile(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(folder(t), name))
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func (p *process) cleanUp() {
	if p.running() {
		p.kill()
	}
	if p.t.Failed() {
		p.t.Logf("%s\nstandard output:\n%s\nstandard error:\n%s", p.cmd, tail(p.stdout()), tail(p.stderr()))
	}
}

// tail keeps the log of a failed test readable.
func tail(text string) string {
	const enough = 6000
	if len(text) <= enough {
		return text
	}
	return "…" + text[len(text)-enough:]
}

func (p *process) stdout() string { return readQuietly(p.output.Name()) }

func (p *process) stderr() string { return readQuietly(p.log.Name()) }

// readQuietly is for output files, which exist as long as the test does.
func readQuietly(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	require.True(p.t, p.running(), "%s has ended", p.cmd)
	require.NoError(p.t, p.cmd.Process.Signal(s))
}

// kill is kill -9: the process has no chance to do anything any more.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // It may have ended by itself.
	<-p.ended
}

// exitCode waits for the end of the process.
func (p *process) exitCode(limit time.Duration) int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(limit):
		require.FailNow(p.t, "still running", "%s after %s", p.cmd, limit)
	}
	return p.cmd.ProcessState.ExitCode()
}

// terminate sends SIGTERM and requires a clean end.
func (p *process) terminate() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	require.Zero(p.t, p.exitCode(30*time.Second), "exit code after SIGTERM")
}

// lastLine is the last line that the process wrote to standard error.
func (p *process) lastLine() string {
	lines := bytes.Split(bytes.TrimRight([]byte(p.stderr()), "\n"), []byte("\n"))
	return strings.TrimSpace(string(lines[len(lines)-1]))
}
