package spanfilereceiver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"go.uber.org/zap"
)

const (
	// sweepInterval is how often former sessions are looked for.
	sweepInterval = time.Minute
	// latestLink is the symlink by which Ray names the session that runs
	// (ray/_private/node.py, _init_temp).
	latestLink = "session_latest"
)

var (
	// sessionName is the form of ray/_private/node.py: session_<date>_<time>_<µs>_<pid>.
	sessionName = regexp.MustCompile(`^session_\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}_\d+_\d+$`)
	// raySpanDir is where Ray Serve writes the span files of a session.
	raySpanDir = filepath.Join("logs", "serve", "spans")
)

// deleteSessions removes the session directories that nobody needs any more. It is
// the only place where anything is removed, so each doubt is a reason not to.
func (t *tailer) deleteSessions(now time.Time) {
	for session, files := range t.filesBySession() {
		if !slices.ContainsFunc(files, func(f *spanFile) bool { return !t.delivered(f, now) }) &&
			t.mayDelete(session, files, now) {
			t.deleteSession(session)
		}
	}
}

// filesBySession groups the files by the real path of the session they are in.
func (t *tailer) filesBySession() map[string][]*spanFile {
	sessions := make(map[string][]*spanFile)
	known := make(map[string]string)
	for _, f := range t.files {
		dir := filepath.Dir(f.path)
		session, seen := known[dir]
		if !seen {
			session = sessionOf(dir)
			known[dir] = session
		}
		if session != "" {
			sessions[session] = append(sessions[session], f)
		}
	}
	return sessions
}

// sessionOf returns the session directory that dir is in, or "".
func sessionOf(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return ""
	}
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if sessionName.MatchString(filepath.Base(dir)) {
			return dir
		}
	}
	return ""
}

// delivered says that f was read from its first byte to its end, that all of it was
// delivered, and that it has not grown for delete_after. A torn record at
// its end does not count: nobody will complete it.
func (t *tailer) delivered(f *spanFile, now time.Time) bool {
	t.mu.Lock()
	clean := f.clean()
	t.mu.Unlock()
	return clean && f.known && f.trouble == nil && !f.away && !f.passedOver && !f.unread() &&
		f.idle(now) >= t.cfg.DeleteAfter
}

// mayDelete looks at the disk: session must be a directory that session_latest
// beside it does not name, without a span file that is not in files, and
// without anything that has changed within delete_after. A session that runs
// writes its logs all the time, also when it is not the latest.
func (t *tailer) mayDelete(session string, files []*spanFile, now time.Time) bool {
	if st, err := os.Lstat(session); err != nil || !st.IsDir() {
		return false
	}
	former, err := isFormer(session)
	if err != nil {
		t.reports.once("cannot tell which session runs, delete_after does nothing", session, err)
	}
	return former && onlyHolds(session, files) && unchangedSince(session, now.Add(-t.cfg.DeleteAfter))
}

// isFormer says that session_latest names another session.
func isFormer(session string) (bool, error) {
	link := filepath.Join(filepath.Dir(session), latestLink)
	st, err := os.Lstat(link)
	if err != nil {
		return false, err
	}
	if st.Mode()&fs.ModeSymlink == 0 {
		return false, fmt.Errorf("%s is no symlink", link)
	}
	latest, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false, err
	}
	if !sessionName.MatchString(filepath.Base(latest)) {
		return false, fmt.Errorf("%s leads to %s, which is no session", link, latest)
	}
	a, err := os.Stat(latest)
	if err != nil {
		return false, err
	}
	b, err := os.Stat(session)
	if err != nil {
		return false, err
	}
	return !os.SameFile(a, b), nil
}

// onlyHolds says that the directories with span files hold no other files than
// these: one that include does not name was not delivered by us.
func onlyHolds(session string, files []*spanFile) bool {
	ours := make(map[fileID]bool, len(files))
	dirs := map[string]bool{filepath.Join(session, raySpanDir): true}
	for _, f := range files {
		ours[f.id] = true
		dirs[filepath.Dir(f.path)] = true
	}
	for dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false
		}
		for _, e := range entries {
			state, err := statPath(filepath.Join(dir, e.Name()))
			if err != nil || !state.mode.IsDir() && !ours[state.id] {
				return false
			}
		}
	}
	return true
}

var errChanged = errors.New("changed")

// unchangedSince says that nothing under dir was written after since.
func unchangedSince(dir string, since time.Time) bool {
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		if st.ModTime().After(since) {
			return errChanged
		}
		return nil
	})
	return err == nil
}

// deleteSession removes session from its parent. os.Root keeps it from following
// a symlink out of there.
func (t *tailer) deleteSession(session string) {
	parent, err := os.OpenRoot(filepath.Dir(session))
	if err == nil {
		err = errors.Join(parent.RemoveAll(filepath.Base(session)), parent.Close())
	}
	if err != nil {
		t.reports.once("cannot remove a former session", session, err)
		return
	}
	count(t.tel.ReceiverSpanFileSessionsDeleted, 1, "")
	t.logger.Info("removed a former session, all its spans are delivered", zap.String("session", session))
}
