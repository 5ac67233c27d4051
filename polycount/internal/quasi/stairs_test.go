package quasi

import (
	"math/rand"
	"testing"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// Any periodic steps are the sum of the stairs that are made of them.
func TestStairs(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 300 {
		steps := make([]arith.Rat, 1+r.Intn(24))
		for i := range steps {
			steps[i] = arith.RatInt(int64(r.Intn(3)))
		}
		for range r.Intn(3) {
			d := 1 + r.Intn(6)
			for i := r.Intn(d); i < len(steps); i += d {
				steps[i] = steps[i].Add(arith.RatOf(1, 2))
			}
		}
		sum := make([]arith.Rat, len(steps))
		for i := range sum {
			sum[i] = arith.RatInt(0)
		}
		for _, x := range stairs(linear.AnyWork(), steps) {
			for i := x.at; i < int64(len(sum)); i += x.period {
				sum[i] = sum[i].Add(x.height)
			}
		}
		for i := range sum {
			if !sum[i].Equal(steps[i]) {
				t.Fatalf("%v: sum %v", steps, sum)
			}
		}
	}
	// Steps of 4 and of 6 together take two stairs, not nine.
	steps := make([]arith.Rat, 12)
	for i := range steps {
		steps[i] = arith.RatInt(0)
		for _, d := range []int{4, 6} {
			if i%d == 1 {
				steps[i] = steps[i].Add(arith.RatInt(1))
			}
		}
	}
	if got := stairs(linear.AnyWork(), steps); len(got) > 3 {
		t.Errorf("%d stairs: %v", len(got), got)
	}
}
