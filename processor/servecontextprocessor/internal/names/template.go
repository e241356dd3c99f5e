package names

import (
	"errors"
	"fmt"
	"strings"

	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// template makes a service name of what is known of a process.
type template []templatePart

// templatePart is a text, followed by a member of the process.
type templatePart struct {
	text   string
	member func(p *serve.Process) string
}

// templateMembers are the members of a process that a template may name.
var templateMembers = map[string]func(p *serve.Process) string{
	"app":        func(p *serve.Process) string { return p.App },
	"deployment": func(p *serve.Process) string { return p.Deployment },
	"replica_id": func(p *serve.Process) string { return p.ReplicaID },
}

func parseTemplate(source string) (template, error) {
	if source == "" {
		return nil, errors.New("must not be empty")
	}
	var t template
	for source != "" {
		text, rest, open := strings.Cut(source, "{")
		if !open {
			return append(t, templatePart{text: text}), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("no } after {%s", rest)
		}
		member, ok := templateMembers[name]
		if !ok {
			return nil, fmt.Errorf("unknown member {%s}; there are {app}, {deployment} and {replica_id}", name)
		}
		t = append(t, templatePart{text: text, member: member})
		source = after
	}
	return t, nil
}

// of makes the name of p, or "" if the template names a member that is not known.
func (t template) of(p *serve.Process) string {
	var buffer [64]byte
	name := buffer[:0]
	for _, part := range t {
		name = append(name, part.text...)
		if part.member == nil {
			continue
		}
		value := part.member(p)
		if value == "" {
			return ""
		}
		name = append(name, value...)
	}
	return string(name)
}
