package consolespan

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTornRecordCostsOnlyItself cuts a record at every byte and lets two fresh
// ones follow at once, as when a writer crashes and another one appends.
func TestTornRecordCostsOnlyItself(t *testing.T) {
	for _, file := range variedFiles {
		all := records(t, file, 3000)
		fresh := bytes.Join([][]byte{all[0], all[1]}, []byte("\n"))
		want := dumps(decodeAll(t, fresh).spans)
		for i, torn := range all {
			if i%16 != 2 {
				continue
			}
			for cut := 1; cut < len(torn); cut++ {
				got := decodeAll(t, append(bytes.Clone(torn[:cut]), fresh...))
				if !assert.Equal(t, want, dumps(got.spans), "%s", torn[:cut]) {
					return
				}
				assert.Empty(t, got.rest)
				assert.LessOrEqual(t, len(got.skips), 2, "%s", torn[:cut])
				assert.Empty(t, got.anomalies)
			}
		}
	}
}

// TestWholeRecordInATornOneIsFoundWithoutAByteBehindIt cuts a record at every byte;
// only if the cut is where a value was expected, Next waits for more than the fresh one.
func TestWholeRecordInATornOneIsFoundWithoutAByteBehindIt(t *testing.T) {
	found := 0
	for _, file := range variedFiles {
		all := records(t, file, 3000)
		for cut := range all[2] {
			got := decodeAll(t, append(bytes.Clone(all[2][:cut]), all[0]...))
			if len(got.spans) == 1 {
				continue
			}
			require.Equal(t, cut, WholeInside(got.rest))
			require.Zero(t, WholeInside(got.rest[:len(got.rest)-1]))
			found++
		}
	}
	assert.Positive(t, found)
}

func TestSkipsSayWhatAndWhere(t *testing.T) {
	record := string(records(t, "sdk-1.45.2/seed1.jsonl", 1000)[0])
	large := `{"name": "` + strings.Repeat("x", 2000) + `"}`
	for name, c := range map[string]struct {
		text    string
		reasons []SkipReason
		spans   int
	}{
		"garbage":                   {"log\n" + record, []SkipReason{SkipGarbage}, 1},
		"JSON log line":             {`{"asctime": "x", "message": "{"}` + record, []SkipReason{SkipNotSpan}, 1},
		"empty object":              {"{}" + record, []SkipReason{SkipNotSpan}, 1},
		"empty object in garbage":   {"x {} y" + record, []SkipReason{SkipGarbage}, 1},
		"wrong comma":               {`{"name": "x",, ` + record, []SkipReason{SkipMalformed}, 1},
		"control character":         {"{\"name\": \"x\ty\"} " + record, []SkipReason{SkipMalformed}, 1},
		"single quotes":             {"{'name': 1}" + record, []SkipReason{SkipGarbage}, 1},
		"unquoted name":             {`{"a": 1, name: 2}` + record, []SkipReason{SkipMalformed}, 1},
		"trailing comma":            {`{"name": "x",}` + record, []SkipReason{SkipMalformed}, 1},
		"leading zero":              {`{"a": 01}` + record, []SkipReason{SkipMalformed}, 1},
		"number without digits":     {`{"a": 1.}` + record, []SkipReason{SkipMalformed}, 1},
		"exponent without digits":   {`{"a": 1e}` + record, []SkipReason{SkipMalformed}, 1},
		"wrong escape":              {`{"a": "\x41"}` + record, []SkipReason{SkipMalformed}, 1},
		"wrong code unit":           {`{"a": "\u00g1"}` + record, []SkipReason{SkipMalformed}, 1},
		"wrong word":                {`{"a": nul}` + record, []SkipReason{SkipMalformed}, 1},
		"wrong closing":             {`{"a": [1}` + record, []SkipReason{SkipMalformed}, 1},
		"missing colon":             {`{"a" 1}` + record, []SkipReason{SkipMalformed}, 1},
		"events that are no span":   {`{"name": "e", "timestamp": null, "attributes": {}}` + record, []SkipReason{SkipNotSpan}, 1},
		"too large":                 {large + record, []SkipReason{SkipTooLarge}, 1},
		"too large and not its end": {large[:1500], []SkipReason{SkipTooLarge}, 0},
		"too large, torn":           {large[:1100] + record, []SkipReason{SkipMalformed}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := decodeWith(t, NewDecoder(1024), []byte(c.text))
			var reasons []SkipReason
			for _, skip := range got.skips {
				reasons = append(reasons, skip.Reason)
				assert.Equal(t, skip.Reason == SkipMalformed, skip.Err != nil)
				assert.Contains(t, skip.Error(), skip.Reason.String())
			}
			assert.Equal(t, c.reasons, reasons)
			assert.Len(t, got.spans, c.spans)
		})
	}
}

