//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// pipeline is a receiver and an exporter, each with its configuration as YAML flow text.
type pipeline struct{ receiver, receiverConfig, exporter, exporterConfig string }

// configFile writes a configuration of traces pipelines for --config. Components
// are numbered, so each pipeline has its own.
func configFile(t *testing.T, dir string, pipelines ...pipeline) string {
	t.Helper()
	var receivers, exporters, traces strings.Builder
	for i, p := range pipelines {
		fmt.Fprintf(&receivers, "  %s/%d: %s\n", p.receiver, i, p.receiverConfig)
		fmt.Fprintf(&exporters, "  %s/%d: %s\n", p.exporter, i, p.exporterConfig)
		fmt.Fprintf(&traces, "    traces/%d: {receivers: [%s/%d], exporters: [%s/%d]}\n", i, p.receiver, i, p.exporter, i)
	}
	path := filepath.Join(dir, "config.yaml")
	write(t, path, "receivers:\n"+receivers.String()+"exporters:\n"+exporters.String()+`
extensions: {startup_summary: }
service:
  extensions: [startup_summary]
  telemetry: {metrics: {level: none}, logs: {encoding: console}}
  pipelines:
`+traces.String())
	return path
}

// spanFile is the configuration of a span_file that adds nothing to the resource and reads old recordings.
func spanFile(include string) string {
	return fmt.Sprintf("{include: [%q], ignore_older: 0s, poll_interval: 50ms, "+
		"include_file_name: false, include_file_path: false, include_file_process: false}", include)
}
