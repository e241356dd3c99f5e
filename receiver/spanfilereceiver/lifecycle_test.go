package spanfilereceiver

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

var storageID = component.MustNewID("file_storage")

// newStorageHost returns a host with contrib's file storage on a directory.
func newStorageHost(t *testing.T, dir string) *statusHost {
	t.Helper()
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory, cfg.CreateDirectory = dir, true
	ext, err := factory.Create(context.Background(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(t, err)
	require.NoError(t, ext.Start(context.Background(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, ext.Shutdown(context.Background())) })
	return &statusHost{extensions: map[component.ID]component.Component{storageID: ext}}
}

// namedSettings are settings with the same id each time: it names the checkpoint.
func namedSettings() receiver.Settings {
	set := receivertest.NewNopSettings(component.MustNewType("span_file"))
	set.ID = component.MustNewID("span_file")
	return set
}

// signalling tells a test that a batch came, so that it need not sleep.
type signalling struct {
	*sink
	came chan struct{}
}

func (s signalling) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	err := s.sink.ConsumeTraces(ctx, td)
	s.came <- struct{}{}
	return err
}

// runOnce runs a real receiver on dir until it has sent a number of batches, then stops it.
func runOnce(t *testing.T, dir string, host component.Host, out *sink, batches int, change func(*Config)) {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Include = []string{filepath.Join(dir, "*.json")}
	cfg.PollInterval = time.Millisecond
	cfg.Storage = &storageID
	if change != nil {
		change(cfg)
	}
	next := signalling{out, make(chan struct{}, 1000)}
	r, err := NewFactory().CreateTraces(context.Background(), namedSettings(), cfg, next)
	require.NoError(t, err)
	require.NoError(t, r.Start(context.Background(), host))
	for range batches {
		<-next.came
	}
	require.NoError(t, r.Shutdown(context.Background()))
}

func TestStoppedAndStartedReadsEachSpanOnce(t *testing.T) {
	b := newBench(t, nil)
	host := newStorageHost(t, t.TempDir())
	for i := range 4 {
		b.append("a.json", records("a", 10*i, 10*i+10))
		runOnce(t, b.dir, host, b.out, 1, nil)
	}
	assert.Equal(t, names("a", 0, 40), b.out.got)
}

func TestShutdownReadsToTheEnd(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 500))
	runOnce(t, b.dir, newStorageHost(t, t.TempDir()), b.out, 1, func(c *Config) { c.MaxBatchSpans = 1 })
	assert.Equal(t, names("a", 0, 500), b.out.got)
}

func TestShutdownStopsAtTheFirstRefusal(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 5))
	b.write("b.json", records("b", 0, 5))
	b.out.refuse = func(ptrace.Traces) error { return errFull }
	host := newStorageHost(t, t.TempDir())
	// Both files are refused once, and one of them once more.
	runOnce(t, b.dir, host, b.out, 2, nil)
	assert.Equal(t, 3, b.out.calls)
	b.out.refuse = nil
	runOnce(t, b.dir, host, b.out, 2, nil)
	assert.ElementsMatch(t, append(names("a", 0, 5), names("b", 0, 5)...), b.out.got)
}

// blocking is a consumer that lets go only when its context ends.
type blocking struct {
	entered chan struct{}
}

func (blocking) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (c blocking) ConsumeTraces(ctx context.Context, _ ptrace.Traces) error {
	close(c.entered)
	<-ctx.Done()
	return ctx.Err()
}

func TestShutdownCancelsTheSendInFlight(t *testing.T) {
	for name, stop := range map[string]struct {
		drain time.Duration
		end   bool
	}{"drain_timeout": {time.Millisecond, false}, "the context of Shutdown": {time.Hour, true}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.write("a.json", records("a", 0, 5))
			host := newStorageHost(t, t.TempDir())
			cfg := *b.cfg
			cfg.DrainTimeout, cfg.Storage = stop.drain, &storageID
			next := blocking{make(chan struct{})}
			r, err := newSpanFileReceiver(namedSettings(), &cfg, next)
			require.NoError(t, err)
			require.NoError(t, r.Start(context.Background(), host))
			<-next.entered
			ctx, cancel := context.WithCancel(context.Background())
			if stop.end {
				cancel()
			}
			err = r.Shutdown(ctx)
			cancel()
			if stop.end {
				require.ErrorIs(t, err, context.Canceled)
			} else {
				require.NoError(t, err)
			}
			<-r.done
			runOnce(t, b.dir, host, b.out, 1, nil)
			assert.Equal(t, names("a", 0, 5), b.out.got, "read again")
		})
	}
}

