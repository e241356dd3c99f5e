package spanfilereceiver

import (
	"context"
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// store keeps the checkpoint in a storage extension. Without a client it keeps
// nothing. Its methods may be called concurrently.
type store struct {
	mu     sync.Mutex
	client storage.Client // nil: no storage, or closed
}

// openStore gets a client from the extension that id names.
func openStore(ctx context.Context, host component.Host, id *component.ID, self component.ID) (*store, error) {
	if id == nil {
		return &store{}, nil
	}
	found, ok := host.GetExtensions()[*id]
	if !ok {
		return nil, fmt.Errorf("storage: there is no extension %q", id)
	}
	extension, ok := found.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: extension %q is no storage", id)
	}
	client, err := extension.GetClient(ctx, component.KindReceiver, self, "")
	if err != nil {
		return nil, fmt.Errorf("storage: open a client of %q: %w", id, err)
	}
	return &store{client: client}, nil
}

// get returns the saved checkpoint, or nil if there is none.
func (s *store) get(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil, nil
	}
	value, err := s.client.Get(ctx, checkpointKey)
	if err != nil {
		return nil, fmt.Errorf("storage: read the checkpoint: %w", err)
	}
	return value, nil
}

// set saves what encode returns. Encoding is done under the lock: of two writers
// the later one writes the later state.
func (s *store) set(encode func() ([]byte, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil
	}
	value, err := encode()
	if err != nil {
		return fmt.Errorf("encode the checkpoint: %w", err)
	}
	// The write must not be cut short by the end of a send or of Shutdown.
	if err := s.client.Set(context.Background(), checkpointKey, value); err != nil {
		return fmt.Errorf("storage: write the checkpoint: %w", err)
	}
	return nil
}

// close closes the client; nothing is saved from then on.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil
	}
	client := s.client
	s.client = nil
	return client.Close(context.Background())
}
