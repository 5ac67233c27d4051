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

// kindsFolder has kernels of kinds that were far off in programs of others, half of what there is of each kind, and freshFolder others that were predicted before they were
// measured, as those of programsFolder were. Times of each GPU stand in measured.csv.
const (
	kindsFolder    = "../testdata/emulate/kinds/"
	freshFolder    = "../testdata/emulate/fresh/"
	programsFolder = "../testdata/emulate/programs/"
)

// Bars of the launches of freshFolder: the median and the mean error.
const freshMedian, freshMean = 0.09, 0.14

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
	kindsIn(t, kindsFolder, "kinds")
}

// TestFresh does so with launches of strangers' kinds that were predicted before they were measured: REPORT=1 takes those that nothing was chosen on.
func TestFresh(t *testing.T) {
	if !long && os.Getenv("KIND") == "" {
		t.Skip("LONG=1 draws 100 MB of data and emulates dozens of launches")
	}
	if e := kindsIn(t, withFresh(t), "fresh"); long && (e.median > freshMedian || e.mean > freshMean) {
		t.Error("launches of others are predicted less well than they were")
	}
}

// TestPrograms does so with launches of kinds that programs have, several sizes of each, once they are recorded.
func TestPrograms(t *testing.T) {
	if _, err := os.Stat("../testdata/h200/listings_emulate_programs.jsonl.gz"); err != nil {
		t.Skip("no device has measured them")
	}
	if !long && os.Getenv("KIND") == "" {
		t.Skip("LONG=1 draws 300 MB of data and emulates dozens of launches")
	}
	kindsIn(t, withPrograms(t), "programs")
}

// kindsIn prints how far the launches of a folder are off: with LONG=1 or those of KIND all, else one of nine.
func kindsIn(t *testing.T, folder, recording string) errors {
	kernels, err := emulatetest.Development(folder+half()+".txt", "../testdata/h200/listings_emulate_"+recording+".jsonl.gz", func(i int, k emulatetest.Kernel) bool {
		only := os.Getenv("KIND")
		return strings.Contains(k.Name, only) && (long || only != "" || i%9 == 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	times, d := measuredTimes(t, folder, cmp.Or(os.Getenv("ON"), "h200_us")), sheet(t)
	if name := os.Getenv("SHEET"); name != "" {
		if d, err = facts.Sheet(name); err != nil {
			t.Fatal(err)
		}
	}
	var all tally
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
			all.add(k.Kind, compared{}, 0)
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
		within := all.add(k.Kind, c, seconds)
		t.Logf("%6.2f  %10.2f us, emulated %10.2f (%s, %.2f to %.2f, %v), %5.2f s, %d steps, %d timed  %s", c.ratio(), c.measured*1e6, c.Seconds*1e6, r.Status, r.Interval[0]*1e6, r.Interval[1]*1e6, within, seconds, r.Effort.Steps, r.Effort.Issued, name)
	}
	return all.log(t)
}

// tally are the errors of launches by kind, and what it took to emulate them.
type tally struct {
	order         []string            // the kinds
	of            map[string][]string // ratios as text
	off, took     []float64
	widths        []float64 // half-widths of the intervals
	inside, ended int       // how many lie in their interval, of those that have two ends
}

// add takes a launch in, and says whether it lies in its interval; what has no result is off by all of the time.
func (s *tally) add(kind string, c compared, seconds float64) (within bool) {
	off, width, ratio := 1.0, math.Inf(1), "-"
	if c.Result != nil {
		lo, hi := c.Interval[0], c.Interval[1]
		off, width, ratio = c.off(), math.Sqrt(hi/max(lo, 1e-12))-1, fmt.Sprintf("%.2f", c.ratio())
		if within = c.measured >= lo && c.measured <= hi; within {
			s.inside++
		}
		if lo > 0 && !math.IsInf(hi, 1) {
			s.ended++
		}
	}
	if s.of == nil {
		s.of = map[string][]string{}
	}
	if s.of[kind] == nil {
		s.order = append(s.order, kind)
	}
	s.of[kind] = append(s.of[kind], ratio)
	s.off, s.took, s.widths = append(s.off, off), append(s.took, seconds), append(s.widths, width)
	return within
}

// log prints what has been added, and returns the averages.
func (s *tally) log(t *testing.T) errors {
	n := len(s.off)
	if n == 0 {
		return errors{}
	}
	for _, kind := range s.order {
		t.Logf("%s: %s", kind, strings.Join(s.of[kind], " "))
	}
	slices.Sort(s.took)
	slices.Sort(s.widths)
	far := 0
	for _, e := range s.off {
		if e > 0.5 {
			far++
		}
	}
	e := averaged(s.off)
	t.Logf("%d launches: geometric %.3f, mean %.3f, median %.3f, %d off by over half; %d inside their interval, %d of which have two ends, half-width %.2f in the median; %.3f s in the median, %.2f at most",
		n, e.geometric, e.mean, e.median, far, s.inside, s.ended, s.widths[n/2], s.took[n/2], s.took[n-1])
	return e
}

// processor is for how many seconds the process has run on processors so far.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}
