package emulate

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/emulatetest"
	"gpuperf/memory"
	"gpuperf/samples"
)

// eventSeconds is by how much the time between two events around a launch exceeds what profilers call its duration, with warm caches
// (emulatetest.Measured). With cold caches durations are 0.7 µs longer by themselves, as launches start later: launches of the development set
// that compute alone take 0.7 to 1.3 µs less by ncu with cold caches than between events with warm ones.
const eventSeconds = 1.2e-6

// short is below which duration launches are reported apart, in seconds: there, starting them is most of it.
const short = 5e-6

// developed is a launch of the development set as it was timed, and as it is emulated.
type developed struct {
	compared
	emulatetest.Kernel
	metrics map[string]samples.Metric // that Nsight Compute counted
	known   bool                      // every instruction was executed, on known values
	pipes   map[string]float64        // instructions by the hardware's name of their pipe
	moved   *memory.Traffic           // if anything is accessed
	roof    float64                   // seconds by counts alone
	cold    *Result                   // the same with cold caches, as Nsight Compute has it
}

// develop keeps what tests compare of an emulated launch. The traces go: those of all launches together are gigabytes.
func develop(r *Result, k emulatetest.Kernel, measured float64, metrics map[string]samples.Metric) developed {
	e := r.emulation
	pipes := e.perPipe()
	d := developed{Kernel: k, metrics: metrics, known: len(r.Doubts) == 0 && r.Status.Finite(), pipes: pipes, roof: roof(r, pipes)}
	d.compared = compared{Result: r, name: k.Line, measured: measured, executed: metrics["smsp__inst_executed.sum"].Value}
	if e.accessed != nil {
		moved := e.moved // alone: the traces behind it go
		d.moved = &moved
	}
	if metrics != nil {
		e.Cold = true
		e.traffic()
		d.cold = e.result(e.whole())
		d.cold.emulation = nil
	}
	r.emulation = nil
	return d
}

// sheet is that of the device of the recordings.
func sheet(t *testing.T) *facts.Device {
	t.Helper()
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// half of recorded launches is the one that forms and numbers were chosen on, or with REPORT=1 the other. With UNSEEN=1 it is a set that was written and
// recorded later, whose launches nobody looks at one by one.
func half() string {
	switch {
	case os.Getenv("UNSEEN") != "":
		return "unseen"
	case os.Getenv("REPORT") != "":
		return "report"
	}
	return "choose"
}

// recordedAt are launches of the development set, as a samples file has them.
func recordedAt(kernels []emulatetest.Kernel, path string) []emulatetest.Launch {
	launches := make([]emulatetest.Launch, len(kernels))
	for i, k := range kernels {
		launches[i] = k.Launch
		launches[i].Samples = path
	}
	return launches
}

// long is whether all launches are emulated, and not a sample of them that keeps to the same bars.
var long = os.Getenv("LONG") != "" || half() != "choose"

// recordings are the endings of the files with what a GPU did of a list of launches: each file is of one device.
func recordings() []string {
	if half() == "unseen" {
		return []string{"_unseen.jsonl.gz"}
	}
	return []string{".jsonl.gz", "_further.jsonl.gz"}
}

// development emulates a half of the development set, once for all tests: with LONG=1 all of it, otherwise every ninth launch.
var development = sync.OnceValues(func() (out []developed, err error) {
	launches := 0
	keep := func() bool { launches++; return long || launches%9 == 2 }
	for _, of := range recordings() {
		more, err := developOf(of, keep)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
})

// developOf are the launches of a half that the recordings with an ending have, of those to keep.
func developOf(of string, keep func() bool) (out []developed, err error) {
	kernels, err := emulatetest.Development("../testdata/emulate/"+half()+".txt", "../testdata/h200/listings_emulate"+of, func(int, emulatetest.Kernel) bool { return keep() })
	if err != nil {
		return nil, err
	}
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		return nil, err
	}
	times, err := emulatetest.Measured(recordedAt(kernels, "../testdata/h200/emulate"+of), samples.Warm)
	if err != nil {
		return nil, err
	}
	counters := make([]map[string]samples.Metric, len(kernels)) // of some recordings there are times alone
	if path := "../testdata/h200/counters_emulate" + of; half() != "unseen" {
		counts, err := emulatetest.Counted(recordedAt(kernels, path), samples.Cold)
		if err != nil {
			return nil, err
		}
		for i := range counts {
			counters[i] = counts[i].Record.Metrics
		}
	}
	for i, k := range kernels {
		r, err := Run(Input{Function: k.Function, Job: k.Job, Device: d})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Line, err)
		}
		out = append(out, develop(r, k, times[i].Summary.Median-eventSeconds, counters[i]))
	}
	return out, nil
}

// errors are how far ratios are from 1, in three averages.
type errors struct {
	n                       int
	geometric, mean, median float64
}

