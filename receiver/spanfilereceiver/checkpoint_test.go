package spanfilereceiver

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckpointKeepsEveryEntry(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	want := []entry{
		{path: "/a/x.json", inode: 1, head: fingerprintOf([]byte("x")), offset: 5, since: now},
		{path: "/a/y.json", inode: 1 << 63, head: fingerprintOf(make([]byte, headSize)), offset: 1 << 40, passedOver: true, since: now.Add(-time.Hour)},
		{path: "/b/ä\n\"z\".json", inode: 3, head: fingerprintOf(nil), offset: 0, since: now},
	}
	watched := make([]entry, len(want))
	copy(watched, want)
	watched[0].since, watched[2].since = time.Time{}, time.Time{}
	value, err := encodeCheckpoint(watched)
	require.NoError(t, err)
	got, err := decodeCheckpoint(value, now)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestCheckpointFormatIsStable: a checkpoint of an earlier release must go on working.
func TestCheckpointFormatIsStable(t *testing.T) {
	value, err := os.ReadFile(filepath.Join("testdata", "checkpoint-v1.json"))
	require.NoError(t, err)
	entries, err := decodeCheckpoint(value, time.Unix(0, 0))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.True(t, entries[0].head.matches([]byte(record("a"))))
	entries[0].since = time.Time{}
	again, err := encodeCheckpoint(entries)
	require.NoError(t, err)
	assert.Equal(t, string(value), string(again)+"\n")
}

func TestCheckpointThatCannotBeReadIsRefused(t *testing.T) {
	for _, value := range []string{
		"", "{", `{"version":2,"directories":[]}`, `[]`,
		`{"version":1,"directories":[{"path":"/a","files":[{"name":"x","len":1,"sum":"AAAA","off":3}]}]}`,
		`{"version":1,"directories":[{"path":"/a","files":[{"name":"x","len":-1,"sum":"AAAAAAAAAAAAAAAA","off":3}]}]}`,
		`{"version":1,"directories":[{"path":"/a","files":[{"name":"x","len":1,"sum":"AAAAAAAAAAAAAAAA","off":-3}]}]}`,
	} {
		_, err := decodeCheckpoint([]byte(value), time.Now())
		assert.Error(t, err, value)
	}
}

func TestMemoryForgetsTheOldestFirst(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	m := newMemory(nil)
	for i := range memorySize + 10 {
		head := fingerprintOf([]byte(strconv.Itoa(i)))
		m.add(entry{path: strconv.Itoa(i), head: head, since: now.Add(time.Duration(i) * time.Millisecond)})
	}
	m.add(entry{path: "old", head: fingerprintOf([]byte("old")), since: now.Add(-memoryTime)})
	m.expire(now.Add(time.Minute))
	assert.Len(t, m.all(), memorySize)
	_, found := m.recall("9", 0, []byte("9"), 1)
	assert.False(t, found)
	_, found = m.recall("10", 0, []byte("10"), 1)
	assert.True(t, found)
	assert.Len(t, m.all(), memorySize-1)
	m.expire(now.Add(2 * memoryTime))
	assert.Empty(t, m.all())
	assert.Empty(t, m.sizes)
}

func TestMemoryPrefersPathThenInodeThenTheLowestOffset(t *testing.T) {
	head := []byte(`{"span_id": "0x1"}`)
	m := newMemory([]entry{
		{path: "/a", inode: 1, head: fingerprintOf(head), offset: 1},
		{path: "/b", inode: 2, head: fingerprintOf(head), offset: 2},
		{path: "/c", inode: 3, head: fingerprintOf(head), offset: 3},
		{path: "/d", inode: 4, head: fingerprintOf(head), offset: 900},
		{path: "/e", inode: 5, head: fingerprintOf(head), offset: 50},
	})
	e, _ := m.recall("/c", 2, head, 100)
	assert.Equal(t, "/c", e.path)
	e, _ = m.recall("/x", 2, head, 100)
	assert.Equal(t, "/b", e.path)
	e, _ = m.recall("/x", 9, head, 100)
	assert.Equal(t, "/a", e.path)
	e, _ = m.recall("/x", 9, head, 100)
	assert.Equal(t, "/e", e.path)
	_, found := m.recall("/d", 4, head, 100)
	assert.False(t, found, "shorter than what was read of it")
}
