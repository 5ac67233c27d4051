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

// The functions for overlap of two costs. All are homogeneous in the costs: k times the costs give k times the
// time, so that a model fitted on one scale of the output predicts on another.

// step is equation 6 of the Perflex paper, a step from 0 to 1 at x = 0 whose steepness is p.
func step(x, p float64) float64 { return (math.Tanh(p*x) + 1) / 2 }

func contrast(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return (a - b) / (a + b)
}

// overlap is equation 5 of the Perflex paper with the contrast of the two costs in place of their difference.
func overlap(a, b, p float64) float64 {
	x := contrast(a, b)
	return a*step(x, p) + b*step(-x, p)
}

// pnorm divides by the larger of the two first, so that neither power over- nor underflows.
func pnorm(a, b, p float64) float64 {
	m := max(math.Abs(a), math.Abs(b))
	switch {
	case m == 0:
		return 0
	case a > 0 && b > 0: // one exponential and one logarithm for each power
		return m * math.Exp(math.Log1p(math.Exp(p*math.Log(min(a, b)/m)))/p)
	}
	return m * math.Pow(math.Pow(a/m, p)+math.Pow(b/m, p), 1/p)
}

// share is a/pnorm(a, b, p); where both costs are 0 it has the value for equal costs.
func share(a, b, p float64) float64 { return shareOf(a, pnorm(a, b, p), p) }

// shareOf is share with a known norm.
func shareOf(a, norm, p float64) float64 {
	if norm == 0 {
		return math.Pow(2, -1/p)
	}
	return a / norm
}

func powlog(a, b float64) float64 {
	if a == 0 && b > 0 {
		return 0
	}
	return math.Pow(a, b) * math.Log(a)
}

// slope is the derivative of step by p·x: (1 - tanh²)/2.
func slope(x, p *Expr) *Expr {
	return mul(num(0.5), sub(num(1), pow(call(Tanh, mul(p, x)), num(2))))
}

func stepPartial(e *Expr, i int) *Expr {
	x, p := e.Args[0], e.Args[1]
	return mul(e.Args[1-i], slope(x, p))
}

func contrastPartial(e *Expr, i int) *Expr {
	a, b := e.Args[0], e.Args[1]
	s := pow(add(a, b), num(2))
	if i == 0 {
		return div(mul(num(2), b), s)
	}
	return neg(div(mul(num(2), a), s))
}

// overlapPartial uses overlap = b + (a - b) step(x) and (a - b) ∂x/∂a = x (1 - x), (a - b) ∂x/∂b = -x (1 + x), which need no
// division by a + b.
func overlapPartial(e *Expr, i int) *Expr {
	a, b, p := e.Args[0], e.Args[1], e.Args[2]
	x := call(Contrast, a, b)
	edge := slope(x, p)
	switch i {
	case 0:
		return add(call(Step, x, p), mul(mul(mul(p, x), sub(num(1), x)), edge))
	case 1:
		return sub(call(Step, neg(x), p), mul(mul(mul(p, x), add(num(1), x)), edge))
	}
	return mul(mul(sub(a, b), x), edge)
}

// pnormPartial writes the derivatives with the shares u = a/N, v = b/N: ∂N/∂a = u**(p-1) and
// ∂N/∂p = N/p (u**p log u + v**p log v), since u**p + v**p = 1.
func pnormPartial(e *Expr, i int) *Expr {
	a, b, p := e.Args[0], e.Args[1], e.Args[2]
	u, v := call(Share, a, b, p), call(Share, b, a, p)
	switch i {
	case 0:
		return pow(u, sub(p, num(1)))
	case 1:
		return pow(v, sub(p, num(1)))
	}
	return mul(div(e, p), add(call(PowLog, u, p), call(PowLog, v, p)))
}

func sharePartial(e *Expr, i int) *Expr {
	a, b, p := e.Args[0], e.Args[1], e.Args[2]
	n := call(PNorm, a, b, p)
	v := call(Share, b, a, p)
	switch i {
	case 0:
		return div(sub(num(1), pow(e, p)), n)
	case 1:
		return neg(div(mul(e, pow(v, sub(p, num(1)))), n))
	}
	return neg(mul(div(e, p), add(call(PowLog, e, p), call(PowLog, v, p))))
}

func powlogPartial(e *Expr, i int) *Expr {
	a, b := e.Args[0], e.Args[1]
	if i == 0 {
		return mul(pow(a, sub(b, num(1))), add(mul(b, call(Log, a)), num(1)))
	}
	return mul(e, call(Log, a))
}
