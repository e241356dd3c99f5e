package launch

import (
	"context"

	"go.opentelemetry.io/collector/confmap"
)

const embeddedURI = "embedded:default"

// embedded is the confmap.Provider of the embedded configuration.
type embedded struct{}

func newEmbedded(confmap.ProviderSettings) confmap.Provider { return embedded{} }

func (embedded) Retrieve(context.Context, string, confmap.WatcherFunc) (*confmap.Retrieved, error) {
	return confmap.NewRetrievedFromYAML([]byte(DefaultConfig))
}

func (embedded) Scheme() string { return "embedded" }

func (embedded) Shutdown(context.Context) error { return nil }

// recorder is a confmap.Converter that changes nothing and remembers the last
// resolved configuration: an error is explained with the key that caused it.
type recorder struct{ conf *confmap.Conf }

func (r *recorder) factory() confmap.ConverterFactory {
	return confmap.NewConverterFactory(func(confmap.ConverterSettings) confmap.Converter { return r })
}

func (r *recorder) Convert(_ context.Context, conf *confmap.Conf) error {
	r.conf = conf
	return nil
}
