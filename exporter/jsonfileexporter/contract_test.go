package jsonfileexporter

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/receiver"
)

// loopback is a receiver of the file that is being written: after each push it reads
// what is new, and sends it on until it is taken or refused for good, as span_file
// does. So the contract's counts hold only if each push is whole in the
// file when it returns, and is there once.
type loopback struct {
	component.StartFunc
	component.ShutdownFunc
	t    *testing.T
	path string
	read func(testing.TB, []byte) ptrace.Traces
	seen int
	next consumer.Traces
}

func (l *loopback) poll(ctx context.Context) {
	data, err := os.ReadFile(l.path)
	require.NoError(l.t, err)
	td := l.read(l.t, data[l.seen:])
	l.seen = len(data)
	for err := l.next.ConsumeTraces(ctx, td); err != nil && !consumererror.IsPermanent(err); {
		err = l.next.ConsumeTraces(ctx, td)
	}
}

// polled is the exporter with a poll of the receiver after each push.
type polled struct {
	exporter.Traces
	receiver *loopback
}

func (p *polled) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	td.MarkReadOnly()
	err := p.Traces.ConsumeTraces(ctx, td)
	p.receiver.poll(ctx)
	return err
}

func TestConsumeContract(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		read   func(testing.TB, []byte) ptrace.Traces
	}{
		{"lines", func(*Config) {}, decode},
		{"pretty", pretty, decode},
		{"otlp_json", otlpJSON, readOTLPJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.json")
			var current *loopback
			createReceiver := func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Traces) (receiver.Traces, error) {
				require.NoError(t, os.RemoveAll(path))
				current = &loopback{t: t, path: path, read: tt.read, next: next}
				return current, nil
			}
			createExporter := func(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
				e, err := createTraces(ctx, set, cfg)
				return &polled{Traces: e, receiver: current}, err
			}
			noConfig := func() component.Config { return nil }
			typ := component.MustNewType("json_file")
			exportertest.CheckConsumeContract(exportertest.CheckConsumeContractParams{
				T:                    t,
				NumberOfTestElements: 50,
				Signal:               pipeline.SignalTraces,
				ExporterFactory:      exporter.NewFactory(typ, noConfig, exporter.WithTraces(createExporter, component.StabilityLevelAlpha)),
				ExporterConfig:       newConfig(path, tt.change),
				ReceiverFactory:      receiver.NewFactory(typ, noConfig, receiver.WithTraces(createReceiver, component.StabilityLevelAlpha)),
				ReceiverConfig:       nil,
			})
		})
	}
}
