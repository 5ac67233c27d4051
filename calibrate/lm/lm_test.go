package lm

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// known is a problem with a known minimum. Its Jacobian is checked by TestProblemsHaveTheirJacobians.
type known struct {
	name    string
	problem Problem
	start   []float64
	minimum float64 // of the sum of squares
	at      []float64
}

func problem(m, n int, residual func(p, r []float64), jacobian func(p []float64, set func(i, j int, v float64))) Problem {
	return Problem{M: m, N: n, Residual: residual, Jacobian: func(p []float64, j *mat.Dense) {
		j.Zero()
		jacobian(p, j.Set)
	}}
}

// problems from J. J. Moré, B. S. Garbow, K. E. Hillstrom, "Testing unconstrained optimization software", ACM TOMS 7(1), 1981.
var problems = []known{
	{
		"rosenbrock",
		problem(2, 2, func(p, r []float64) { r[0], r[1] = 10*(p[1]-p[0]*p[0]), 1-p[0] },
			func(p []float64, set func(i, j int, v float64)) { set(0, 0, -20*p[0]); set(0, 1, 10); set(1, 0, -1) }),
		[]float64{-1.2, 1},
		0,
		[]float64{1, 1},
	},
	{
		"powell singular",
		problem(4, 4, func(p, r []float64) {
			a, b := p[1]-2*p[2], p[0]-p[3]
			r[0], r[1], r[2], r[3] = p[0]+10*p[1], math.Sqrt(5)*(p[2]-p[3]), a*a, math.Sqrt(10)*b*b
		}, func(p []float64, set func(i, j int, v float64)) {
			a, b := p[1]-2*p[2], p[0]-p[3]
			set(0, 0, 1)
			set(0, 1, 10)
			set(1, 2, math.Sqrt(5))
			set(1, 3, -math.Sqrt(5))
			set(2, 1, 2*a)
			set(2, 2, -4*a)
			set(3, 0, 2*math.Sqrt(10)*b)
			set(3, 3, -2*math.Sqrt(10)*b)
		}),
		[]float64{3, -1, 0, 1},
		0,
		[]float64{0, 0, 0, 0},
	},
	{
		"freudenstein and roth",
		problem(2, 2, func(p, r []float64) {
			r[0] = -13 + p[0] + ((5-p[1])*p[1]-2)*p[1]
			r[1] = -29 + p[0] + ((p[1]+1)*p[1]-14)*p[1]
		}, func(p []float64, set func(i, j int, v float64)) {
			set(0, 0, 1)
			set(0, 1, 10*p[1]-3*p[1]*p[1]-2)
			set(1, 0, 1)
			set(1, 1, 3*p[1]*p[1]+2*p[1]-14)
		}),
		[]float64{0.5, -2},
		48.98425367924, nil, // the local minimum that all such methods find from here
	},
	{
		"beale",
		problem(3, 2, func(p, r []float64) {
			for i, y := range []float64{1.5, 2.25, 2.625} {
				r[i] = y - p[0]*(1-math.Pow(p[1], float64(i+1)))
			}
		}, func(p []float64, set func(i, j int, v float64)) {
			for i := range 3 {
				set(i, 0, -(1 - math.Pow(p[1], float64(i+1))))
				set(i, 1, p[0]*float64(i+1)*math.Pow(p[1], float64(i)))
			}
		}),
		[]float64{1, 1},
		0,
		[]float64{3, 0.5},
	},
	{
		"jennrich and sampson",
		problem(10, 2, func(p, r []float64) {
			for i := range 10 {
				k := float64(i + 1)
				r[i] = 2 + 2*k - math.Exp(k*p[0]) - math.Exp(k*p[1])
			}
		}, func(p []float64, set func(i, j int, v float64)) {
			for i := range 10 {
				k := float64(i + 1)
				set(i, 0, -k*math.Exp(k*p[0]))
				set(i, 1, -k*math.Exp(k*p[1]))
			}
		}),
		[]float64{0.3, 0.4},
		124.362182355615,
		[]float64{0.2578252136701, 0.2578252136701},
	},
}

func TestProblemsHaveTheirJacobians(t *testing.T) {
	for _, k := range problems {
		j := mat.NewDense(k.problem.M, k.problem.N, nil)
		k.problem.Jacobian(k.start, j)
		lo, hi := make([]float64, k.problem.M), make([]float64, k.problem.M)
		for c := range k.problem.N {
			p := append([]float64(nil), k.start...)
			const h = 1e-5
			p[c] += h
			k.problem.Residual(p, hi)
			p[c] -= 2 * h
			k.problem.Residual(p, lo)
			for i := range hi {
				if want := (hi[i] - lo[i]) / (2 * h); math.Abs(j.At(i, c)-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%s: derivative %d,%d is %g, differences give %g", k.name, i, c, j.At(i, c), want)
				}
			}
		}
	}
}

