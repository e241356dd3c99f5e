//go:build race

package servecontextprocessor

// raceDetector makes everything take twenty times as long.
const raceDetector = true
