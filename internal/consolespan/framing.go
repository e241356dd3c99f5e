package consolespan

import "bytes"

// Framing is how records follow each other in a file.
type Framing uint8

const (
	// Pretty is to_json(), indent 4, one object after the other.
	Pretty Framing = iota
	// Lines is to_json(indent=None) and a newline, one object a line.
	Lines
)

// LastRecordEnd returns the offset just behind the last whole record in data,
// its newline included, or -1. data is the last part of a file written by an
// Encoder; it may begin anywhere in a record.
func LastRecordEnd(data []byte, f Framing) int {
	// A newline inside of a string is always escaped, so these bytes are
	// nowhere else in a record.
	end := "}\n"
	if f == Pretty {
		end = "\n}\n"
	}
	i := bytes.LastIndex(data, []byte(end))
	if i < 0 {
		return -1
	}
	return i + len(end)
}
