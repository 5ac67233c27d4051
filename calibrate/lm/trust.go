package lm

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
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

// factored is a Jacobian J = Q A with A the n×n factor whose columns are in the order of the parameters. All that the method
// asks of J it asks of A: JᵀJ = AᵀA, Jᵀr = Aᵀ(Qᵀr), |Js| = |As|.
type factored struct {
	m, n  int
	a     blas64.General // n×n
	qtr   []float64      // first n of Qᵀr
	norms []float64      // of the columns of J
	unit  []float64      // the same, 1 for columns of zeros: what columns are divided by before they are factored

	// the triangle of the pivoted factorization itself, the common case of a trust region over all parameters; like every triangle
	// it is of columns scaled to length 1, so that a dependent column shows whatever the units of the parameters
	all triangle

	qr   blas64.General // rows×n, room for the factorization
	rhs  blas64.General
	tau  []float64
	work []float64
}

func newFactored(m, n int) *factored {
	rows := max(m, n) // a wide Jacobian is padded with zeros
	return &factored{
		m: m, n: n,
		a:     general(n, n),
		qtr:   make([]float64, n),
		norms: make([]float64, n),
		unit:  make([]float64, n),
		all:   newTriangle(n),
		qr:    general(rows, n),
		rhs:   general(rows, 1),
		tau:   make([]float64, n),
		work:  make([]float64, 2*n+(n+1)*64),
	}
}

func general(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: max(1, c), Data: make([]float64, r*c)}
}

// factor takes the Jacobian and the residual of one point, and the greatest lengths of columns so far; false when the Jacobian is
// not finite.
func (f *factored) factor(j *mat.Dense, r, longest []float64) bool {
	raw := j.RawMatrix()
	for i := range f.m {
		row := raw.Data[i*raw.Stride : i*raw.Stride+f.n]
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
		copy(f.qr.Data[i*f.n:(i+1)*f.n], row)
		f.rhs.Data[i] = r[i]
	}
	clear(f.qr.Data[f.m*f.n:])
	clear(f.rhs.Data[f.m:])
	for c := range f.n {
		column := blas64.Vector{N: f.qr.Rows, Inc: f.n, Data: f.qr.Data[c:]}
		f.norms[c] = blas64.Nrm2(column)
		if f.norms[c] < negligible*longest[c] {
			f.norms[c] = 0
			for i := 0; i < len(column.Data); i += f.n {
				column.Data[i] = 0
			}
		}
		f.unit[c] = f.norms[c]
		if f.norms[c] == 0 {
			f.unit[c] = 1
		}
		for i := 0; i < len(column.Data); i += f.n {
			column.Data[i] /= f.unit[c]
		}
	}
	f.all.from(f.qr, f.rhs, f.tau, f.work)
	copy(f.qtr, f.all.qtb)
	clear(f.a.Data)
	for k, c := range f.all.perm {
		for i := 0; i <= k; i++ {
			f.a.Data[i*f.n+c] = f.all.r.Data[i*f.all.r.Stride+k] * f.unit[c]
		}
	}
	return true
}

// negligible is the part of its greatest length so far below which a column is one of zeros: what is divided by it overflows, as
// happens to parameters whose influence has faded, such as the exponent between a cost and next to nothing.
const negligible = 1e-150

// gradient stores Jᵀr.
func (f *factored) gradient(g []float64) {
	blas64.Gemv(blas.Trans, 1, f.a, vec(f.qtr), 0, vec(g))
}

// imageNorm is |J s|.
func (f *factored) imageNorm(s []float64) float64 {
	y := vec(f.work[:f.n])
	blas64.Gemv(blas.NoTrans, 1, f.a, vec(s), 0, y)
	return blas64.Nrm2(y)
}

func vec(d []float64) blas64.Vector { return blas64.Vector{N: len(d), Inc: 1, Data: d} }

// triangle is a pivoted QR factorization of a matrix with k columns and a right-hand side b: column perm[i] of the matrix is
// Q times column i of r, and qtb holds the first k of Qᵀb.
type triangle struct {
	k    int
	r    blas64.Triangular
	perm []int
	qtb  []float64
}

func newTriangle(n int) triangle {
	return triangle{
		r:    blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, Stride: max(1, n), Data: make([]float64, n*n)},
		perm: make([]int, n),
		qtb:  make([]float64, n),
	}
}

// from factors a, which must have at least as many rows as columns, and applies Qᵀ to b; both are overwritten.
func (t *triangle) from(a, b blas64.General, tau, work []float64) {
	k := a.Cols
	t.k, t.r.N = k, k
	t.perm, t.qtb = t.perm[:k], t.qtb[:k]
	for i := range t.perm {
		t.perm[i] = -1 // free to move
	}
	lapack64.Geqp3(a, t.perm, tau[:k], work, len(work))
	lapack64.Ormqr(blas.Left, blas.Trans, a, tau[:k], b, work, len(work))
	for i := range k {
		copy(t.r.Data[i*t.r.Stride+i:i*t.r.Stride+k], a.Data[i*a.Stride+i:i*a.Stride+k])
		t.qtb[i] = b.Data[i*b.Stride]
	}
}
