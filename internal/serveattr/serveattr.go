// Package serveattr holds the attribute names that otelcol-serve writes and
// reads: those of Ray and Ray Serve, with the place in Ray that they come from.
package serveattr

// Resource attributes that say which Ray process made a span.
const (
	// Component is the kind of Serve process: ComponentProxy or ComponentReplica. String.
	// Origin: the first word of the span file's name, ray/serve/_private/utils.py,
	// get_component_file_name: ServeComponentType's only value "replica", or "proxy"
	// as ray/serve/_private/proxy.py passes it to setup_tracing. Example: "replica".
	Component = "ray.serve.component"
	// App is the name of the Serve application. String. Example: "chat".
	App = "ray.serve.app"
	// Deployment is the name of the Serve deployment. String. Example: "Batcher".
	Deployment = "ray.serve.deployment"
	// ReplicaID is the replica's unique id, without its deployment.
	// Origin: ray/serve/_private/common.py, ReplicaID.unique_id. Example: "ou8w8885".
	ReplicaID = "ray.serve.replica_id"
	// WorkerID is the id of the Ray worker process, hexadecimal.
	// Origin: the name of worker-<worker id>-<job id>-<pid>.out. Example: "100a2b9c…".
	WorkerID = "ray.worker_id"
)

// Values of Component.
const (
	ComponentProxy   = "proxy"
	ComponentReplica = "replica"
)