func TestKnownMinima(t *testing.T) {
	for _, k := range problems {
		for _, factor := range []float64{0.1, 1, 100} {
			r, err := Minimize(context.Background(), k.problem, k.start, &Settings{Ftol: 1e-14, Xtol: 1e-14, Factor: factor})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Status.Converged() {
				t.Errorf("%s, factor %g: %s after %d", k.name, factor, r.Status, r.Evaluations)
			}
			if got := r.Norm * r.Norm; math.Abs(got-k.minimum) > 1e-8*max(1e-4, k.minimum) {
				t.Errorf("%s, factor %g: minimum %.12g at %v, want %.12g", k.name, factor, got, r.P, k.minimum)
			}
			for i, want := range k.at {
				if math.Abs(r.P[i]-want) > 1e-5 {
					t.Errorf("%s, factor %g: p = %v, want %v", k.name, factor, r.P, k.at)
				}
			}
			norm := math.Inf(1)
			for _, it := range r.History {
				if it.Norm > norm {
					t.Errorf("%s: the residual grows in iteration %d", k.name, it.N)
				}
				norm = it.Norm
			}
		}
	}
}

// linear is |A p - b|².
func linear(a *mat.Dense, b []float64) Problem {
	m, n := a.Dims()
	return Problem{
		M: m, N: n,
		Residual: func(p, r []float64) {
			for i := range m {
				r[i] = mat.Dot(a.RowView(i), mat.NewVecDense(n, p)) - b[i]
			}
		},
		Jacobian: func(_ []float64, j *mat.Dense) { j.Copy(a) },
	}
}

func drawLinear(t *rapid.T) (*mat.Dense, []float64, []float64, []float64) {
	n := rapid.IntRange(1, 4).Draw(t, "n")
	m := n + rapid.IntRange(0, 5).Draw(t, "extra rows")
	value := rapid.Float64Range(-3, 3)
	a := mat.NewDense(m, n, nil)
	b := make([]float64, m)
	scale := make([]float64, n) // parameters of very different sizes, as costs are
	for j := range scale {
		scale[j] = math.Pow(10, float64(rapid.IntRange(-9, 9).Draw(t, "scale")))
	}
	for i := range m {
		for j := range n {
			a.Set(i, j, value.Draw(t, "a")*scale[j])
		}
		b[i] = value.Draw(t, "b")
	}
	lower, upper := make([]float64, n), make([]float64, n)
	for j := range n {
		lower[j] = value.Draw(t, "lower") / scale[j]
		upper[j] = lower[j] + rapid.Float64Range(0.1, 3).Draw(t, "width")/scale[j]
		switch rapid.IntRange(0, 3).Draw(t, "bounds") {
		case 0:
			lower[j] = math.Inf(-1)
		case 1:
			upper[j] = math.Inf(1)
		}
	}
	return a, b, lower, upper
}

// TestBoundsAgainstEnumeration compares bounded linear problems with the best of all 3ⁿ choices of which parameters stand where.
func TestBoundsAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, lower, upper := drawLinear(t)
		n := len(lower)
		p0 := make([]float64, n)
		r, err := Minimize(context.Background(), linear(a, b), p0, &Settings{Ftol: 1e-15, Xtol: 1e-14, Lower: lower, Upper: upper})
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range r.P {
			if v < lower[j] || v > upper[j] {
				t.Fatalf("p[%d] = %g outside %g to %g", j, v, lower[j], upper[j])
			}
		}
		if best := enumerate(a, b, lower, upper); r.Norm > best*(1+1e-8)+1e-9 {
			t.Fatalf("norm %.12g (%s), the least is %.12g", r.Norm, r.Status, best)
		}
	})
}

