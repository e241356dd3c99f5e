package names

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-serve/otelcol-serve/internal/serveattr"
	"github.com/otelcol-serve/otelcol-serve/processor/servecontextprocessor/internal/serve"
)

func TestUserSpansAreNotTouched(t *testing.T) {
	r := rewriter(t, nil)
	for fragments := range eachRecording(t) {
		users := 0
		for _, f := range fragments {
			if serve.RoleOf(f.Name()) == serve.RoleUser {
				users++
				require.Equal(t, f.Span, f.rewritten(r).Span)
			}
		}
		require.NotZero(t, users)
	}
}

func TestOnlyNameKindStatusAndAttributesChange(t *testing.T) {
	r := rewriter(t, nil)
	for fragments := range eachRecording(t) {
		for _, f := range fragments {
			after := f.rewritten(r)
			after.SetName(f.Name())
			after.SetKind(f.Kind())
			f.Status().CopyTo(after.Status())
			f.Attributes().CopyTo(after.Attributes())
			require.Equal(t, f.Span, after.Span)
		}
	}
}

func TestPresetNoneChangesNothing(t *testing.T) {
	r := rewriter(t, func(c *Config) { c.Preset = PresetNone })
	for fragments := range eachRecording(t) {
		for _, f := range fragments {
			require.Equal(t, f.Span, f.rewritten(r).Span)
		}
	}
	attrs := pcommon.NewMap()
	r.Resource(attrs, serve.Process{Component: serveattr.ComponentReplica, App: "hello", Deployment: "Hello"})
	require.Zero(t, attrs.Len())
}

func TestTwiceIsOnceAlsoWithLessKnowledge(t *testing.T) {
	for _, preset := range []Preset{PresetServe, PresetAgent} {
		r := rewriter(t, func(c *Config) { c.Preset = preset })
		for fragments := range eachRecording(t) {
			for _, f := range fragments {
				once := f.rewritten(r)
				require.Equal(t, once.Span, once.rewritten(r).Span)

				ignorant := once
				ignorant.req, ignorant.p = serve.Request{}, serve.Process{}
				require.Equal(t, once.Span, ignorant.rewritten(r).Span)
			}
		}
	}
}

func TestSecondRunAddsWhatTheFirstCouldNotKnow(t *testing.T) {
	r := rewriter(t, nil)
	for fragments := range eachRecording(t) {
		for _, f := range fragments {
			first := f
			first.req, first.p = serve.Request{}, serve.Process{}
			second := first.rewritten(r)
			second.req, second.p = f.req, f.p

			once := f.rewritten(r)
			twice := second.rewritten(r)
			require.Equal(t, once.Attributes().AsRaw(), twice.Attributes().AsRaw())
			once.Attributes().CopyTo(twice.Attributes()) // Their order may differ.
			require.Equal(t, once.Span, twice.Span)
		}
	}
}

func TestStatusCodesAreInts(t *testing.T) {
	r := rewriter(t, nil)
	for fragments := range eachRecording(t) {
		codes := 0
		for _, f := range fragments {
			attrs := f.rewritten(r).Attributes()
			old, ok := attrs.Get(serveattr.HTTPStatusCode)
			if !ok {
				continue
			}
			codes++
			require.Equal(t, pcommon.ValueTypeInt, old.Type())
			require.Equal(t, text(f.Span, serveattr.HTTPStatusCode), old.AsString())
			current, ok := attrs.Get(serveattr.HTTPResponseStatusCode)
			require.True(t, ok)
			require.Equal(t, old, current)
		}
		require.NotZero(t, codes)
	}
}

func TestMethodsAreHTTPs(t *testing.T) {
	r := rewriter(t, nil)
	for fragments := range eachRecording(t) {
		for _, f := range fragments {
			if serve.RoleOf(f.Name()) == serve.RoleUser {
				continue
			}
			after := f.rewritten(r)
			// The drivers of the recordings send nothing but GET and POST.
			for _, key := range []string{serveattr.HTTPMethod, serveattr.HTTPRequestMethod} {
				require.Contains(t, []string{"", "GET", "POST"}, text(after.Span, key))
			}
			require.Equal(t, text(after.Span, serveattr.HTTPMethod), text(after.Span, serveattr.HTTPRequestMethod))
			if f.req.Method != "" && text(f.Span, serveattr.HTTPMethod) != "" {
				require.Equal(t, f.req.Method, text(after.Span, serveattr.HTTPMethod))
			}
		}
	}
}

