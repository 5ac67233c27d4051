package models

import "math"

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
