package spanfilereceiver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// fileID tells files apart while the receiver runs. Over a restart it is worth
// little: device numbers change at a reboot, inodes are used again.
type fileID struct {
	device, inode uint64
}

// fileState is what the file system says about a file at one moment.
type fileState struct {
	id      fileID
	mode    fs.FileMode
	size    int64
	mtime   time.Time
	deleted bool // no directory entry is left
}

func stateOf(st fs.FileInfo) fileState {
	state := fileState{mode: st.Mode(), size: st.Size(), mtime: st.ModTime()}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		// The conversions are for macOS, where the fields have other widths.
		state.id = fileID{device: uint64(sys.Dev), inode: sys.Ino} //nolint:unconvert // widths differ by system
		state.deleted = sys.Nlink == 0
	}
	return state
}

// statPath follows symlinks: a file counts once, whatever names lead to it.
func statPath(path string) (fileState, error) {
	st, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	return stateOf(st), nil
}

func statHandle(h *os.File) (fileState, error) {
	st, err := h.Stat()
	if err != nil {
		return fileState{}, err
	}
	return stateOf(st), nil
}

var (
	errNotRegular = errors.New("not a regular file")
	errBinary     = errors.New("binary content")
	errOtherFile  = errors.New("another file has taken its place")
)

// openRegular opens the file that id names at path, or nothing. O_NONBLOCK keeps
// a FIFO that came in between from blocking the poll.
func openRegular(path string, id fileID) (*os.File, error) {
	h, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	state, err := statHandle(h)
	switch {
	case err != nil:
	case !state.mode.IsRegular():
		err = errNotRegular
	case state.id != id:
		err = errOtherFile
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// headSize is how much of a file's beginning tells it apart from other files. A
// span's ids stand in the first 200 bytes. Part of the checkpoint format.
const headSize = 1024

// fingerprint identifies a file's content by its beginning: the first
// min(size, headSize) bytes. It grows with the file.
type fingerprint struct {
	size int
	sum  [12]byte // the first bytes of their SHA-256
}

func fingerprintOf(head []byte) fingerprint {
	sum := sha256.Sum256(head)
	return fingerprint{size: len(head), sum: [12]byte(sum[:])}
}

// matches says whether a file that begins with head can be the file of p.
func (p fingerprint) matches(head []byte) bool {
	return p.size <= len(head) && fingerprintOf(head[:p.size]) == p
}

func (p fingerprint) text() string {
	return base64.RawURLEncoding.EncodeToString(p.sum[:])
}

func parseFingerprint(size int, text string) (fingerprint, error) {
	p := fingerprint{size: size}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return p, err
	}
	if len(raw) != len(p.sum) || size < 0 || size > headSize {
		return p, fmt.Errorf("fingerprint of %d bytes over %d bytes", len(raw), size)
	}
	copy(p.sum[:], raw)
	return p, nil
}

// readHead reads the file's first headSize bytes into buf, or fewer if it is shorter.
func readHead(h io.ReaderAt, buf *[headSize]byte) ([]byte, error) {
	n, err := h.ReadAt(buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:n], nil
}

// holdsSpanID says that no other process writes the same head: it names a span.
// Log files of one kind often begin alike.
func holdsSpanID(head []byte) bool {
	return bytes.Contains(head, []byte(`"span_id"`))
}

// isBinary says that head is no text. NULs at the very beginning are a hole:
// a writer without O_APPEND goes on at its old position after a truncation.
func isBinary(head []byte) bool {
	return bytes.IndexByte(bytes.TrimLeft(head, "\x00"), 0) >= 0
}
