package remedy

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
)

// line is the one that has most instructions of some kinds, and how many all have; nil where none has any.
func (x *study) line(kinds ...string) (most *launch.LineWork, all int64) {
	least := int64(0)
	for i := range x.Work {
		n := lists.Sum(kinds, func(kind string) int64 { return x.Work[i].Counts[kind] })
		if all += n; n > least {
			most, least = &x.Work[i], n
		}
	}
	return most, all
}

// changed is the kernel with other expressions on the right-hand sides, their indices aside.
func changed(k *kernel.Kernel, change func(expr.Expr) expr.Expr) *kernel.Kernel {
	out := k.Clone()
	out.MapStmts(func(s *kernel.Stmt) {
		if s.RHS != nil {
			s.RHS = values(s.RHS, change)
		}
	})
	return out
}

// values rewrites an expression from the inside, but for the indices in it.
func values(e expr.Expr, change func(expr.Expr) expr.Expr) expr.Expr {
	if _, ok := e.(*expr.Access); ok {
		return e
	}
	return change(expr.MapChildren(e, func(e expr.Expr) expr.Expr { return values(e, change) }))
}

// doubles: arithmetic in float64, where arrays have none of it.
func doubles(x *study) []candidate {
	at, n := x.line("double_ops", "double_divisions", "double_roots", "double_functions", "double_extremes", "double_conversions")
	if at == nil {
		return nil
	}
	for _, a := range x.Kernel.Args {
		if a.DType.Base() == expr.Float64 && a.Space == kernel.Global {
			return nil
		}
	}
	single := changed(x.Kernel, func(e expr.Expr) expr.Expr {
		switch e := e.(type) {
		case expr.Float:
			if e.DType == expr.Float64 {
				e.DType = expr.Float32
			}
			return e
		case *expr.Cast:
			if e.DType == expr.Float64 {
				return &expr.Cast{DType: expr.Float32, Arg: e.Arg}
			}
		}
		return e
	})
	for _, list := range [][]*kernel.Array{single.Args, single.Temps} {
		for i, a := range list {
			if a.DType == expr.Float64 {
				c := *a
				c.DType = expr.Float32
				list[i] = &c
			}
		}
	}
	return []candidate{{
		array: x.result(at.At, at.To), at: at.At, cures: []cure{{kernel: single}},
		defect: fmt.Sprintf("float64 is computed with, and converted to and from, %s times by sub-groups, though no array has it", format.Rough(float64(n), "")),
		remedy: "write literals of float32, as 0.5f, and variables and functions of that type",
	}}
}

// divisions: quotients and remainders by what stays the same while a loop runs, which products and shifts could be.
func divisions(x *study) []candidate {
	at, _ := x.line("float_divisions", "double_divisions", "integer_divisions")
	if at == nil {
		return nil
	}
	cheap := x.Kernel.Clone()
	some := false
	cheap.MapStmts(func(s *kernel.Stmt) {
		if s.RHS == nil {
			return
		}
		s.RHS = values(s.RHS, func(e expr.Expr) expr.Expr {
			by, op := divisor(x.Kernel, e)
			if by == nil || !x.fixed(s, by) {
				return e
			}
			if some = true; op == expr.BitAnd {
				by = x.mask(by)
			}
			return &expr.Op{Kind: op, Args: []expr.Expr{expr.Children(e)[0], by}}
		})
	})
	if !some {
		return nil
	}
	return []candidate{{
		array: x.result(at.At, at.To), at: at.At, cures: []cure{{kernel: cheap}},
		defect: "what is divided by stays the same here, and a division is code of tens of instructions",
		remedy: "multiply by an inverse that is computed once; of integers, let the divisor be a constant or a power of two",
	}}
}

// mask is the mask by which a remainder is found of the power of two that is as large as a divisor, or as much smaller as need be; a work-item has it before its loops.
func (x *study) mask(by expr.Expr) expr.Expr {
	number := by
	if c, ok := by.(*expr.Cast); ok {
		number = c.Arg
	}
	if n, known := expr.EvalInt64(number, x.Sizes); known && n > 0 {
		return expr.Int{Value: 1<<(bits.Len64(uint64(n))-1) - 1}
	}
	return &expr.Op{Kind: expr.Sub, Args: []expr.Expr{by, expr.Int{Value: 1}}}
}

// divisor is what an expression divides by, with an operation that costs as little as the one in its place would; nil for other expressions.
func divisor(k *kernel.Kernel, e expr.Expr) (expr.Expr, expr.OpKind) {
	switch e := e.(type) {
	case *expr.Call:
		if k.Function(e.Func).IsQuotient() {
			return e.Args[1], expr.BitAnd
		}
	case *expr.Op:
		t, err := k.TypeOf(e)
		switch {
		case err != nil || len(e.Args) != 2:
		case e.Kind == expr.Div && t.Base().IsFloat():
			return e.Args[1], expr.Mul
		case (e.Kind == expr.Mod || e.Kind == expr.FloorDiv || e.Kind == expr.Div) && t.IsInteger():
			return e.Args[1], expr.BitAnd
		}
	}
	return nil, ""
}

// fixed reports whether an expression stays the same in a loop around a statement, and is known when the kernel runs and not before, or is a number whose
// inverse compilers do not take, as it is rounded: it mentions sizes, arguments, elements that nobody writes, and variables that are set outside of some of
// the loops.
func (x *study) fixed(s *kernel.Stmt, e expr.Expr) bool {
	if f, ok := e.(expr.Float); ok {
		frac, _ := math.Frexp(f.Value)
		return math.Abs(frac) != 0.5
	}
	ok, varies, names := true, false, []string{}
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Access:
			ok, varies = ok && len(x.Kernel.Writers(e.Array)) == 0, true
		case expr.Var:
			a := x.Kernel.Array(e.Name)
			switch {
			case a == nil:
				names = append(names, e.Name)
				varies = varies || slices.Contains(x.Kernel.Params(), e.Name)
			case a.IsValue:
				varies = true
			default:
				varies = true
				for _, w := range x.Kernel.Writers(e.Name) {
					ok = ok && len(w.Inames) < len(s.Inames)
				}
			}
		}
		return ok
	})
	return ok && varies && x.loops(s, names)
}

// loops reports whether a statement is in a loop that is none of those by the names, or the names are of no loop.
func (x *study) loops(s *kernel.Stmt, names []string) bool {
	of := slices.ContainsFunc(names, x.Kernel.IsIname)
	return !of || slices.ContainsFunc(s.Inames, func(i string) bool { return !x.Kernel.Tags[i].Parallel() && !slices.Contains(names, i) })
}
