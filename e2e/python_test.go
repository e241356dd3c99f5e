//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spawnPython starts a program of e2e/python.
func spawnPython(t *testing.T, env []string, program string, args ...string) *process {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("python", program))
	require.NoError(t, err)
	return spawn(t, folder(t), env, fromEnvironment(t, "PYTHON"), append([]string{path}, args...)...)
}

// finish waits for a program that ends by itself, and well.
func (p *process) finish(limit time.Duration) {
	p.t.Helper()
	require.Zero(p.t, p.exitCode(limit), "exit code of %s", p.cmd)
}

// objects returns the JSON objects that a program printed one a line, between
// lines of the libraries that it uses.
func objects[T any](p *process) []T {
	p.t.Helper()
	var found []T
	for line := range strings.Lines(p.stdout()) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var object T
		require.NoError(p.t, json.Unmarshal([]byte(line), &object), line)
		found = append(found, object)
	}
	return found
}
