package launch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Datadog's exporter lives as long as the context that it was made with.
func TestSignalDuringTheStartEndsTheCollectorGentlyAndCancelsNoComponent(t *testing.T) {
	ended := false
	signaled := exporter.NewFactory(component.MustNewType("signaled"),
		func() component.Config { return &struct{}{} },
		exporter.WithTraces(func(made context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
			return exporterhelper.NewTraces(made, set, cfg,
				func(context.Context, ptrace.Traces) error { return nil },
				exporterhelper.WithStart(func(context.Context, component.Host) error {
					return syscall.Kill(os.Getpid(), syscall.SIGTERM)
				}),
				exporterhelper.WithShutdown(func(context.Context) error {
					ended = true
					return made.Err()
				}))
		}, component.StabilityLevelAlpha))
	set := settings()
	set.Factories = func() (otelcol.Factories, error) {
		factories, err := otelcoltest.NopFactories()
		factories.Exporters[signaled.Type()] = signaled
		return factories, err
	}
	path := filepath.Join(t.TempDir(), "x.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
receivers: {nop: }
exporters: {signaled: }
service: {pipelines: {traces: {receivers: [nop], exporters: [signaled]}}}
`), 0o600))
	var stdout, stderr bytes.Buffer
	assert.Zero(t, Run(set, []string{"--config", path}, &stdout, &stderr), stderr.String())
	assert.True(t, ended)
}
