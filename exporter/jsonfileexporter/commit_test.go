package jsonfileexporter

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gate lets fsync calls through one by one, and counts writes and fsyncs.
type gate struct {
	entered chan struct{} // an fsync has begun
	leave   chan struct{} // lets it go on
	written chan struct{} // a write has begun
}

// startGated starts an exporter whose fsync waits at a gate.
func startGated(t *testing.T, path string) (*fixture, *faultyHandle, *gate) {
	t.Helper()
	f := startFixture(t, newConfig(path, otlpJSON))
	g := &gate{entered: make(chan struct{}), leave: make(chan struct{}), written: make(chan struct{})}
	h := &faultyHandle{
		writes: func() { g.written <- struct{}{} },
		syncs: func() {
			g.entered <- struct{}{}
			<-g.leave
		},
	}
	f.makeFaulty(h)
	return f, h, g
}

// pushAll starts pushes of one span each, and returns their results when all are done.
func (f *fixture) pushAll(t *testing.T, names []string) (wait func() []error) {
	t.Helper()
	results := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { results[i] = f.push(t.Context(), spansOf(name)) })
	}
	return func() []error {
		all.Wait()
		return results
	}
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("span-%d", i))
	}
	return all
}

func TestPushesThatWriteDuringAnFsyncShareTheNext(t *testing.T) {
	const more = 20
	path := filepath.Join(t.TempDir(), "x.json")
	f, _, g := startGated(t, path)
	first := f.pushAll(t, []string{"first"})
	<-g.written
	<-g.entered
	others := f.pushAll(t, names(more))
	for range more {
		<-g.written
	}
	g.leave <- struct{}{}
	<-g.entered // the second and last: a third would never be let through
	g.leave <- struct{}{}
	for _, err := range append(first(), others()...) {
		require.NoError(t, err)
	}
	assert.Equal(t, more+1, strings.Count(string(content(t, path)), "\n"))
	f.file(func(file *spanFile) { assert.Equal(t, file.size, file.synced) })
}

func TestFailedFsyncRefusesAllThatItLeavesInDoubt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	f, h, g := startGated(t, path)
	durable := f.pushAll(t, []string{"durable"})
	<-g.written
	<-g.entered
	g.leave <- struct{}{}
	require.NoError(t, durable()[0])
	before := content(t, path)

	doubtful := f.pushAll(t, []string{"doubtful"})
	<-g.written
	<-g.entered
	meanwhile := f.pushAll(t, []string{"meanwhile"})
	<-g.written
	h.sync = syscall.EIO
	g.leave <- struct{}{}
	for _, err := range append(doubtful(), meanwhile()...) {
		require.ErrorIs(t, err, errSync)
		require.ErrorIs(t, err, syscall.EIO)
	}
	assert.Equal(t, string(before), string(content(t, path)), "what may be lost must be written again")

	h.sync, h.writes, h.syncs = nil, nil, nil
	f.send(t, spansOf("doubtful"))
	assert.Equal(t, string(before)+string(written(t, spansOf("doubtful"), otlpJSON)), string(content(t, path)))
}

func TestSyncNoneNeverCallsFsync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	f := startFixture(t, newConfig(path, otlpJSON, unsynced))
	f.makeFaulty(&faultyHandle{sync: syscall.EIO})
	f.send(t, spansOf("a"))
	assert.Equal(t, string(written(t, spansOf("a"), otlpJSON)), string(content(t, path)))
}
