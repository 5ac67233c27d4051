package offload

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// reductions makes reductions of sequential loops that only accumulate: of a statement x = x + e whose x is one element for all iterations, which nothing else
// in the loops has to do with, and whose e reads nothing that another iteration stores. The order of its terms is not kept.
func reductions(k *kernel.Kernel, parallel []string) *kernel.Kernel {
	out := k.Clone()
	out.MapStmts(func(s *kernel.Stmt) {
		a := accumulation(s)
		if a == nil {
			return
		}
		if a.term = a.converted(k, s); a.term == nil {
			return
		}
		var over []string
		for _, n := range s.Inames {
			if !slices.Contains(parallel, n) && !usedElsewhere(k, s, n) && !carries(k, s, a.term, parallel, n) {
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
		if a.kind == "sum" {
			factor, a.term = factored(k, a.term, over)
		}
		s.RHS = a.with(times(factor, &expr.Reduce{Kind: a.kind, Inames: over, Body: a.term}))
	})
	return out
}

// termless are the conditions for a point of the loops that are left of a statement to have terms. There are none where all have, and where a point without may add nothing to its
// element: it is there, and no other iteration of parallel loops has it.
func termless(k *kernel.Kernel, s *kernel.Stmt, left, parallel []string) ([]expr.Expr, error) {
	points, err := k.DomainOf(left)
	if err != nil {
		return nil, err
	}
	whole, err := k.DomainOf(s.Inames)
	if err != nil {
		return nil, err
	}
	with, err := whole.Project(left...)
	if err != nil {
		return nil, err
	}
	if all, err := points.IsSubset(with); all || err != nil {
		return nil, err
	}
	if alone, err := owns(k, s, left, parallel); alone || err != nil {
		return nil, err
	}
	if with, err = with.Gist(points); err != nil {
		return nil, err
	}
	return cexpr.Predicates(with), nil
}

// owns reports that at each point of loops there is an element for a statement to store, which it stores in no other iteration of the parallel ones.
func owns(k *kernel.Kernel, s *kernel.Stmt, loops, parallel []string) (bool, error) {
	pairs, other, err := twice(k, &kernel.Stmt{Inames: loops})
	if err != nil {
		return false, err
	}
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
		if pairs, err = pairs.Constrain(polycount.EQ(x, x.Subst(other))); err != nil {
			return false, err
		}
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

// converted is the term in the type of the target, in which C adds it up, or in a larger one; nil where terms that are put together first are not what one after the other gives: an integer
// loses the fraction of each, and a narrow one the upper bits, by which extremes are chosen.
func (a *accumulated) converted(k *kernel.Kernel, s *kernel.Stmt) expr.Expr {
	to, err := k.TypeOf(s.LHS)
	if err != nil {
		return nil
	}
	of, err := k.TypeOf(a.term)
	_, comparison := s.RHS.(*expr.Cond)
	extreme := a.kind == "max" || a.kind == "min"
	switch {
	case err != nil:
		return nil
	case to.IsFloat():
		if comparison { // with what is no number, max is not what a comparison gives
			return nil
		}
	case of.IsFloat() || extreme && (of.IsSigned() != to.IsSigned() || of.Size() > to.Size()):
		return nil
	}
	if of == to || of.IsFloat() && of.Size() > to.Size() {
		return a.term
	}
	return &expr.Cast{DType: to, Arg: a.term}
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

// accumulated is what a statement adds to its target, or by which it bounds it.
type accumulated struct {
	kind string // of the reduction
	term expr.Expr
	with func(reduced expr.Expr) expr.Expr // the right-hand side with the reduced term
}

// accumulation is that of x = x + e, x = x - e, x = x * e, x = max(x, e) and x = min(x, e); nil for others. In a chain of sums or products x may stand anywhere.
func accumulation(s *kernel.Stmt) *accumulated {
	if s.LHS == nil || s.RHS == nil || s.Atomic {
		return nil
	}
	target := s.LHS.String()
	old := func(e expr.Expr) bool { return e.String() == target }
	switch x := s.RHS.(type) {
	case *expr.Op:
		kind := map[expr.OpKind]string{expr.Add: "sum", expr.Sub: "sum", expr.Mul: "product", expr.Max: "max", expr.Min: "min"}[x.Kind]
		if kind == "" {
			return nil
		}
		rest, ok := without(x, x.Kind, old)
		if !ok || rest == nil {
			return nil
		}
		return &accumulated{kind, rest, func(r expr.Expr) expr.Expr { return expr.Binary(x.Kind, s.LHS, r) }}
	case *expr.Cond:
		kind, rest := expr.Extreme(x, target)
		op := map[string]expr.OpKind{"max": expr.Max, "min": expr.Min}[kind]
		if kind != "" && !reads(rest, old) {
			return &accumulated{kind, rest, func(r expr.Expr) expr.Expr { return expr.Binary(op, s.LHS, r) }}
		}
	case *expr.Call:
		if (x.Func == "max" || x.Func == "min") && len(x.Args) == 2 {
			for i, a := range x.Args {
				if old(a) {
					return &accumulated{x.Func, x.Args[1-i], func(r expr.Expr) expr.Expr { return &expr.Call{Func: x.Func, Args: []expr.Expr{s.LHS, r}} }}
				}
			}
		}
	}
	return nil
}

// reads reports that a part of an expression is the old value.
func reads(e expr.Expr, old func(expr.Expr) bool) (found bool) {
	expr.Walk(e, func(e expr.Expr) bool {
		found = found || old(e)
		return !found
	})
	return found
}

// without takes the old value out of a chain of operations of one kind; of a difference it is what things are taken from. It is nil where nothing else is there.
func without(e expr.Expr, kind expr.OpKind, old func(expr.Expr) bool) (rest expr.Expr, ok bool) {
	if old(e) {
		return nil, true
	}
	x, is := e.(*expr.Op)
	if !is || x.Kind != kind {
		return nil, false
	}
	for i, a := range x.Args {
		if kind == expr.Sub && i > 0 {
			break
		}
		inner, found := without(a, kind, old)
		if !found {
			continue
		}
		others := slices.Delete(slices.Clone(x.Args), i, i+1)
		if inner != nil {
			others = slices.Insert(others, 0, inner)
		}
		join := kind
		if kind == expr.Sub {
			join = expr.Add
		}
		rest = others[0]
		for _, o := range others[1:] {
			rest = expr.Binary(join, rest, o)
		}
		return rest, true
	}
	return nil, false
}
