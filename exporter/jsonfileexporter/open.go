package jsonfileexporter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	fileMode = 0o600
	dirMode  = 0o700
	// openAttempts bounds how often a file that is replaced while it is opened is tried.
	openAttempts = 3
)

// openOutput opens the file at l for appending and locks it, creating it and its
// directories. With durable, its name survives a power cut when it returns.
func openOutput(l location, durable bool) (*os.File, error) {
	if err := makeDir(l.dir, durable); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(l.name), dirMode); err != nil {
		return nil, directoryError(filepath.Dir(l.String()), err)
	}
	for range openAttempts {
		file, err := openLocked(root, l.name)
		if errors.Is(err, errReplaced) {
			continue
		}
		if err == nil && durable {
			if err = syncDirs(root, l.name); err != nil {
				_ = file.Close() // the error that matters is fsync's
			}
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: l.String(), Err: cause(err)}
		}
		return file, nil
	}
	return nil, &fs.PathError{Op: "open", Path: l.String(), Err: errReplaced}
}

// errReplaced says that the name led to another file after the lock was taken:
// the one that had it before us rotated.
var errReplaced = errors.New("replaced while it was opened")

// openLocked opens name, which must be a regular file and no symbolic link: rotation
// renames the name, so a link would be moved and what it points to would stay.
func openLocked(root *os.Root, name string) (*os.File, error) {
	if found, err := root.Lstat(name); err == nil && !found.Mode().IsRegular() {
		return nil, fmt.Errorf("%w but %s", errNotRegular, kindOf(found.Mode()))
	}
	file, err := root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	err = lock(file)
	if err == nil {
		err = checkNamed(root, name, file)
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "a device, pipe or socket"
	}
}

// lock takes the file for this process until it is closed. File systems that know
// no locks (some network mounts) are used without.
func lock(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return nil
}

func checkNamed(root *os.Root, name string, file *os.File) error {
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	named, err := root.Lstat(name)
	if err != nil || !os.SameFile(opened, named) {
		return errReplaced
	}
	return nil
}

// makeDir creates dir and the directories above it.
func makeDir(dir string, durable bool) error {
	if found, err := os.Stat(dir); err == nil {
		if !found.IsDir() {
			return directoryError(dir, syscall.ENOTDIR)
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent, durable); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return directoryError(dir, err)
	}
	if !durable {
		return nil
	}
	above, err := os.Open(parent)
	if err != nil {
		return err
	}
	defer above.Close()
	return syncDir(above)
}

// directoryError says that dir cannot be made; mkdir calls a file in the way EEXIST.
func directoryError(dir string, err error) error {
	err = cause(err)
	if errors.Is(err, fs.ErrExist) {
		err = syscall.ENOTDIR
	}
	return &fs.PathError{Op: "create directory", Path: dir, Err: err}
}

// syncDirs makes name and the directories on the way to it durable.
func syncDirs(root *os.Root, name string) error {
	for dir := name; dir != "."; {
		dir = filepath.Dir(dir)
		opened, err := root.Open(dir)
		if err != nil {
			return err
		}
		err = syncDir(opened)
		_ = opened.Close() // it was only read
		if err != nil {
			return err
		}
	}
	return nil
}

// syncDir calls fsync on a directory; some file systems cannot and have nothing to sync.
func syncDir(dir *os.File) error {
	err := dir.Sync()
	if err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return fmt.Errorf("%w directory: %w", errSync, cause(err))
}

// cause takes the relative path that os.Root reports out of an error.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
