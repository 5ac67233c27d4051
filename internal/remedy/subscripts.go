package remedy

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// subscripts: places in arrays are found by quotients or remainders by what stays the same, which shifts and masks could be.
func subscripts(x *study) []candidate {
	cheap := x.Kernel.Clone()
	c := candidate{
		defect: "a subscript is found by division by what stays the same, which takes tens of instructions",
		remedy: "let the divisor be a constant or a power of two, or an axis of the launch be what is divided for",
		cures:  []cure{{kernel: cheap}},
	}
	cheap.MapStmts(func(s *kernel.Stmt) {
		shifted := func(e expr.Expr) expr.Expr {
			a, ok := e.(*expr.Access)
			if !ok {
				return e
			}
			return expr.MapChildren(e, func(index expr.Expr) expr.Expr {
				out, some := x.shifted(s, index)
				if some && x.innermost(s) != "" {
					c.remedy = "count it along with the loop, or let the divisor be a constant or a power of two"
				}
				if some && c.array == "" {
					c.array, c.at, c.share = a.Array, s.At, x.shareOf(a.Array, s.At)
				}
				return out
			})
		}
		s.LHS, s.RHS = expr.Rewrite(s.LHS, shifted), expr.Rewrite(s.RHS, shifted)
	})
	if c.array == "" {
		return nil
	}
	cheap.Fixed = slices.DeleteFunc(slices.Clone(cheap.Fixed), func(n int64) bool { return n&(n-1) == 0 }) // which the code has in their place
	return []candidate{c}
}

// shareOf is the part of the time that goes with an array in a line.
func (x *study) shareOf(array string, at kernel.Place) float64 {
	return sum(x.those(func(r *Row) bool { return r.Array == array && r.At.Line == at.Line }))
}

// shifted is an index with powers of two in place of divisors that stay the same, and whether it has such.
func (x *study) shifted(s *kernel.Stmt, index expr.Expr) (out expr.Expr, some bool) {
	out = expr.Rewrite(x.inlined(index), func(e expr.Expr) expr.Expr {
		by, op := divisor(x.Kernel, e)
		if by == nil || op != expr.BitAnd || !x.given(by) && !x.fixed(s, by) {
			return e
		}
		power, ok := x.mask(by).(expr.Int)
		if !ok {
			return e
		}
		some = true
		return &expr.Op{Kind: rounded(x.Kernel, e), Args: []expr.Expr{expr.Children(e)[0], expr.Int{Value: power.Value + 1}}}
	})
	if !some {
		return index, false
	}
	return out, true
}

// given reports whether an expression is a number that an argument of the kernel has.
func (x *study) given(e expr.Expr) bool {
	n, ok := expr.IntLiteral(e)
	return ok && slices.Contains(x.Kernel.Fixed, n)
}

// inlined is an expression with the definitions of functions in place of their calls, those of quotients aside.
func (x *study) inlined(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		call, ok := e.(*expr.Call)
		if !ok {
			return e
		}
		f := x.Kernel.Function(call.Func)
		if f == nil || f.Def == nil || f.IsQuotient() {
			return e
		}
		by := map[string]expr.Expr{}
		for i, p := range f.Params {
			by[p.Name] = call.Args[i]
		}
		for _, l := range f.Lets {
			by[l.Name] = x.inlined(expr.Subst(l.Expr, by))
		}
		return x.inlined(expr.Subst(f.Def, by))
	})
}

// rounded is which of the two a division of integers is, a quotient or a remainder: functions are defined by it first of all.
func rounded(k *kernel.Kernel, e expr.Expr) expr.OpKind {
	if call, ok := e.(*expr.Call); ok {
		e = k.Function(call.Func).Def
	}
	for e := range expr.All(e) {
		if op, ok := e.(*expr.Op); ok && (op.Kind == expr.FloorDiv || op.Kind == expr.Mod) {
			return op.Kind
		}
	}
	return expr.FloorDiv
}
