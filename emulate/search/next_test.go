package search

import (
	"math"
	"testing"

	"gpuperf/emulate"
	"gpuperf/emulate/timing"
)

// TestShare: what a step saves of the transactions of a unit tells what remains of them further on. That a launch is faster, so that the unit is busy for
// more of the time, saves none.
func TestShare(t *testing.T) {
	seen := func(at int64, cycles, busy float64) *Seen {
		return &Seen{Configuration: Configuration{at}, result: &emulate.Result{Cycles: cycles, Utilization: map[timing.Unit]float64{timing.L2: busy}}}
	}
	start := seen(1, 10000, 0.4)
	for _, c := range []struct {
		what string
		step *Seen
		want map[int64]float64 // of values of the parameter
	}{
		{"half of them", seen(2, 5000, 0.4), map[int64]float64{1: 1, 2: 0.5, 4: 0.25, 8: 0.125}},
		{"a quarter", seen(2, 5000, 0.6), map[int64]float64{1: 1, 2: 0.75, 4: 1 - 0.25*0.75/0.5}},
		{"none, in half of the time", seen(2, 5000, 0.8), map[int64]float64{2: 1, 4: 1}},
		{"a quarter, in the same time", seen(2, 10000, 0.3), map[int64]float64{2: 0.75}},
		{"no more than the work that is shared", seen(2, 5000, 0.1), map[int64]float64{2: 0.5, 4: 0.25}},
	} {
		s := &walker{steps: []unit{{parameter: 0, factor: 2, from: start, to: c.step}}}
		for v, want := range c.want {
			if got := s.share(Configuration{v}, timing.L2); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: at %d there remain %g, want %g", c.what, v, got, want)
			}
		}
	}
}
