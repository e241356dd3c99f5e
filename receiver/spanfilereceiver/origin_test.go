package spanfilereceiver

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

func TestOriginIsReadFromTheFileName(t *testing.T) {
	for name, want := range map[string]map[string]any{
		"proxy_192.0.2.2_tracing.json": {serveattr.Component: "proxy"},
		"proxy_fe80__1_tracing.json":   {serveattr.Component: "proxy"},
		"replica_batch_Batcher_ou8w8885_tracing.json": {
			serveattr.Component: "replica", serveattr.App: "batch", serveattr.Deployment: "Batcher", serveattr.ReplicaID: "ou8w8885",
		},
		"replica_my_app_Batcher_ou8w8885_tracing.json": {serveattr.Component: "replica", serveattr.ReplicaID: "ou8w8885"},
		"replica_a__B_ou8w8885_tracing.json":           {serveattr.Component: "replica", serveattr.ReplicaID: "ou8w8885"},
		"replica_Alone_ou8w8885_tracing.json":          {serveattr.Component: "replica", serveattr.ReplicaID: "ou8w8885"},
		"replica_x_tracing.json":                       {serveattr.Component: "replica"},
		"29443_tracing.json":                           {attrPID: int64(29443)},
		"2585.txt":                                     {attrPID: int64(2585)},
		"2585.json":                                    {attrPID: int64(2585)},
		"99999999999999999999.json":                    {},
		"worker-100a2b9c-11072.out":                    {serveattr.WorkerID: "100a2b9c", attrPID: int64(11072)},
		"worker-" + strings.Repeat("0f", 28) + "-01000000-11072.out": {
			serveattr.WorkerID: strings.Repeat("0f", 28), attrPID: int64(11072),
		},
		"worker-xyz-1.out": {}, "seed1.json": {}, "controller_1_tracing.json": {}, "x2585.txt": {},
	} {
		attrs := pcommon.NewMap()
		originOf(filepath.Join("/some/proxy_dir", name)).put(attrs)
		assert.Equal(t, want, attrs.AsRaw(), name)
	}
}

func TestOriginNeverOverwrites(t *testing.T) {
	attrs := pcommon.NewMap()
	own := map[string]any{
		serveattr.Component: "a", serveattr.App: "b", serveattr.Deployment: "c", serveattr.ReplicaID: "d",
		serveattr.WorkerID: "e", attrPID: "f",
	}
	require.NoError(t, attrs.FromRaw(own))
	origin{"1", "2", "3", "4", "5", 6}.put(attrs)
	assert.Equal(t, own, attrs.AsRaw())
}

func resourceOf(td ptrace.Traces) map[string]any {
	return td.ResourceSpans().At(0).Resource().Attributes().AsRaw()
}

func TestResourceSaysWhereSpansComeFrom(t *testing.T) {
	const name = "replica_batch_Batcher_ou8w8885_tracing.json"
	decoded := map[string]any{"telemetry.sdk.language": "python", "service.name": "unknown_service"} // as in record
	for title, c := range map[string]struct {
		change func(*Config)
		added  map[string]any
	}{
		"all off": {func(c *Config) { c.IncludeFileName, c.IncludeFilePath, c.IncludeFileProcess = false, false, false }, nil},
		"name":    {func(c *Config) { c.IncludeFilePath, c.IncludeFileProcess = false, false }, map[string]any{attrFileName: name}},
		"path":    {func(c *Config) { c.IncludeFileName, c.IncludeFileProcess = false, false }, map[string]any{attrFilePath: ""}},
		"process": {func(c *Config) { c.IncludeFileName, c.IncludeFilePath = false, false }, map[string]any{
			serveattr.Component: "replica", serveattr.App: "batch", serveattr.Deployment: "Batcher", serveattr.ReplicaID: "ou8w8885",
		}},
	} {
		t.Run(title, func(t *testing.T) {
			b := newBench(t, c.change)
			b.write(name, records("a", 0, 3))
			b.run(time.Second)
			want := map[string]any{}
			for _, attrs := range []map[string]any{decoded, c.added} {
				for k, v := range attrs {
					want[k] = v
				}
			}
			if _, ok := want[attrFilePath]; ok {
				want[attrFilePath] = b.path(name)
			}
			assert.Equal(t, want, resourceOf(b.out.last))
		})
	}
}

func TestSpansOfLogFilesCarryTheWorker(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.Include = []string{filepath.Join("..", "..", "testdata", "ray-2.60-console", "worker-out", "worker-100a2b9c-*.out")}
		c.IgnoreOlder = 0
	})
	b.run(time.Second)
	require.NotEmpty(t, b.out.got)
	assert.Equal(t, "100a2b9c", resourceOf(b.out.last)[serveattr.WorkerID])
	assert.Positive(t, b.metric("receiver_span_file_records_skipped", "garbage"))
}

// TestPathOfAnyBytesBecomesText: protobuf readers refuse a batch with other strings.
func TestPathOfAnyBytesBecomesText(t *testing.T) {
	b := newBench(t, nil)
	b.write("a\n\xff.json", record("a"))
	b.run(time.Second)
	require.Equal(t, []string{"a"}, b.out.got)
	assert.Equal(t, "a\n\ufffd.json", resourceOf(b.out.last)[attrFileName])
}