func errorsOf(all []developed, keep func(*developed) bool) (e errors) {
	var list []float64
	for i := range all {
		if keep(&all[i]) {
			list = append(list, all[i].off())
		}
	}
	return averaged(list)
}

// averaged are the averages of a list, which is sorted.
func averaged(list []float64) (e errors) {
	if len(list) == 0 {
		return e
	}
	slices.Sort(list)
	for _, x := range list {
		e.geometric += math.Log(max(x, 1e-3))
		e.mean += x
	}
	n := float64(len(list))
	return errors{n: len(list), geometric: math.Exp(e.geometric / n), mean: e.mean / n, median: list[len(list)/2]}
}

// ranks is the rank correlation of measured and emulated times of the launches of a kind at the same sizes but for blocks, by program.
func ranks(all []developed) (rho float64, groups int) {
	of := map[string][]developed{}
	for _, d := range all {
		of[d.Kind] = append(of[d.Kind], d)
	}
	sum := 0.0
	for _, list := range of {
		if len(list) < 4 {
			continue
		}
		measured, emulated := make([]float64, len(list)), make([]float64, len(list))
		for i, d := range list {
			measured[i], emulated[i] = d.measured, d.Seconds
		}
		for i, d := range list {
			if !d.Status.Finite() {
				emulated[i] = farOff(measured, i)
			}
		}
		sum += spearman(measured, emulated)
		groups++
	}
	return sum / float64(groups), groups
}

// farOff is a time with which as many pairs as can be are in the wrong order.
func farOff(measured []float64, i int) float64 {
	longer := 0
	for _, m := range measured {
		if m > measured[i] {
			longer++
		}
	}
	if 2*longer >= len(measured) { // one of the shortest
		return math.Inf(1)
	}
	return math.Inf(-1)
}

func spearman(a, b []float64) float64 {
	rank := func(x []float64) []float64 {
		order := make([]int, len(x))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
		out := make([]float64, len(x))
		for r, i := range order {
			out[i] = float64(r)
		}
		return out
	}
	ra, rb, sum, n := rank(a), rank(b), 0.0, float64(len(a))
	for i := range ra {
		sum += (ra[i] - rb[i]) * (ra[i] - rb[i])
	}
	return 1 - 6*sum/(n*(n*n-1))
}

// TestDevelopment emulates launches of the half of the development set that forms and numbers were chosen on. REPORT=1 emulates the other half instead, at
// whose times nobody looked before.
func TestDevelopment(t *testing.T) {
	if testing.Short() {
		t.Skip("it emulates hundreds of launches")
	}
	t.Parallel()
	all, err := development()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		t.Logf("%5.2f  %10.2f us, emulated %10.2f, instructions %5.3f  %s", d.ratio(), d.measured*1e6, d.Seconds*1e6, float64(d.Effort.Stands)/d.executed, d.Line[len("testdata/emulate/"):])
		if d.Occupancy > 1 {
			t.Errorf("%s: occupancy %.3f", d.Line, d.Occupancy)
		}
	}
	most := errorsOf(all, func(d *developed) bool { return d.measured >= short })
	little := errorsOf(all, func(d *developed) bool { return d.measured < short })
	rho, groups := ranks(all)
	t.Logf("%s: %d launches of 5 us or more: error %.3f in the geometric mean, %.3f in the mean, median %.3f; %d shorter ones: %.3f, %.3f, %.3f", half(),
		most.n, most.geometric, most.mean, most.median, little.n, little.geometric, little.mean, little.median)
	t.Logf("rank correlation %.3f, the mean of %d kinds", rho, groups)
	inside, closed, width := intervals(all)
	t.Logf("%d of %d closed intervals hold what was measured, their half-width is %.3f in the median", inside, closed, width)
	if long && (inside < closed*86/100 || width > 0.23) {
		t.Error("intervals hold too little, or are too wide")
	}
	least, mean := 28, 0.11 // of the few one is twice off: constants-lookups-32, whose sub-groups walk through the same places
	if long {
		least, mean = 260, 0.1
	}
	if half() == "choose" && (most.n < least || most.geometric > 0.055 || most.mean > mean || most.median > 0.07 || rho < 0.9) {
		t.Error("the errors are greater than docs/emulation.md says")
	}
}

// intervals are how many of the launches that are not short have a closed interval, how many of these lie in it, and half of its width over the time in the median.
func intervals(all []developed) (inside, closed int, width float64) {
	var widths []float64
	for i := range all {
		d := &all[i]
		if d.measured < short || d.Status != Whole {
			continue
		}
		closed++
		if d.measured >= d.Interval[0] && d.measured <= d.Interval[1] {
			inside++
		}
		widths = append(widths, (d.Interval[1]-d.Interval[0])/2/d.Seconds)
	}
	if closed == 0 {
		return 0, 0, 0
	}
	slices.Sort(widths)
	return inside, closed, widths[len(widths)/2]
}
