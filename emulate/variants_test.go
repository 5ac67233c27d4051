package emulate

import (
	"slices"
	"testing"

	"gpuperf/emulate/emulatetest"
	"gpuperf/samples"
)

// sampled is the program whose variants are emulated without LONG.
var sampled = []string{"gemv.lift"}

// TestVariants emulates variants of functional programs that were drawn at random and measured on an H200: of five programs, or by REPORT=1 of the others, which
// no form and no number was chosen by. Without LONG it is every fourth of one program: enough to be ranked.
func TestVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("it emulates many launches")
	}
	t.Parallel()
	launches, err := emulatetest.Launches("../testdata/h200/listings_lift.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	launches = slices.DeleteFunc(launches, func(l emulatetest.Launch) bool {
		if l.Suite != half() {
			return true
		}
		program := l.Job.Identity.Source
		seen[program]++
		return !long && (!slices.Contains(sampled, program) || seen[program]%4 > 0)
	})
	times, err := emulatetest.Measured(launches, samples.Warm)
	if err != nil {
		t.Fatal(err)
	}
	d := sheet(t)
	var all []developed
	kinds := map[string][]developed{}
	for i, l := range launches {
		r, err := Run(Input{Function: l.Function, Job: l.Job, Device: d})
		if err != nil {
			t.Fatal(l.Job.Identity, err)
		}
		program := l.Job.Identity.Source
		x := develop(r, emulatetest.Kernel{Kind: program, Line: l.Job.Identity.Key()}, times[i].Summary.Median-eventSeconds, nil)
		all, kinds[program] = append(all, x), append(kinds[program], x)
		t.Logf("%5.2f  %9.2f us, emulated %9.2f, %s", x.ratio(), x.measured*1e6, x.Seconds*1e6, x.name)
	}
	every := func(*developed) bool { return true }
	for program, list := range kinds {
		e := errorsOf(list, every)
		rho, _ := ranks(list)
		t.Logf("%-20s %3d variants: error %.3f in the geometric mean, %.3f in the mean, median %.3f; rank correlation %.3f", program, e.n, e.geometric, e.mean, e.median, rho)
	}
	e := errorsOf(all, every)
	rho, programs := ranks(all)
	t.Logf("%s: %d variants: error %.3f in the geometric mean, %.3f in the mean, median %.3f; rank correlation %.3f, the mean of %d programs", half(), e.n, e.geometric, e.mean, e.median, rho, programs)
	if !(e.geometric <= 0.2 && rho >= 0.6) { // or not a number: a change that was for the better elsewhere has made these much worse
		t.Errorf("that is far from what it was when these were recorded")
	}
}
