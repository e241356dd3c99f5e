package serve

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRoleIsToldByTheNameOfEachRelease(t *testing.T) {
	for name, want := range map[string]Role{
		"proxy_http_request Hello GET /zoë":          RoleProxy,
		"proxy_http_request Batcher GET ":            RoleProxy,
		"proxy_http_request":                         RoleProxy,
		"proxy_websocket_request Chat WS /":          RoleProxy,
		"proxy_grpc_request Grpc /ray.serve.Foo/Bar": RoleProxy,
		"route_to_replica Hello __call__":            RoleRoute,
		"proxy_route_to_replica":                     RoleRoute,
		"replica_handle_request Hello __call__":      RoleReplica,
		"replica_handle_request":                     RoleReplica,
		"serve_batch embed":                          RoleUser,
		"replica_handle_requests":                    RoleUser,
		"GET /hello/{name}":                          RoleUser,
		"":                                           RoleUser,
	} {
		assert.Equal(t, want, RoleOf(name), name)
	}
}

func TestLocalRoots(t *testing.T) {
	assert.True(t, RoleProxy.IsLocalRoot())
	assert.True(t, RoleReplica.IsLocalRoot())
	assert.False(t, RoleRoute.IsLocalRoot())
	assert.False(t, RoleUser.IsLocalRoot())
}
