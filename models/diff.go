package models

import "math"

// Derivative returns the derivative of the expression by the parameter or feature of that name, simplified.
//
// The rules are those of ops; shared nodes are differentiated once, so that the result has at most a constant times the nodes of
// the expression. At the kinks of abs, min and max it is the mean of the derivatives from the two sides.
func (e *Expr) Derivative(name string) *Expr {
	memo := make(map[*Expr]*Expr)
	var rec func(*Expr) *Expr
	rec = func(e *Expr) *Expr {
		if d, ok := memo[e]; ok {
			return d
		}
		d := num(0)
		if (e.Op == Param || e.Op == Feature) && e.Name == name {
			d = num(1)
		}
		if e.Op == Choose { // of one side alone: the other one may be infinite
			d = choose(e.Args[0], rec(e.Args[1]), rec(e.Args[2]))
			memo[e] = d
			return d
		}
		for i, a := range e.Args {
			if inner := rec(a); !inner.is(0) {
				d = add(d, mul(ops[e.Op].partial(e, i), inner))
			}
		}
		memo[e] = d
		return d
	}
	return rec(e)
}

// The constructors below simplify what holds for every finite argument, and fold constants where the result is finite.

func fold(op Op, args ...*Expr) *Expr {
	var v [3]float64
	for i, a := range args {
		if a.Op != Const {
			return nil
		}
		v[i] = a.Value
	}
	if r := ops[op].eval(v[0], v[1], v[2]); !math.IsNaN(r) && !math.IsInf(r, 0) {
		return num(r)
	}
	return nil
}

func call(op Op, args ...*Expr) *Expr {
	if f := fold(op, args...); f != nil {
		return f
	}
	return &Expr{Op: op, Args: args}
}

func add(a, b *Expr) *Expr {
	switch {
	case a.is(0):
		return b
	case b.is(0):
		return a
	case b.Op == Neg:
		return sub(a, b.Args[0])
	case a.Op == Neg:
		return sub(b, a.Args[0])
	}
	return call(Add, a, b)
}

func sub(a, b *Expr) *Expr {
	switch {
	case b.is(0):
		return a
	case a.is(0):
		return neg(b)
	case b.Op == Neg:
		return add(a, b.Args[0])
	case a == b:
		return num(0)
	}
	return call(Sub, a, b)
}

func neg(a *Expr) *Expr {
	if a.Op == Neg {
		return a.Args[0]
	}
	return call(Neg, a)
}

func mul(a, b *Expr) *Expr {
	switch {
	case a.is(0) || b.is(0):
		return num(0)
	case a.is(1):
		return b
	case b.is(1):
		return a
	case a.is(-1):
		return neg(b)
	case b.is(-1):
		return neg(a)
	case a.Op == Neg && b.Op == Neg:
		return mul(a.Args[0], b.Args[0])
	case a.Op == Neg:
		return neg(mul(a.Args[0], b))
	case b.Op == Neg:
		return neg(mul(a, b.Args[0]))
	case a.Op == Div && a.Args[0].is(1):
		return div(b, a.Args[1])
	case b.Op == Div && b.Args[0].is(1):
		return div(a, b.Args[1])
	case a.Op == Const && b.Op == Mul && b.Args[0].Op == Const:
		return mul(mul(a, b.Args[0]), b.Args[1])
	case b.Op == Const && a.Op != Const:
		return mul(b, a)
	}
	return call(Mul, a, b)
}

func div(a, b *Expr) *Expr {
	switch {
	case a.is(0) && !b.is(0):
		return num(0)
	case b.is(1):
		return a
	case b.is(-1):
		return neg(a)
	case a.Op == Neg:
		return neg(div(a.Args[0], b))
	}
	return call(Div, a, b)
}

func choose(c, a, b *Expr) *Expr {
	switch {
	case c.Op == Const && c.Value != 0, a.Op == Const && b.is(a.Value):
		return a
	case c.Op == Const:
		return b
	}
	return call(Choose, c, a, b)
}

func pow(a, b *Expr) *Expr {
	switch {
	case b.is(0):
		return num(1)
	case b.is(1):
		return a
	}
	return call(Pow, a, b)
}
