package jsonfileexporter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/otelcol-serve/otelcol-serve/internal/consolespan"
)

const (
	// firstWindow is read from the end of a file first; most records are smaller.
	firstWindow = 64 << 10
	// maxTornBytes is the largest torn record that is cut; where this much holds no
	// record's end the file is not ours.
	maxTornBytes = 16 << 20
)

// errForeign says that a file holds something else than what this exporter writes.
var errForeign = errors.New("the file holds something else")

// layout is how the records of one format lie in a file.
type layout struct {
	name string
	// opening is what each record starts with. Part of the format; do not change.
	opening string
	// named is what follows the string that opening begins, or "" where it begins none:
	// many a JSON file that is not ours starts with a name as well.
	named string
	// lastEnd returns the offset behind the newline of the last whole record in data, or -1.
	lastEnd func(data []byte) int
}

func layoutOf(cfg *Config) layout {
	switch {
	case cfg.Format == FormatOTLPJSON:
		return layout{
			name:    "OTLP JSON lines",
			opening: `{"resourceSpans":`, // ptrace.JSONMarshaler
			lastEnd: lastLineEnd,
		}
	case cfg.Framing == FramingPretty:
		return layout{
			name:    "pretty console spans",
			opening: "{\n    \"name\": \"", // ReadableSpan.to_json(), indent 4, name first in all versions
			named:   "\",\n    \"context\": {",
			lastEnd: func(data []byte) int { return consolespan.LastRecordEnd(data, consolespan.Pretty) },
		}
	default:
		return layout{
			name:    "console span lines",
			opening: `{"name": "`, // ReadableSpan.to_json(indent=None)
			named:   `", "context": {`,
			lastEnd: func(data []byte) int { return consolespan.LastRecordEnd(data, consolespan.Lines) },
		}
	}
}

func lastLineEnd(data []byte) int {
	if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
		return i + 1
	}
	return -1
}

// opens says whether a file that starts with head is one of this layout, as far
// as head goes.
func (l layout) opens(head []byte) bool {
	if !agree(head, l.opening) || len(head) <= len(l.opening) {
		return agree(head, l.opening)
	}
	rest := head[len(l.opening):]
	for end := 0; end < len(rest) && l.named != ""; end++ {
		switch rest[end] {
		case '\\':
			end++
		case '"':
			return agree(rest[end:], l.named)
		}
	}
	return true
}

// agree says whether one of text and start begins with the other.
func agree(text []byte, start string) bool {
	n := min(len(text), len(start))
	return string(text[:n]) == start[:n]
}

// wholeRecords returns the offset at which the next record of a file of this size
// belongs: behind its last whole record and the white space that follows it; size+1
// where nothing but the newline is missing, as in files that somebody made by hand.
// It returns errForeign where cutting the file there could destroy what is not ours.
func (l layout) wholeRecords(file io.ReaderAt, size int64) (int64, error) {
	head := make([]byte, min(firstWindow, size))
	if _, err := file.ReadAt(head, 0); err != nil {
		return 0, fmt.Errorf("read the first record: %w", err)
	}
	if !l.opens(head) {
		return 0, fmt.Errorf("%w: it starts with %.40q, %s with %q; move it away, or set format, framing and path to what fits",
			errForeign, head, l.name, l.opening+"…"+l.named)
	}
	for window := min(firstWindow, size); ; window = min(4*window, maxTornBytes, size) {
		tail := make([]byte, window)
		if _, err := file.ReadAt(tail, size-window); err != nil {
			return 0, fmt.Errorf("read the last record: %w", err)
		}
		if end := l.lastEnd(tail); end >= 0 || window == size {
			return size - window + nextRecord(tail, max(end, 0)), nil
		}
		if window == maxTornBytes {
			return 0, fmt.Errorf("%w: no %s end in its last %d bytes; move it away", errForeign, l.name, window)
		}
	}
}

// nextRecord returns where the next record belongs in a tail whose last newline
// behind a record, if it has one, ends at end.
func nextRecord(tail []byte, end int) int64 {
	switch rest := tail[end:]; {
	case len(bytes.TrimSpace(rest)) == 0:
		return int64(len(tail))
	case json.Valid(rest):
		return int64(len(tail)) + 1
	default:
		return int64(end)
	}
}