// enumerate is the oracle: for each choice of held parameters solve for the others by SVD, keep what is feasible.
func enumerate(a *mat.Dense, b, lower, upper []float64) float64 {
	m, n := a.Dims()
	best := math.Inf(1)
	choice := make([]int, n)
	var rec func(j int)
	rec = func(j int) {
		if j < n {
			for c := range 3 {
				if c == 1 && math.IsInf(lower[j], 0) || c == 2 && math.IsInf(upper[j], 0) {
					continue
				}
				choice[j] = c
				rec(j + 1)
			}
			return
		}
		p := make([]float64, n)
		var free []int
		for j, c := range choice {
			switch c {
			case 0:
				free = append(free, j)
			case 1:
				p[j] = lower[j]
			case 2:
				p[j] = upper[j]
			}
		}
		rhs := mat.NewVecDense(m, nil)
		rhs.MulVec(a, mat.NewVecDense(n, p))
		rhs.SubVec(mat.NewVecDense(m, append([]float64(nil), b...)), rhs)
		if k := len(free); k > 0 {
			sub := mat.NewDense(m, k, nil)
			size := make([]float64, k)
			for c, j := range free {
				size[c] = max(mat.Norm(a.ColView(j), 2), 1e-300)
				for i := range m {
					sub.Set(i, c, a.At(i, j)/size[c])
				}
			}
			var svd mat.SVD
			if !svd.Factorize(sub, mat.SVDThin) {
				return
			}
			rank := svd.Rank(1e-12)
			if rank == 0 {
				rank = 1
			}
			var x mat.VecDense
			svd.SolveVecTo(&x, rhs, rank)
			for c, j := range free {
				p[j] = x.AtVec(c) / size[c]
				if p[j] < lower[j] || p[j] > upper[j] {
					return
				}
			}
		}
		rhs.MulVec(a, mat.NewVecDense(n, p))
		rhs.SubVec(mat.NewVecDense(m, append([]float64(nil), b...)), rhs)
		best = min(best, mat.Norm(rhs, 2))
	}
	rec(0)
	return best
}

