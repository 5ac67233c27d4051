package chain

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Accumulated is what a statement adds to its target, or by which it bounds it.
type Accumulated struct {
	Kind string // of the reduction
	Term expr.Expr
	With func(reduced expr.Expr) expr.Expr // the right-hand side with the reduced term
}

// extremes are the operations of reductions that choose.
var extremes = map[string]expr.OpKind{"max": expr.Max, "min": expr.Min}

// Accumulation is that of x = x + e, x = x - e, x = x * e, x = max(x, e) and x = min(x, e); nil for others. In a chain of sums or products x may stand anywhere.
func Accumulation(s *kernel.Stmt) *Accumulated {
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
		return &Accumulated{kind, rest, func(r expr.Expr) expr.Expr { return expr.Binary(x.Kind, s.LHS, r) }}
	case *expr.Cond:
		kind, rest := expr.Extreme(x, target)
		if kind != "" && !reads(rest, old) {
			return &Accumulated{kind, rest, func(r expr.Expr) expr.Expr { return expr.Binary(extremes[kind], s.LHS, r) }}
		}
	case *expr.Call:
		if x.Func == "max" || x.Func == "min" {
			return byCall(s, x, x.Func)
		}
	}
	return nil
}

// Reduction is the accumulation of a statement, or x = fmax(x, e) and x = fmin(x, e), which are extremes of a reduction too.
func Reduction(s *kernel.Stmt) *Accumulated {
	if x, ok := s.RHS.(*expr.Call); ok && s.LHS != nil && !s.Atomic {
		return byCall(s, x, expr.ExtremeCalls[x.Func])
	}
	return Accumulation(s)
}

func byCall(s *kernel.Stmt, x *expr.Call, kind string) *Accumulated {
	old := func(e expr.Expr) bool { return e.String() == s.LHS.String() }
	for i, a := range x.Args {
		if kind != "" && len(x.Args) == 2 && old(a) && !reads(x.Args[1-i], old) {
			return &Accumulated{kind, x.Args[1-i], func(r expr.Expr) expr.Expr { return &expr.Call{Func: x.Func, Args: []expr.Expr{s.LHS, r}} }}
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

// Converted is the term in the type of the target, in which C adds it up, or in a larger one; nil where terms that are put together first are not what one after the other gives: an integer
// loses the fraction of each, and a narrow one the upper bits, by which extremes are chosen.
func (a *Accumulated) Converted(k *kernel.Kernel, s *kernel.Stmt) expr.Expr {
	to, err := k.TypeOf(s.LHS)
	if err != nil {
		return nil
	}
	of, err := k.TypeOf(a.Term)
	_, comparison := s.RHS.(*expr.Cond)
	extreme := a.Kind == "max" || a.Kind == "min"
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
		return a.Term
	}
	return &expr.Cast{DType: to, Arg: a.Term}
}
