package spanfilereceiver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRefusedExtentsAreMergedInOrder(t *testing.T) {
	var l ledger
	for _, x := range []extent{{20, 30}, {0, 10}, {40, 50}, {30, 40}} {
		l.refuse(x)
	}
	assert.Equal(t, []extent{{0, 10}, {20, 50}}, l.again)
	l.resend(extent{0, 5})
	assert.Equal(t, []extent{{5, 10}, {20, 50}}, l.again)
	l.resend(extent{5, 10})
	assert.Equal(t, []extent{{20, 50}}, l.again)
	l.refuse(extent{60, 80})
	l.resend(extent{30, 40})
	assert.Equal(t, []extent{{20, 30}, {40, 50}, {60, 80}}, l.again)
	l.resend(extent{25, 70})
	assert.Equal(t, []extent{{20, 25}, {70, 80}}, l.again)
	l.resend(extent{0, math.MaxInt64})
	assert.Empty(t, l.again)
}

// TestLowestIsTheFirstUndeliveredByte ends batches in random order, some of them
// refused, and compares with a map of the bytes.
func TestLowestIsTheFirstUndeliveredByte(t *testing.T) {
	const size = 100
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		var l ledger
		delivered := make([]bool, size)
		var open []*batch
		var offset int64
		check := func() {
			lowest := int64(0)
			for lowest < size && delivered[lowest] {
				lowest++
			}
			require.Equal(t, lowest, l.lowest(offset), "seed %d", seed)
		}
		for offset < size || !l.clean() {
			switch {
			case len(l.again) > 0 && random.IntN(2) == 0:
				b := &batch{extent: l.again[0]}
				b.to = min(b.to, b.from+1+random.Int64N(5))
				l.begin(b)
				l.resend(b.extent)
				open = append(open, b)
			case offset < size && random.IntN(2) == 0:
				b := &batch{extent: extent{offset, min(size, offset+1+random.Int64N(9))}}
				l.begin(b)
				offset = b.to
				open = append(open, b)
			case len(open) > 0:
				i := random.IntN(len(open))
				b := open[i]
				open = append(open[:i], open[i+1:]...)
				l.end(b)
				if random.IntN(3) == 0 {
					l.refuse(b.extent)
					break
				}
				for j := b.from; j < b.to; j++ {
					delivered[j] = true
				}
			}
			check()
		}
	}
}
