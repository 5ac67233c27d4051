package emulate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/machine"
	"gpuperf/emulate/emulatetest"
	"gpuperf/samples"
)

// compared is a launch as it was recorded, and as it is emulated.
type compared struct {
	*Result
	measured float64 // seconds
	executed float64 // instructions of sub-groups; 0 where nobody counted them
	name     string
}

func (c compared) ratio() float64 { return c.Seconds / c.measured }

// off is by how much the time is off, in parts. A launch without a finite time is off by over half.
func (c compared) off() float64 {
	const half = 0.51
	if !c.Status.Finite() {
		return half
	}
	return math.Abs(c.ratio() - 1)
}

// emulated emulates the recorded launches whose machine code is that which was executed: with LONG=1 all, otherwise every third.
func emulated(t *testing.T) (out []compared) {
	t.Helper()
	all, err := emulatetest.Launches("../testdata/h200/listings.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	d := sheet(t)
	all = slices.DeleteFunc(all, func(l emulatetest.Launch) bool { return l.Code == emulatetest.Other })
	slices.SortFunc(all, func(a, b emulatetest.Launch) int {
		return strings.Compare(a.Job.Identity.String(), b.Job.Identity.String())
	})
	of := map[string][]emulatetest.Launch{}
	for i, l := range all {
		if long || i%3 == 0 {
			of[l.Samples] = append(of[l.Samples], l)
		}
	}
	for _, launches := range of {
		warm, err := emulatetest.Counted(launches, samples.Warm)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range launches {
			r, err := Run(Input{Function: l.Function, Job: l.Job, Device: d})
			if err != nil {
				t.Fatal(l.Job.Identity, err)
			}
			c := compared{Result: r, measured: warm[i].Record.Metrics["gpu__time_duration.sum"].Value * 1e-9, name: l.Job.Identity.String()}
			r.emulation = nil // the traces of all launches together are gigabytes
			for _, in := range warm[i].Code {
				c.executed += float64(in.Warps)
			}
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b compared) int { return strings.Compare(a.name, b.name) })
	return out
}

// TestRecorded holds what docs/emulation.md says of the launches of testdata/h200/listings.jsonl.gz.
func TestRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("it emulates more than a hundred launches")
	}
	t.Parallel()
	all := emulated(t)
	d := sheet(t)
	var errors []float64
	within, closed, counted, exact := 0, 0, 0, 0
	for _, c := range all {
		errors = append(errors, c.off())
		if c.Status == Whole {
			closed++
			if c.measured >= c.Interval[0] && c.measured <= c.Interval[1] {
				within++
			}
		}
		if c.executed > 0 {
			counted++
			if math.Abs(float64(c.Effort.Stands)/c.executed-1) < 0.03 {
				exact++
			}
		}
		t.Logf("%5.2f  %10.2f us, emulated %10.2f  %s", c.ratio(), c.measured*1e6, c.Seconds*1e6, c.name)
		if bound := machine.Least(d, nil, c.Work); len(bound.Uses) == 0 || bound.Seconds > c.Seconds {
			t.Errorf("%s: emulated in %.2f us, although its work alone takes %.2f: %+v", c.name, c.Seconds*1e6, bound.Seconds*1e6, bound.Uses)
		}
	}
	e := averaged(errors)
	launches, executed := 40, 25
	if long {
		launches, executed = 120, 90
	}
	t.Logf("%d launches: error %.3f in the geometric mean, %.3f in the mean, median %.3f; %d within their interval, of %d that have one; instructions within 3 %% of %d of %d",
		len(all), e.geometric, e.mean, e.median, within, closed, exact, counted)
	if len(all) < launches || e.geometric > 0.075 || e.mean > 0.115 || e.median > 0.09 {
		t.Error("the errors are greater than docs/emulation.md says")
	}
	if within < closed*85/100 || closed < len(all)*3/4 {
		t.Error("the intervals are too narrow")
	}
	if counted < executed || exact < counted*95/100 {
		t.Error("instructions are counted wrong")
	}
}
