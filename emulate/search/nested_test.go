package search

import (
	"math"
	"testing"
)

// Each block goes twice through the loop over the sum. What is timed of a multiprocessor with all of its blocks is what they execute, though iterations are
// skipped: the launch has as many instructions more as it has blocks more.
func TestNestedLoops(t *testing.T) {
	r := record(t, "contraction")
	for unroll := int64(1); unroll <= 4; unroll *= 2 {
		for _, bx := range []int64{8, 16} {
			c := Configuration{bx, 4, 1, 4, 4, 2, 1, 2, 1, unroll}
			x, err := r.Emulate(t.Context(), c, false)
			if err != nil {
				t.Fatal(err)
			}
			const blocks, multiprocessors = 64 / 4 / 4 / 2 * 2048 / 2, 132
			total := float64(blocks) * 64 / 4 / float64(bx)
			if want := total / math.Ceil(total/multiprocessors); math.Abs(x.Effort.Scale-want) > 0.02*want {
				t.Errorf("%v: the launch has %.1f times the instructions that were timed, want %.1f", c, x.Effort.Scale, want)
			}
		}
	}
}
