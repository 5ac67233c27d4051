package launch

import (
	"math"
	"testing"

	"gpuperf/kernel/linear"
)

// TestTrafficOfRemainders: a launch whose work-items read elements far apart, in more pieces than are looked into one by one, fetches 64 bytes for
// each, beside a list of places: when another wants the rest of a sector, it is gone.
func TestTrafficOfRemainders(t *testing.T) {
	const n = 1 << 24
	for _, v := range scriptVariants(t, "evaluation/unseen/kernels.star") {
		if v.Name != "gather" {
			continue
		}
		program, err := linear.New(v.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(program, Options{Device: h200, Values: true})
		if err != nil {
			t.Fatal(err)
		}
		traffic, err := p.Traffic(map[string]int64{"n": n})
		if want := float64(n * (64 + 4)); err != nil || math.Abs(traffic.DRAMReads/want-1) > 0.05 {
			t.Errorf("%g bytes, %v; want %g", traffic.DRAMReads, err, want)
		}
		return
	}
	t.Fatal("there is no gather")
}
