// Package bytesize is the type of configuration keys that are a number of bytes.
package bytesize

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
)

// Size is a number of bytes, written in YAML as a number or with a unit: 65536, 64KiB, 4MiB, 1.5GB.
type Size int64

// Binary multiples.
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
)

// UnmarshalText reads what file_log's max_log_size accepts; upper and lower case are the same.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 || strings.Contains(string(text), ",") { // humanize drops commas: 1,5 would be 15
		return fmt.Errorf("%q is not a number of bytes such as 65536, 64KiB, 4MiB or 1.5GB", text)
	}
	*s = Size(n)
	return nil
}
