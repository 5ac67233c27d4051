package machine

import (
	"cmp"
	"fmt"
	"slices"

	"gpuperf/device/facts"
)

// The resources beside arithmetic, which is named by its data type.
const (
	GlobalMemory = "global memory"
	LocalMemory  = "local memory"
	Launching    = "launches"
)

// ArithmeticOf is the resource that operations of a data type use.
func ArithmeticOf(dtype string) string { return dtype + " arithmetic" }

// Use is what some work needs of a resource.
type Use struct {
	Resource string
	Amount   float64
	Unit     string // "B", "op" or "launches"
	Peak     Peak
	Seconds  float64 // of the amount at the peak
}

// Bound is the least time that some work takes.
type Bound struct {
	Seconds float64
	Uses    []Use // of the resources whose peaks are known, the one that takes the longest first
}

// Least is the bound of work on a device of whose rates these are known: each resource works at its peak and beside the others, and nothing waits for anything
// else (Williams, Waterman and Patterson, "Roofline", 2009). Rates that were measured, by resource, go before peaks; launches take time only if theirs was. Without
// uses no rate is known.
func Least(d *facts.Device, measured map[string]Peak, w Work) (b Bound) {
	add := func(resource string, amount float64, unit string, peak Peak, known bool) {
		if p, ok := measured[resource]; ok {
			peak, known = p, true
		}
		if known && amount > 0 {
			b.Uses = append(b.Uses, Use{resource, amount, unit, peak, amount / peak.Rate})
		}
	}
	peak, known := GlobalPeak(d)
	add(GlobalMemory, w.GlobalBytes, "B", peak, known)
	peak, known = LocalPeak(d)
	add(LocalMemory, w.LocalBytes, "B", peak, known)
	for _, o := range w.Operations {
		peak, known = ArithmeticPeak(d, o.DType, "madd", "op/s")
		add(ArithmeticOf(o.DType), o.Count, "op", peak, known)
	}
	add(Launching, w.Launches, "launches", Peak{}, false)
	slices.SortStableFunc(b.Uses, func(a, b Use) int { return cmp.Compare(b.Seconds, a.Seconds) })
	if len(b.Uses) > 0 {
		b.Seconds = b.Uses[0].Seconds
	}
	return b
}

// Share is the least time of a part of some work, with its launches, over that of all of it; of a device without known peaks, the share of the bytes and
// operations. It is 0 where there is no such work.
func Share(d *facts.Device, part, all Work) float64 {
	seconds := func(w Work) float64 { return w.Launches*d.Value(facts.LaunchSeconds) + Least(d, nil, w).Seconds }
	of, total := seconds(part), seconds(all)
	if total == 0 {
		of, total = part.amount(), all.amount()
	}
	if total == 0 {
		return 0
	}
	return of / total
}

// Peak is the highest rate of a kind of work.
type Peak struct {
	Rate    float64
	Unit    string // "FLOP/s", "op/s" or "B/s"
	Formula string // how the rate comes about
	Source  string
}

// simple operations take as long as a multiply-add, which does twice the work (CUDA C++ Programming Guide, throughput of
// native arithmetic instructions).
var simple = []string{"add", "mul"}

// HasPeak reports whether the peak rate of an operation is that of multiply-adds.
func HasPeak(op string) bool { return op == "madd" || slices.Contains(simple, op) }

// lanes are the facts that give how many multiply-adds of a data type a multiprocessor starts in a clock.
var lanes = map[string]facts.Key{"float32": facts.Float32MaddsPerClock, "float64": facts.Float64MaddsPerClock}

// ArithmeticPeak returns the peak of an operation ("add", "mul" or "madd") of a data type, in FLOP/s, or in op/s when a
// multiply-add counts as one; false where it is not known.
func ArithmeticPeak(d *facts.Device, dtype, op, unit string) (Peak, bool) {
	work := 1.0
	switch {
	case unit != "FLOP/s" && unit != "op/s", !HasPeak(op):
		return Peak{}, false
	case op == "madd" && unit == "FLOP/s":
		work = 2
	}
	p, ok := perClock(d, lanes[dtype], work)
	p.Unit = unit
	p.Formula = fmt.Sprintf("%g multiprocessors × %g lanes × %g × %g MHz", d.Value(facts.Multiprocessors), d.Value(lanes[dtype]), work, d.Value(facts.ClockMHz))
	return p, ok
}

// LocalPeak returns the peak of local memory without bank conflicts; false where it is not known.
func LocalPeak(d *facts.Device) (Peak, bool) {
	p, ok := perClock(d, facts.LocalBytesPerClock, 1)
	p.Unit = "B/s"
	p.Formula = fmt.Sprintf("%g multiprocessors × %g B × %g MHz", d.Value(facts.Multiprocessors), d.Value(facts.LocalBytesPerClock), d.Value(facts.ClockMHz))
	return p, ok
}

// GlobalPeak returns the peak of global memory behind the caches; false where it is not known.
func GlobalPeak(d *facts.Device) (Peak, bool) {
	f, ok := d.Fact(facts.MemoryBandwidth)
	return Peak{Rate: f.Value, Unit: "B/s", Formula: "memory bandwidth", Source: f.Source}, ok
}

// L2Peak returns the peak of the cache that all multiprocessors share; false where it is not known.
func L2Peak(d *facts.Device) (Peak, bool) {
	f, _ := d.Fact(facts.L2BytesPerClock)
	formula := fmt.Sprintf("%g B × %g MHz", f.Value, d.Value(facts.ClockMHz))
	return Peak{Rate: f.Value * d.Value(facts.ClockMHz) * 1e6, Unit: "B/s", Formula: formula, Source: f.Source}, d.Known(facts.L2BytesPerClock, facts.ClockMHz)
}

// perClock is the rate of something that every multiprocessor does in each clock.
func perClock(d *facts.Device, k facts.Key, work float64) (Peak, bool) {
	f, _ := d.Fact(k)
	return Peak{Rate: d.Value(facts.Multiprocessors) * f.Value * work * d.Value(facts.ClockMHz) * 1e6, Source: f.Source},
		d.Known(facts.Multiprocessors, k, facts.ClockMHz)
}
