package emulate

import (
	"math"
	"slices"

	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
)

// chain is how blocks wait for one another: each for what the one before it stores when its own wait is over.
type chain struct {
	links  int64 // 0 where they do not
	fences int64 // between the end of the wait and the store
	looks  bool  // they store something before they wait, so that those behind them go on looking further back: then they do not wait for one another in a row
	at     int64 // work-groups that are looked at together then
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
			t := ev.Touch
			stores := t != nil && (t.Store || t.Atomic) && t.Space == timing.GlobalSpace && slices.ContainsFunc(t.Lanes, func(a int64) bool { return awaited[a] })
			switch {
			case !waited:
				c.looks = c.looks || stores
			case c.looks && e.builder.Awaits[ev.Op] && t != nil:
				c.at = max(c.at, int64(len(t.Lanes)))
			case e.ops[ev.Op].Action == timing.Fence:
				fences++
			case stores && !c.looks:
				c = chain{links: e.work.Groups - 1, fences: fences}
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

// back is how long work-groups look back for, as often as all that run at once do so together: so many as run at once wait for the last one before them, and each step
// brings them back by as many as they look at together. Of those that begin at the same time the first is done after one step; those that are done after n steps find,
// behind n steps, one that was done after n-1, so that n steps are enough for n (n+1) / 2 of them.
func (e *emulation) back(m *timing.Machine) float64 {
	c := e.chain
	if !c.looks || c.at == 0 {
		return 0
	}
	once := float64(min(e.resident*e.busy, e.work.Groups))
	return float64(e.work.Groups) / once * stepsBack(once, float64(c.at)) * float64(m.Units[timing.L2].Latency) / timing.Cycle
}

// stepsBack is after how many steps the last of some work-groups is done that look at so many before them in each.
func stepsBack(groups, at float64) float64 { return math.Sqrt(2 * groups / at) }
