package remedy

import (
	"fmt"
	"math"

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
