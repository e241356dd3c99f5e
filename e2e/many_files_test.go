//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	allFiles    = 5000
	liveFiles   = 50
	descriptors = 128
)

// TestThousandsOfDeadFilesCostNoDescriptors is the normal state under
// autoscaling: each replica that ever lived has left its file behind.
func TestThousandsOfDeadFilesCostNoDescriptors(t *testing.T) {
	e := newEmbedded(t)
	span := template(t)
	want := map[spanKey]int{}
	require.NoError(t, os.Mkdir(e.in, 0o700))
	for i := range allFiles {
		write(t, replicaFile(e, i), span.record(i, 0, want))
	}

	begin := time.Now()
	args := append([]string{"-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, descriptors), binary(t)},
		e.args()...)
	collector := spawn(t, e.dir, nil, "/bin/sh", args...)
	collector.waitReady()
	waitFor(t, e.out, want, 60*time.Second)
	t.Logf("%d files delivered %.1f s after the start", allFiles, time.Since(begin).Seconds())

	const rounds = 20
	for round := 1; round <= rounds; round++ {
		for i := range liveFiles {
			appendText(t, replicaFile(e, i*(allFiles/liveFiles)), span.record(i*(allFiles/liveFiles), round, want))
		}
		waitFor(t, e.out, want, 30*time.Second)
	}
	t.Logf("%d live files: %d rounds of spans delivered %.1f s after the start", liveFiles, rounds, time.Since(begin).Seconds())
	requireFewOpenFiles(t, collector, e.in)
	collector.terminate()
	d := compareKeys(want, countKeys(t, e.out))
	assert.Equal(t, onceEach(allFiles+liveFiles*rounds), d)
}

func replicaFile(e *embedded, i int) string {
	return filepath.Join(e.in, fmt.Sprintf("replica_app_Dep_%08x_tracing.json", i))
}

func appendText(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// requireFewOpenFiles looks at the descriptors of the process, where the system shows them.
func requireFewOpenFiles(t *testing.T, p *process, in string) {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.cmd.Process.Pid))
	require.NoError(t, err)
	spanFiles := 0
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, in) {
			spanFiles++
		}
	}
	t.Logf("%d descriptors, %d of them of span files", len(links), spanFiles)
	assert.LessOrEqual(t, spanFiles, liveFiles)
}

// spanTemplate is the text of a recorded span, to be given other ids.
type spanTemplate struct {
	text string
	key  spanKey
}

func template(t *testing.T) spanTemplate {
	t.Helper()
	path := matching(t, testdata(t, "ray-2.60", "spans")+"/replica_hello_*.json")[0]
	text := split("pretty", read(t, path))[0]
	span := readSpans(t, path)[0]
	return spanTemplate{text, span.key}
}

// record is the span with ids made of the two numbers, which it notes in want.
func (s spanTemplate) record(file, round int, want map[spanKey]int) string {
	key := spanKey{fmt.Sprintf("0x%032x", file+1), fmt.Sprintf("0x%016x", round<<32|(file+1))}
	want[key]++
	return strings.NewReplacer(s.key.trace, key.trace, s.key.span, key.span).Replace(s.text)
}
