package chain

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// fraction is the next value of a state x as (a·x + b) / (c·x + d), nil for a 0; without c and d it is a·x + b. What several iterations do together is a fraction, too, whose factors are a product of
// matrices (Stone, An efficient parallel algorithm for the solution of a tridiagonal linear system of equations, 1973).
type fraction struct{ a, b, c, d expr.Expr }

func (f fraction) divides() bool { return f.c != nil || f.d != nil }

// list are the factors that there are.
func (f fraction) list() []expr.Expr {
	return slices.DeleteFunc([]expr.Expr{f.a, f.b, f.c, f.d}, func(e expr.Expr) bool { return e == nil })
}

// parser reads expressions as fractions of a value.
type parser struct {
	k   *kernel.Kernel
	old string
	of  expr.DType // in which all is computed
}

// float is an expression in that type.
func (p parser) float(e expr.Expr) expr.Expr {
	if x, ok := e.(expr.Float); ok && x.DType == "" {
		x.DType, x.Text = p.of, ""
		return x
	}
	if of, err := p.k.TypeOf(e); err != nil || of != p.of {
		return &expr.Cast{DType: p.of, Arg: e}
	}
	return e
}

func (p parser) number(v float64) expr.Expr { return number(v, p.of) }

func (p parser) reads(e expr.Expr) bool {
	return reads(e, func(e expr.Expr) bool { return e.String() == p.old })
}

// Multiple is an expression as a multiple of a variable and an addend, in a type; nil for 0.
func Multiple(k *kernel.Kernel, e expr.Expr, variable string, of expr.DType) (factor, rest expr.Expr, ok bool) {
	f, ok := parser{k, variable, of}.fraction(e)
	return f.a, f.b, ok && !f.divides()
}

func (p parser) fraction(e expr.Expr) (f fraction, ok bool) {
	switch x := e.(type) {
	case *expr.Cast:
		from, err := p.k.TypeOf(x.Arg)
		if p.reads(e) && err == nil && from.IsFloat() && x.DType.IsFloat() && from.Size() <= x.DType.Size() {
			return p.fraction(x.Arg)
		}
	case *expr.Op:
		if p.reads(e) && e.String() != p.old {
			return p.operation(x)
		}
	}
	if e.String() == p.old {
		return fraction{a: p.number(1)}, true
	}
	return fraction{b: p.float(e)}, !p.reads(e)
}

func (p parser) operation(x *expr.Op) (f fraction, ok bool) {
	if f, ok = p.fraction(x.Args[0]); !ok {
		return f, false
	}
	if x.Kind == expr.Neg {
		f.a, f.b = negative(f.a), negative(f.b)
		return f, true
	}
	for _, arg := range x.Args[1:] {
		g, ok := p.fraction(arg)
		if !ok {
			return f, false
		}
		switch x.Kind {
		case expr.Sub:
			g.a, g.b = negative(g.a), negative(g.b)
			f, ok = f.plus(g)
		case expr.Add:
			f, ok = f.plus(g)
		case expr.Mul:
			f, ok = f.times(g)
		case expr.Div:
			f, ok = p.over(f, g)
		default:
			return f, false
		}
		if !ok {
			return f, false
		}
	}
	return f, true
}

// alone reports that a fraction has nothing of the value.
func (f fraction) alone() bool { return f.a == nil && f.c == nil && f.d == nil }

func (f fraction) plus(g fraction) (fraction, bool) {
	switch {
	case !f.divides() && !g.divides():
		return fraction{a: sum(f.a, g.a), b: sum(f.b, g.b)}, true
	case f.divides() && g.alone():
		return fraction{sum(f.a, times(g.b, f.c)), sum(f.b, times(g.b, f.d)), f.c, f.d}, true
	case f.alone() && g.divides():
		return g.plus(f)
	}
	return f, false
}

func (f fraction) times(g fraction) (fraction, bool) {
	if f.alone() {
		f, g = g, f
	}
	return fraction{times(f.a, g.b), times(f.b, g.b), f.c, f.d}, g.alone()
}

func (p parser) over(f, g fraction) (fraction, bool) {
	switch {
	case g.alone() && f.divides():
		return fraction{f.a, f.b, times(f.c, g.b), times(f.d, g.b)}, true
	case g.alone() && f.a != nil && f.b != nil: // one division, whose rounding is nobody's
		one := expr.Binary(expr.Div, p.number(1), g.b)
		return fraction{a: times(f.a, one), b: times(f.b, one)}, true
	case g.alone():
		return fraction{a: quotient(f.a, g.b), b: quotient(f.b, g.b)}, true
	case f.divides() || g.divides() && !f.alone():
		return f, false
	case g.divides():
		return fraction{times(f.b, g.c), times(f.b, g.d), g.a, g.b}, true
	}
	return fraction{f.a, f.b, g.a, g.b}, true
}

// What follows has nil for 0.

func negative(a expr.Expr) expr.Expr {
	if a == nil {
		return nil
	}
	return &expr.Op{Kind: expr.Neg, Args: []expr.Expr{a}}
}

func sum(a, b expr.Expr) expr.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return expr.Binary(expr.Add, a, b)
}

func times(a, b expr.Expr) expr.Expr {
	switch {
	case a == nil || b == nil:
		return nil
	case isOne(a):
		return b
	case isOne(b):
		return a
	}
	return expr.Binary(expr.Mul, a, b)
}

func isOne(e expr.Expr) bool { x, ok := e.(expr.Float); return ok && x.Value == 1 }

func quotient(a, b expr.Expr) expr.Expr {
	if a == nil {
		return nil
	}
	return expr.Binary(expr.Div, a, b)
}

func number(v float64, of expr.DType) expr.Expr { return expr.Float{Value: v, DType: of} }

func size(e expr.Expr) expr.Expr { return &expr.Call{Func: "fabs", Args: []expr.Expr{e}} }
