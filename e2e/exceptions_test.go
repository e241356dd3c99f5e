//go:build e2e

package e2e

import "fmt"

// exceptions are the recorded objects that cannot come back byte for byte, as
// "file: span name". internal/consolespan asserts the same list of the codec
// alone, and both assert that exactly these differ, so neither list can go stale.
func exceptions(framing string) []string {
	files := map[string][]string{"pretty": {"seed1.json", "seed2.json"}, "lines": {"seed1.jsonl"}}[framing]
	var names []string
	for _, file := range files {
		for _, version := range []string{"1.1.0", "1.11.0"} {
			// The resource was made without Resource.create() and names no SDK; before
			// 1.12 nothing else in the object tells how a resource is written.
			for _, span := range []string{
				"resource plain no service",
				"resource empty",
				"resource empty with schema",
				"resource name schema_url only",
				"resource name attributes only",
			} {
				names = append(names, fmt.Sprintf("sdk-%s/%s: %s", version, file, span))
			}
		}
		// A link was made with {}, which only 1.1 tells from no attributes at all.
		names = append(names, fmt.Sprintf("sdk-1.1.0/%s: links", file))
	}
	return names
}
