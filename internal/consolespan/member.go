package consolespan

// layout is how json.dumps separates tokens; the two that the SDK's own
// methods produce are expected, any other is read token by token.
type layout uint8

const (
	indented layout = iota // to_json(), indent 4
	compact                // to_json(indent=None)
	numLayouts
)

// object is a JSON object of the format with its members in the SDK's order.
type object struct {
	names []string
	// literals holds, per layout, the text from the previous value to the
	// value of each member, and at last the text that closes the object. The
	// SDK never changes the order, so one comparison finds a member.
	literals [numLayouts][]string
}

// The objects of the format, by their depth in a record. Part of the format; do not change.
var (
	spanObject = newObject(0, "name", "context", "kind", "parent_id", "start_time", "end_time",
		"status", "attributes", "events", "links", "resource")
	spanContextObject = newObject(1, "trace_id", "span_id", "trace_state")
	statusObject      = newObject(1, "status_code", "description")
	eventObject       = newObject(2, "name", "timestamp", "attributes")
	linkObject        = newObject(2, "context", "attributes")
	linkContextObject = newObject(3, "trace_id", "span_id", "trace_state")
	resourceObject    = newObject(1, "attributes", "schema_url")
)

// The members of spanObject.
const (
	spanName = iota
	spanContext
	spanKind
	spanParentID
	spanStartTime
	spanEndTime
	spanStatus
	spanAttributes
	spanEvents
	spanLinks
	spanResource
	spanEnd
)

// The members of the two context objects.
const (
	contextTraceID = iota
	contextSpanID
	contextTraceState
	contextEnd
)

// The members of statusObject.
const (
	statusCode = iota
	statusDescription
	statusEnd
)

// The members of eventObject.
const (
	eventName = iota
	eventTimestamp
	eventAttributes
	eventEnd
)

// The members of linkObject.
const (
	linkContext = iota
	linkAttributes
	linkEnd
)

// The members of resourceObject.
const (
	resourceAttributes = iota
	resourceSchemaURL
	resourceEnd
)

const indentation = "                                "

func newObject(depth int, names ...string) *object {
	o := &object{names: names}
	outer := "\n" + indentation[:4*depth]
	inner := "\n" + indentation[:4*depth+4]
	for i, name := range names {
		separator, space := ",", " "
		if i == 0 {
			separator, space = "{", ""
		}
		member := `"` + name + `": `
		o.literals[indented] = append(o.literals[indented], separator+inner+member)
		o.literals[compact] = append(o.literals[compact], separator+space+member)
	}
	o.literals[indented] = append(o.literals[indented], outer+"}")
	o.literals[compact] = append(o.literals[compact], "}")
	return o
}

// end is the number that stands for the object's end among its members.
func (o *object) end() int { return len(o.names) }

// index returns the number of the member called name, or the end.
func (o *object) index(name []byte) int {
	for k, n := range o.names {
		if n == string(name) {
			return k
		}
	}
	return o.end()
}

// at reports whether b has literal at i.
func at(b []byte, i int, literal string) bool {
	return len(b)-i >= len(literal) && string(b[i:i+len(literal)]) == literal
}

// member finds the next known member of an object: i is at the opening brace
// (want is 0) or behind a value. It returns the offset of the member's value
// and its number, or the offset behind the object and the object's end. want
// is the number that the SDK's order lets expect.
func (d *Decoder) member(i int, o *object, want int) (next, number int) {
	literal := o.literals[d.layout][want]
	if at(d.data, i, literal) {
		i += len(literal)
		if i < len(d.data) && d.data[i] <= ' ' && want != o.end() {
			i = spaceEnd(d.data, i)
		}
		return i, want
	}
	return d.memberByName(i, o, want == 0)
}

// memberByName does the work of member where the text is not as expected:
// other white space, order, or members.
func (d *Decoder) memberByName(i int, o *object, first bool) (next, number int) {
	for ; ; first = false {
		var more bool
		if i, more = d.nextName(i, first); !more {
			return i, o.end()
		}
		name, value := d.name(i)
		if value == failed {
			return failed, o.end()
		}
		if k := o.index(name); k != o.end() {
			return value, k
		}
		d.count(AnomalyUnknownMember)
		if i = d.skipValue(value); i == failed {
			return failed, o.end()
		}
	}
}

// nextName moves from an opening brace (first) or from behind a value to the
// next member's name. more is false behind the end of the object.
func (d *Decoder) nextName(i int, first bool) (next int, more bool) {
	b := d.data
	i = spaceEnd(b, i)
	if i >= len(b) {
		return d.incomplete(), false
	}
	switch c := b[i]; {
	case c == '}' && !first:
		return i + 1, false
	case c == '{' && first, c == ',' && !first:
	default:
		return d.malformed(i, "expected a comma or the end of an object"), false
	}
	i = spaceEnd(b, i+1)
	if i >= len(b) {
		return d.incomplete(), false
	}
	if b[i] == '}' && first {
		return i + 1, false
	}
	return i, true
}

// name reads a member's name at i and returns it, valid until the next text
// is read, with the offset of the member's value.
func (d *Decoder) name(i int) (name []byte, value int) {
	b := d.data
	if b[i] != '"' {
		return nil, d.malformed(i, "expected a member's name")
	}
	name, i = d.rawText(i)
	if i == failed {
		return nil, failed
	}
	return name, d.colon(i)
}

// colon moves from behind a member's name to its value.
func (d *Decoder) colon(i int) int {
	b := d.data
	i = spaceEnd(b, i)
	if i >= len(b) {
		return d.incomplete()
	}
	if b[i] != ':' {
		return d.malformed(i, "expected a colon")
	}
	return spaceEnd(b, i+1)
}

// element moves from an opening bracket (first) or from behind a value to the
// next element of an array. more is false behind the end of the array.
func (d *Decoder) element(i int, first bool) (next int, more bool) {
	b := d.data
	i = spaceEnd(b, i)
	if i >= len(b) {
		return d.incomplete(), false
	}
	switch c := b[i]; {
	case c == ']' && !first:
		return i + 1, false
	case c == '[' && first, c == ',' && !first:
	default:
		return d.malformed(i, "expected a comma or the end of an array"), false
	}
	i = spaceEnd(b, i+1)
	if i >= len(b) {
		return d.incomplete(), false
	}
	if b[i] == ']' && first {
		return i + 1, false
	}
	return i, true
}

// once counts a member that comes a second time.
func (d *Decoder) once(seen *uint, number int) (again bool) {
	again = *seen>>number&1 != 0
	if again {
		d.count(AnomalyDuplicateMember)
	}
	*seen |= 1 << number
	return again
}

// wrongType counts the value at i, which has another type than the format's, and skips it.
func (d *Decoder) wrongType(i int) int {
	d.count(AnomalyWrongType)
	return d.skipValue(i)
}
