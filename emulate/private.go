package emulate

import (
	"math"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
)

// private is which part of the memory of work-items themselves DRAM serves, of what the first-level cache lacks. All work-groups that run at once have theirs, and go
// through it again and again; those that follow take the same places. Nothing of it is held twice, as only one multiprocessor has it, so that the second-level cache keeps as
// much of it as its size.
func (e *emulation) private() float64 {
	if len(e.blocks) == 0 {
		return 0
	}
	bytes := int64(0) // of a block
	for _, w := range e.blocks[0].Warps {
		from, to := int64(math.MaxInt64), int64(math.MinInt64)
		reach(w.Nodes, nil, func(first, last int64) { from, to = min(from, first), max(to, last) })
		if from < to {
			bytes += to - from
		}
	}
	all := float64(bytes) * float64(min(e.resident*e.busy, e.work.Groups))
	d := e.Device
	return 1 - memory.Fading{All: d.Value(facts.L2PrivateKept), None: d.Value(facts.L2PrivateLost)}.After(all/d.Value(facts.L2Bytes))
}

// reach visits the accesses of nodes to private memory, within loops of so many iterations: from where to where each goes.
func reach(nodes []timing.Node, trips []int64, visit func(from, to int64)) {
	for i := range nodes {
		if nodes[i].Body != nil {
			reach(nodes[i].Body, append(trips[:len(trips):len(trips)], nodes[i].Times), visit)
		}
		for _, ev := range nodes[i].Events {
			t := ev.Touch
			if t == nil || t.Space != timing.LocalSpace {
				continue
			}
			for _, at := range t.Lanes {
				from, to := at, at+t.Width
				for level, n := range trips {
					if level < len(t.Steps) {
						from, to = from+min(t.Steps[level].All*(n-1), 0), to+max(t.Steps[level].All*(n-1), 0)
					}
				}
				visit(from, to)
			}
		}
	}
}
