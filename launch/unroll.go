package launch

import (
	"math"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// accessSize is how many instructions accesses to memory are in compiled code.
func (p *Program) accessSize(list []access) (size int64) {
	for _, a := range list {
		switch p.arrays[a.array].Memory() {
		case kernel.Global:
			size += issued[issueGlobal].size
		case kernel.Local:
			size += issued[issueLocal].size
		}
	}
	return size
}

// unroll decides by the sizes in issued how compiled code runs a loop whose body is so many instructions, 0 where it has a loop that stays one.
func (p *Program) unroll(x *loop, size int64) {
	x.loads, x.waits = !x.straight && p.loadsEach(x, x.body), p.loadsIfData(x.body)
	switch {
	case x.straight || x.rolled || size == 0 || size > p.compiler.Once:
		x.by = 1
	case size <= p.compiler.Twice && x.step == 1 && !x.barrier && !slices.ContainsFunc(x.upper, bound.quotient):
		x.by = p.compiler.By * p.compiler.By
	default:
		x.by = p.compiler.By
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
func (l *loop) turns(n, unrolled int64) (turns int64) {
	for by := max(l.by, 1); by >= 1; by /= unrolled {
		turns += n / by
		n %= by
	}
	return turns
}

// path is what a work-group does one after the other, a mean over the groups.
type path struct {
	rounds  float64 // of loads from global memory that are in flight together: a mean over the sub-groups
	longest float64 // the same of the sub-group with most
	fences  float64 // a mean over the sub-groups
	words   float64 // of 32 bits that a work-item loads from global memory: a mean over the sub-groups
	cycles  float64 // of chains of dependent instructions: the same
}

// most is the number of rounds in the mean, more than loops have where these load more than compilers have in flight: what is loaded is held in registers, of
// which they take no more than leave all work-items resident, as long as they can.
func (e *estimate) most() float64 { return max(e.path.rounds, e.path.words/e.p.compiler.Ahead) }

// loaded notes loads from global memory of so many bytes by a work-item, by the sub-groups of a mask.
func (w *walk) loaded(points int64, mask *laneMask, bytes int64) {
	w.path.words += w.bySubgroup(points, mask) * float64(intmath.CeilDiv(bytes, bankBytes))
}

// bySubgroup is how often a sub-group does, in the mean, what those of a mask do at so many points.
func (w *walk) bySubgroup(points int64, mask *laneMask) float64 {
	size := w.p.opt.SubgroupSize
	groups := float64(max(w.groups[0]*w.groups[1]*w.groups[2], 1))
	return float64(points) / groups * float64(len(mask.warps)) / float64((len(w.lanes)+size-1)/size)
}

// turn notes the iterations of a loop that stays one.
func (w *walk) turn(l *loop, st *state) {
	n := st.n[l.slot]
	if n == 0 {
		return
	}
	turns := l.turns(n, w.p.compiler.By)
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
	w.path.cycles += w.bySubgroup(st.count(), st.mask) * l.chain / float64(max(l.by, 1))
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
	w.path.longest += float64(st.count()) / groups * part
	w.path.rounds += w.bySubgroup(st.count(), st.mask) * part
}

// fence ends what is known of all arrays, as a barrier does, and waits for L2.
func (w *walk) fence(st *state) {
	for i := range w.epochs {
		w.epochs[i]++
	}
	w.path.fences += w.bySubgroup(st.count(), st.mask)
}

// fence reports whether a statement is one, behind which nothing is known of what was loaded.
func (b *builder) fence(s *kernel.Stmt) bool {
	is := b.p.nest.Kernel.IsFence(s)
	if is {
		clear(b.held.at)
	}
	return is
}

// waitForFences: the iterations of a loop that has fences wait one after the other.
func (l *loop) waitForFences() {
	l.fenced = fenced(l.body)
	l.rolled = l.rolled || l.fenced
}

// fenced reports whether a fence is among nodes, or in them.
func fenced(list []node) bool {
	return slices.ContainsFunc(list, func(n node) bool {
		switch x := n.(type) {
		case *exec:
			return x.fence
		case *guard:
			return fenced(x.body)
		case *loop:
			return x.fenced
		}
		return false
	})
}

// opened is a loop in which the builder is.
type opened struct {
	iname  string
	slot   int
	stores []string
}

// arraysOf lists the accessed arrays that are stored to.
func (b *builder) arraysOf(e linear.Effects) (list []int) {
	for _, name := range e.Stores {
		if at, ok := b.arrays[name]; ok {
			list = append(list, at)
		}
	}
	return list
}

// powerTests are the instructions of a power that stay in a loop in which its operands do not change: what finds the special operands, and chooses the result by
// them, in conditions. The arithmetic is before the loop (seen in the time of a loop with a power of float32 as nvcc compiles it for an H200).
const powerTests = 10

// steadyPower is what compiled code has in place of a power that is computed each time.
func (b *builder) steadyPower(x *expr.Op) []instruction {
	mask := b.changing(x)
	return []instruction{{issuePower, -1, nil, everyLoop}, {issuePower, 1, nil, mask}, {issueCondition, powerTests, nil, everyLoop}, {issueCondition, -powerTests, nil, mask}}
}

// changing are the loops in which the value of an expression may change, as a set of bits.
func (b *builder) changing(e expr.Expr) (loops uint32) {
	for _, l := range b.open {
		if expr.Mentions(e, l.iname) || slices.ContainsFunc(l.stores, func(name string) bool { return expr.Mentions(e, name) }) {
			loops |= 1 << (l.slot - axisVars)
		}
	}
	return loops
}
