package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestSimplex: on a slope the simplex comes near the lowest point where as many random points do not, and what another technique has tried leaves it as it is.
func TestSimplex(t *testing.T) {
	var space Product
	for _, name := range []string{"a", "b", "c"} {
		c := Choice{Name: name}
		for i := range 64 {
			c.Options = append(c.Options, strconv.Itoa(i))
		}
		space = append(space, c)
	}
	height := func(c Config) float64 {
		return 1 + math.Abs(number(c.Option("a"))-50) + math.Abs(number(c.Option("b"))-20) + math.Abs(number(c.Option("c"))-33)
	}
	lowest := func(seed uint64, disturb bool) float64 {
		best, r := math.Inf(1), rand.New(rand.NewPCG(seed, 1))
		s := newSimplex(space, rand.New(rand.NewPCG(seed, 0)))
		for range 120 {
			c := s.Ask()
			if disturb {
				other := genes{}.express(space, r)
				if other.String() != c.String() {
					s.Tell(Trial{Config: other, Result: Result{Seconds: 1e-9}})
				}
			}
			h := height(c)
			best = min(best, h)
			s.Tell(Trial{Config: c, Result: Result{Seconds: h}})
		}
		return best
	}
	var found []float64
	for seed := range uint64(9) {
		alone, beside := lowest(seed, false), lowest(seed, true)
		if alone != beside {
			t.Errorf("seed %d: %g, and %g where others are told of", seed, alone, beside)
		}
		found = append(found, alone)
	}
	slices.Sort(found)
	t.Log(found)
	if median := found[len(found)/2]; median > 8 {
		t.Errorf("the lowest of 120 points is %g in the median of seeds", median)
	}
}
