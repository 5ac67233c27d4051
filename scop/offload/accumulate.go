package offload

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/chain"
	"gpuperf/scop/schedule"
)

// reductions makes reductions of sequential loops that only accumulate: of a statement x = x + e whose x is one element for all iterations, which nothing else
// in the loops has to do with, and whose e reads nothing that another iteration stores. The order of its terms is not kept.
func reductions(k *kernel.Kernel, parallel []string) *kernel.Kernel {
	out := k.Clone()
	out.MapStmts(func(s *kernel.Stmt) {
		a := chain.Reduction(s)
		if a == nil {
			return
		}
		if a.Term = a.Converted(k, s); a.Term == nil {
			return
		}
		var over []string
		for _, n := range s.Inames {
			if !slices.Contains(parallel, n) && !usedElsewhere(k, s, n) && !carries(k, s, a.Term, parallel, n) {
				over = append(over, n)
			}
		}
		if len(over) == 0 {
			return
		}
		left := nameset.Remove(s.Inames, over...)
		guard, err := termless(k, s, left, parallel)
		if err != nil {
			return
		}
		s.Inames, s.Predicates = left, append(s.Predicates, guard...)
		var factor expr.Expr
		if a.Kind == "sum" {
			factor, a.Term = factored(k, a.Term, over)
		}
		s.RHS = a.With(times(factor, &expr.Reduce{Kind: a.Kind, Inames: over, Body: a.Term}))
	})
	return out
}

// termless are the conditions for a point of the loops that are left of a statement to have terms. There are none where all have, and where a point without may add nothing to its
// element: it is there, and no other iteration of parallel loops has it.
func termless(k *kernel.Kernel, s *kernel.Stmt, left, parallel []string) (_ []expr.Expr, err error) {
	defer throw.Catch(&err)
	points := throw.Get(k.DomainOf(left))
	whole := throw.Get(k.DomainOf(s.Inames))
	with := throw.Get(whole.Project(left...))
	if all, err := points.IsSubset(with); all || err != nil {
		return nil, err
	}
	if alone, err := owns(k, s, left, parallel); alone || err != nil {
		return nil, err
	}
	with = throw.Get(with.Gist(points))
	return cexpr.Predicates(with), nil
}

