package emulate

import (
	"math"
	"slices"

	"gpuperf/emulate/timing"
)

// mostEach is by how many cycles an instruction of a sub-group that runs alone is taken to come after the one before, at most, before it is timed.
const mostEach = 16

// tail is how many cycles a multiprocessor needs at least for rounds of blocks, each of which lasts until its longest sub-group has ended: that goes no faster than alone, however few
// instructions the others have. It is timed for so many instructions at most: what it does first need not be like what it does alone. It is 0 where so many cycles are enough in any case.
func (e *emulation) tail(m *timing.Machine, ops []timing.Op, blocks []*timing.Block, rounds, cycles float64, bound int64) float64 {
	sum, most := 0.0, 0.0
	var longest *timing.Trace
	for _, b := range blocks {
		if len(b.Warps) == 0 {
			continue
		}
		w := slices.MaxFunc(b.Warps, func(a, b *timing.Trace) int { return int(a.Count() - b.Count()) })
		n := float64(w.Count())
		if sum += n; n > most {
			longest, most = w, n
		}
	}
	mean := sum / float64(len(blocks))
	if longest == nil || rounds*mean*mostEach < cycles {
		return 0
	}
	r := m.Run(ops, &dealt{blocks: []*timing.Block{{Warps: []*timing.Trace{longest}}}, most: 1}, timing.Options{Resident: 1, Most: bound})
	if r.Stuck || r.Issued == 0 {
		return 0
	}
	each := float64(r.Finished) / timing.Cycle / most
	return math.Ceil(rounds) * mean * each
}
