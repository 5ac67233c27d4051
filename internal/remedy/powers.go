package remedy

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// mostFactors are the factors from which on a product is no cheaper than a power.
const mostFactors = 8

// powers: powers whose exponents are numbers for which products and square roots do.
func powers(x *study) []candidate {
	at, _ := x.line("powers")
	if at == nil {
		return nil
	}
	exponent := math.NaN() // the first of them
	cheap := changed(x.Kernel, func(e expr.Expr) expr.Expr {
		base, n, ok := power(e)
		if !ok {
			return e
		}
		if math.IsNaN(exponent) {
			exponent = n
		}
		return product(base, n)
	})
	if math.IsNaN(exponent) {
		return nil
	}
	return []candidate{{
		array: x.result(at.At, at.To), at: at.At, cures: []cure{{kernel: cheap}},
		defect: fmt.Sprintf("a power with the exponent %g is code of tens of instructions, as one with any other exponent", exponent),
		remedy: fmt.Sprintf("write %s for it", product(expr.Var{Name: "x"}, exponent)),
	}}
}

// steadyPowers: powers in loops in which their operands do not change. Compilers move the arithmetic before the loop, but not what treats special operands.
func steadyPowers(x *study) []candidate {
	at, _ := x.line("powers")
	if at == nil {
		return nil
	}
	before := x.Kernel.Clone()
	before.Statements = nil
	for _, s := range x.Kernel.Statements {
		c := *s
		if s.RHS != nil {
			c.RHS = values(s.RHS, func(e expr.Expr) expr.Expr {
				p, is := e.(*expr.Op)
				if !is || p.Kind != expr.Pow {
					return e
				}
				if moved := hoisted(x.Kernel, before, &c, p); moved != nil {
					before.Statements = append(before.Statements, moved)
					return moved.LHS
				}
				return e
			})
		}
		before.Statements = append(before.Statements, &c)
	}
	if len(before.Statements) == len(x.Kernel.Statements) {
		return nil
	}
	return []candidate{{
		array: x.result(at.At, at.To), at: at.At, cures: []cure{{kernel: before}},
		defect: "a power is computed in a loop in which its operands do not change: compilers move a part of it before the loop, and leave the conditions by which it treats special operands",
		remedy: "compute it before the loop, into a variable",
	}}
}

// hoisted is a statement that computes an expression of s once, before the loops in which it stays the same, into a variable that is added to a kernel; s then follows it.
// It is nil where there is no such loop.
func hoisted(k, to *kernel.Kernel, s *kernel.Stmt, e expr.Expr) *kernel.Stmt {
	steady := lists.Where(s.Inames, func(iname string) bool {
		return !k.Tags[iname].Parallel() && !expr.Mentions(e, iname) && !slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool {
			return slices.Contains(o.Inames, iname) && o.Target() != "" && expr.Mentions(e, o.Target())
		})
	})
	t, err := k.TypeOf(e)
	if len(steady) == 0 || err != nil {
		return nil
	}
	name := fmt.Sprintf("steady_%d", len(to.Temps))
	to.Temps = append(to.Temps, &kernel.Array{Name: name, DType: t, Space: kernel.Private, Shape: []expr.Expr{}})
	out := &kernel.Stmt{
		ID: name, LHS: &expr.Access{Array: name, Index: []expr.Expr{}}, RHS: e,
		Inames: lists.Where(s.Inames, func(iname string) bool { return !slices.Contains(steady, iname) }),
		Predicates: lists.Where(s.Predicates, func(p expr.Expr) bool {
			return !slices.ContainsFunc(steady, func(iname string) bool { return expr.Mentions(p, iname) })
		}),
	}
	for _, o := range to.Statements {
		if o.Target() != "" && expr.Mentions(e, o.Target()) {
			out.Deps = append(out.Deps, o.ID)
		}
	}
	s.Deps = append(slices.Clip(s.Deps), name)
	return out
}

// power takes a power with an exponent that is a multiple of a half apart.
func power(e expr.Expr) (base expr.Expr, exponent float64, ok bool) {
	x, is := e.(*expr.Op)
	if !is || x.Kind != expr.Pow {
		return nil, 0, false
	}
	exponent, err := expr.EvalFloat(x.Args[1], nil)
	return x.Args[0], exponent, err == nil && exponent != 0 && 2*exponent == math.Trunc(2*exponent) && math.Abs(exponent) <= mostFactors
}

// product is that power as a product.
func product(base expr.Expr, exponent float64) (out expr.Expr) {
	by := func(e expr.Expr) {
		if out == nil {
			out = e
		} else {
			out = expr.Binary(expr.Mul, out, e)
		}
	}
	n := math.Abs(exponent)
	for range int(n) {
		by(base)
	}
	if n != math.Trunc(n) {
		by(&expr.Call{Func: "sqrt", Args: []expr.Expr{base}})
	}
	if exponent < 0 {
		out = expr.Binary(expr.Div, expr.Int{Value: 1}, out)
	}
	return out
}
