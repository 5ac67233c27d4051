package expr_test

import (
	"testing"

	"gpuperf/kernel/expr"
)

// TestSmaller: strides are ordered by degree, then by how large their leading coefficient is; 0 comes last. Strides of one rank are not ordered.
func TestSmaller(t *testing.T) {
	n, m := expr.VarPoly("n"), expr.VarPoly("m")
	for i, a := range []*expr.Poly{expr.ConstPoly(1), expr.ConstPoly(-2), expr.ConstPoly(300), n, n.Scale(-2), n.Mul(m), n.Mul(n).Scale(3), n.Mul(n).Mul(m), nil} {
		for j, b := range []*expr.Poly{expr.ConstPoly(-1), expr.ConstPoly(2), expr.ConstPoly(-300), m.Add(expr.ConstPoly(1000)), m.Scale(2), n.Mul(n).Add(n.Scale(7)), m.Mul(n).Scale(-3), m.Mul(m).Mul(m), nil} {
			if got := a.Smaller(b); got != (i < j) {
				t.Errorf("%s before %s: %v", a, b, got)
			}
		}
	}
}
