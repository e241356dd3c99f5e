package jsonfileexporter

import (
	"bytes"
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
			opening: "{\n    \"name\": ", // ReadableSpan.to_json(), indent 4, name first in all versions
			lastEnd: func(data []byte) int { return consolespan.LastRecordEnd(data, consolespan.Pretty) },
		}
	default:
		return layout{
			name:    "console span lines",
			opening: `{"name": `, // ReadableSpan.to_json(indent=None)
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

// wholeRecords returns the offset at which the next record of a file of this size
// belongs: behind its last whole record and the white space that follows it.
// It returns errForeign where cutting the file there could destroy what is not ours.
func (l layout) wholeRecords(file io.ReaderAt, size int64) (int64, error) {
	opening := make([]byte, min(int64(len(l.opening)), size))
	if _, err := file.ReadAt(opening, 0); err != nil {
		return 0, fmt.Errorf("read the first record: %w", err)
	}
	if string(opening) != l.opening[:len(opening)] {
		return 0, fmt.Errorf("%w: it starts with %q, %s start with %q; move it away, or set format, framing and path to what fits",
			errForeign, opening, l.name, l.opening)
	}
	for window := min(firstWindow, size); ; window = min(4*window, maxTornBytes, size) {
		tail := make([]byte, window)
		if _, err := file.ReadAt(tail, size-window); err != nil {
			return 0, fmt.Errorf("read the last record: %w", err)
		}
		end := l.lastEnd(tail)
		switch {
		case end >= 0 && len(bytes.TrimSpace(tail[end:])) == 0:
			return size, nil
		case end >= 0:
			return size - window + int64(end), nil
		case window == size:
			return 0, nil
		case window == maxTornBytes:
			return 0, fmt.Errorf("%w: no %s end in its last %d bytes; move it away", errForeign, l.name, window)
		}
	}
}
