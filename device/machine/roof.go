package machine

import (
	"cmp"
	"slices"

	"gpuperf/device/facts"
)

// The resources beside arithmetic, which is named by its data type.
const (
	GlobalMemory = "global memory"
	SharedCache  = "L2"
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
	peak, known = L2Peak(d)
	add(SharedCache, w.L2Bytes, "B", peak, known)
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
