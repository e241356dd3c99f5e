package servecontextprocessor

import (
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

// keyKind is what names a process, best first.
type keyKind uint8

const (
	// keyFile is the span file: one process each.
	keyFile keyKind = iota
	// keyWorker is ray.worker_id.
	keyWorker
	// keyInstance is service.instance.id, which Python's SDK makes anew for each process, while
	// on Kubernetes it may be the name of a pod with several.
	keyInstance
	// keyNone is all else: processes with equal resources are not told apart.
	keyNone
)

// processKey tells processes apart, by their resource as it came.
type processKey struct {
	kind keyKind
	// id is the file's path, the worker, the instance, or the text of the whole resource.
	id string
	// name is the file's name.
	name string
}

// standing is what is known about whether a process is one of Serve's.
type standing uint8

const (
	standingUnknown standing = iota
	standingServe
	standingForeign
)

const (
	// maxProcesses is how many processes are known. The one that was silent longest and holds nothing is forgotten.
	maxProcesses = 4096
	// foreignFor is how long the mark of a foreign process holds.
	foreignFor = 10 * time.Minute
	// maxIdentities is how many replicas are told apart where the key does not.
	maxIdentities = 64
)

// process is where spans come from.
type process struct {
	key      processKey
	standing standing
	since    time.Time // when it was taken for foreign
	// identity is replaced as a whole, because fragments on their way out share it.
	identity *serve.Process
	// shared says that several processes stand behind the key, so that nothing but
	// parent ids may be concluded from it.
	shared     bool
	identities []*serve.Process

	groups    map[pcommon.TraceID]*group
	recent    *group // the last one asked for
	resources []*resource
	sources   []*source
	spans     int // held

	newer, older *process // in the order of the last arrival
}

// origin is what a resource says about the process.
type origin struct {
	key          processKey
	identity     serve.Process
	headRatio    float64
	hasHeadRatio bool
}

// attrHeadRatio is the ratio that Ray samples at in a process, as the companion says it. Double.
const attrHeadRatio = "ray.serve.head_ratio"

// originOf reads a resource in one go.
func originOf(attrs pcommon.Map) origin {
	var o origin
	var path, name, worker, instance string
	for key, value := range attrs.All() {
		switch key {
		case "log.file.path":
			path = value.Str()
		case "log.file.name":
			name = value.Str()
		case serveattr.WorkerID:
			worker = value.Str()
		case "service.instance.id":
			instance = value.Str()
		case serveattr.Component:
			o.identity.Component = value.Str()
		case serveattr.App:
			o.identity.App = value.Str()
		case serveattr.Deployment:
			o.identity.Deployment = value.Str()
		case serveattr.ReplicaID:
			o.identity.ReplicaID = value.Str()
		case attrHeadRatio:
			o.headRatio, o.hasHeadRatio = value.Double(), value.Type() == pcommon.ValueTypeDouble
		}
	}
	switch {
	case path != "" || name != "":
		o.key = processKey{kind: keyFile, id: path, name: name}
	case worker != "":
		o.key = processKey{kind: keyWorker, id: worker}
	case instance != "":
		o.key = processKey{kind: keyInstance, id: instance}
	default:
		o.key = processKey{kind: keyNone, id: textOf(attrs)}
	}
	return o
}

// textOf is the whole of a resource that names no process.
func textOf(attrs pcommon.Map) string {
	var text strings.Builder
	for key, value := range attrs.All() {
		text.WriteString(key)
		text.WriteByte(0)
		text.WriteString(value.AsString())
		text.WriteByte(0)
	}
	return text.String()
}

func newProcess(o *origin) *process {
	return &process{
		key: o.key, identity: nobody, shared: o.key.kind == keyNone,
		groups: make(map[pcommon.TraceID]*group),
	}
}

// group returns what is known of a trace, or nil. Spans of a trace often follow each
// other, and the map is large and so seldom in the processor's cache.
func (p *process) group(trace pcommon.TraceID) *group {
	if p.recent != nil && p.recent.trace == trace && p.recent.process == p {
		return p.recent
	}
	g := p.groups[trace]
	p.recent = g
	return g
}

// introduce takes in what a resource says, which a span of Serve may have said better.
func (p *process) introduce(said serve.Process) {
	if !p.shared && *p.identity == (serve.Process{}) && said != (serve.Process{}) {
		p.identity = &said
	}
}

// settle takes in what a span of Serve says about its process, and returns who
// made that span.
func (p *process) settle(said serve.Process) *serve.Process {
	known := p.identity
	if !p.shared && !p.contradicts(&said) {
		said = completed(said, known)
		if said != *known {
			p.identity = kept(said)
		}
		return p.identity
	}
	p.shared = true
	for _, other := range p.identities {
		if *other == said {
			return other
		}
	}
	if len(p.identities) == maxIdentities {
		p.identities = p.identities[:0]
	}
	p.identities = append(p.identities, kept(said))
	return p.identities[len(p.identities)-1]
}

// kept is said in memory of its own. It is a function so that what is only compared,
// which is nearly all, needs none.
func kept(said serve.Process) *serve.Process { return &said }

// contradicts says that a span comes from another process than those before, and
// that the key may stand for several.
func (p *process) contradicts(said *serve.Process) bool {
	known := p.identity
	if p.key.kind != keyInstance || known.Component == "" {
		return false
	}
	return known.Component != said.Component || known.ReplicaID != "" && said.ReplicaID != "" && known.ReplicaID != said.ReplicaID
}

// completed is said with what is known from elsewhere, if it is the same replica: a
// span need not say everything.
func completed(said serve.Process, known *serve.Process) serve.Process {
	if said.Component != known.Component {
		return said
	}
	if said.ReplicaID == "" {
		said.ReplicaID = known.ReplicaID
	}
	if said.ReplicaID == known.ReplicaID && said.App == "" {
		said.App = known.App
	}
	if said.ReplicaID == known.ReplicaID && said.Deployment == "" {
		said.Deployment = known.Deployment
	}
	return said
}

// maker is who made the spans of a resource.
func (r *resource) maker() *serve.Process {
	if r.process.shared {
		return &r.said
	}
	return r.process.identity
}
