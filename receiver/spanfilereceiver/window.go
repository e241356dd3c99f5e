package spanfilereceiver

import (
	"errors"
	"io"
)

// chunkSize is how much is read at once.
const chunkSize = 256 << 10

// window is the part of a file that is being decoded. Its buffer is used for all
// files one after the other and grows to one record of the maximum size and a chunk.
type window struct {
	buf  []byte
	from int // buf[from:to] is not decoded
	to   int
	at   int64 // where buf[from] stands in the file
	most int
}

func newWindow(maxRecord int) *window {
	return &window{buf: make([]byte, chunkSize), most: maxRecord + chunkSize}
}

// reset lets go of what is buffered and moves to another place or file.
func (w *window) reset(at int64) {
	w.from, w.to, w.at = 0, 0, at
}

func (w *window) bytes() []byte {
	return w.buf[w.from:w.to]
}

func (w *window) skip(n int) {
	w.from += n
	w.at += int64(n)
}

// full says that not even the largest record would have needed more bytes.
func (w *window) full() bool {
	return w.to-w.from >= w.most
}

// fill reads on in h, up to limit. It returns 0 where h or limit ends.
func (w *window) fill(h io.ReaderAt, limit int64) (int, error) {
	copy(w.buf, w.buf[w.from:w.to])
	w.to -= w.from
	w.from = 0
	if room := len(w.buf) - w.to; room < chunkSize/2 && len(w.buf) < w.most {
		grown := make([]byte, min(2*len(w.buf), w.most))
		copy(grown, w.buf[:w.to])
		w.buf = grown
	}
	next := w.at + int64(w.to)
	room := min(int64(len(w.buf)-w.to), limit-next)
	if room <= 0 {
		return 0, nil
	}
	n, err := h.ReadAt(w.buf[w.to:w.to+int(room)], next)
	w.to += n
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
