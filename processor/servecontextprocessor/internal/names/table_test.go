package names

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// readmeTables are the rows of README.md's tables by the heading above them,
// without their head. Each row is its cells.
func readmeTables(tb testing.TB) map[string][][]string {
	tb.Helper()
	readme, err := os.ReadFile("README.md")
	require.NoError(tb, err)
	tables := map[string][][]string{}
	heading, isBody := "", false
	for _, line := range strings.Split(string(readme), "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			heading = strings.ReplaceAll(strings.TrimSpace(strings.TrimLeft(line, "#")), "`", "")
		case strings.HasPrefix(line, "|---"):
			isBody = true
		case !strings.HasPrefix(line, "|"):
			isBody = false
		case isBody:
			row := strings.Split(strings.Trim(line, "|"), "|")
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			tables[heading] = append(tables[heading], row)
		}
	}
	return tables
}

func TestTableSaysWhatHappensToEachKindOfSpan(t *testing.T) {
	tables := readmeTables(t)
	for _, c := range tableCases {
		var want, have []string
		for _, r := range rowsOf(t, c.example(t)) {
			want = append(want, r.String())
		}
		for _, cells := range tables[c.title] {
			require.Len(t, cells, 5, "%s: %s", c.title, cells)
			have = append(have, row{cells[0], cells[1], cells[2], cells[3]}.String())
			assert.NotEmpty(t, cells[4], "%s, %s: why?", c.title, cells[0])
		}
		assert.Equal(t, strings.Join(want, "\n"), strings.Join(have, "\n"), c.title)
	}
}

func TestNothingChangesThatIsNotInTheTable(t *testing.T) {
	r := rewriter(t, nil)
	tables := readmeTables(t)
	for fragments := range eachRecording(t) {
		for _, f := range fragments {
			if serve.RoleOf(f.Name()) == serve.RoleUser {
				continue
			}
			title := caseOf(t, f).title
			listed := map[string]bool{}
			for _, cells := range tables[title] {
				listed[cells[0]] = true
			}
			for _, change := range changes(cells(f), cells(f.rewritten(r))) {
				require.True(t, listed[change.attribute], "%s: %s", title, change)
			}
		}
	}
}

func TestTableSaysWhichSwitchMovesWhichNameInDatadog(t *testing.T) {
	all := shapes(t)
	moved := map[string]string{}
	for _, s := range switches {
		r := rewriter(t, func(c *Config) {
			c.Preset = PresetAgent
			s.turn(c, true)
		})
		moves := map[string]bool{}
		for _, f := range all {
			after := f.rewritten(r)
			before, now := datadog(f.Span, f.resource), datadog(after.Span, after.resource)
			for i, name := range []string{"service", "operation", "resource"} {
				moves[name] = moves[name] || before[i] != now[i]
			}
		}
		var names []string
		for _, name := range []string{"service", "operation", "resource"} {
			if moves[name] {
				names = append(names, name)
			}
		}
		moved[code(s.key)] = strings.Join(names, ", ")
	}
	written := map[string]string{}
	for _, cells := range readmeTables(t)["Switches"] {
		written[cells[0]] = cells[1]
	}
	assert.Equal(t, moved, written)
}
