package remedy

import (
	"fmt"

	"gpuperf/internal/format"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
)

// line is the one that has most instructions of some kinds, and how many all have; nil where none has any.
func (x *study) line(kinds ...string) (most *launch.Work, all int64) {
	least := int64(0)
	for i := range x.Work {
		n := int64(0)
		for _, kind := range kinds {
			n += x.Work[i].Counts[kind]
		}
		if all += n; n > least {
			most, least = &x.Work[i], n
		}
	}
	return most, all
}

// changed is the kernel with other expressions on the right-hand sides, their indices aside.
func changed(k *kernel.Kernel, change func(expr.Expr) expr.Expr) *kernel.Kernel {
	out := k.Clone()
	var value func(e expr.Expr) expr.Expr
	value = func(e expr.Expr) expr.Expr {
		if _, ok := e.(*expr.Access); ok {
			return e
		}
		return change(expr.MapChildren(e, value))
	}
	out.MapStmts(func(s *kernel.Stmt) {
		if s.RHS != nil {
			s.RHS = value(s.RHS)
		}
	})
	return out
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
		array: at.To, at: at.At, cures: []cure{{kernel: single}},
		defect: fmt.Sprintf("float64 is computed with, and converted to and from, %s times by sub-groups, though no array has it", format.Rough(float64(n), "")),
		remedy: "write literals of float32, as 0.5f, and variables and functions of that type",
	}}
}

// divisions: quotients and remainders that products and shifts could be.
func divisions(x *study) []candidate {
	at, n := x.line("float_divisions", "double_divisions", "integer_divisions")
	if at == nil {
		return nil
	}
	cheap := changed(x.Kernel, func(e expr.Expr) expr.Expr {
		if call, ok := e.(*expr.Call); ok && quotient(x.Kernel.Function(call.Func)) {
			return &expr.Op{Kind: expr.BitAnd, Args: call.Args}
		}
		o, ok := e.(*expr.Op)
		if !ok {
			return e
		}
		switch t, err := x.Kernel.TypeOf(e); {
		case err != nil:
		case o.Kind == expr.Div && t.Base().IsFloat():
			return &expr.Op{Kind: expr.Mul, Args: o.Args}
		case (o.Kind == expr.Mod || o.Kind == expr.FloorDiv || o.Kind == expr.Div) && t.IsInteger():
			return &expr.Op{Kind: expr.BitAnd, Args: o.Args}
		}
		return e
	})
	return []candidate{{
		array: at.To, at: at.At, cures: []cure{{kernel: cheap}},
		defect: fmt.Sprintf("sub-groups divide %s times, by code of tens of instructions", format.Rough(float64(n), "")),
		remedy: "multiply by an inverse that is computed once; of integers, let the divisor be a constant or a power of two",
	}}
}

// quotient reports whether a function computes a quotient or a remainder of integers and nothing else, as those of C are.
func quotient(f *kernel.Function) bool {
	return f != nil && len(f.Params) == 2 && len(f.Counts) == 1 && f.Result.IsInteger() && len(f.Counts[f.Result]) == 1 && f.Counts[f.Result]["div"] == 1
}
