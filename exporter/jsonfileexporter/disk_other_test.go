//go:build !linux

package jsonfileexporter

import "testing"

// tinyDisk has no way to mount a small file system that needs no tools.
func tinyDisk(*testing.T) string { return "" }
