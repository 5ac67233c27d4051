package emulate

import (
	"cmp"
	"slices"

	"gpuperf/emulate/timing"
)

// Line is what becomes of the instructions of a line of the source, or of a block of code of which no line is known.
type Line struct {
	Place        string  // "file:line", or the address of a block
	Part         float64 // of the warps' time
	Instructions float64 // that sub-groups of the launch execute
	Reason       timing.Reason
}

// lines adds up instructions by the lines that they are of, those that warps wait for most first.
func (r *Result) lines(t timed) (list []Line) {
	index := map[string]int{}
	var waited [][timing.Reasons]int64
	all := int64(0)
	for i := range r.function.Instructions {
		if t.Ops[i].Issued == 0 {
			continue
		}
		place := r.place(i)
		if place == "" {
			place = r.address(r.blockOf(i))
		}
		at, ok := index[place]
		if !ok {
			at = len(list)
			index[place] = at
			list, waited = append(list, Line{Place: place}), append(waited, [timing.Reasons]int64{})
		}
		sum := t.Ops[i].Issued * timing.Cycle
		for reason, n := range t.Ops[i].Waited {
			waited[at][reason] += n
			sum += n
		}
		all += sum
		list[at].Part += float64(sum)
		list[at].Instructions += float64(t.Ops[i].Issued) * r.Effort.Scale
	}
	for i := range list {
		list[i].Part /= float64(max(all, 1))
		for reason, n := range waited[i] {
			if n > waited[i][list[i].Reason] {
				list[i].Reason = timing.Reason(reason)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Line) int { return cmp.Compare(b.Part, a.Part) })
	return list
}

// blockOf is the first instruction of the block that an instruction is in.
func (r *Result) blockOf(i int) int {
	for _, b := range r.function.Blocks {
		if i >= b.From && i < b.To {
			return b.From
		}
	}
	return i
}

// stalls are the parts of the warps' time in which they wait, by the reason. What remains they issue.
func stalls(t timed) (parts [timing.Reasons]float64) {
	all := int64(0)
	for i := range t.Ops {
		all += t.Ops[i].Issued * timing.Cycle
		for reason, n := range t.Ops[i].Waited {
			parts[reason] += float64(n)
			all += n
		}
	}
	for i := range parts {
		parts[i] /= float64(max(all, 1))
	}
	return parts
}
