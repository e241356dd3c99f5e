package consolespan

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// form is what differs between the SDK versions. The zero value is the form
// since 1.12. Part of the format; do not change.
type form struct {
	flatResource       bool // before 1.12: the attributes stand directly in resource
	bareParent         bool // before 1.2: parent_id has no 0x
	nullLinkAttributes bool // before 1.2: a link made without attributes has null
}

// formOf returns the form of the SDK version that a resource names, the newest
// if it names none or is not Python's.
func formOf(resource pcommon.Map) form {
	language, hasLanguage := resource.Get("telemetry.sdk.language")
	version, hasVersion := resource.Get("telemetry.sdk.version")
	if !hasLanguage || !hasVersion || language.AsString() != "python" {
		return form{}
	}
	major, minor, ok := parseVersion(version.AsString())
	if !ok || major > 1 {
		return form{}
	}
	// A map of this name would make a flat resource look like a nested one.
	// No SDK that writes flat resources knows maps.
	nested, ok := resource.Get(resourceObject.names[resourceAttributes])
	looksNested := ok && (nested.Type() == pcommon.ValueTypeMap || nested.Type() == pcommon.ValueTypeEmpty)
	before := func(m int) bool { return major == 0 || minor < m }
	return form{
		flatResource:       before(12) && !looksNested,
		bareParent:         before(2),
		nullLinkAttributes: before(2),
	}
}

// parseVersion returns the first two numbers of a version such as 1.12.0rc1.
func parseVersion(version string) (major, minor int, ok bool) {
	first, rest, _ := strings.Cut(version, ".")
	second, _, ok := strings.Cut(rest, ".")
	major, err := strconv.Atoi(first)
	if !ok || err != nil {
		return 0, 0, false
	}
	minor, err = strconv.Atoi(second)
	return major, minor, err == nil
}
