package emulate

import (
	"slices"

	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
)

// chain is how blocks wait for one another: each for what the one before it stores when its own wait is over.
type chain struct {
	links  int64 // 0 where they do not
	fences int64 // between the end of the wait and the store
}

// chained looks for a chain in a block in the middle and the one before it.
func (e *emulation) chained() (c chain) {
	n := e.work.Groups / 2
	if len(e.builder.Awaits) == 0 || n == 0 || e.cluster(0)*e.cluster(1)*e.cluster(2) > 1 {
		return c
	}
	awaited := map[int64]bool{}
	for _, w := range e.block(e.index(n)).Warps {
		trace.Each(w.Nodes, func(ev *timing.Event) {
			if e.builder.Awaits[ev.Op] && ev.Touch != nil {
				for _, a := range ev.Touch.Lanes {
					awaited[a] = true
				}
			}
		})
	}
	before := e.block(e.index(n - 1))
	for _, w := range before.Warps {
		same := false
		trace.Each(w.Nodes, func(ev *timing.Event) {
			same = same || e.builder.Awaits[ev.Op] && ev.Touch != nil && slices.ContainsFunc(ev.Touch.Lanes, func(a int64) bool { return awaited[a] })
		})
		if same { // a lock, or all wait for each other
			return c
		}
	}
	for _, w := range before.Warps {
		waited, fences := false, int64(0)
		trace.Each(w.Nodes, func(ev *timing.Event) {
			waited = waited || e.builder.Awaits[ev.Op]
			switch t := ev.Touch; {
			case !waited:
			case e.ops[ev.Op].Action == timing.Fence:
				fences++
			case t != nil && (t.Store || t.Atomic) && t.Space == timing.GlobalSpace && slices.ContainsFunc(t.Lanes, func(a int64) bool { return awaited[a] }):
				c = chain{e.work.Groups - 1, fences}
			}
		})
	}
	return c
}

// cycles is how long a chain takes at least: what a block stores is on its way to the second-level cache, and from there to the next one, which asks for it
// again and again. A fence between takes as long again (testdata/h200/measurement/pieces.csv.gz, chain: 0.28 µs for each block, 0.57 µs with a fence).
func (c chain) cycles(m *timing.Machine) float64 {
	link := 2 * m.Units[timing.L2].Latency
	return float64(c.links*link*(1+c.fences)) / timing.Cycle
}
