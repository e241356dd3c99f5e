//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordings are the patterns, below testdata, of the files that come back byte for byte.
var recordings = map[string][]string{
	"pretty": {"sdk-*/*.json", "ray-2.*/spans/*.json"},
	"lines":  {"sdk-*/*.jsonl", "ray-core/*.txt"},
}

// recorded lists the files of a framing; each pattern must match.
func recorded(t *testing.T, framing string) []string {
	t.Helper()
	var files []string
	for _, pattern := range recordings[framing] {
		for _, path := range matching(t, filepath.Join(testdata(t), pattern)) {
			if !strings.HasSuffix(path, ".oracle.json") {
				files = append(files, path)
			}
		}
	}
	return files
}

func TestEveryRecordingComesBackByteForByte(t *testing.T) {
	for framing := range recordings {
		t.Run(framing, func(t *testing.T) {
			dir := folder(t)
			files := recorded(t, framing)
			var pipelines []pipeline
			outputs := make([]string, len(files))
			for i, path := range files {
				outputs[i] = filepath.Join(dir, fmt.Sprintf("%d.json", i))
				pipelines = append(pipelines, pipeline{
					"span_file", spanFile(path),
					"json_file", fmt.Sprintf("{path: %q, framing: %s}", outputs[i], framing),
				})
			}
			collector := startReady(t, dir, "--config", configFile(t, dir, pipelines...))
			waitForSizes(t, files, outputs)
			collector.terminate()

			objects, differing := 0, []string{}
			for i, path := range files {
				n, names := compareRecords(t, path, outputs[i], framing)
				objects, differing = objects+n, append(differing, names...)
			}
			t.Logf("%d files, %d objects, of which %d do not come back byte for byte", len(files), objects, len(differing))
			assert.ElementsMatch(t, exceptions(framing), differing)
		})
	}
}

// waitForSizes waits until every output has about the size of its input: an
// exception differs by some bytes, a missing object by hundreds.
func waitForSizes(t *testing.T, inputs, outputs []string) {
	t.Helper()
	assert.Eventually(t, func() bool {
		for i := range inputs {
			in, err := os.Stat(inputs[i])
			require.NoError(t, err)
			out, err := os.Stat(outputs[i])
			if in.Size() > 0 && (err != nil || out.Size() < in.Size()-200) {
				return false
			}
		}
		return true
	}, 30*time.Second, 50*time.Millisecond)
}

// compareRecords counts the objects of a recording and names those that are
// not what came out at the same place.
func compareRecords(t *testing.T, input, output, framing string) (objects int, differing []string) {
	t.Helper()
	in := split(framing, read(t, input))
	if len(in) == 0 {
		return 0, nil // A Ray worker that ran nothing leaves an empty file.
	}
	out := split(framing, read(t, output))
	require.Len(t, out, len(in), input)
	name, err := filepath.Rel(testdata(t), input)
	require.NoError(t, err)
	for i := range in {
		if in[i] != out[i] {
			var span struct{ Name string }
			require.NoError(t, json.Unmarshal([]byte(in[i]), &span), "%s: object %d", name, i)
			differing = append(differing, name+": "+span.Name)
		}
	}
	return len(in), differing
}

// split cuts a file behind each object, newline included. The format makes it
// simple: a newline ends a line-framed object, and a line that is "}" a pretty one.
func split(framing, text string) []string {
	end := "\n"
	if framing == "pretty" {
		end = "\n}\n"
	}
	return slices.DeleteFunc(strings.SplitAfter(text, end), func(s string) bool { return s == "" })
}
