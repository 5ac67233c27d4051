package emulate

import (
	"cmp"
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

// span is where the accesses of blocks lie that go anywhere.
type span struct {
	number   int64 // of the first block
	from, to int64
	n        float64 // accesses
}

func (s *span) join(o span) {
	if s.n == 0 {
		*s = o
		return
	}
	s.from, s.to, s.n = min(s.from, o.from), max(s.to, o.to), s.n+o.n
}

// reached finds in which part of each array accesses lie that go anywhere: from the first to the last address that the executed blocks access so, and as much more as is likely of
// so many. Where each block has a part of its own, further on by as much as its number is greater, it is from the part of the first block to that of the last one. Allocators give
// parts of large buffers to many, and an array of which a small part is used stays in the caches.
func (w *walker) reached() {
	of := make([][]span, len(w.launch.Arrays)) // by block
	for at, b := range w.executed {
		number := int64(at[0]) + w.grid[0]*(int64(at[1])+w.grid[1]*int64(at[2]))
		for i, s := range w.spans(b) {
			if s.number = number; s.n > 0 {
				of[i] = append(of[i], s)
			}
		}
	}
	for i, list := range of {
		var all span
		for _, s := range list {
			all.join(s)
		}
		if all.n >= fewSeen {
			likely := int64(float64(all.to-all.from) * (all.n + 1) / (all.n - 1))
			w.launch.Arrays[i].Reach = max(likely, inTurn(list, w.work.Groups), memory.LineBytes)
		}
	}
}

// spans are where the accesses of a block lie that go anywhere, by array.
func (w *walker) spans(b *timing.Block) []span {
	all := make([]span, len(w.launch.Arrays))
	for _, warp := range b.Warps {
		reach(warp.Nodes, nil, func(ev *timing.Event, from, to int64) {
			array, ok := w.strewn[ev.Op]
			if !ok {
				return
			}
			s := &all[array]
			s.join(span{from: from, to: to, n: 1})
			if slices.ContainsFunc(ev.Touch.Steps, func(s timing.Step) bool { return s.Each != nil }) {
				s.to = max(s.to, s.from+w.launch.Arrays[array].Bytes)
			}
		})
	}
	return all
}

// inTurn is how many bytes all blocks access, if each of those that are known begins behind the one before; 0 if not.
func inTurn(list []span, groups int64) int64 {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.number, b.number) })
	width := int64(0)
	for i, s := range list {
		if width = max(width, s.to-s.from); i > 0 && s.from < list[i-1].to {
			return 0
		}
	}
	first, last := list[0], list[len(list)-1]
	if first.number == last.number {
		return 0
	}
	return int64(float64(last.from-first.from)/float64(last.number-first.number)*float64(groups-1)) + width
}

// room is in how many bytes of an array its accesses lie.
func room(a memory.Array) float64 {
	if a.Reach > 0 {
		return float64(min(a.Reach, a.Bytes))
	}
	return float64(a.Bytes)
}
