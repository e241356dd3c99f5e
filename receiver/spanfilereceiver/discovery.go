package spanfilereceiver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"go.uber.org/zap"

	"github.com/otelcol-serve/otelcol-serve/internal/fileglob"
)

// scanInterval is the least time between two directory scans.
const scanInterval = time.Second

// scan lists the files that include names. Files that are known cost a map look-up
// here; what became of them, lookAt finds out.
func (t *tailer) scan(now time.Time) {
	t.scans++
	t.nextScan = now.Add(max(scanInterval, t.cfg.PollInterval) - t.cfg.PollInterval/2)
	for _, pattern := range t.cfg.Include {
		t.scanPattern(pattern, now)
	}
	t.moveToAliases()
	t.clearLost()
	t.sweepOut(now)
	t.memory.expire(now)
	if t.scans == 1 && t.ignored > 0 {
		t.logger.Info("passed over span files older than ignore_older", zap.Int("files", t.ignored))
	}
	if t.cfg.DeleteAfter > 0 && !now.Before(t.nextSweep) && !t.draining {
		t.nextSweep = now.Add(sweepInterval)
		t.deleteSessions(now)
	}
}

func (t *tailer) scanPattern(pattern string, now time.Time) {
	paths, err := fileglob.Match(pattern)
	if err != nil {
		t.reports.fail(pattern, err) // only a bad pattern, which Validate has refused
		return
	}
	if len(paths) == 0 {
		t.checkBase(pattern)
		return
	}
	t.reports.clear(pattern)
	for _, path := range paths {
		if f := t.byPath[path]; f != nil {
			f.seen = t.scans
			continue
		}
		if !t.excluded(path) {
			t.meet(path, strings.HasSuffix(pattern, "**"), now)
		}
	}
}

// checkBase says why a glob may find nothing: its directory cannot be read. That it
// does not exist yet is normal before Ray starts.
func (t *tailer) checkBase(pattern string) {
	base, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
	d, err := os.Open(filepath.FromSlash(base))
	if err == nil {
		err = d.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.reports.fail(pattern, err)
		return
	}
	t.reports.clear(pattern)
}

func (t *tailer) excluded(path string) bool {
	return slices.ContainsFunc(t.cfg.Exclude, func(pattern string) bool {
		// A listed path is clean: ./spans//a.json is found as spans/a.json.
		return doublestar.PathMatchUnvalidated(filepath.Clean(pattern), path)
	})
}

// meet takes in a path that is not known as a file's own.
func (t *tailer) meet(path string, dirsExpected bool, now time.Time) {
	state, err := statPath(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // deleted since the listing, or a symlink to nothing
	case err != nil:
		t.lost[path] = t.scans
		t.reports.fail(path, err)
		return
	case state.mode.IsDir() && dirsExpected:
		return
	}
	if f := t.byID[state.id]; f != nil {
		f.alias, f.aliasAt = path, t.scans
		return
	}
	t.admit(path, state, now)
}

// admit begins to watch a file.
func (t *tailer) admit(path string, state fileState, now time.Time) {
	f := &spanFile{
		id: state.id, path: path, origin: originOf(path), seen: t.scans,
		changed: earlier(state.mtime, now), atFirstStart: t.firstStart && t.scans == 1,
	}
	t.files = append(t.files, f)
	t.byID[f.id] = f
	t.byPath[path] = f
	t.refresh(f, state, now)
	f.nextLook = now.Add(t.lookInterval(f, now) - t.cfg.PollInterval/2)
}

// occupy takes in that a known path leads to another file now.
func (t *tailer) occupy(path string, state fileState, now time.Time) {
	delete(t.byPath, path)
	if f := t.byID[state.id]; f != nil {
		t.rename(f, path)
		return
	}
	t.admit(path, state, now)
}

// rename gives f, whose own path may be gone, the path that leads to it.
func (t *tailer) rename(f *spanFile, path string) {
	if t.byPath[f.path] == f {
		delete(t.byPath, f.path)
	}
	t.reports.forget(f.path)
	t.logger.Debug("span file was renamed", zap.String("from", f.path), zap.String("to", path))
	f.path, f.origin, f.away = path, originOf(path), false
	f.seen = t.scans
	t.byPath[path] = f
	t.markDirty()
}

// moveToAliases looks after files of which this scan found another path only.
func (t *tailer) moveToAliases() {
	for _, f := range t.files {
		if f.seen != t.scans && f.aliasAt == t.scans {
			t.rename(f, f.alias)
		}
	}
}

// clearLost takes back what was reported of paths that lead somewhere by now, or that
// are gone.
func (t *tailer) clearLost() {
	for path, scan := range t.lost {
		if scan != t.scans {
			delete(t.lost, path)
			t.reports.forget(path)
		}
	}
}
