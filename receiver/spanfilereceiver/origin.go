package spanfilereceiver

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
)

// Resource attributes of the semantic conventions.
const (
	attrFileName = "log.file.name"
	attrFilePath = "log.file.path"
	attrPID      = "process.pid"
)

// origin is what a file's name says about the process that writes the file.
type origin struct {
	component  string
	app        string
	deployment string
	replicaID  string
	workerID   string
	pid        int64
}

var (
	// Ray names Serve's span files <component>_<name>_<id>_tracing.json
	// (ray/serve/_private/utils.py get_component_file_name and
	// tracing_utils.py), the companion <pid>_tracing.json.
	serveFile = regexp.MustCompile(`^(proxy|replica)_(.+)_tracing\.json$`)
	pidFile   = regexp.MustCompile(`^(\d+)(?:_tracing\.json|\.txt|\.json)$`)
	// Ray names a worker's output worker-<worker id>-<job id>-<pid>.out
	// (ray/_private/services.py, ray/_private/utils.py); older recordings lack the job.
	workerFile = regexp.MustCompile(`^worker-([0-9a-f]+)(?:-[0-9a-f]+)?-(\d+)\.out$`)
)

// originOf reads a file's name.
func originOf(path string) origin {
	name := filepath.Base(path)
	if m := serveFile.FindStringSubmatch(name); m != nil {
		if m[1] == serveattr.ComponentProxy {
			return origin{component: serveattr.ComponentProxy}
		}
		return replicaOrigin(m[2])
	}
	if m := workerFile.FindStringSubmatch(name); m != nil {
		return origin{workerID: m[1], pid: number(m[2])}
	}
	if m := pidFile.FindStringSubmatch(name); m != nil {
		return origin{pid: number(m[1])}
	}
	return origin{}
}

// replicaOrigin reads <app>_<deployment>_<replica id>. Ray joins the names with "_"
// and replaces special characters by "_" too, so that with more than one in front
// of the id nobody can say where the app's name ends.
func replicaOrigin(names string) origin {
	o := origin{component: serveattr.ComponentReplica}
	i := strings.LastIndexByte(names, '_')
	if i < 0 {
		return o
	}
	o.replicaID = names[i+1:]
	app, deployment, two := strings.Cut(names[:i], "_")
	if two && app != "" && deployment != "" && !strings.Contains(deployment, "_") {
		o.app, o.deployment = app, deployment
	}
	return o
}

// number returns 0, which no process has, for more digits than a number holds.
func number(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// put adds what is known to a resource. What the process itself wrote stays.
func (o origin) put(attrs pcommon.Map) {
	putString(attrs, serveattr.Component, o.component)
	putString(attrs, serveattr.App, o.app)
	putString(attrs, serveattr.Deployment, o.deployment)
	putString(attrs, serveattr.ReplicaID, o.replicaID)
	putString(attrs, serveattr.WorkerID, o.workerID)
	if _, there := attrs.Get(attrPID); o.pid != 0 && !there {
		attrs.PutInt(attrPID, o.pid)
	}
}

// putString adds value, which a path may be: any bytes. Protobuf takes UTF-8 only.
func putString(attrs pcommon.Map, key, value string) {
	if _, there := attrs.Get(key); value != "" && !there {
		attrs.PutStr(key, strings.ToValidUTF8(value, "\ufffd"))
	}
}
