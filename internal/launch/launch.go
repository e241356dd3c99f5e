// Package launch is the command line of otelcol-serve: an ordinary collector's,
// which runs an embedded configuration when none is named, says in plain lines
// what it started, and explains in one line why it could not.
package launch

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/otelcol"
)

// Version is the version of this source tree; builder-config.yaml has the same.
const Version = "0.1.0"

// DefaultConfig is the configuration that runs without --config, as YAML.
//
//go:embed default.yaml
var DefaultConfig string

// Run runs the command line args and returns the exit code. What was started is
// said on stdout; an error is one line on stderr.
func Run(set otelcol.CollectorSettings, args []string, stdout, stderr io.Writer) int {
	var resolved recorder
	resolver := &set.ConfigProviderSettings.ResolverSettings
	resolver.ProviderFactories = append(resolver.ProviderFactories, confmap.NewProviderFactory(newEmbedded))
	resolver.ConverterFactories = append(resolver.ConverterFactories, resolved.factory())
	set.Factories = withSummary(set.Factories, stdout)

	cmd := newCommand(set)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	defer keepSignals()()
	executed, err := cmd.ExecuteC()
	if err == nil {
		return 0
	}
	if config := executed.Flags().Lookup("config"); config != nil && resolved.conf == nil {
		err = fmt.Errorf("configuration %s: %w", config.Value, err)
	}
	fmt.Fprintf(stderr, "%s: %s\n", set.BuildInfo.Command, explain(err, resolved.conf))
	return 1
}

// newCommand is the collector's command, with the embedded configuration put
// first when the command line names none, so that --set has something to change.
func newCommand(set otelcol.CollectorSettings) *cobra.Command {
	cmd := otelcol.NewCommand(set)
	cmd.SilenceErrors = true
	cmd.Long = "Without --config, " + set.BuildInfo.Command + " runs the configuration that `default-config` prints."
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		config := cmd.Flags().Lookup("config")
		if config == nil || config.Changed {
			return nil
		}
		return config.Value.Set(embeddedURI)
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "default-config",
		Short: "Prints the configuration that runs without --config",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), DefaultConfig)
			return err
		},
	})
	return cmd
}
