// Command datadog prints the names that Datadog's own code gives to spans: it
// reads lines of OTLP JSON and writes, for each span, a line with its service,
// operation and resource. README.md beside it says how it is run.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"

	"github.com/DataDog/datadog-agent/pkg/trace/config"
	"github.com/DataDog/datadog-agent/pkg/trace/transform"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	conf := config.New()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(lines.Bytes())
		if err != nil {
			log.Fatal(err)
		}
		rs := td.ResourceSpans().At(0)
		ss := rs.ScopeSpans().At(0)
		s := transform.OtelSpanToDDSpanMinimal(ss.Spans().At(0), rs.Resource(), ss.Scope(), false, false, conf, nil)
		if err := out.Encode([]string{s.Service, s.Name, s.Resource}); err != nil {
			log.Fatal(err)
		}
	}
}
