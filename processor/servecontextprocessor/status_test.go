package servecontextprocessor

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// statusHost is a host that remembers the status events.
type statusHost struct {
	mu     sync.Mutex
	events []componentstatus.Status
}

func (*statusHost) GetExtensions() map[component.ID]component.Component { return nil }

func (h *statusHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e.Status())
}

func TestRefusalIsReportedAsStatusAndCleared(t *testing.T) {
	inBubble(t, nil, func(l *live) {
		host := &statusHost{}
		l.host = host
		l.out.setRefuse(always(errBusy))
		require.NoError(t, l.feed(batch(replicaFile, replicaRoot(1, time.Second))))
		time.Sleep(10 * time.Second)
		l.out.setRefuse(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, host.events)
	})
}
