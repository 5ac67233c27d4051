package lm

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// region solves the trust region problem: min |A s + b| subject to |D s| ≤ delta, where A and b are given as a triangle.
//
// The solution is s(λ) = -(AᵀA + λD²)⁻¹Aᵀb with λ = 0, or with the λ at which |D s(λ)| = delta. That secular equation is solved to
// within a tenth by Newton's method on its reciprocal form, safeguarded by bounds on λ (Moré 1978, section 5, algorithm 5.5).
type region struct {
	stack blas64.General // 2k×k: R above √λ D P
	rhs   blas64.General
	tau   []float64
	work  []float64
	x, w  []float64
	s     []float64 // the step, in the order of the columns
	ds    []float64
}

func newRegion(n int) *region {
	f := func() []float64 { return make([]float64, n) }
	return &region{
		stack: general(2*n, n), rhs: general(2*n, 1), tau: f(), work: make([]float64, (n+1)*64),
		x: f(), w: f(), s: f(), ds: f(),
	}
}

// dependent is the part of a column of length 1 that is rounding.
const dependent = 64 * eps

// slack is how far from delta the length of a step may be, as a fraction.
const slack = 0.1

// solve returns the step, valid until the next call, and λ; d is D by column, start a guess of λ. The columns have length 1.
func (g *region) solve(t *triangle, d []float64, delta, start float64) (s []float64, lambda float64) {
	k := t.k
	s, ds := g.s[:k], g.ds[:k]
	rank := g.gaussNewton(t, k)
	length := g.scaled(d, ds)
	for !(length <= math.MaxFloat64) && rank > 0 { // a pivot so small that the step overflows is none
		rank = g.gaussNewton(t, rank-1)
		length = g.scaled(d, ds)
	}
	excess := length - delta
	if excess <= slack*delta {
		return s, 0
	}

	// bounds of λ: the lower from the convexity of the secular function, which needs full rank; the upper from |D⁻¹Aᵀb|
	low := 0.0
	if rank == k {
		low = excess / delta / square(g.solveT(t.r, t.perm, d, ds, length))
	}
	high := g.gradientNorm(t, d) / delta
	if high == 0 {
		high = math.SmallestNonzeroFloat64 * 0x1p52 / min(delta, 0.1)
	}
	lambda = min(max(start, low), high)
	if lambda == 0 {
		lambda = g.gradientNorm(t, d) / length
	}

	for round := 1; ; round++ {
		if lambda == 0 {
			lambda = max(math.SmallestNonzeroFloat64*0x1p52, 0.001*high)
		}
		g.damped(t, d, math.Sqrt(lambda))
		length = g.scaled(d, ds)
		before := excess
		excess = length - delta
		if math.Abs(excess) <= slack*delta || low == 0 && excess <= before && before < 0 || round == 10 {
			return s, lambda
		}
		r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: k, Stride: g.stack.Stride, Data: g.stack.Data}
		correction := excess / delta / square(g.solveT(r, t.perm, d, ds, length))
		if excess > 0 {
			low = max(low, lambda)
		} else {
			high = min(high, lambda)
		}
		lambda = max(low, lambda+correction)
	}
}

func square(x float64) float64 { return x * x }

// gaussNewton stores the step with λ = 0; columns that depend on earlier ones to within rounding, and those from most on, stay at
// zero, so that parameters which the residuals do not determine stay where they are. It returns the rank.
func (g *region) gaussNewton(t *triangle, most int) int {
	rank := 0
	least := dependent * math.Abs(t.r.Data[0])
	for rank < most && math.Abs(t.r.Data[rank*t.r.Stride+rank]) > least {
		rank++
	}
	x := g.x[:t.k]
	clear(x)
	copy(x, t.qtb[:rank])
	if rank > 0 {
		r := t.r
		r.N = rank
		blas64.Trsv(blas.NoTrans, r, vec(x[:rank]))
	}
	for i, c := range t.perm {
		g.s[c] = -x[i]
	}
	return rank
}

// damped stores the step for a given √λ, by the QR factorization of R stacked on √λ D.
func (g *region) damped(t *triangle, d []float64, root float64) {
	k := t.k
	g.stack.Rows, g.stack.Cols, g.stack.Stride = 2*k, k, k
	clear(g.stack.Data[:2*k*k])
	g.rhs.Rows = 2 * k
	clear(g.rhs.Data[:2*k])
	for i := range k {
		copy(g.stack.Data[i*k+i:(i+1)*k], t.r.Data[i*t.r.Stride+i:i*t.r.Stride+k])
		g.stack.Data[(k+i)*k+i] = root * d[t.perm[i]]
		g.rhs.Data[i] = t.qtb[i]
	}
	lapack64.Geqrf(g.stack, g.tau[:k], g.work, len(g.work))
	lapack64.Ormqr(blas.Left, blas.Trans, g.stack, g.tau[:k], g.rhs, g.work, len(g.work))
	x := g.x[:k]
	copy(x, g.rhs.Data[:k])
	r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: k, Stride: k, Data: g.stack.Data}
	blas64.Trsv(blas.NoTrans, r, vec(x))
	for i, c := range t.perm {
		g.s[c] = -x[i]
	}
}

// scaled stores D s in ds and returns its norm.
func (g *region) scaled(d, ds []float64) float64 {
	for i := range ds {
		ds[i] = d[i] * g.s[i]
	}
	return blas64.Nrm2(vec(ds))
}

// solveT returns |R⁻ᵀ Pᵀ D (D s)/|D s||, whose square is the derivative of the secular function up to sign and length.
func (g *region) solveT(r blas64.Triangular, perm []int, d, ds []float64, length float64) float64 {
	w := g.w[:len(ds)]
	for i, c := range perm {
		w[i] = d[c] * (ds[c] / length)
	}
	blas64.Trsv(blas.Trans, r, vec(w))
	return blas64.Nrm2(vec(w))
}

// gradientNorm is |D⁻¹ Aᵀ b|.
func (g *region) gradientNorm(t *triangle, d []float64) float64 {
	w := g.w[:t.k]
	copy(w, t.qtb)
	blas64.Trmv(blas.Trans, t.r, vec(w))
	for i, c := range t.perm {
		w[i] /= d[c]
	}
	return blas64.Nrm2(vec(w))
}
