package launch

import (
	"math"
	"slices"

	"gpuperf/kernel"
)

// What nvcc unrolls (13.0, for sm_90): seen in the code of the kernels of examples/evaluation/choose.yaml. In
// instructions, by their sizes in issued.
const (
	wholly   = 350 // of all iterations of a loop whose number is constant
	twice    = 10  // of a body that is unrolled by 4, and that again, if the counter takes consecutive values and its end is no quotient
	once     = 66  // of a body that is unrolled by 4
	unrollBy = 4
)

// accessSize is how many instructions accesses to memory are in compiled code.
func (p *Program) accessSize(list []access) (size int64) {
	for _, a := range list {
		switch p.arrays[a.array].Space {
		case kernel.Global:
			size += issued[issueGlobal].size
		case kernel.Local:
			size += issued[issueLocal].size
		}
	}
	return size
}

// unroll decides how compiled code runs a loop whose body is so many instructions, 0 where it has a loop that stays one.
func (p *Program) unroll(x *loop, size int64) {
	x.loads, x.waits = !x.straight && p.loadsEach(x, x.body), p.loadsIfData(x.body)
	switch {
	case x.straight || size == 0 || size > once:
		x.by = 1
	case size <= twice && x.step == 1 && !x.barrier && !slices.ContainsFunc(x.upper, bound.quotient):
		x.by = unrollBy * unrollBy
	default:
		x.by = unrollBy
	}
}

// loadsEach reports whether each iteration of a loop loads from global memory, loads in loops in it left out: what does not change is loaded
// before it.
func (p *Program) loadsEach(l *loop, list []node) bool {
	own := func(a access) bool {
		differs := a.loops&(1<<(l.slot-axisVars)) != 0 || p.changes(l, a.array)
		return p.fetches(a) && differs
	}
	return slices.ContainsFunc(list, func(n node) bool {
		switch x := n.(type) {
		case *exec:
			return slices.ContainsFunc(x.accesses, own)
		case *guard:
			return slices.ContainsFunc(x.loads, own) || p.loadsEach(l, x.body)
		case *loop:
			return x.straight && p.loadsEach(l, x.body)
		}
		return false
	})
}

// together is how many iterations of a loop a sub-group runs as one, in compiled code.
func (l *loop) together() int64 {
	if l.straight {
		return math.MaxInt64
	}
	return max(l.by, 1)
}

// quotient reports whether the bound is rounded.
func (b bound) quotient() bool { return b.den > 1 || len(b.num.Floors) > 0 }

// loadsIfData reports whether some loads from global memory are made on conditions that depend on data.
func (p *Program) loadsIfData(list []node) bool {
	return slices.ContainsFunc(list, func(n node) bool {
		g, ok := n.(*guard)
		if !ok || !slices.ContainsFunc(g.conds, func(c cond) bool { return c.x.Data }) {
			return false
		}
		return slices.ContainsFunc(g.body, func(n node) bool {
			x, ok := n.(*exec)
			return ok && slices.ContainsFunc(x.accesses, p.fetches)
		})
	})
}

// turns are how often a loop of n trips comes back to its start.
func (l *loop) turns(n int64) (turns int64) {
	for by := max(l.by, 1); by >= 1; by /= unrollBy {
		turns += n / by
		n %= by
	}
	return turns
}

// path is what a work-group does one after the other, a mean over the groups.
type path struct {
	rounds  float64 // of loads from global memory that are in flight together: a mean over the sub-groups
	longest float64 // the same of the sub-group with most
}

// turn notes the iterations of a loop that stays one.
func (w *walk) turn(l *loop, st *state) {
	n := st.n[l.slot]
	if n == 0 {
		return
	}
	turns := l.turns(n)
	switch done := st.parts[l.slot]; { // some work-items of sub-groups go on that have turned with others
	case done >= uint64(max(l.by, 1)):
		turns = n / max(l.by, 1)
	case done > 0:
		turns = n
	}
	entries := st.bySubgroups(everyLoop) / n
	w.issued[issueTurn] += entries * turns
	if l.trips == 0 && st.parts[l.slot] == 0 {
		w.issued[issueEntry] += entries
	}
	if l.waits {
		turns = n
	}
	if l.loads {
		w.round(st, float64(turns)/float64(n))
	}
}

// round notes a part of the points of a box as rounds.
func (w *walk) round(st *state, part float64) {
	groups := float64(max(w.groups[0]*w.groups[1]*w.groups[2], 1))
	size := w.p.opt.SubgroupSize
	longest := float64(st.points()) / groups * part
	w.path.longest += longest
	w.path.rounds += longest * float64(len(st.mask.warps)) / float64((len(w.lanes)+size-1)/size)
}
