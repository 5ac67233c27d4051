package lm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// result linearizes at the best point and says what is known of it.
func (s *solver) result(status Status) *Result {
	r := &Result{
		P: s.p, Norm: s.fnorm, Status: status, Iterations: s.iterations, Evaluations: s.evaluations,
		History: s.history, Active: make([]bool, s.n), StdErr: slices.Repeat([]float64{math.NaN()}, s.n), Condition: math.NaN(),
	}
	if s.linearize() {
		for j := range s.n {
			r.Active[j] = s.outward(j)
		}
		r.spread(s.fac, s.m, s.set.Noise)
	}
	return r
}

// spread computes rank, condition, null directions and covariance from the singular values of the factor whose columns are scaled
// to length 1, so that the units of the parameters do not matter.
func (r *Result) spread(f *factored, m int, noise float64) {
	n := f.n
	var free []int
	for j := range n {
		switch {
		case r.Active[j]:
		case f.norms[j] == 0: // nothing depends on it
			direction := make([]float64, n)
			direction[j] = 1
			r.Null = append(r.Null, direction)
		default:
			free = append(free, j)
		}
	}
	k := len(free)
	if k == 0 {
		r.Freedom, r.Condition = m, 1
		if len(r.Null) > 0 {
			r.Condition = math.Inf(1)
		}
		r.covariance(nil, nil, nil, f.norms, m, noise)
		return
	}
	a := mat.NewDense(n, k, nil)
	for c, j := range free {
		for i := range n {
			a.Set(i, c, f.a.Data[i*n+j]/f.norms[j])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return
	}
	sigma := svd.Values(nil)
	var v mat.Dense
	svd.VTo(&v)
	tol := float64(max(m, n)) * eps * sigma[0]
	for r.Rank < k && sigma[r.Rank] > tol {
		r.Rank++
	}
	for i := r.Rank; i < k; i++ {
		direction := make([]float64, n)
		for c, j := range free {
			if x := v.At(c, i); math.Abs(x) > 1e-6 { // less is rounding
				direction[j] = x / f.norms[j]
			}
		}
		r.Null = append(r.Null, direction)
	}
	r.Condition = sigma[0] / sigma[k-1]
	if len(r.Null) > 0 {
		r.Condition = math.Inf(1)
	}
	r.Weakest = make([]float64, n)
	for c, j := range free {
		r.Weakest[j] = v.At(c, k-1)
	}
	r.covariance(free, sigma[:r.Rank], &v, f.norms, m, noise)
}

func (r *Result) covariance(free []int, sigma []float64, v *mat.Dense, norms []float64, m int, noise float64) {
	n := len(r.StdErr)
	r.Freedom = max(0, m-len(sigma))
	if r.Freedom == 0 {
		return
	}
	variance := max(r.Norm/float64(r.Freedom)*r.Norm, noise*noise)
	r.Covariance = mat.NewSymDense(n, nil)
	for c, j := range free {
		for d, l := range free[:c+1] {
			sum := 0.0
			for i, s := range sigma {
				sum += v.At(c, i) / s * (v.At(d, i) / s)
			}
			r.Covariance.SetSym(j, l, variance*sum/norms[j]/norms[l])
		}
	}
	for j := range n {
		r.StdErr[j] = math.Sqrt(r.Covariance.At(j, j))
	}
	for _, direction := range r.Null {
		for j, x := range direction {
			if x != 0 {
				r.StdErr[j] = math.Inf(1)
			}
		}
	}
}
