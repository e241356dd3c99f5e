package consolespan

// SkipReason says why bytes became no span.
type SkipReason uint8

const (
	// SkipGarbage is bytes outside of any object, such as log lines.
	SkipGarbage SkipReason = iota
	// SkipMalformed is an object that is not JSON as the SDK writes it.
	SkipMalformed
	// SkipNotSpan is a whole JSON object that is no span.
	SkipNotSpan
	// SkipTooLarge is a record above the maximum size.
	SkipTooLarge
)

// String is the value of the metric attribute "reason".
func (r SkipReason) String() string {
	return [...]string{"garbage", "malformed", "not_span", "too_large"}[r]
}

// SkipError reports bytes that were passed over.
type SkipError struct {
	Reason SkipReason
	Offset int // of the first byte passed over, from the start of the data given to Next
	Length int
	Err    error // what is wrong, or nil
}

func (e *SkipError) Error() string {
	if e.Err == nil {
		return e.Reason.String()
	}
	return e.Reason.String() + ": " + e.Err.Error()
}

func (e *SkipError) Unwrap() error { return e.Err }

// skip reports the bytes from start to end as passed over. The error is
// reused, since a log file can hold millions of lines that are no spans.
func (d *Decoder) skip(reason SkipReason, start, end int, err error) (int, error) {
	d.skipped = SkipError{Reason: reason, Offset: start, Length: end - start, Err: err}
	return end, &d.skipped
}
