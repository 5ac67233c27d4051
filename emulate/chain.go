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

	link    *timing.Block  // one that waits
	awaits  map[int32]bool // its instructions that load what it waits for
	release int32          // that stores what the next one waits for
}

// chained looks for a chain in a block in the middle and those before it: by its number, or along an axis of the grid, as where blocks share the work on a result.
func (e *emulation) chained() (c chain) {
	n := e.work.Groups / 2
	if len(e.builder.Awaits) == 0 || n == 0 || e.cluster(0)*e.cluster(1)*e.cluster(2) > 1 {
		return c
	}
	at := e.index(n)
	awaits := e.builder.Awaits
	awaited := awaitedBy(e.block(at), awaits)
	if c = chainTo(e.block(e.index(n-1)), awaited, awaits, e.ops); c.links > 0 {
		c.links = e.work.Groups - 1
	}
	for d := range at {
		if before := at; at[d] > 0 && c.links == 0 && !c.looks {
			before[d]--
			if c = chainTo(e.block(before), awaited, awaits, e.ops); c.links > 0 {
				c.links = e.grid[d] - 1
			}
		}
	}
	return c
}

// awaitedBy are the places at which a block waits for what others store, by instructions that do.
func awaitedBy(b *timing.Block, awaits map[int32]bool) map[int64]bool {
	awaited := map[int64]bool{}
	for _, w := range b.Warps {
		trace.Each(w.Nodes, func(ev *timing.Event) {
			if awaits[ev.Op] && ev.Touch != nil {
				for _, a := range ev.Touch.Lanes {
					awaited[a] = true
				}
			}
		})
	}
	return awaited
}

// chainTo looks whether a block that waits stores what is awaited by the one behind it. Where both wait at one place, that has come to be the turn of one after the other.
func chainTo(before *timing.Block, awaited map[int64]bool, awaits map[int32]bool, ops []timing.Op) (c chain) {
	there := func(t *timing.Touched) bool {
		return t != nil && t.Space == timing.GlobalSpace && slices.ContainsFunc(t.Lanes, func(a int64) bool { return awaited[a] })
	}
	same, atomic, earlier := false, false, false
	for _, w := range before.Warps {
		waited, fences := false, int64(0)
		trace.Each(w.Nodes, func(ev *timing.Event) {
			t, waits := ev.Touch, awaits[ev.Op]
			waited, same, atomic = waited || waits, same || waits && there(t), atomic || waits && there(t) && t.Atomic
			stores := !waits && there(t) && (t.Store || t.Atomic)
			switch {
			case !waited:
				earlier = earlier || stores
			case earlier && waits && t != nil:
				c.at = max(c.at, int64(len(t.Lanes)))
			case ops[ev.Op].Action == timing.Fence:
				fences++
			case stores && !earlier && c.links == 0:
				c = chain{links: 1, fences: fences, link: before, awaits: awaits, release: ev.Op}
			}
		})
	}
	switch {
	case same && (earlier || atomic): // all wait for each other, or a lock
		return chain{}
	case earlier:
		c.looks = true
	}
	return c
}

// last is how many cycles a block takes alone from when it last asks whether its wait is over until it lets the next one go on.
func (c *chain) last(m *timing.Machine, ops []timing.Op) float64 {
	const most = mostTimed
	if c.link == nil {
		return 0
	}
	asked, released := int64(0), int64(0)
	m.Run(ops, &dealt{blocks: []*timing.Block{c.link}, most: 1}, timing.Options{Resident: 1, NoSkip: true, Most: most, Observe: func(i timing.Issue) bool {
		if c.awaits[i.Op] && !i.Off {
			asked = i.At
		} else if i.Op == c.release && !i.Off {
			released = i.At
		}
		return released <= asked
	}})
	return float64(max(released-asked, 0)) / timing.Cycle
}

// cycles is how long a chain takes at least: what a block stores is on its way to the second-level cache, and from there to the next one, which asks for it
// again and again. A fence between takes as long again (testdata/h200/measurement/pieces.csv.gz, chain: 0.28 µs for each block, 0.57 µs with a fence).
// Where it does more between, as to add to what the one before it has stored, a link takes as long as that, and the way to the second-level cache.
func (c chain) cycles(m *timing.Machine, ops []timing.Op) float64 {
	if c.links == 0 {
		return 0
	}
	way := float64(m.Units[timing.L2].Latency) / timing.Cycle
	return float64(c.links) * max(2*way*float64(1+c.fences), c.last(m, ops)+way)
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
