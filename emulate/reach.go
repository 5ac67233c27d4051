package emulate

import (
	"math"
	"slices"

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
		reach(w.Nodes, nil, func(ev *timing.Event, first, last int64) {
			if ev.Touch.Space == timing.LocalSpace {
				from, to = min(from, first), max(to, last)
			}
		})
		if from < to {
			bytes += to - from
		}
	}
	all := float64(bytes) * float64(min(e.resident*e.busy, e.work.Groups))
	d := e.Device
	return 1 - memory.Fading{All: d.Value(facts.L2PrivateKept), None: d.Value(facts.L2PrivateLost)}.After(all/d.Value(facts.L2Bytes))
}

// reach visits the addresses that lanes access in nodes, within loops of so many iterations: from where to where each goes.
func reach(nodes []timing.Node, trips []int64, visit func(ev *timing.Event, from, to int64)) {
	for i := range nodes {
		if nodes[i].Body != nil {
			reach(nodes[i].Body, append(trips[:len(trips):len(trips)], nodes[i].Times), visit)
		}
		for j := range nodes[i].Events {
			ev := &nodes[i].Events[j]
			if ev.Touch == nil {
				continue
			}
			t := ev.Touch
			for _, at := range t.Lanes {
				from, to := at, at+t.Width
				for level, n := range trips {
					if level < len(t.Steps) {
						from, to = from+min(t.Steps[level].All*(n-1), 0), to+max(t.Steps[level].All*(n-1), 0)
					}
				}
				visit(ev, from, to)
			}
		}
	}
}

// fewSeen is from how many addresses on those that were seen tell in which part of a buffer all lie that go anywhere.
const fewSeen = 64

// reached finds in which part of each array accesses lie that go anywhere: from the first to the last address that the executed blocks access so, and as much more as is likely of
// so many. Allocators give parts of large buffers to many, and an array of which a small part is used stays in the caches.
func (w *walker) reached() {
	type seen struct {
		from, to int64
		n        float64
	}
	all := make([]seen, len(w.launch.Arrays))
	for _, b := range w.executed {
		for _, warp := range b.Warps {
			reach(warp.Nodes, nil, func(ev *timing.Event, from, to int64) {
				array, ok := w.strewn[ev.Op]
				if !ok {
					return
				}
				s := &all[array]
				if s.n++; s.n == 1 {
					s.from, s.to = from, to
				}
				s.from, s.to = min(s.from, from), max(s.to, to)
				if slices.ContainsFunc(ev.Touch.Steps, func(s timing.Step) bool { return s.Each != nil }) {
					s.to = max(s.to, s.from+w.launch.Arrays[array].Bytes)
				}
			})
		}
	}
	for i, s := range all {
		if s.n >= fewSeen {
			w.launch.Arrays[i].Reach = max(int64(float64(s.to-s.from)*(s.n+1)/(s.n-1)), memory.LineBytes)
		}
	}
}

// room is in how many bytes of an array its accesses lie.
func room(a memory.Array) float64 {
	if a.Reach > 0 {
		return float64(min(a.Reach, a.Bytes))
	}
	return float64(a.Bytes)
}
