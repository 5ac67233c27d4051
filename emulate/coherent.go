package emulate

import (
	"slices"

	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
)

// judgeCoherent looks for loads past the first-level cache of what the same work-group has stored past it, as with volatile variables: such a load waits for the store, and
// no recording says for how long. On an H200 60 turns of four of each took twice the time that the ways to L2 and back add up to.
func (e *emulation) judgeCoherent(j *judgement) {
	loads := map[int32]bool{}
	for _, b := range e.executed {
		stored := map[int64]bool{}
		each := func(do func(ev *timing.Event, t *timing.Touched)) {
			for _, w := range b.Warps {
				trace.Each(w.Nodes, func(ev *timing.Event) {
					if t := ev.Touch; t != nil && t.Past && !t.Copy && t.Space == timing.GlobalSpace {
						do(ev, t)
					}
				})
			}
		}
		each(func(_ *timing.Event, t *timing.Touched) {
			for _, at := range t.Lanes {
				stored[at] = stored[at] || t.Store
			}
		})
		each(func(ev *timing.Event, t *timing.Touched) {
			if !t.Store && !e.builder.Awaits[ev.Op] && slices.ContainsFunc(t.Lanes, func(at int64) bool { return stored[at] }) {
				loads[ev.Op] = true
			}
		})
	}
	for op := range loads {
		j.add(Supposed, int(op), "it loads past the first-level cache what the work-group itself has stored past it: how long that waits is not known")
	}
}
