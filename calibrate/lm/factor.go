package lm

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

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
