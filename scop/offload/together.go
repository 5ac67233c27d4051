package offload

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/scop/sweep"
)

// joinedLoops makes one loop of two that follow each other inside the parallel ones, with the same iterations, where no iteration of the second needs what a later one of the first stores, or
// stores what that reads: what the first hands over is in a register then, and what each waits for passes at the same time.
func joinedLoops(k *kernel.Kernel, parallel []string) *kernel.Kernel {
	for first := 0; first < len(k.Statements); {
		loop, end := loopAt(k, first, parallel)
		other, last := loopAt(k, end, parallel)
		if loop == "" || other == "" || loop == other {
			first = max(end, first+1)
			continue
		}
		p := pair{k: k, loop: loop, other: other, first: k.Statements[first:end], second: k.Statements[end:last]}
		ok := p.fits()
		if !ok {
			first = end
			continue
		}
		k = p.joined()
	}
	return k
}

// loopAt is the innermost loop that is not parallel of a statement, and the end of the statements that are in it and in the same loops; "" where it is in none.
func loopAt(k *kernel.Kernel, at int, parallel []string) (loop string, end int) {
	if at >= len(k.Statements) {
		return "", at
	}
	s := k.Statements[at]
	loop = sweep.Innermost(k, s, parallel)
	for end = at; end < len(k.Statements) && slices.Equal(k.Statements[end].Inames, s.Inames); end++ {
	}
	return loop, end
}

// pair are two loops that follow each other.
type pair struct {
	k             *kernel.Kernel
	loop, other   string
	first, second []*kernel.Stmt
}

// fits reports that they have the same iterations, neither sums nor variables of a work-item, and that the order of what depends on each other is kept.
func (p *pair) fits() bool {
	around := nameset.Remove(slices.Clone(p.first[0].Inames), p.loop)
	if !slices.Equal(around, nameset.Remove(slices.Clone(p.second[0].Inames), p.other)) {
		return false
	}
	all := slices.Concat(p.first, p.second)
	for _, s := range p.k.Statements {
		within := slices.Contains(all, s)
		if !within && (slices.Contains(s.AllInames(), p.loop) || slices.Contains(s.AllInames(), p.other)) {
			return false
		}
		if _, ok := s.LHS.(*expr.Access); within && (!ok || len(s.ReductionInames()) > 0 || s.Atomic) {
			return false
		}
	}
	domain := throw.Get(p.k.DomainOf(p.first[0].Inames))
	second := throw.Get(p.k.DomainOf(p.second[0].Inames))
	list, exact := domain.Constraints()
	others, exact2 := second.Constraints()
	if !exact || !exact2 || len(p.k.Domains[p.k.DomainIndex(p.other)].Dims()) != 1 {
		return false
	}
	as := map[string]polycount.Affine{p.other: polycount.Name(p.loop)}
	same := polycount.NewSet(nil, domain.Dims(), renamed(others, as)...)
	if equal, err := domain.IsEqual(same.Within(domain.Budget())); err != nil || !equal {
		throw.If(err)
		return false
	}
	pairs := polycount.NewSet(nil, append(slices.Clone(around), p.loop, p.other), append(list, others...)...).Within(domain.Budget())
	pairs = throw.Get(pairs.Constrain(polycount.GE(polycount.Name(p.loop).Sub(polycount.Name(p.other)), polycount.Int(1))))
	for _, s := range p.first {
		for _, t := range p.second {
			if free, err := p.free(s, t, pairs); err != nil || !free {
				throw.If(err)
				return false
			}
		}
	}
	return true
}

// renamed are constraints with other names.
func renamed(list []polycount.Constraint, by map[string]polycount.Affine) []polycount.Constraint {
	out := make([]polycount.Constraint, len(list))
	for i, c := range list {
		out[i] = polycount.Constraint{Affine: c.Affine.Subst(by), Equality: c.Equality}
	}
	return out
}

// free reports that no element is accessed by both statements in a pair of iterations, and stored by one.
func (p *pair) free(s, t *kernel.Stmt, pairs *polycount.Set) (bool, error) {
	for _, x := range append(p.k.Reads(s), p.k.Writes(s)...) {
		for _, y := range append(p.k.Reads(t), p.k.Writes(t)...) {
			if x.Array != y.Array || x.Array != s.Target() && y.Array != t.Target() {
				continue
			}
			if len(x.Index) != len(y.Index) {
				return false, nil
			}
			var cs []polycount.Constraint
			for d := range x.Index {
				a, err := p.k.AffineOf(x.Index[d])
				if err != nil {
					return false, nil
				}
				b, err := p.k.AffineOf(y.Index[d])
				if err != nil {
					return false, nil
				}
				cs = append(cs, polycount.EQ(a, b))
			}
			both, err := pairs.Constrain(cs...)
			if err != nil {
				return false, err
			}
			if empty, err := both.IsEmpty(); err != nil || !empty {
				return false, err
			}
		}
	}
	return true, nil
}