// owns reports that at each point of loops there is an element for a statement to store, which it stores in no other iteration of the parallel ones.
func owns(k *kernel.Kernel, s *kernel.Stmt, loops, parallel []string) (_ bool, err error) {
	defer throw.Catch(&err)
	pairs, other := throw.Get2(twice(k, &kernel.Stmt{Inames: loops}))
	to := k.Writes(s)[0]
	if k.SpaceOf(to.Array) == kernel.Private && len(to.Index) == 0 { // that of a work-item
		return true, nil
	}
	for d, index := range to.Index {
		x, err := k.AffineOf(index)
		if err != nil {
			return false, nil
		}
		size, err := k.AffineOf(k.Array(to.Array).Shape[d])
		if err != nil {
			return false, nil
		}
		for _, within := range []polycount.Affine{x, size.Sub(x).AddInt(-1)} {
			if in, err := pairs.Implies(polycount.GE(within, polycount.Int(0))); err != nil || !in {
				return false, err
			}
		}
		pairs = throw.Get(pairs.Constrain(polycount.EQ(x, x.Subst(other))))
	}
	for _, n := range nameset.Intersect(loops, parallel) {
		if same, err := pairs.Implies(polycount.EQ(polycount.Name(n), other[n])); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// carries reports that the term may read in one iteration of a loop what the statement stores in another: a reduction over the loop reads all terms before it stores.
// What the sequential loops around that one carry may be, since they keep their order. Parallel loops keep none.
func carries(k *kernel.Kernel, s *kernel.Stmt, term expr.Expr, parallel []string, loop string) bool {
	to := k.Writes(s)[0]
	reads := slices.DeleteFunc(k.Reads(&kernel.Stmt{RHS: term}), func(a *expr.Access) bool { return a.Array != to.Array })
	if len(reads) == 0 {
		return false
	}
	pairs, other, err := twice(k, s)
	if err != nil {
		return true
	}
	var around []polycount.Constraint // the two points are in one iteration of the loops around
	for _, n := range k.Inames() {
		if n == loop {
			break
		}
		if slices.Contains(s.Inames, n) && !slices.Contains(parallel, n) {
			around = append(around, polycount.EQ(polycount.Name(n), other[n]))
		}
	}
	return slices.ContainsFunc(reads, func(a *expr.Access) bool {
		same := slices.Clone(around)
		for d, index := range a.Index {
			x, err := k.AffineOf(index)
			if err != nil {
				return true
			}
			y, err := k.AffineOf(to.Index[d])
			if err != nil {
				return true
			}
			same = append(same, polycount.EQ(x, y.Subst(other)))
		}
		for _, apart := range []polycount.Affine{polycount.Name(loop).Sub(other[loop]), other[loop].Sub(polycount.Name(loop))} {
			both, err := pairs.Constrain(append(slices.Clip(same), polycount.GE(apart, polycount.Int(1)))...)
			if err != nil {
				return true
			}
			if empty, err := both.IsEmpty(); err != nil || !empty {
				return true
			}
		}
		return false
	})
}

// twice are the pairs of points of a statement's loops, and what stands for each loop at the second.
func twice(k *kernel.Kernel, s *kernel.Stmt) (pairs *polycount.Set, other map[string]polycount.Affine, err error) {
	domain, err := k.DomainOf(s.Inames)
	if err != nil {
		return nil, nil, err
	}
	second := domain
	other = map[string]polycount.Affine{}
	for _, n := range s.Inames {
		if second, err = second.Rename(n, n+"'"); err != nil {
			return nil, nil, err
		}
		other[n] = polycount.Name(n + "'")
	}
	pairs, err = domain.Product(second)
	return pairs, other, err
}

// usedElsewhere reports that an iname is not only around the term of a statement: it is in its target or its predicates, or around statements that share
// memory with it.
func usedElsewhere(k *kernel.Kernel, s *kernel.Stmt, iname string) bool {
	if expr.Mentions(s.LHS, iname) || slices.ContainsFunc(s.Predicates, func(p expr.Expr) bool { return expr.Mentions(p, iname) }) {
		return true
	}
	return slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool {
		return o.ID != s.ID && slices.Contains(o.AllInames(), iname) && (k.ReadsFrom(o, s.Target()) || k.ReadsFrom(s, o.Target()) || o.Target() == s.Target())
	})
}

// Chain tells of a loop whose iterations follow each other and can be put together from parts (chain.go).
type Chain struct {
	Terms int64 // iterations; 0 where there is no such loop
	Each  int64 // terms of an iteration
	Sums  bool  // work-items share what a part adds up
	Scan  bool  // the values in between are needed
	// Of values that are fractions of the values before them: the loads of an iteration, and how many additions as long one waits for the one before.
	Divides bool
	Loads   int
	Waits   float64
}

// chained makes the launches of a launch that has a long chain in it, whose iterations follow each other; nil where there is none.
func (c *compiler) chained(x *schedule.Launch, host []level) ([]Step, error) {
	if b, ok := x.Body.(*schedule.Band); x.Host != nil || x.Tiled != nil || ok && b.Loops[0].Parallel {
		return nil, nil
	}
	parts, some := inParts(x.Body), false
	chunks := make([]int64, len(parts))
	for i, part := range parts {
		ch, like, err := c.chainIn(part, host)
		if ch == nil || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		m := c.ask(c.formOf(ch, like, c.fresh(c.nest.Name+"_chain")), schedule.Statements(part))
		chunks[i], some = m.Chunk, some || m.Chunk > 0
	}
	if !some {
		return nil, nil
	}
	return c.apart(parts, chunks, host)
}

// apart makes launches of parts: those with chunks are chains.
func (c *compiler) apart(parts []schedule.Node, chunks []int64, host []level) (steps []Step, err error) {
	var nodes []schedule.Node
	var of []int64
	for i, part := range parts { // others that follow each other stay together
		if last := len(nodes) - 1; last >= 0 && of[last] == 0 && chunks[i] == 0 {
			nodes[last] = &schedule.Sequence{Parts: append(slices.Clone(inParts(nodes[last])), part)}
			continue
		}
		nodes, of = append(nodes, part), append(of, chunks[i])
	}
	seen := map[*scop.Array]int{}
	for i, node := range nodes {
		for _, s := range schedule.Statements(node) {
			for _, a := range s.Accesses {
				if seen[a.Array] > 0 && seen[a.Array] != i+1 {
					c.launches[a.Array]++
				}
				seen[a.Array] = i + 1
			}
		}
	}
	for i, node := range nodes {
		var more []Step
		if of[i] == 0 {
			more, err = c.launch(&schedule.Launch{Body: node}, host)
		} else {
			more, err = c.scanOf(node, of[i], host)
		}
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// chainIn is the chain of a part, with a nest that has its arrays and parameters; nil where it is none.
func (c *compiler) chainIn(part schedule.Node, host []level) (_ *chain.Recurrence, _ *scop.Nest, err error) {
	defer throw.Catch(&err)
	band, ok := part.(*schedule.Band)
	if !ok || band.Loops[0].Parallel {
		return nil, nil, nil
	}
	alone := len(band.Loops) == 1 && flat(band)
	if !alone && len(schedule.Statements(part)) > 1 {
		return nil, nil, nil
	}
	n, _ := throw.Get2(c.nestOf(&schedule.Launch{Body: part}, host, nil, values, c.nest.Name))
	k := throw.Get(n.Kernel())
	if len(k.Statements) == 0 {
		return nil, nil, nil
	}
	var ch *chain.Recurrence
	if alone {
		ch = chain.Of(k, func(array string) bool { return idle(c.nest, array, schedule.Statements(part)) })
	} else {
		ch = chain.Nested(k, n)
	}
	if ch == nil || slices.ContainsFunc(host, func(h level) bool { return ch.Has(h.name) }) {
		return nil, nil, nil // arrays of theirs cannot be as long as that
	}
	return ch, n, nil
}

// idle reports that no other statements use an array.
func idle(n *scop.Nest, array string, list []*scop.Statement) bool {
	for _, s := range n.Statements {
		for _, a := range s.Accesses {
			if a.Array.Name == array && (!a.Array.Local || !slices.Contains(list, s)) {
				return false
			}
		}
	}
	return true
}

// formOf is the form of a chain.
func (c *compiler) formOf(ch *chain.Recurrence, like *scop.Nest, name string) Form {
	f := Form{Kernel: name, Chain: Chain{Each: 1, Terms: c.extent(ch.Values(), ch.Loop), Sums: ch.Sums(), Scan: ch.Scans()}}
	for _, l := range ch.Inside() {
		f.Chain.Each *= c.extent(l.Bounds, l.Name)
	}
	for _, a := range like.Arrays {
		f.Bytes = max(f.Bytes, a.DType.Size())
	}
	if f.Chain.Divides = ch.Divides(); f.Chain.Divides {
		f.Chain.Loads, f.Chain.Waits = ch.Loads(), ch.Waits(c.on().Function)
	}
	return f
}

// scanOf makes the launches of a part that is a chain.
func (c *compiler) scanOf(part schedule.Node, chunk int64, host []level) (_ []Step, err error) {
	defer throw.Catch(&err)
	where := throw.Get(values(schedule.Statements(part), host))
	ch, like := throw.Get2(c.chainIn(part, host))
	c.parts = schedule.Statements(part)
	defer func() { c.parts = nil }()
	kernels := throw.Get(c.inChunks(ch, like, chunk))
	var steps []Step
	for _, k := range kernels {
		steps = append(steps, &Launch{k, where})
	}
	return steps, nil
}

// inChunks are the kernels of a chain.
func (c *compiler) inChunks(ch *chain.Recurrence, like *scop.Nest, chunk int64) (_ []*kernel.Kernel, err error) {
	defer throw.Catch(&err)
	s := chain.InChunks(ch, like, chunk, c.fresh)
	c.nest.Arrays = append(c.nest.Arrays, s.Arrays...)
	first := throw.Get(c.madeOf(s.Together(c.next()), s.Each))
	if ch.Divides() {
		between := throw.Get(c.madeOf(s.Between(c.next())))
		last, err := c.madeOf(s.Within(c.next()), s.Each)
		return []*kernel.Kernel{first, between, last}, err
	}
	var more []*kernel.Kernel
	rest := s.Rest()
	if m := c.ask(c.formOf(rest, s.Like, c.fresh(c.nest.Name+"_chain")), nil); m.Chunk > 0 {
		more, err = c.inChunks(rest, s.Like, m.Chunk)
	} else {
		var k *kernel.Kernel
		k, err = c.madeOf(chain.Whole(rest, s.Like, c.next(), c.fresh))
		more = []*kernel.Kernel{k}
	}
	if err != nil {
		return nil, err
	}
	list := append([]*kernel.Kernel{first}, more...)
	if !ch.Scans() {
		return list, nil
	}
	last, err := c.madeOf(s.Within(c.next()), s.Each)
	return append(list, last), err
}

// next is a name of a kernel. Those that add up parts are not counted: the others have their names whether there are such or not.
func (c *compiler) next() string {
	n := 0
	for _, k := range c.program.Kernels {
		if !strings.HasSuffix(k.Name, adds) {
			n++
		}
	}
	return c.fresh(fmt.Sprintf("%s_%d", c.nest.Name, n))
}

// madeOf makes the kernel of a nest with parallel loops.
func (c *compiler) madeOf(n *scop.Nest, parallel ...string) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	n.Params = slices.DeleteFunc(slices.Clone(n.Params), func(p string) bool { return !mentions(n, p) })
	k := throw.Get(n.Kernel())
	for _, s := range k.Statements { // what a whole loop keeps is asked before the loop
		if x, ok := s.RHS.(*expr.Cond); ok && s.Guarded && x.Else.String() == s.LHS.String() {
			s.RHS, s.Predicates, s.Guarded = x.Then, append(s.Predicates, x.If), false
		}
	}
	k = throw.Get(c.mapped(k, n, parallel, false))[0]
	if k, err = c.onGrid(k); err == nil {
		c.program.Kernels = append(c.program.Kernels, k)
	}
	return k, err
}
