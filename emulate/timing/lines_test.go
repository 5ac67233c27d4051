package timing

import (
	"math/rand/v2"
	"testing"
)

// TestLineIndex compares the table of a cache with a map, on tags that are close to each other and many that are dropped.
func TestLineIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var x lineIndex
	want := map[int64]int32{}
	for i := range int32(20_000) {
		tag := random.Int64N(300) - 100
		switch random.IntN(8) {
		case 0, 1, 2:
			x.set(tag, i)
			want[tag] = i
		case 3, 4, 5:
			x.drop(tag)
			delete(want, tag)
		case 6:
			if i%1000 == 0 {
				x.clear()
				clear(want)
			}
		}
		line, ok := x.find(tag)
		if other, there := want[tag]; ok != there || line != other {
			t.Fatalf("after %d steps tag %d is in line %d, %v; want %d, %v", i, tag, line, ok, other, there)
		}
		if x.taken != len(want) {
			t.Fatalf("after %d steps %d tags, want %d", i, x.taken, len(want))
		}
	}
}
