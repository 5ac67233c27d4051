package linear

import (
	"math"
	"slices"

	"gpuperf/polycount/internal/arith"
)

// Matrix is square, by rows.
type Matrix [][]int64

// Adjugate returns det·m⁻¹ and det by fraction-free Gauss–Jordan elimination (Bareiss 1968); det is 0 for a singular m.
func (m Matrix) Adjugate() (adj Matrix, det int64) {
	n := len(m)
	a := make(Matrix, n)
	for i := range a {
		a[i] = append(slices.Clone(m[i]), make([]int64, n)...)
		a[i][n+i] = 1
	}
	prev, flip := int64(1), int64(1)
	for k := range n {
		p := k
		for p < n && a[p][k] == 0 {
			p++
		}
		if p == n {
			return nil, 0
		}
		if p != k {
			a[p], a[k] = a[k], a[p]
			flip = -flip
		}
		for i := range n {
			if i == k {
				continue
			}
			f := a[i][k]
			for j := range a[i] {
				a[i][j] = arith.Sub(arith.Mul(a[k][k], a[i][j]), arith.Mul(f, a[k][j])) / prev
			}
		}
		prev = a[k][k]
	}
	// Every diagonal entry is now the last pivot, ±det.
	adj = make(Matrix, n)
	for i := range adj {
		adj[i] = a[i][n:]
		if flip < 0 {
			adj[i] = NegRow(adj[i])
		}
	}
	return adj, arith.Mul(prev, flip)
}

// MulRow is the row vector v·m.
func MulRow(v []int64, m Matrix) []int64 {
	out := make([]int64, len(m[0]))
	for i, x := range v {
		if x != 0 {
			AddTimes(out, x, m[i])
		}
	}
	return out
}

// ShortCombination returns integers w ≠ 0 for which w·basis has a small maximum norm. The basis is reduced by the
// algorithm of Lenstra, Lenstra and Lovász (1982); floating point only guides it, the vectors are exact.
func ShortCombination(basis Matrix) (w, v []int64) {
	b, u := reduced(basis)
	// The shortest in the maximum norm is among small combinations of a reduced basis, or close.
	n, best := len(basis), int64(-1)
	coeff := make([]int64, n)
	var try func(i int)
	try = func(i int) {
		if i == n {
			if IsZero(coeff) {
				return
			}
			x := MulRow(coeff, b)
			m := int64(0)
			for _, y := range x {
				m = max(m, arith.Abs(y))
			}
			if best < 0 || m < best {
				best, v, w = m, x, MulRow(coeff, u)
			}
			return
		}
		for c := int64(-1); c <= 1; c++ {
			coeff[i] = c
			try(i + 1)
		}
		coeff[i] = 0
	}
	try(0)
	return w, v
}

// reduced is a basis of the same lattice with short vectors, as combinations u of those of the basis (Lenstra, Lenstra and Lovász, 1982).
func reduced(basis Matrix) (b, u Matrix) {
	n := len(basis)
	b, u = make(Matrix, n), UnitVectors(n)
	for i := range b {
		b[i] = slices.Clone(basis[i])
	}
	for k, rounds := 1, 0; k < n && rounds < 1000; rounds++ {
		norm, mu := orthogonal(b[:k+1])
		shorter := false
		for j := k - 1; j >= 0; j-- {
			if q := int64(math.Round(mu[j])); math.Abs(mu[j]) > 0.501 { // short of 1/2, rounding would go back and forth
				b[k] = CombineRows(1, b[k], -q, b[j])
				u[k] = CombineRows(1, u[k], -q, u[j])
				shorter = true
				break // mu changes: recompute
			}
		}
		switch {
		case shorter:
		case norm[k] >= (0.75-mu[k-1]*mu[k-1])*norm[k-1]:
			k++
		default:
			b[k], b[k-1] = b[k-1], b[k]
			u[k], u[k-1] = u[k-1], u[k]
			k = max(k-1, 1)
		}
	}
	return b, u
}

// orthogonal are the squares of the lengths of vectors, each without what lies along those before it, and what of the last one lies along each (Gram and Schmidt).
func orthogonal(vectors Matrix) (norm, mu []float64) {
	dot := func(x, y []float64) (s float64) {
		for i := range x {
			s += x[i] * y[i]
		}
		return s
	}
	k := len(vectors) - 1
	star := make([][]float64, k+1)
	norm, mu = make([]float64, k+1), make([]float64, k+1)
	for i, v := range vectors {
		x := make([]float64, len(v))
		for c, y := range v {
			x[c] = float64(y)
		}
		star[i] = slices.Clone(x)
		for j := range i {
			m := 0.0
			if norm[j] > 0 {
				m = dot(x, star[j]) / norm[j]
			}
			if i == k {
				mu[j] = m
			}
			for c := range star[i] {
				star[i][c] -= m * star[j][c]
			}
		}
		norm[i] = dot(star[i], star[i])
	}
	return norm, mu
}

// Part transforms vectors, without changing the lattice that they span, so that a form vanishes on all but one of them.
// That one is pivot, on which the form is positive; it is nil if the form vanishes on all.
func (w *Work) Part(vectors []Row, form func(Row) int64) (zero []Row, pivot Row) {
	for {
		if len(vectors) > 0 {
			w.Spend(len(vectors) * len(vectors[0]))
		}
		at, value, others := -1, int64(0), false
		for i, b := range vectors {
			if v := form(b); v != 0 {
				others = others || at >= 0
				if at < 0 || arith.Abs(v) < arith.Abs(value) {
					at, value = i, v
				}
			}
		}
		switch {
		case at < 0:
			return vectors, nil
		case !others:
			pivot = vectors[at]
			if value < 0 {
				pivot = NegRow(pivot)
			}
			return slices.Delete(slices.Clone(vectors), at, at+1), pivot
		}
		next := slices.Clone(vectors)
		for i, b := range vectors {
			if i != at {
				if q := form(b) / value; q != 0 {
					next[i] = CombineRows(1, b, -q, vectors[at])
				}
			}
		}
		vectors = next
	}
}

// Kernel is a basis of the combinations of the given vectors on which all forms vanish.
func (w *Work) Kernel(basis, forms []Row) []Row {
	for _, f := range forms {
		basis, _ = w.Part(basis, func(b Row) int64 { return Dot(f, b) })
	}
	return basis
}

// Echelon returns a basis of the lattice that the vectors span, in which the pivot of each, positive, is the first
// coordinate that is not 0 and is 0 in those after it.
func (w *Work) Echelon(vs []Row) (basis []Row, pivots []int) {
	for at := 0; len(vs) > 0 && at < len(vs[0]); at++ {
		rest, pivot := w.Part(vs, func(v Row) int64 { return v[at] })
		if vs = rest; pivot != nil {
			basis, pivots = append(basis, pivot), append(pivots, at)
		}
	}
	return basis, pivots
}

// Reduced eliminates from x the leading entries of the rows of an echelon form, over the rationals. The result is nil
// if x depends linearly on these rows.
func Reduced(x Row, echelon []Row) Row {
	x = slices.Clone(x)
	for _, e := range echelon {
		p := first(e)
		if x[p] != 0 {
			g := arith.Gcd(x[p], e[p])
			x = CombineRows(e[p]/g, x, -(x[p] / g), e)
		}
	}
	if first(x) < 0 {
		return nil
	}
	return x
}

// first is the place of the first entry that is not 0, −1 without one.
func first(r Row) int { return slices.IndexFunc(r, func(v int64) bool { return v != 0 }) }
