package launch

import (
	"math"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/kernel/linear"
)

// constants adds a load from constant memory. An address that all work-items of a sub-group ask for is an operand of the instruction that uses it; different
// ones are served one after the other (CUDA C++ Programming Guide 12, 8.3.2; the facts of the device say how fast). It is not ok where the box must be
// divided.
func (w *walk) constants(a *access, st *state) bool {
	array := &w.p.arrays[a.array]
	subgroups := st.count() * int64(len(st.mask.warps))
	all, several := subgroups, int64(0) // addresses, and those of sub-groups that ask for several
	var addr *form
	var lanes []int64
	if slices.ContainsFunc(a.index, func(x *linear.Index) bool { return x.Data }) {
		all = w.anywhere(a.array, array.bytes*a.lanes, st.count()*int64(len(st.mask.lanes)), subgroups)
		several = all
		w.sum[gathers] += st.count() * int64(len(st.mask.lanes))
	} else {
		var ok bool
		if addr, lanes, ok = w.addresses(a, st); !ok {
			return false
		}
		each, apart := w.different(st.mask, addr, lanes)
		all, several = st.count()*each, st.count()*apart
	}
	if several > 0 {
		w.issued[issueLocal] += subgroups
	}
	observe(w, a, st, unitCount{cycles: all}, addr, lanes)
	w.sum[constantWarps] += subgroups
	w.sum[constantAddresses] += all
	w.sum[constantCycles] += w.constantTime(a.array, several)
	return true
}

// different counts the different addresses that the sub-groups of a mask ask for, and those of sub-groups that ask for several.
func (w *walk) different(mask *laneMask, addr *form, lanes []int64) (all, several int64) {
	from := 0
	for _, warp := range mask.warps {
		at := make([]int64, 0, warp.lanes)
		for i := from; i < from+warp.lanes; i++ {
			if lanes != nil {
				at = append(at, lanes[i])
			} else {
				folded := w.fold(addr, mask.lanes[i])
				at = append(at, folded.c)
			}
		}
		from += warp.lanes
		slices.Sort(at)
		n := int64(len(slices.Compact(at)))
		if all += n; n > 1 {
			several += n
		}
	}
	return all, several
}

// constantTime is how many cycles a multiprocessor takes for so many addresses of different constants of an array, the more of which its cache lacks
// the larger the array is.
func (w *walk) constantTime(array int, addresses int64) int64 {
	d := w.p.opt.Device
	gap, cache, far := 1.0, 0.0, 0.0
	if d.Known(facts.ConstantGap) {
		gap = d.Value(facts.ConstantGap)
	}
	if d.Known(facts.ConstantBytes, facts.ConstantScattered) {
		cache, far = d.Value(facts.ConstantBytes), d.Value(facts.ConstantScattered)
	}
	lacks := max(0, 1-cache/float64(max(w.extents[array], 1)))
	return int64(math.Round(float64(addresses) * (gap + lacks*far)))
}
