package machine

import (
	"fmt"
	"slices"

	"gpuperf/device/facts"
)

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

// L2Peak returns the peak of the cache that all multiprocessors share, which all its slices give together; false where it is not known.
func L2Peak(d *facts.Device) (Peak, bool) {
	f, _ := d.Fact(facts.L2SliceBytes)
	slices, clock := d.Value(facts.L2Slices), d.Value(facts.ClockMHz)
	formula := fmt.Sprintf("%g slices × %g B × %g MHz", slices, f.Value, clock)
	return Peak{Rate: slices * f.Value * clock * 1e6, Unit: "B/s", Formula: formula, Source: f.Source}, d.Known(facts.L2SliceBytes, facts.L2Slices, facts.ClockMHz)
}

// perClock is the rate of something that every multiprocessor does in each clock.
func perClock(d *facts.Device, k facts.Key, work float64) (Peak, bool) {
	f, _ := d.Fact(k)
	return Peak{Rate: d.Value(facts.Multiprocessors) * f.Value * work * d.Value(facts.ClockMHz) * 1e6, Source: f.Source},
		d.Known(facts.Multiprocessors, k, facts.ClockMHz)
}