// TestTooLargeIsSaidAtOnce feeds a record of 10 MB through a buffer that never
// holds more than the maximum size and what was read behind it.
func TestTooLargeIsSaidAtOnce(t *testing.T) {
	const maximum, chunk = 64 << 10, 4 << 10
	record := string(records(t, "sdk-1.45.2/seed1.json", 1000)[0])
	huge := strings.Replace(record, `"attributes": {}`, `"attributes": {"long": "`+strings.Repeat(`{ \"x\": } `, 1<<20)+`"}`, 1)
	input := []byte(record + "\n" + huge + "\n" + record)
	d := NewDecoder(maximum)
	var buffer []byte
	spans, tooLarge, largest := 0, 0, 0
	for len(input) > 0 || len(buffer) > 0 {
		n, err := d.Next(buffer)
		buffer = buffer[n:]
		var skip *SkipError
		switch {
		case errors.Is(err, ErrMore):
			require.LessOrEqual(t, len(buffer), maximum)
			size := min(chunk, len(input))
			buffer, input = append(buffer, input[:size]...), input[size:]
		case err == nil:
			spans++
		case errors.As(err, &skip) && skip.Reason == SkipTooLarge:
			tooLarge++
			largest = max(largest, skip.Length)
		}
	}
	assert.Equal(t, 2, spans)
	assert.Equal(t, 1, tooLarge)
	assert.LessOrEqual(t, largest, maximum+chunk)
}

// TestRecordOfTheMaximumSizeIsWhole is exact on both sides of the limit, fed
// whole or in part.
func TestRecordOfTheMaximumSizeIsWhole(t *testing.T) {
	record := records(t, "sdk-1.45.2/seed1.json", 1000)[0]
	for _, d := range []*Decoder{NewDecoder(len(record)), NewDecoder(len(record) - 1)} {
		whole := d.maxRecordSize == len(record)
		_, err := d.Next(record)
		assert.Equal(t, whole, err == nil)
		_, err = d.Next(record[:len(record)-1])
		assert.ErrorIs(t, err, ErrMore)
	}
}

// TestTornRecordBeyondTheMaximumSize: the fresh record behind it is whole.
func TestTornRecordBeyondTheMaximumSize(t *testing.T) {
	record := string(records(t, "sdk-1.45.2/seed1.json", 1000)[0])
	head, _, _ := strings.Cut(record, `"kind"`)
	for _, torn := range []string{
		head + `"attributes": {"a": "` + strings.Repeat("y", 3000),
		head + `"attributes": {"a": [` + strings.Repeat("1, ", 1000),
	} {
		got := decodeWith(t, NewDecoder(2048), []byte(torn+record+record))
		assert.Len(t, got.spans, 2)
		got = decodeWith(t, NewDecoder(2048), []byte(torn+"{"))
		require.Len(t, got.skips, 1)
		assert.Equal(t, SkipTooLarge, got.skips[0].Reason)
		assert.Equal(t, "{", string(got.rest))
	}
}
