package offload

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
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

// flat reports that a loop has only statements.
func flat(b *schedule.Band) bool {
	return !slices.ContainsFunc(inParts(b.Body), func(n schedule.Node) bool { _, ok := n.(*schedule.Leaf); return !ok })
}

func inParts(n schedule.Node) []schedule.Node {
	if s, ok := n.(*schedule.Sequence); ok {
		return s.Parts
	}
	return []schedule.Node{n}
}