// joined is the kernel with one loop.
func (p *pair) joined() *kernel.Kernel {
	out := p.k.Clone()
	by := map[string]expr.Expr{p.other: expr.Var{Name: p.loop}}
	out.MapStmts(func(s *kernel.Stmt) {
		if !slices.Contains(s.Inames, p.other) {
			return
		}
		s.MapExprs(func(e expr.Expr) expr.Expr { return expr.Subst(e, by) })
		s.Inames = nameset.Sorted(append(nameset.Remove(slices.Clone(s.Inames), p.other), p.loop))
	})
	at := out.DomainIndex(p.other)
	out.Domains = slices.Delete(out.Domains, at, at+1)
	return out
}

// partsOf are what a launch does one after the other in each iteration of parallel loops.
type partsOf struct {
	around []schedule.Loop
	parts  []schedule.Node
	chunks []int64 // of those that are chains; 0 for others
}

// apartFrom are those of a launch, with statements of a loop apart that may follow each other as loops of their own.
func (c *compiler) apartFrom(x *schedule.Launch, host []level) (p partsOf) {
	body := x.Body
	if b, ok := body.(*schedule.Band); ok {
		n := 0
		for n < len(b.Loops) && b.Loops[n].Parallel {
			n++
		}
		if p.around = b.Loops[:n]; n == len(b.Loops) {
			body = b.Body
		} else {
			body = &schedule.Band{Loops: b.Loops[n:], Body: b.Body}
		}
	}
	for _, part := range inParts(body) {
		p.parts = append(p.parts, p.distributed(c, part, host)...)
	}
	p.chunks = make([]int64, len(p.parts))
	return p
}

// in is a part in the loops around.
func (p partsOf) in(part schedule.Node) schedule.Node {
	if len(p.around) == 0 {
		return part
	}
	return &schedule.Band{Loops: schedule.LoopsOf(p.around, part), Body: part}
}

// distributed is a loop with a loop for each of its statements, where none needs what a later one does in an earlier iteration; else it is the loop alone.
func (p partsOf) distributed(c *compiler, part schedule.Node, host []level) []schedule.Node {
	whole := []schedule.Node{part}
	b, ok := part.(*schedule.Band)
	if !ok || len(b.Loops) != 1 || b.Loops[0].Parallel || len(p.around) == 0 || len(inParts(b.Body)) < 2 || !flat(b) {
		return whole
	}
	n, _, err := c.nestOf(&schedule.Launch{Body: p.in(part)}, host, nil, values, c.nest.Name)
	if err != nil {
		return whole
	}
	loop := n.Statements[0].Iterators[len(p.around)]
	for i, s := range n.Statements {
		for _, later := range n.Statements[i+1:] {
			if !follows(s, later, loop) {
				return whole
			}
		}
	}
	var out []schedule.Node
	for _, leaf := range inParts(b.Body) {
		out = append(out, &schedule.Band{Loops: schedule.LoopsOf(b.Loops, leaf), Body: leaf})
	}
	return out
}

// flat reports that a loop has only statements.
func flat(b *schedule.Band) bool {
	return !slices.ContainsFunc(inParts(b.Body), func(n schedule.Node) bool { _, ok := n.(*schedule.Leaf); return !ok })
}

// farthestApart is how many iterations behind a store loads are looked at.
const farthestApart = 3

// follows reports that whatever a later statement of a loop has to do with a statement is of the same iteration of that or of one a little before.
func follows(s, later *scop.Statement, loop string) bool {
	for _, a := range s.Accesses {
		for _, b := range later.Accesses {
			if a.Array.Name != b.Array.Name || !a.Write && !b.Write {
				continue
			}
			behind := false
			for back := int64(0); back <= farthestApart && !behind; back++ {
				by := map[string]polycount.Affine{loop: polycount.Name(loop).AddInt(-back)}
				behind = len(a.Index) == len(b.Index) && slices.ContainsFunc(a.Index, func(x polycount.Affine) bool { return x.Has(loop) })
				for d := range a.Index {
					behind = behind && a.Index[d].Subst(by).Equal(b.Index[d])
				}
			}
			if !behind || a.Array.Any != nil {
				return false
			}
		}
	}
	return true
}

func inParts(n schedule.Node) []schedule.Node {
	if s, ok := n.(*schedule.Sequence); ok {
		return s.Parts
	}
	return []schedule.Node{n}
}
