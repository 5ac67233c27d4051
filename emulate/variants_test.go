package emulate

import (
	"os"
	"slices"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/emulatetest"
	"gpuperf/samples"
)

// TestVariants emulates variants of functional programs that were drawn at random and measured on an H200: of six programs, or by REPORT=1 of the others, which
// no form and no number was chosen by. Without LONG it is every fourth.
func TestVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("it emulates many launches")
	}
	t.Parallel()
	launches, err := emulatetest.Launches("../testdata/h200/listings_lift.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	half := "choose"
	if os.Getenv("REPORT") != "" {
		half = "report"
	}
	i := 0
	launches = slices.DeleteFunc(launches, func(l emulatetest.Launch) bool {
		i++
		return l.Suite != half || os.Getenv("LONG") == "" && i%4 > 0
	})
	var times []samples.Record
	for len(times) < len(launches) { // those of one samples file follow each other
		rest := launches[len(times):]
		n := slices.IndexFunc(rest, func(l emulatetest.Launch) bool { return l.Samples != rest[0].Samples })
		if n < 0 {
			n = len(rest)
		}
		list, err := emulatetest.Measured(rest[:n], samples.Warm)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, list...)
	}
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	var all []developed
	kinds := map[string][]developed{}
	for i, l := range launches {
		r, err := Run(Input{Function: l.Function, Job: l.Job, Device: d})
		if err != nil {
			t.Fatal(l.Job.Identity, err)
		}
		program := l.Job.Identity.Source
		x := developed{compared{Result: r, name: l.Job.Identity.Key(), measured: times[i].Summary.Median - eventSeconds}, emulatetest.Kernel{Kind: program}}
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
	t.Logf("%s: %d variants: error %.3f in the geometric mean, %.3f in the mean, median %.3f; rank correlation %.3f, the mean of %d programs", half, e.n, e.geometric, e.mean, e.median, rho, programs)
	if e.geometric > 0.2 || rho < 0.6 { // a change that was for the better elsewhere has made these much worse
		t.Errorf("that is far from what it was when these were recorded")
	}
}