func TestNoRawPathWhereTheRouteIsKnown(t *testing.T) {
	r := rewriter(t, nil)
	for fragments := range eachRecording(t) {
		names := map[string]bool{}
		routed := 0
		for _, f := range fragments {
			after := f.rewritten(r)
			if serve.RoleOf(f.Name()) == serve.RoleUser || f.req.Route == "" {
				continue
			}
			names[after.Name()] = true
			if raw, ok := f.Attributes().Get(serveattr.RayRequestRoutePath); ok {
				routed++
				require.Equal(t, f.req.Route, text(after.Span, serveattr.HTTPRoute))
				require.Equal(t, after.Name(), text(after.Span, serveattr.ResourceName))
				require.False(t, strings.HasSuffix(after.Name(), " "+raw.Str()), after.Name())
			}
		}
		require.NotZero(t, routed)
		// Eight apps with one deployment or two, each with a call and an execution, and a route or two.
		require.LessOrEqual(t, len(names), 32)
	}
}

func TestURLPathIsWhatTheClientAsked(t *testing.T) {
	r := rewriter(t, nil)
	for _, recording := range []string{"ray-2.55.0", "ray-2.60"} {
		asked := map[string]string{}
		for _, request := range requests(t, recording) {
			asked[request.ID] = request.Path
		}
		proxies := 0
		for _, f := range recorded(t, recording) {
			if _, ok := f.Attributes().Get(serveattr.RayRequestRoutePath); ok {
				proxies++
				path, _, _ := strings.Cut(asked[f.req.ID], "?")
				assert.Equal(t, path, text(f.rewritten(r).Span, serveattr.URLPath))
			}
		}
		assert.NotZero(t, proxies)
	}
}

// sent is an element of requests.json.
type sent struct {
	ID   string `json:"request_id"`
	Path string `json:"path"`
}

func requests(t *testing.T, recording string) []sent {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, recording, "requests.json"))
	require.NoError(t, err)
	var all []sent
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}

func TestLostAttributesAreFilledAsOnTheSpansThatHaveThem(t *testing.T) {
	r := rewriter(t, nil)
	lost := 0
	for _, f := range recorded(t, "ray-2.60-linked") {
		if serve.RoleOf(f.Name()) != serve.RoleRoute || text(f.Span, serveattr.RPCMethod)+text(f.Span, serveattr.HTTPMethod) != "" {
			continue
		}
		lost++
		after := f.rewritten(r).Span
		assert.Equal(t, serveattr.RPCSystemServe, text(after, serveattr.RPCSystem))
		assert.Equal(t, text(f.Span, serveattr.RayCallMethod), text(after, serveattr.RPCMethod))
		assert.Equal(t, text(f.Span, serveattr.RayDeployment), text(after, serveattr.RPCService))
	}
	assert.Equal(t, 75, lost, "testdata/README.md counts them") // 75 of 458 route spans.

	// Taking the attributes away and filling them in gives the same span again.
	for fragments := range eachRecording(t) {
		for _, f := range fragments {
			if serve.RoleOf(f.Name()) != serve.RoleRoute {
				continue
			}
			robbed := f
			robbed.Span = copied(f.Span)
			robbed.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
				return strings.HasPrefix(key, "http.") || strings.HasPrefix(key, "rpc.")
			})
			require.Equal(t, f.rewritten(r).Attributes().AsRaw(), robbed.rewritten(r).Attributes().AsRaw())
		}
	}
}

func TestExceptionsOnReplicasAreErrors(t *testing.T) {
	on := rewriter(t, nil)
	off := rewriter(t, func(c *Config) { c.ExceptionsAsErrors = false })
	failed := 0
	for _, f := range recorded(t, "ray-2.60") {
		if serve.RoleOf(f.Name()) != serve.RoleReplica || f.Events().Len() == 0 {
			continue
		}
		failed++
		message, ok := f.Events().At(0).Attributes().Get("exception.message")
		require.True(t, ok)
		after := f.rewritten(on)
		assert.Equal(t, ptrace.StatusCodeError, after.Status().Code())
		assert.Equal(t, message.Str(), after.Status().Message())
		assert.Equal(t, f.Status(), f.rewritten(off).Status())
	}
	assert.Equal(t, 1, failed)
}

func TestDescriptionsHaveNoColours(t *testing.T) {
	r := rewriter(t, nil)
	for fragments := range eachRecording(t) {
		for _, f := range fragments {
			before, after := f.Status().Message(), f.rewritten(r).Status().Message()
			require.NotContains(t, after, "\x1b")
			if before != "" {
				// Ray's codes all select colours, and the text has no other "[…m".
				for _, code := range []string{"\x1b[36m", "\x1b[39m"} {
					before = strings.ReplaceAll(before, code, "")
				}
				require.Equal(t, before, after)
			}
		}
	}
}
