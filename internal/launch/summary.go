package launch

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/otelcol"

	"github.com/otelcol-serve/otelcol-serve/internal/fileglob"
)

// summaryType is the extension of the embedded configuration that says on
// standard output what was started. The extension is the collector's own hook
// for "everything runs now", and the only one that knows the effective configuration.
var summaryType = component.MustNewType("startup_summary")

type summary struct {
	component.StartFunc
	component.ShutdownFunc
	out  io.Writer
	info component.BuildInfo
	conf *confmap.Conf
}

var (
	_ extensioncapabilities.ConfigSnapshotWatcher = (*summary)(nil)
	_ extensioncapabilities.PipelineWatcher       = (*summary)(nil)
)

// withSummary adds the extension's factory to those of the distribution.
func withSummary(factories func() (otelcol.Factories, error), out io.Writer) func() (otelcol.Factories, error) {
	return func() (otelcol.Factories, error) {
		f, err := factories()
		if err != nil {
			return f, err
		}
		f.Extensions = maps.Clone(f.Extensions)
		f.Extensions[summaryType] = extension.NewFactory(summaryType,
			func() component.Config { return &struct{}{} },
			func(_ context.Context, set extension.Settings, _ component.Config) (extension.Extension, error) {
				return &summary{out: out, info: set.BuildInfo}, nil
			},
			component.StabilityLevelAlpha)
		return f, nil
	}
}

// NotifyConfigSnapshot implements extensioncapabilities.ConfigSnapshotWatcher.
func (s *summary) NotifyConfigSnapshot(_ context.Context, snapshot extensioncapabilities.ConfigSnapshot) error {
	s.conf = snapshot.Effective()
	return nil
}

// Ready implements extensioncapabilities.PipelineWatcher.
func (s *summary) Ready() error {
	lines := []string{fmt.Sprintf("%s %s is ready; Ctrl-C stops it", s.info.Command, s.info.Version)}
	for _, l := range s.listens() {
		lines = append(lines, "  listens on   "+l)
	}
	for _, f := range s.spanFiles() {
		lines = append(lines, "  span files   "+f)
	}
	for _, w := range s.writes() {
		lines = append(lines, "  writes to    "+w)
	}
	_, _ = fmt.Fprintln(s.out, strings.Join(lines, "\n")) // a full disk behind standard output must not end the collector
	return nil
}

// NotReady implements extensioncapabilities.PipelineWatcher.
func (*summary) NotReady() error { return nil }

// listens lists the addresses under receivers, each with the keys that lead to it.
func (s *summary) listens() []string {
	var lines []string
	for _, key := range s.conf.AllKeys() {
		path := strings.Split(key, confmap.KeyDelimiter)
		address, ok := s.conf.Get(key).(string)
		if !ok || path[0] != "receivers" || path[len(path)-1] != "endpoint" {
			continue
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			continue
		}
		names := slices.DeleteFunc(path[1:len(path)-1], func(p string) bool { return p == "protocols" })
		lines = append(lines, fmt.Sprintf("%s (%s)", address, strings.Join(names, " ")))
	}
	return lines
}

// spanFiles lists the patterns of the span_file receivers and how many files match now.
func (s *summary) spanFiles() []string {
	var lines []string
	for _, key := range s.conf.AllKeys() {
		if !strings.HasPrefix(key, "receivers"+confmap.KeyDelimiter+"span_file") || !strings.HasSuffix(key, confmap.KeyDelimiter+"include") {
			continue
		}
		patterns, _ := s.conf.Get(key).([]any)
		for _, p := range patterns {
			pattern := fmt.Sprint(p)
			found, err := fileglob.Match(pattern)
			if err != nil {
				continue // span_file has refused such a pattern at its start
			}
			lines = append(lines, fmt.Sprintf("%s (%d now)", pattern, len(found)))
		}
	}
	return lines
}

// writes lists where the exporters write to: paths and endpoints.
func (s *summary) writes() []string {
	var lines []string
	for _, key := range s.conf.AllKeys() {
		path := strings.Split(key, confmap.KeyDelimiter)
		target, ok := s.conf.Get(key).(string)
		if !ok || target == "" || len(path) != 3 || path[0] != "exporters" {
			continue
		}
		switch path[2] {
		case "path":
			if absolute, err := filepath.Abs(target); err == nil {
				target = absolute
			}
		case "endpoint":
		default:
			continue
		}
		lines = append(lines, fmt.Sprintf("%s (%s)", target, path[1]))
	}
	return lines
}
