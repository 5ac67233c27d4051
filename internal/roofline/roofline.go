// Package roofline gives the least time that a device's rates allow some work, and the resource that sets it.
//
// Arithmetic, Local and Global are the peak rates of a device, from its facts (peaks.go). Of holds Work against them: each resource
// works at its peak and beside the others, as in Williams, Waterman and Patterson, "Roofline", 2009. What the device does not know
// a rate of takes no time.
package roofline

import (
	"cmp"
	"slices"

	"gpuperf/device/facts"
)

// Work is what kernels do.
type Work struct {
	GlobalBytes float64 // to and from global memory
	LocalBytes  float64 // to and from local memory
	Operations  []Operations
	Groups      float64 // work-groups that are started
	Launches    float64 // kernels, one after the other
}

// Operations are additions, multiplications and multiply-adds of a data type, each one.
type Operations struct {
	DType string
	Count float64
}

// Add adds operations of a data type.
func (w *Work) Add(dtype string, count float64) {
	i := slices.IndexFunc(w.Operations, func(o Operations) bool { return o.DType == dtype })
	if i < 0 {
		i, w.Operations = len(w.Operations), append(w.Operations, Operations{DType: dtype})
	}
	w.Operations[i].Count += count
}

// amount is the sum of all bytes and operations.
func (w Work) amount() float64 {
	sum := w.GlobalBytes + w.LocalBytes
	for _, o := range w.Operations {
		sum += o.Count
	}
	return sum
}

// Share is the least time of a part of some work over that of all of it; of a device without known peaks, the share of the bytes and
// operations. It is 0 where there is no such work.
func Share(d *facts.Device, part, all Work) float64 {
	of, total := Of(d, part).Seconds, Of(d, all).Seconds
	if total == 0 {
		of, total = part.amount(), all.amount()
	}
	if total == 0 {
		return 0
	}
	return of / total
}

// The resources beside arithmetic, which is named by its data type.
const (
	GlobalMemory = "global memory"
	LocalMemory  = "local memory"
	GroupStarts  = "starts of work-groups"
	Launching    = "launches"
)

// ArithmeticOf is the resource that operations of a data type use.
func ArithmeticOf(dtype string) string { return dtype + " arithmetic" }

// Use is what some work needs of a resource.
type Use struct {
	Resource string
	Amount   float64
	Unit     string // "B", "op" or "groups"
	Peak     Peak
	Seconds  float64 // of the amount at the peak
}

// Bound is the least time that some work takes.
type Bound struct {
	Seconds   float64
	Launching float64 // of these, the seconds that launches take
	Uses      []Use   // of the resources whose peaks are known, the one that takes the longest first
}

// Of returns the bound of work on a device.
func Of(d *facts.Device, w Work) Bound {
	b := uses(d, nil, w)
	b.Launching = w.Launches * d.Value(facts.LaunchSeconds)
	b.Seconds = b.Launching
	if len(b.Uses) > 0 {
		b.Seconds += b.Uses[0].Seconds
	}
	return b
}

// Least is the bound of work that nothing can do without, launches among its uses, where nothing waits for anything else: the time of the use that
// takes the longest. Rates that were measured, by resource, go before peaks. Without uses no rate is known.
func Least(d *facts.Device, measured map[string]Peak, w Work) Bound {
	b := uses(d, measured, w)
	if p, ok := measured[Launching]; ok && w.Launches > 0 {
		b.Uses = append(b.Uses, Use{Launching, w.Launches, "launches", p, w.Launches / p.Rate})
	}
	slices.SortStableFunc(b.Uses, func(a, b Use) int { return cmp.Compare(b.Seconds, a.Seconds) })
	if len(b.Uses) > 0 {
		b.Seconds = b.Uses[0].Seconds
	}
	return b
}

// uses lists what work needs of the resources with a known rate, the one that takes the longest first.
func uses(d *facts.Device, measured map[string]Peak, w Work) (b Bound) {
	add := func(resource string, amount float64, unit string, peak Peak, known bool) {
		if p, ok := measured[resource]; ok {
			peak, known = p, true
		}
		if known && amount > 0 {
			b.Uses = append(b.Uses, Use{resource, amount, unit, peak, amount / peak.Rate})
		}
	}
	peak, known := Global(d)
	add(GlobalMemory, w.GlobalBytes, "B", peak, known)
	peak, known = Local(d)
	add(LocalMemory, w.LocalBytes, "B", peak, known)
	for _, o := range w.Operations {
		peak, known = Arithmetic(d, o.DType, "madd", "op/s")
		add(ArithmeticOf(o.DType), o.Count, "op", peak, known)
	}
	start, known := d.Fact(facts.GroupSeconds)
	add(GroupStarts, w.Groups, "groups", Peak{Rate: 1 / start.Value, Unit: "groups/s", Source: start.Source}, known)
	slices.SortStableFunc(b.Uses, func(a, b Use) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return b
}

// Time is the time that some of the resources take, by their names, one after the other.
func (b Bound) Time(resources ...string) float64 {
	sum := 0.0
	for _, u := range b.Uses {
		if slices.Contains(resources, u.Resource) {
			sum += u.Seconds
		}
	}
	return sum
}
