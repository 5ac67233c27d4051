package emulate

import (
	"math"
	"slices"
	"testing"

	"gpuperf/emulate/emulatetest"
)

// TestChain: blocks that wait for the one before them are found, and no others, such as those that count in one place.
func TestChain(t *testing.T) {
	d := sheet(t)
	for _, of := range []string{".jsonl.gz", "_further.jsonl.gz"} {
		kernels, err := emulatetest.Development("../testdata/emulate/choose.txt", "../testdata/h200/listings_emulate"+of, func(_ int, k emulatetest.Kernel) bool {
			return slices.Contains([]string{"orders-lookback", "orders-select", "counts-compact"}, k.Name)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kernels {
			chain := k.Name == "orders-lookback"
			r, err := Run(Input{Function: k.Function, Job: k.Job, Device: d})
			if err != nil {
				t.Fatal(err)
			}
			c := r.emulation.chain
			if want := r.Work.Groups - 1; chain && (c.links != want || c.fences != 0 || r.Cycles < 500*float64(want)) || !chain && c.links != 0 {
				t.Errorf("%s: %+v of %d blocks, %.0f cycles", k.Line, c, r.Work.Groups, r.Cycles)
			}
		}
	}
}

// TestStepsBack looks back with work-groups that begin together, step by step.
func TestStepsBack(t *testing.T) {
	for _, c := range []struct{ groups, at int }{{1056, 1}, {300, 1}, {4000, 1}, {2112, 8}, {8448, 32}} {
		done := make([]bool, c.groups+1) // those before the first are
		done[0] = true
		from := make([]int, c.groups+1) // the nearest that each has not looked at
		for i := range from {
			from[i] = i - 1
		}
		steps, left := 0, c.groups
		for ; left > 0; steps++ {
			var now []int
			for i := 1; i <= c.groups; i++ {
				for k := 0; k < c.at && !done[i]; k++ {
					if from[i] < 0 || done[from[i]] {
						now = append(now, i)
						break
					}
					from[i]--
				}
			}
			for _, i := range now {
				done[i] = true
				left--
			}
		}
		if got := stepsBack(float64(c.groups), float64(c.at)); math.Abs(got/float64(steps)-1) > 0.15 {
			t.Errorf("%d work-groups, %d at once: %d steps, got %.1f", c.groups, c.at, steps, got)
		}
	}
}
