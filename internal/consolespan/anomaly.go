package consolespan

// Anomaly is a part of a span that could not be kept as it was written. The
// span itself is decoded, the rest of it is right, and the anomaly is counted.
type Anomaly uint8

const (
	// AnomalyUnknownMember is a member that no SDK version writes. It is left out.
	AnomalyUnknownMember Anomaly = iota
	// AnomalyDuplicateMember is a second member of the same name. The last one wins.
	AnomalyDuplicateMember
	// AnomalyWrongType is a value of another JSON type than the format's, such
	// as null for an object. The field stays empty.
	AnomalyWrongType
	// AnomalyInvalidValue is a value of the right JSON type that means nothing,
	// such as an id of 7 digits or an unknown kind. The field stays empty.
	AnomalyInvalidValue
	// AnomalyNumberRange is a number that neither int64 nor float64 can hold. An
	// integer becomes a string of its digits, a float an infinity.
	AnomalyNumberRange
	// AnomalyTimeRange is a time before 1970 (becomes 0) or after 2554 (becomes
	// the last nanosecond that pdata can hold).
	AnomalyTimeRange
	// AnomalyText is a lone surrogate or invalid UTF-8 in a string. It becomes U+FFFD.
	AnomalyText
	// AnomalyNesting is an attribute value nested too deeply for protobuf
	// readers. The part that is too deep becomes a string of its JSON text.
	AnomalyNesting

	// NumAnomalies is the number of anomalies.
	NumAnomalies
)

// String is the value of the metric attribute "reason".
func (a Anomaly) String() string {
	return [...]string{
		"unknown_member",
		"duplicate_member",
		"wrong_type",
		"invalid_value",
		"number_range",
		"time_range",
		"text",
		"nesting",
	}[a]
}
