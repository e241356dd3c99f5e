// Command otelcol-serve is an OpenTelemetry Collector for Ray Serve.
//
// components.go, go.mod and go.sum are made from builder-config.yaml by
// `make generate`; what the command does beyond a collector is in internal/launch.
package main

import (
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/httpprovider"
	"go.opentelemetry.io/collector/confmap/provider/httpsprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/otelcol"

	"github.com/otelcol-serve/otelcol-serve/internal/launch"
)

func main() {
	// The health check follows what the components report of themselves.
	if err := featuregate.GlobalRegistry().Set("extension.healthcheck.useComponentStatus", true); err != nil {
		panic(err) // The gate is gone: a new version of health_check needs a look.
	}
	set := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{
			Command:     "otelcol-serve",
			Description: "OpenTelemetry Collector for Ray Serve",
			Version:     launch.Version,
		},
		Factories: components,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				ProviderFactories: []confmap.ProviderFactory{
					envprovider.NewFactory(),
					fileprovider.NewFactory(),
					httpprovider.NewFactory(),
					httpsprovider.NewFactory(),
					yamlprovider.NewFactory(),
				},
			},
		},
	}
	os.Exit(launch.Run(set, os.Args[1:], os.Stdout, os.Stderr))
}
