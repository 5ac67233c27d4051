package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// projection gives the parameters in which the model is linear, for given others, the values that meet the rows best: then the residual is one of the others
// alone, whose valleys are wide where those of all parameters are narrow and bent (Golub and Pereyra, The differentiation of pseudo-inverses
// and nonlinear least squares problems whose variables separate, 1973).
type projection struct {
	f       *fitter
	linear  []int       // parameters
	columns [][]float64 // weighted derivatives by these, by row
	rest    []float64   // weighted outputs less what the model gives without these
	grad    []float64
}

// projection is over the parameters that have no initial value; nil where the model is linear in none of them.
func (f *fitter) projection(fixed []bool) *projection {
	pr := &projection{f: f, rest: make([]float64, len(f.t)), grad: make([]float64, len(fixed))}
	for _, name := range f.model.LinearParameters() {
		if i := slices.Index(f.compiled.Parameters, name); !fixed[i] {
			pr.linear = append(pr.linear, i)
			pr.columns = append(pr.columns, make([]float64, len(f.t)))
		}
	}
	if len(pr.linear) == 0 {
		return nil
	}
	return pr
}

// project sets the linear parameters of a point. A value beyond a bound is held there, and the others are sought again, so that the point is a
// good one to start from, and not always the best.
func (pr *projection) project(p []float64) {
	f := pr.f
	for _, j := range pr.linear {
		p[j] = 0
	}
	for i, x := range f.x {
		value := f.compiled.Gradient(x, p, pr.grad)
		pr.rest[i] = f.w[i] * (f.t[i] - value)
		for k, j := range pr.linear {
			pr.columns[k][i] = f.w[i] * pr.grad[j]
		}
	}
	var free []int // of the linear ones
	for k, c := range pr.columns {
		if norm := floats.Norm(c, 2); norm > 0 && !math.IsInf(norm, 0) {
			free = append(free, k)
		}
	}
	for len(free) > 0 {
		values := pr.solve(free)
		worst, by := -1, 0.0
		for k, v := range values {
			j := pr.linear[free[k]]
			p[j] = f.inside(j, v)
			if off := math.Abs(v-p[j]) * floats.Norm(pr.columns[free[k]], 2); off > by {
				worst, by = k, off
			}
		}
		if worst < 0 {
			return
		}
		k := free[worst]
		floats.AddScaled(pr.rest, -p[pr.linear[k]], pr.columns[k])
		free = slices.Delete(free, worst, worst+1)
	}
}

// solve is the least-squares solution over some columns. Columns that depend on each other share what they give.
func (pr *projection) solve(free []int) []float64 {
	n := len(free)
	gram, right, norms := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), make([]float64, n)
	for a, k := range free {
		norms[a] = floats.Norm(pr.columns[k], 2)
	}
	for a, k := range free {
		right.SetVec(a, floats.Dot(pr.columns[k], pr.rest)/norms[a])
		for b, l := range free[:a+1] {
			gram.SetSym(a, b, floats.Dot(pr.columns[k], pr.columns[l])/norms[a]/norms[b])
		}
		gram.SetSym(a, a, 1+1e-13) // so that it has a factor
	}
	var factor mat.Cholesky
	var out mat.VecDense
	values := make([]float64, n)
	if !factor.Factorize(gram) || factor.SolveVecTo(&out, right) != nil && out.Len() == 0 {
		return values
	}
	for a := range values {
		values[a] = out.AtVec(a) / norms[a]
	}
	return values
}
