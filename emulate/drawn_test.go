package emulate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestNext: each block is stood for by one of the drawn that is nearest.
func TestNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, at := &lengths{}, int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "drawn") {
			at += rapid.Int64Range(1, 50).Draw(t, "apart")
			l.drawn = append(l.drawn, drawn{at, float64(at)})
		}
		i := rapid.Int64Range(0, at+20).Draw(t, "block")
		least := int64(math.MaxInt64)
		for _, d := range l.drawn {
			least = min(least, max(d.at-i, i-d.at))
		}
		if got := l.drawn[l.next(i)].at; max(got-i, i-got) != least {
			t.Errorf("block %d: %d stands for it, and one is nearer", i, got)
		}
	})
}

// TestDrawnAt: about half of the blocks that are drawn lie in the first half of the rows of the grid, and of the grid, also where the rows are as long as distances of
// numbers that are spread evenly.
func TestDrawnAt(t *testing.T) {
	const total = 4096
	for _, row := range []int64{32, 64, 128, 1024, total} {
		first := 0
		for k := range int64(mostDraws) {
			if drawnAt(k, total)%row < row/2 {
				first++
			}
		}
		if first < mostDraws*4/10 || first > mostDraws*6/10 {
			t.Errorf("rows of %d: %d of %d draws are in the first half", row, first, mostDraws)
		}
	}
}
