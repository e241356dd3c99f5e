package spanfilereceiver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFileIsOpenedOnlyUnderItsOwnIdentity(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.json", record("a"))
	b.write("b.json", record("b"))
	a, err := statPath(b.path("a.json"))
	require.NoError(t, err)
	h, err := openRegular(b.path("a.json"), a.id)
	require.NoError(t, err)
	require.NoError(t, h.Close())
	_, err = openRegular(b.path("b.json"), a.id)
	require.ErrorIs(t, err, errOtherFile)
	_, err = openRegular(b.dir, a.id)
	require.ErrorIs(t, err, errNotRegular)
}

func TestFingerprintGrowsWithTheFileAndStillMatches(t *testing.T) {
	text := []byte(records("a", 0, 3))
	require.Greater(t, len(text), headSize)
	for size := 0; size <= headSize; size += 64 {
		p := fingerprintOf(text[:size])
		assert.True(t, p.matches(text[:headSize]), size)
		assert.Equal(t, size == 0, p.matches([]byte(records("b", 0, 3))[:headSize]), size)
		read, err := parseFingerprint(p.size, p.text())
		require.NoError(t, err)
		assert.Equal(t, p, read)
	}
	assert.False(t, fingerprintOf(text[:100]).matches(text[:99]), "shorter than what was seen")
}

func TestTextWithALeadingHoleIsNotBinary(t *testing.T) {
	assert.False(t, isBinary([]byte("\x00\x00\x00{\"name\"")))
	assert.False(t, isBinary([]byte(record("a"))))
	assert.False(t, isBinary(nil))
	assert.True(t, isBinary([]byte("\x1f\x8b\x08\x00\x00")))
}
