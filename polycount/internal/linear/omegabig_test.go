package linear

import (
	"math/rand"
	"testing"
)

// The Omega test over big integers decides as the 64-bit one does.
func TestFeasibleBig(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	yes := 0
	for range 2000 {
		s := &System{Width: 2 + r.Intn(4)}
		for k := range 2 + r.Intn(6) {
			x := make(Row, s.Width)
			for i := range x {
				if r.Intn(3) > 0 {
					x[i] = int64(r.Intn(15) - 7)
				}
			}
			if k == 0 && r.Intn(3) == 0 {
				s.Eq = append(s.Eq, x)
			} else {
				s.Ge = append(s.Ge, x)
			}
		}
		w := AnyWork()
		b := s.big()
		want := w.search(s.Clone(), nil)
		if got := w.feasibleBig(b); got != want {
			t.Fatalf("%v %v: %v, want %v", s.Eq, s.Ge, got, want)
		}
		if want {
			yes++
		}
	}
	if yes < 200 || yes > 1800 {
		t.Errorf("%d of 2000 are feasible", yes)
	}
}
