package offload

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// reductions makes reductions of sequential loops that only accumulate: of a statement x = x + e whose x is one element for all iterations, which nothing else
// in the loops has to do with. The order of its terms is not kept.
func reductions(k *kernel.Kernel, parallel []string) *kernel.Kernel {
	out := k.Clone()
	out.MapStmts(func(s *kernel.Stmt) {
		a := accumulation(s)
		if a == nil || readsOwn(k, s, a.term) || !keeps(k, s, a.term) {
			return
		}
		var over []string
		for _, n := range s.Inames {
			if !slices.Contains(parallel, n) && !usedElsewhere(k, s, n) {
				over = append(over, n)
			}
		}
		if len(over) == 0 {
			return
		}
		s.Inames = nameset.Remove(s.Inames, over...)
		var factor expr.Expr
		if a.kind == "sum" {
			factor, a.term = factored(k, a.term, over)
		}
		s.RHS = a.with(times(factor, &expr.Reduce{Kind: a.kind, Inames: over, Body: a.term}))
	})
	return out
}

// readsOwn reports that a term may read the element that the statement accumulates into: of its array, it may read others.
func readsOwn(k *kernel.Kernel, s *kernel.Stmt, term expr.Expr) bool {
	to, ok := s.LHS.(*expr.Access)
	if !ok {
		return k.ReadsFrom(&kernel.Stmt{RHS: term}, s.Target())
	}
	domain, err := k.DomainOf(s.Inames)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(k.Reads(&kernel.Stmt{RHS: term}), func(a *expr.Access) bool {
		if a.Array != to.Array {
			return false
		}
		var same []polycount.Constraint
		for d, index := range a.Index {
			x, err := k.AffineOf(index)
			if err != nil {
				return true
			}
			y, err := k.AffineOf(to.Index[d])
			if err != nil {
				return true
			}
			same = append(same, polycount.EQ(x, y))
		}
		both, err := domain.Constrain(same...)
		if err != nil {
			return true
		}
		empty, err := both.IsEmpty()
		return err != nil || !empty
	})
}

// keeps reports that the sum of terms is what adding them one after the other to the target gives: an integer loses the fraction of each.
func keeps(k *kernel.Kernel, s *kernel.Stmt, term expr.Expr) bool {
	to, err := k.TypeOf(s.LHS)
	if _, comparison := s.RHS.(*expr.Cond); err != nil || to.IsFloat() {
		return err == nil && !comparison // with what is no number, max is not what a comparison gives
	}
	of, err := k.TypeOf(term)
	return err == nil && !of.IsFloat()
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
