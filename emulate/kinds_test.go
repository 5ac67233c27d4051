package emulate

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gpuperf/compile"
	"gpuperf/device/facts"
	"gpuperf/emulate/emulatetest"
)

// kindsFolder has kernels of kinds that were far off in programs of others, half of what there is of each kind. Times of each GPU stand in measured.csv.
const kindsFolder = "../testdata/emulate/kinds/"

// measuredTimes are the times between events in seconds, by launch, of a column of the table of a folder.
func measuredTimes(t *testing.T, folder, column string) map[string]float64 {
	t.Helper()
	file, err := os.Open(folder + "measured.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	times, at := map[string]float64{}, slices.Index(rows[0], column)
	for _, row := range rows[1:] {
		if us, err := strconv.ParseFloat(row[at], 64); err == nil {
			times[row[0]] = us * 1e-6
		}
	}
	return times
}

// kindInput is a launch as its recorded machine code, or with FROM=source as what package compile makes of its text.
func kindInput(k emulatetest.Kernel, d *facts.Device) (Input, error) {
	in := Input{Function: k.Function, Job: k.Job, Device: d}
	if os.Getenv("FROM") == "source" {
		p, err := compile.Job(context.Background(), k.Job, compile.Options{Architecture: "sm_90", Name: "kernel.cu"})
		if err != nil {
			return in, err
		}
		in.Function, in.Code.Shared, in.Compiled = p.Function, p.Shared, true
	}
	return in, nil
}

// TestKinds emulates launches that are far off in programs of others, by kind: KIND=pattern those whose names contain it, SHEET=file those of another GPU, ON=column of its times;
// FROM=source what their sources are compiled to here.
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("it emulates a hundred launches")
	}
	kernels, err := emulatetest.Development(kindsFolder+"choose.txt", "../testdata/h200/listings_emulate_kinds.jsonl.gz", func(i int, k emulatetest.Kernel) bool {
		only := os.Getenv("KIND")
		return strings.Contains(k.Name, only) && (long || only != "" || i%9 == 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	times, d := measuredTimes(t, kindsFolder, cmp.Or(os.Getenv("ON"), "h200_us")), sheet(t)
	if name := os.Getenv("SHEET"); name != "" {
		if d, err = facts.Sheet(name); err != nil {
			t.Fatal(err)
		}
	}
	of := map[string][]compared{}
	var order []string
	var all, took []float64
	inside := 0
	var widths []float64
	for _, k := range kernels {
		name := strings.TrimSuffix(path.Base(k.Line), ".yaml")
		measured, ok := times[name]
		if !ok {
			continue
		}
		before := processor()
		in, err := kindInput(k, d)
		if err != nil { // it is off by all of the time
			t.Logf("%s: %v", name, err)
			took, all, widths = append(took, 0), append(all, 1), append(widths, math.Inf(1))
			continue
		}
		r, err := Run(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		seconds := processor() - before
		c := compared{Result: r, name: name, measured: measured - eventSeconds}
		if os.Getenv("WHY") != "" {
			t.Log(strings.Join(r.Why(), "\n    "))
		}
		r.emulation = nil
		if of[k.Kind] == nil {
			order = append(order, k.Kind)
		}
		of[k.Kind] = append(of[k.Kind], c)
		took, all = append(took, seconds), append(all, c.off())
		within := c.measured >= r.Interval[0] && c.measured <= r.Interval[1]
		if within {
			inside++
		}
		widths = append(widths, math.Sqrt(r.Interval[1]/max(r.Interval[0], 1e-12))-1)
		t.Logf("%6.2f  %10.2f us, emulated %10.2f (%s, %.2f to %.2f, %v), %5.2f s, %d steps, %d timed  %s", c.ratio(), c.measured*1e6, c.Seconds*1e6, r.Status, r.Interval[0]*1e6, r.Interval[1]*1e6, within, seconds, r.Effort.Steps, r.Effort.Issued, name)
	}
	for _, kind := range order {
		var ratios []string
		for _, c := range of[kind] {
			ratios = append(ratios, fmt.Sprintf("%.2f", c.ratio()))
		}
		t.Logf("%s: %s", kind, strings.Join(ratios, " "))
	}
	slices.Sort(took)
	slices.Sort(widths)
	far := 0
	for _, e := range all {
		if e > 0.5 {
			far++
		}
	}
	n, e := len(all), averaged(all)
	if n == 0 {
		return
	}
	t.Logf("%d launches: geometric %.3f, mean %.3f, median %.3f, %d off by over half; %d inside their interval, half-width %.2f in the median; %.3f s in the median, %.2f at most",
		n, e.geometric, e.mean, e.median, far, inside, widths[n/2], took[n/2], took[n-1])
}

// processor is for how many seconds the process has run on processors so far.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}
