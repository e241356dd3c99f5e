// Package fileglob finds the files that a pattern of span_file's include names.
package fileglob

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Match returns the paths that a doublestar pattern names, or doublestar.ErrBadPattern.
// A pattern with ** follows no symlinked directory behind its first wildcard: two of
// them that lead to a directory above would be followed in turns, without end.
func Match(pattern string) ([]string, error) {
	var opts []doublestar.GlobOption
	if strings.Contains(pattern, "**") {
		opts = append(opts, doublestar.WithNoFollow())
	}
	return doublestar.FilepathGlob(pattern, opts...)
}
