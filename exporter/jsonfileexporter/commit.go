package jsonfileexporter

import "fmt"

// commit is the fate that pushes share whose records one fsync makes durable.
// Its fields are guarded by the mu of its file.
type commit struct {
	done bool
	err  error
}

// wait returns when c is decided. The first push that finds nobody at it calls
// fsync for all that has been written by then, outside of mu; pushes that write
// meanwhile share the next one. So n concurrent pushes cost about two fsyncs, not n.
func (f *spanFile) wait(c *commit) error {
	for !c.done {
		if f.syncing {
			f.idle.Wait()
			continue
		}
		// c is undecided and nobody is at it, so it is still the pending one.
		f.syncing, f.pending = true, nil
		file, size := f.file, f.size
		f.mu.Unlock()
		err := file.Sync()
		f.mu.Lock()
		f.syncing = false
		f.decide(c, size, err)
		f.idle.Broadcast()
	}
	return c.err
}

// settle makes everything written durable, inside mu; syncing must be false.
func (f *spanFile) settle() error {
	c := f.pending
	if c == nil {
		return nil
	}
	f.pending = nil
	f.decide(c, f.size, f.file.Sync())
	return c.err
}

// decide records what fsync said about the bytes before size. After an error nobody
// knows which pages reached the disk, and a second fsync would not tell: all since the
// last good one is cut and refused, also what was written in the meantime.
func (f *spanFile) decide(c *commit, size int64, err error) {
	c.done = true
	if err == nil {
		f.synced = size
		return
	}
	c.err = fmt.Errorf("%w: %w", errSync, err)
	if f.pending != nil {
		f.pending.done, f.pending.err = true, c.err
		f.pending = nil
	}
	f.size, f.torn = f.synced, true
	_ = f.cut() // tried again before the next write
}
