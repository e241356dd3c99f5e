package jsonfileexporter

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	// missingValue stands in for an attribute that a resource does not have.
	missingValue = "unknown"
	// maxValueBytes bounds what one attribute adds to a name: Kubernetes names have up to 63.
	maxValueBytes = 64
	// maxElementBytes leaves room below NAME_MAX (255) for the suffix of a backup in work.
	maxElementBytes = 200
	// maxPathBytes stays below PATH_MAX of macOS (1024) with such a suffix.
	maxPathBytes = 960
)

// location is a file under a directory that the configuration fixes. Whatever an
// attribute says, the file is opened by os.Root, so it stays in that directory.
type location struct {
	dir  string // as configured
	name string // relative to dir
}

func (l location) String() string { return filepath.Join(l.dir, l.name) }

// pathTemplate makes locations from resources. It is immutable.
type pathTemplate struct {
	dir string
	// The name is literal[0] value(keys[0]) literal[1] … literal[len(keys)].
	literals []string
	keys     []string
}

// varies says whether resources can have different files.
func (t *pathTemplate) varies() bool { return len(t.keys) > 0 }

// parseTemplate reads the value of the key path.
func parseTemplate(path string) (*pathTemplate, error) {
	if path == "" {
		return nil, errors.New("path must be set, for example to /var/spans/spans.json")
	}
	if slices.Contains(packedSuffixes, filepath.Ext(path)) {
		return nil, fmt.Errorf("path %q must not end in %s: the file is plain while it is written; rotation::compression packs its backups",
			path, filepath.Ext(path))
	}
	if strings.HasSuffix(path, "/") || strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("path %q must name a file", path)
	}
	t := &pathTemplate{}
	fixed, _, _ := strings.Cut(path, "{")
	cut := strings.LastIndexByte(fixed, '/') + 1
	t.dir = filepath.Clean(path[:cut])
	for rest := path[cut:]; ; {
		literal, after, found := strings.Cut(rest, "{")
		if strings.Contains(literal, "}") {
			return nil, fmt.Errorf("path %q has a } without {", path)
		}
		t.literals = append(t.literals, literal)
		if !found {
			break
		}
		key, next, closed := strings.Cut(after, "}")
		if !closed || key == "" || strings.Contains(key, "{") {
			return nil, fmt.Errorf("path %q must have the name of a resource attribute between { and }", path)
		}
		t.keys = append(t.keys, key)
		rest = next
	}
	return t, t.checkElements(path)
}

// checkElements bounds the names that the template can make, so that no attribute
// can make a path that cannot be opened.
func (t *pathTemplate) checkElements(path string) error {
	longest := strings.Join(t.literals, strings.Repeat("x", maxValueBytes))
	if len(t.dir)+len(longest) > maxPathBytes {
		return fmt.Errorf("path %q can become longer than %d bytes (an attribute has up to %d)", path, maxPathBytes, maxValueBytes)
	}
	for _, element := range strings.Split(longest, "/") {
		if element == "" || element == "." || element == ".." {
			return fmt.Errorf("path %q must name a file, without empty, . or .. elements after its fixed directory", path)
		}
		if len(element) > maxElementBytes {
			return fmt.Errorf("path %q has an element that can become longer than %d bytes (an attribute has up to %d)",
				path, maxElementBytes, maxValueBytes)
		}
	}
	return nil
}

// locate returns the file for a resource with these attributes.
func (t *pathTemplate) locate(attributes pcommon.Map) location {
	if !t.varies() {
		return location{dir: t.dir, name: t.literals[0]}
	}
	var name strings.Builder
	for i, key := range t.keys {
		name.WriteString(t.literals[i])
		value, ok := attributes.Get(key)
		text := ""
		if ok {
			text = value.AsString()
		}
		name.WriteString(sanitize(text))
	}
	name.WriteString(t.literals[len(t.keys)])
	return location{dir: t.dir, name: defuseBackupName(name.String())}
}

// sanitize makes a part of a file name from an attribute: no separator, nothing
// unprintable, no leading dot (neither ".." nor a hidden file), not empty, at
// most maxValueBytes. Values that differ only in what is replaced share a file.
func sanitize(value string) string {
	if value == "" {
		return missingValue
	}
	var b strings.Builder
	for i, r := range value {
		switch {
		case r == '/' || r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r), i == 0 && r == '.':
			r = '_'
		}
		if b.Len()+utf8.RuneLen(r) > maxValueBytes {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// backupTime finds what rotation puts into the name of a backup.
var backupTime = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2})T(\d{2}-\d{2}-\d{2}\.\d{3})`)

// defuseBackupName keeps attributes from naming a file like the backup of another one,
// which would then be packed or deleted as such, or so that its own backups are:
// that of x.gz looks like the packed one of x.
func defuseBackupName(name string) string {
	name = backupTime.ReplaceAllString(name, "-${1}_$2")
	if ext := filepath.Ext(name); slices.Contains(packedSuffixes, ext) {
		name = strings.TrimSuffix(name, ext) + "_" + ext[1:]
	}
	return name
}
