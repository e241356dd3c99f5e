package fileglob

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatchEndsWhereSymlinksLeadUpwards(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o700))
	file := filepath.Join(below, "x.json")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, name := range []string{"up", "too"} {
		require.NoError(t, os.Symlink(dir, filepath.Join(below, name)))
	}
	found, err := Match(filepath.Join(dir, "**", "*.json"))
	require.NoError(t, err)
	assert.Equal(t, []string{file}, found)
}

func TestMatchFollowsASymlinkThatThePatternNames(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "session_2"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "session_2", "x.json"), nil, 0o600))
	require.NoError(t, os.Symlink("session_2", filepath.Join(dir, "session_latest")))
	found, err := Match(filepath.Join(dir, "session_latest", "*.json"))
	require.NoError(t, err)
	assert.Len(t, found, 1)
}

func TestMatchRefusesABadPattern(t *testing.T) {
	_, err := Match("[")
	assert.ErrorIs(t, err, doublestar.ErrBadPattern)
}
