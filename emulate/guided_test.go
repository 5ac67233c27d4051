package emulate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/emulate/emulatetest"
	"gpuperf/samples"
)

// What the hardware has counted takes the place of data that nobody knows: as many instructions are executed as were counted.
func TestGuided(t *testing.T) {
	t.Parallel()
	all, err := emulatetest.Launches("../testdata/h200/listings.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	d := sheet(t)
	for name, blindly := range map[string]float64{"spmv_rows": 1.5, "functions_double": 1.1} {
		at := slices.IndexFunc(all, func(l emulatetest.Launch) bool { return l.Job.Identity.Variant == name && l.Code == emulatetest.Same })
		l := all[at]
		counted, err := emulatetest.Counted([]emulatetest.Launch{l}, samples.Warm)
		if err != nil {
			t.Fatal(err)
		}
		var counts []Executed
		sum := 0.0
		for _, in := range counted[0].Code {
			counts = append(counts, Executed{in.Address, in.Name(), in.Items})
			sum += float64(in.Warps)
		}
		in := Input{Function: l.Function, Job: l.Job, Device: d}
		for _, b := range l.Job.Buffers() {
			in.Overwritten = append(in.Overwritten, b.Name)
		}
		for i, want := range []float64{blindly, 1} {
			if in.Profile = nil; i > 0 {
				in.Profile = counts
			}
			r, err := Run(in)
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(r.Effort.Stands) / sum; math.Abs(got-want) > 0.06*want || i > 0 && math.Abs(got-1) > 0.001 {
				t.Errorf("%s, %d: %g of the instructions that were counted, want %g", name, i, got, want)
			}
		}
		counts[0].Address++
		r, err := Run(in)
		if err != nil || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "is of other machine code") }) {
			t.Errorf("%v, %v", err, r.Warnings)
		}
	}
}
