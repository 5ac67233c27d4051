package emulate

import (
	"math"
	"slices"
	"testing"
)

// uncontrolled are bars of what machine code without its control bits loses against the same with them: code that is compiled here has none, so that
// this is the floor of what is predicted from source. Apart is how far the two times are from each other in the median; more is by how much the
// median error of the time against the device may grow.
const (
	uncontrolledApart = 0.04
	uncontrolledMore  = 0.04
)

// TestWithoutControl emulates launches of the development set without their control bits too: LONG=1 all that are emulated with them, else every fourth.
func TestWithoutControl(t *testing.T) {
	t.Parallel()
	kernels, err := development()
	if err != nil {
		t.Fatal(err)
	}
	device := sheet(t)
	var with, without, apart []float64
	for i, k := range kernels {
		if !long && i%8 != 0 || k.measured < short {
			continue
		}
		b, err := Run(Input{Function: k.Function.WithoutControl(), Job: k.Job, Device: device})
		if err != nil {
			t.Fatal(err)
		}
		with = append(with, math.Abs(k.Seconds/k.measured-1))
		without = append(without, math.Abs(b.Seconds/k.measured-1))
		apart = append(apart, math.Abs(b.Seconds/k.Seconds-1))
		t.Logf("%-60s %8.2f µs with, %8.2f without, %8.2f measured", k.Line, 1e6*k.Seconds, 1e6*b.Seconds, 1e6*k.measured)
	}
	middle := func(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
	a, b, c := middle(with), middle(without), middle(apart)
	t.Logf("%d launches: median error %.1f %% with control bits, %.1f %% without; the two are %.1f %% apart", len(with), 100*a, 100*b, 100*c)
	if c > uncontrolledApart || b > a+uncontrolledMore {
		t.Errorf("code without control bits is %.1f %% from that with them, and off by %.1f %% instead of %.1f %%", 100*c, 100*b, 100*a)
	}
}
