package models

import (
	"math"
	"testing"
)

// TestSimplified: what derivatives are built by means what the operators mean, whatever is simplified: of names, numbers and the negatives of both.
func TestSimplified(t *testing.T) {
	v := map[string]float64{"f_x": 3, "p_a": 0.7}
	parts := []*Expr{{Op: Feature, Name: "f_x"}, {Op: Param, Name: "p_a"}, num(0), num(1), num(-1), num(2.5)}
	for _, e := range parts[:2] {
		parts = append(parts, &Expr{Op: Neg, Args: []*Expr{e}}, &Expr{Op: Mul, Args: []*Expr{num(2), e}})
	}
	for op, build := range map[Op]func(a, b *Expr) *Expr{Add: add, Sub: sub, Mul: mul, Div: div} {
		for _, a := range parts {
			for _, b := range parts {
				want := ops[op].eval(evaluate(a, v), evaluate(b, v), 0)
				if got := evaluate(build(a, b), v); math.Abs(got-want) > 1e-12*math.Abs(want) {
					t.Errorf("%s %s %s is %s, which is %g and not %g", a, ops[op].name, b, build(a, b), got, want)
				}
			}
		}
	}
}
