package spanfilereceiver

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// The checkpoint is one JSON value, grouped by directory because thousands of files
// share one. Its key, version and members are part of the format; do not change
// them without a new version. 5,000 files take about 600 kB.
const (
	checkpointKey     = "span_files"
	checkpointVersion = 1
)

type checkpoint struct {
	Version     int                   `json:"version"`
	Directories []checkpointDirectory `json:"directories"`
}

type checkpointDirectory struct {
	Path  string           `json:"path"`
	Files []checkpointFile `json:"files"`
}

type checkpointFile struct {
	Name       string `json:"name"`
	Inode      uint64 `json:"ino"`
	HeadSize   int    `json:"len"`
	HeadSum    string `json:"sum"`
	Offset     int64  `json:"off"`
	PassedOver bool   `json:"passed_over,omitempty"`
	Since      int64  `json:"gone,omitempty"` // seconds since 1970, of a file that is not watched
}

func encodeCheckpoint(entries []entry) ([]byte, error) {
	c := checkpoint{Version: checkpointVersion}
	index := make(map[string]int)
	for _, e := range entries {
		dir := filepath.Dir(e.path)
		i, known := index[dir]
		if !known {
			i = len(c.Directories)
			index[dir] = i
			c.Directories = append(c.Directories, checkpointDirectory{Path: dir})
		}
		file := checkpointFile{
			Name: filepath.Base(e.path), Inode: e.inode,
			HeadSize: e.head.size, HeadSum: e.head.text(),
			Offset: e.offset, PassedOver: e.passedOver,
		}
		if !e.since.IsZero() {
			file.Since = e.since.Unix()
		}
		c.Directories[i].Files = append(c.Directories[i].Files, file)
	}
	return json.Marshal(c)
}

// decodeCheckpoint returns the entries of value. Those that were watched when it
// was saved count as seen at now.
func decodeCheckpoint(value []byte, now time.Time) ([]entry, error) {
	var c checkpoint
	if err := json.Unmarshal(value, &c); err != nil {
		return nil, fmt.Errorf("decode the checkpoint: %w", err)
	}
	if c.Version != checkpointVersion {
		return nil, fmt.Errorf("the checkpoint has version %d, this program reads version %d", c.Version, checkpointVersion)
	}
	var entries []entry
	for _, dir := range c.Directories {
		for _, file := range dir.Files {
			e, err := file.entry(dir.Path, now)
			if err != nil {
				return nil, fmt.Errorf("decode the checkpoint of %q: %w", e.path, err)
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func (f checkpointFile) entry(dir string, now time.Time) (entry, error) {
	e := entry{
		path: filepath.Join(dir, f.Name), inode: f.Inode,
		offset: f.Offset, passedOver: f.PassedOver, since: now,
	}
	if f.Since != 0 {
		e.since = time.Unix(f.Since, 0)
	}
	if f.Offset < 0 {
		return e, fmt.Errorf("offset %d", f.Offset)
	}
	var err error
	e.head, err = parseFingerprint(f.HeadSize, f.HeadSum)
	return e, err
}

// saveInterval is the least time between two writes of the checkpoint while running.
const saveInterval = time.Second

func (t *tailer) markDirty() {
	t.mu.Lock()
	t.dirty = true
	t.mu.Unlock()
}

func (t *tailer) saveWhenDue() {
	now := t.now()
	t.mu.Lock()
	due := t.dirty && !now.Before(t.nextSave)
	t.mu.Unlock()
	if !due {
		return
	}
	t.nextSave = now.Add(saveInterval)
	if err := t.save(); err != nil {
		t.reports.fail(storageFault, err)
		t.markDirty() // it is tried again, also if nothing else changes
		return
	}
	t.reports.clear(storageFault)
}

// save writes the checkpoint. It is called by the loop, and after its end by the
// last batch: the files do not change then.
func (t *tailer) save() error {
	return t.store.set(t.encode)
}

func (t *tailer) encode() ([]byte, error) {
	entries := t.memory.all()
	t.mu.Lock()
	t.dirty = false
	for _, f := range t.files {
		if !f.known || f.head.size == 0 {
			continue // nothing to say about it yet
		}
		entries = append(entries, entry{
			path: f.path, inode: f.id.inode, head: f.head,
			offset: f.lowest(f.offset), passedOver: f.passedOver,
		})
	}
	t.mu.Unlock()
	return encodeCheckpoint(entries)
}
