package survey

import (
	"math"
	"testing"

	"gpuperf/memory"
)

// TestSparse: little that is loaded here and there comes from a region as far as that is still in the cache, and little that is loaded in a row is taken to be there.
func TestSparse(t *testing.T) {
	const l2, mb = 100 << 20, 1 << 20
	h := held{Device: memory.Device{L2: l2, Keeps: memory.Keeping{Clean: memory.Fading{All: 0.5, None: 1}, Dirty: memory.Fading{All: 0.5, None: 1}, Unwritten: memory.Fading{All: 0.5, None: 1}, MostDirty: 1}}}
	h.launch([]region{{"", 0, 0, 40 * mb, 0}})
	for _, c := range []struct {
		what string
		of   region
		want float64
	}{
		{"in a row", region{"", 1 << 40, mb, 0, mb}, 0},
		{"where others have stored", region{"", 0, mb, 0, 40 * mb}, 0},
		{"in twice as much", region{"", 0, mb, 0, 80 * mb}, 0.5},
		{"elsewhere", region{"", 1 << 41, mb, 0, 80 * mb}, 1},
	} {
		if got, _ := h.launch([]region{c.of}); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: %.2f is missing, want %.2f", c.what, got, c.want)
		}
	}
}
