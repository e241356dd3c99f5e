package jsonfileexporter

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// backupTimeLayout is part of a backup's name: names sort by age.
const backupTimeLayout = "2006-01-02T15-04-05.000"

// backup is a file that rotation renamed, in all the forms it has at the moment:
// plain, packed, or (after a crash) both, and half packed.
type backup struct {
	at    time.Time
	forms map[string]string // suffix ("", ".gz", ".gz.tmp" …) to name, relative to the fixed directory
}

// backupName is the name of the backup of name made at t, such as
// spans-2026-11-21T07-45-12.345.json for spans.json.
func backupName(name string, t time.Time) string {
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + t.UTC().Format(backupTimeLayout) + ext
}

// parseBackupName is the exact reverse: ok only for what backupName(name, t)+suffix
// gives with a suffix that packing uses. Nothing else is ever packed or deleted.
func parseBackupName(name, candidate string) (t time.Time, suffix string, ok bool) {
	ext := filepath.Ext(name)
	rest, ok := strings.CutPrefix(candidate, strings.TrimSuffix(name, ext)+"-")
	if !ok || len(rest) < len(backupTimeLayout) {
		return time.Time{}, "", false
	}
	t, err := time.Parse(backupTimeLayout, rest[:len(backupTimeLayout)])
	if err != nil {
		return time.Time{}, "", false
	}
	suffix, ok = strings.CutPrefix(candidate, backupName(name, t))
	if !ok || suffix != "" && !slices.Contains(packedSuffixes, strings.TrimSuffix(suffix, tempSuffix)) {
		return time.Time{}, "", false
	}
	return t, suffix, true
}

// listBackups returns the backups of name in root, the newest first.
func listBackups(root *os.Root, name string) ([]backup, error) {
	opened, err := root.Open(filepath.Dir(name))
	if err != nil {
		return nil, cause(err)
	}
	defer opened.Close()
	entries, err := opened.ReadDir(-1)
	if err != nil {
		return nil, cause(err)
	}
	byTime := map[time.Time]backup{}
	for _, entry := range entries {
		t, suffix, ok := parseBackupName(filepath.Base(name), entry.Name())
		if !ok || !entry.Type().IsRegular() {
			continue
		}
		if _, known := byTime[t]; !known {
			byTime[t] = backup{at: t, forms: map[string]string{}}
		}
		byTime[t].forms[suffix] = filepath.Join(filepath.Dir(name), entry.Name())
	}
	all := make([]backup, 0, len(byTime))
	for _, b := range byTime {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b backup) int { return b.at.Compare(a.at) })
	return all, nil
}

// rotate renames the file to a backup and closes it; syncing must be false. Where it
// cannot be renamed the file stays and grows.
func (f *spanFile) rotate() error {
	if err := f.settle(); err != nil {
		return err
	}
	if err := f.cut(); err != nil {
		return err
	}
	if err := renameToBackup(f.at, f.now()); err != nil {
		f.stuck = true
		f.faults.raise("rotate "+f.path, err)
		return nil
	}
	f.faults.clear("rotate " + f.path)
	f.telemetry.ExporterJSONFileRotations.Add(context.Background(), 1)
	return f.retire()
}

// renameToBackup gives the file at l a name later than all its backups, also when
// the clock was set back, and never one that is taken.
func renameToBackup(at location, now time.Time) error {
	root, err := os.OpenRoot(at.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	existing, err := listBackups(root, at.name)
	if err != nil {
		return err
	}
	t := now.UTC().Truncate(time.Millisecond)
	if len(existing) > 0 && !t.After(existing[0].at) {
		t = existing[0].at.Add(time.Millisecond)
	}
	name := backupName(at.name, t)
	if _, err := root.Lstat(name); err == nil {
		// A directory, a link, or a year that the name cannot hold.
		return &fs.PathError{Op: "rename to", Path: filepath.Join(at.dir, name), Err: fs.ErrExist}
	}
	return root.Rename(at.name, name)
}
