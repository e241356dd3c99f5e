// Package otelcolserve checks what the files at the root say of each other.
package otelcolserve

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/otelcol-serve/otelcol-serve/internal/launch"
)

const (
	rootModule = "github.com/otelcol-serve/otelcol-serve"
	collector  = "go.opentelemetry.io/collector/"
)

// distribution is what this test reads of builder-config.yaml.
type distribution struct {
	Dist struct {
		Version string `yaml:"version"`
		Module  string `yaml:"module"`
	} `yaml:"dist"`
	Receivers  []component `yaml:"receivers"`
	Processors []component `yaml:"processors"`
	Exporters  []component `yaml:"exporters"`
	Connectors []component `yaml:"connectors"`
	Extensions []component `yaml:"extensions"`
	Providers  []component `yaml:"providers"`
	Replaces   []string    `yaml:"replaces"`
}

type component struct {
	GoMod string `yaml:"gomod"`
}

func (d *distribution) components() []component {
	var all []component
	for _, kind := range [][]component{d.Receivers, d.Processors, d.Exporters, d.Connectors, d.Extensions, d.Providers} {
		all = append(all, kind...)
	}
	return all
}

func readDistribution(t *testing.T) *distribution {
	t.Helper()
	text, err := os.ReadFile("builder-config.yaml")
	require.NoError(t, err)
	var d distribution
	require.NoError(t, yaml.Unmarshal(text, &d))
	return &d
}

func readGoMod(t *testing.T, path string) (*modfile.File, map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := modfile.Parse(path, text, nil)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, r := range file.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	return file, versions
}

func TestRootAndDistributionRequireTheSameVersions(t *testing.T) {
	_, root := readGoMod(t, "go.mod")
	_, dist := readGoMod(t, "cmd/otelcol-serve/go.mod")
	for path, version := range root {
		if inDist, ok := dist[path]; ok {
			assert.Equal(t, inDist, version, "go.mod requires another version of %s than cmd/otelcol-serve/go.mod", path)
		}
	}
}

func TestBuilderConfigAgreesWithTheDistributionsGoMod(t *testing.T) {
	d := readDistribution(t)
	file, dist := readGoMod(t, "cmd/otelcol-serve/go.mod")
	assert.Equal(t, file.Module.Mod.Path, d.Dist.Module)
	assert.Equal(t, launch.Version, d.Dist.Version, "launch.Version and dist.version of builder-config.yaml")

	require.NotEmpty(t, d.components())
	for _, c := range d.components() {
		path, version, _ := strings.Cut(c.GoMod, " ")
		assert.Equal(t, version, dist[path], "version of %s", path)
	}
	var replaces []string
	for _, r := range file.Replace {
		replaces = append(replaces, strings.TrimSpace(r.Old.Path+" => "+r.New.Path+" "+r.New.Version))
	}
	assert.ElementsMatch(t, d.Replaces, replaces)
}

func TestToolsAreOfTheCollectorsVersion(t *testing.T) {
	_, tools := readGoMod(t, "internal/tools/go.mod")
	_, root := readGoMod(t, "go.mod")
	for _, tool := range []string{"cmd/builder", "cmd/mdatagen"} {
		assert.Equal(t, root[collector+"otelcol"], tools[collector+tool], tool)
	}
	assert.Contains(t, root, collector+"otelcol")
	assert.NotContains(t, root, rootModule)
}