// TestCovarianceAgainstInverse compares with s² (JᵀJ)⁻¹ computed directly.
func TestCovarianceAgainstInverse(t *testing.T) {
	a := mat.NewDense(5, 3, []float64{1, 2, 0, 0, 1, 1, 3, 0, 1, 1, 1, 1, 2, 0, 4})
	b := []float64{1, 4, 2, 0, 3}
	r, err := Minimize(context.Background(), linear(a, b), make([]float64, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	var jtj, inv mat.Dense
	jtj.Mul(a.T(), a)
	if err := inv.Inverse(&jtj); err != nil {
		t.Fatal(err)
	}
	s2 := r.Norm * r.Norm / 2
	for i := range 3 {
		for j := range 3 {
			if want := s2 * inv.At(i, j); math.Abs(r.Covariance.At(i, j)-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("covariance %d,%d = %g, want %g", i, j, r.Covariance.At(i, j), want)
			}
		}
		if want := math.Sqrt(s2 * inv.At(i, i)); math.Abs(r.StdErr[i]-want) > 1e-12 {
			t.Errorf("standard error %d = %g, want %g", i, r.StdErr[i], want)
		}
	}
	if r.Freedom != 2 || r.Rank != 3 {
		t.Errorf("freedom %d, rank %d", r.Freedom, r.Rank)
	}
}

func TestWhatCannotBeDetermined(t *testing.T) {
	// the first two columns are proportional, nothing depends on the fourth, and their scales differ by 10¹²
	a := mat.NewDense(4, 4, []float64{1e-6, 2e6, 1, 0, 2e-6, 4e6, 0, 0, 3e-6, 6e6, 1, 0, 1e-6, 2e6, 2, 0})
	r, err := Minimize(context.Background(), linear(a, []float64{1, 2, 3, 5}), []float64{1, 1, 1, 7}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rank != 2 || len(r.Null) != 2 || !math.IsInf(r.Condition, 1) {
		t.Errorf("rank %d, %d null directions, condition %g", r.Rank, len(r.Null), r.Condition)
	}
	for j, want := range []bool{true, true, false, true} {
		if math.IsInf(r.StdErr[j], 1) != want {
			t.Errorf("standard error %d is %g", j, r.StdErr[j])
		}
	}
	for _, d := range r.Null {
		var y mat.VecDense
		y.MulVec(a, mat.NewVecDense(4, d))
		if mat.Norm(&y, 2) > 1e-9 {
			t.Errorf("null direction %v changes the residual by %v", d, y)
		}
	}
	if r.P[3] != 7 {
		t.Errorf("the parameter that nothing depends on moved to %g", r.P[3])
	}
}

func TestFewerRowsThanParameters(t *testing.T) {
	a := mat.NewDense(1, 3, []float64{1, 2, 3})
	r, err := Minimize(context.Background(), linear(a, []float64{6}), []float64{0, 0, 0}, &Settings{Ftol: 1e-14})
	if err != nil {
		t.Fatal(err)
	}
	if r.Norm > 1e-9 || r.Rank != 1 || r.Covariance != nil || !math.IsNaN(r.StdErr[0]) {
		t.Errorf("%+v", r)
	}
}

func TestRefusals(t *testing.T) {
	p := linear(mat.NewDense(1, 1, []float64{1}), []float64{1})
	nan := p
	nan.Residual = func(_, r []float64) { r[0] = math.NaN() }
	for _, c := range []struct {
		problem  Problem
		p0       []float64
		settings *Settings
		want     error
	}{
		{Problem{}, nil, nil, errShape},
		{p, []float64{1, 2}, nil, errShape},
		{p, []float64{1}, &Settings{Lower: []float64{1, 2}}, errBounds},
		{p, []float64{1}, &Settings{Lower: []float64{1}, Upper: []float64{1}}, errBounds},
		{p, []float64{1}, &Settings{Lower: []float64{math.NaN()}}, errBounds},
		{nan, []float64{1}, nil, errResidual},
	} {
		if _, err := Minimize(context.Background(), c.problem, c.p0, c.settings); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
}

// TestBoundOnACurvedValley holds Rosenbrock's valley at p[0] = 1/2, where the minimum is at (1/2, 1/4).
func TestBoundOnACurvedValley(t *testing.T) {
	k := problems[0]
	for _, start := range [][]float64{{-1.2, 1}, {0.5, 5}, {40, -3}} {
		r, err := Minimize(context.Background(), k.problem, start, &Settings{
			Ftol: 1e-15, Xtol: 1e-15, Lower: []float64{-2, -2}, Upper: []float64{0.5, 2},
		})
		if err != nil || !r.Status.Converged() || math.Abs(r.P[0]-0.5) > 0 || math.Abs(r.P[1]-0.25) > 1e-9 {
			t.Errorf("from %v: %v (%v), %v", start, r.P, r.Status, err)
		}
		if !r.Active[0] || r.Active[1] || r.StdErr[0] != 0 {
			t.Errorf("from %v: active %v, standard errors %v", start, r.Active, r.StdErr)
		}
	}
}

// TestWallOfNaN has a model that is not defined left of 0, where a full step would go.
func TestWallOfNaN(t *testing.T) {
	p := problem(1, 1, func(p, r []float64) { r[0] = math.Log(p[0]) - 1 },
		func(p []float64, set func(i, j int, v float64)) { set(0, 0, 1/p[0]) })
	r, err := Minimize(context.Background(), p, []float64{20}, nil)
	if err != nil || math.Abs(r.P[0]-math.E) > 1e-9 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestFadingParameter has a column so short that what is divided by its length overflows: the parameter stays where it is, and the
// search for a step ends.
func TestFadingParameter(t *testing.T) {
	f := newFactored(2, 2)
	if !f.factor(mat.NewDense(2, 2, []float64{1, 0, 0, 3e-311}), []float64{1, 1}, []float64{1, 1}) || f.norms[1] != 0 || f.unit[1] != 1 {
		t.Errorf("lengths %v", f.norms)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tri := newTriangle(1)
		tri.from(blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}, blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}, make([]float64, 1), make([]float64, 128))
		newRegion(1).solve(&tri, []float64{math.Inf(1)}, 1, 0)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("it seeks a step for ever")
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	k, calls := problems[0], 0
	p := k.problem
	p.Jacobian = func(at []float64, j *mat.Dense) {
		if calls++; calls == 3 { // at the start and after each of two steps
			cancel()
		}
		k.problem.Jacobian(at, j)
	}
	r, err := Minimize(ctx, p, k.start, nil)
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != Cancelled || r.Iterations != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNotFiniteJacobian(t *testing.T) {
	p := problem(1, 1, func(p, r []float64) { r[0] = math.Sqrt(p[0]) + 1 },
		func(p []float64, set func(i, j int, v float64)) { set(0, 0, 0.5/math.Sqrt(p[0])) })
	r, err := Minimize(context.Background(), p, []float64{0}, nil)
	if err != nil || r.Status != NotFinite || r.Status.Converged() {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestEvaluationLimit(t *testing.T) {
	k := problems[0]
	r, err := Minimize(context.Background(), k.problem, k.start, &Settings{MaxEvaluations: 3})
	if err != nil || r.Status != EvaluationLimit || !strings.Contains(r.Status.String(), "limit") {
		t.Errorf("%+v, %v", r, err)
	}
}