func TestLastBatchToEndSavesTheCheckpointAfterShutdown(t *testing.T) {
	for name, end := range map[string]struct {
		err  error
		want []string
	}{
		"delivered": {nil, []string{"new"}},
		"refused":   {errFull, append(names("a", 0, 10), "new")}, // from the lowest offset on
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.write("a.json", records("a", 0, 10))
			host := newStorageHost(t, t.TempDir())
			b.out.hold = true
			runOnce(t, b.dir, host, b.out, 2, func(c *Config) { c.MaxBatchSpans = 5 })
			b.out.hold = false
			b.out.held[1].Release(nil)
			b.out.held[0].Release(end.err)
			b.out.got = nil
			b.append("a.json", record("new"))
			runOnce(t, b.dir, host, b.out, 1, func(c *Config) { c.MaxBatchSpans = 100 })
			assert.Equal(t, end.want, b.out.got)
		})
	}
}

func TestBatchesMayEndWhileShutdownRuns(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 50))
	host := newStorageHost(t, t.TempDir())
	b.out.hold = true
	var wg sync.WaitGroup
	wg.Go(func() {
		for released := 0; released < 50; {
			b.out.mu.Lock()
			held := b.out.held
			b.out.held = nil
			b.out.mu.Unlock()
			for _, token := range held {
				token.Release(nil)
				released++
			}
		}
	})
	runOnce(t, b.dir, host, b.out, 5, func(c *Config) { c.MaxBatchSpans = 1 })
	wg.Wait()
	b.out.hold, b.out.got = false, nil
	b.append("a.json", record("new"))
	runOnce(t, b.dir, host, b.out, 1, nil)
	assert.Equal(t, []string{"new"}, b.out.got)
}

func TestUnknownCheckpointIsIgnored(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 5))
	host := newStorageHost(t, t.TempDir())
	runOnce(t, b.dir, host, b.out, 1, nil)
	s, err := openStore(context.Background(), host, &storageID, component.MustNewID("span_file"))
	require.NoError(t, err)
	require.NoError(t, s.set(func() ([]byte, error) { return []byte(`{"version":99}`), nil }))
	require.NoError(t, s.close())
	// It is not the first start, so that what is there is not passed over.
	runOnce(t, b.dir, host, b.out, 1, func(c *Config) { c.StartAt = StartAtEnd })
	assert.Equal(t, append(names("a", 0, 5), names("a", 0, 5)...), b.out.got)
}

// refusingClient is a storage client that cannot write while full.
type refusingClient struct {
	storage.Client
	full  bool
	saved int
}

func (c *refusingClient) Set(context.Context, string, []byte) error {
	if c.full {
		return errFull
	}
	c.saved++
	return nil
}

func TestCheckpointThatWasNotSavedIsSavedLater(t *testing.T) {
	b := newBench(t, nil)
	client := &refusingClient{full: true}
	b.store = &store{client: client}
	b.write("a.json", record("a"))
	b.run(5 * time.Second)
	assert.Equal(t, componentstatus.StatusRecoverableError, b.host.lastStatus())
	client.full = false
	b.run(5 * time.Second)
	assert.Equal(t, 1, client.saved)
	assert.Equal(t, componentstatus.StatusOK, b.host.lastStatus())
}

func TestStartNamesTheMissingStorage(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Storage = &storageID
	r, err := newSpanFileReceiver(namedSettings(), cfg, &sink{})
	require.NoError(t, err)
	assert.ErrorContains(t, r.Start(context.Background(), componenttest.NewNopHost()), `storage: there is no extension "file_storage"`)
}

func TestStartAtHoldsForTheStartWithoutACheckpointOnly(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", records("a", 0, 5))
	host := newStorageHost(t, t.TempDir())
	atEnd := func(c *Config) { c.StartAt = StartAtEnd }
	runOnce(t, b.dir, host, b.out, 0, atEnd)
	b.write("b.json", records("b", 0, 5))
	runOnce(t, b.dir, host, b.out, 1, atEnd)
	assert.Equal(t, names("b", 0, 5), b.out.got)
}
