package linear

import (
	"math"
	"slices"

	"gpuperf/polycount/internal/arith"
)

// Matrix is square, by rows.
type Matrix [][]int64

func identityMatrix(n int) Matrix {
	m := make(Matrix, n)
	for i := range m {
		m[i] = make([]int64, n)
		m[i][i] = 1
	}
	return m
}

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
			for j, y := range m[i] {
				out[j] = arith.Add(out[j], arith.Mul(x, y))
			}
		}
	}
	return out
}

// ShortCombination returns integers w ≠ 0 for which w·basis has a small maximum norm. The basis is reduced by the
// algorithm of Lenstra, Lenstra and Lovász (1982); floating point only guides it, the vectors are exact.
func ShortCombination(basis Matrix) (w, v []int64) {
	n := len(basis)
	b, u := make(Matrix, n), identityMatrix(n)
	for i := range b {
		b[i] = slices.Clone(basis[i])
	}
	dotf := func(x, y []float64) (s float64) {
		for i := range x {
			s += x[i] * y[i]
		}
		return s
	}
	for k, rounds := 1, 0; k < n && rounds < 1000; rounds++ {
		// Gram–Schmidt of the first k+1 vectors: n is small.
		star := make([][]float64, k+1)
		norm := make([]float64, k+1)
		mu := make([]float64, k+1)
		for i := range star {
			x := make([]float64, n)
			for c, y := range b[i] {
				x[c] = float64(y)
			}
			star[i] = slices.Clone(x)
			for j := range i {
				m := 0.0
				if norm[j] > 0 {
					m = dotf(x, star[j]) / norm[j]
				}
				if i == k {
					mu[j] = m
				}
				for c := range star[i] {
					star[i][c] -= m * star[j][c]
				}
			}
			norm[i] = dotf(star[i], star[i])
		}
		reduced := false
		for j := k - 1; j >= 0; j-- {
			if q := int64(math.Round(mu[j])); math.Abs(mu[j]) > 0.501 { // short of 1/2, rounding would go back and forth
				b[k] = CombineRows(1, b[k], -q, b[j])
				u[k] = CombineRows(1, u[k], -q, u[j])
				reduced = true
				break // mu changes: recompute
			}
		}
		switch {
		case reduced:
		case norm[k] >= (0.75-mu[k-1]*mu[k-1])*norm[k-1]:
			k++
		default:
			b[k], b[k-1] = b[k-1], b[k]
			u[k], u[k-1] = u[k-1], u[k]
			k = max(k-1, 1)
		}
	}
	// The shortest in the maximum norm is among small combinations of a reduced basis, or close.
	best := int64(-1)
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

// Kernel is a basis of the combinations of the given vectors on which all forms vanish.
func (w *Work) Kernel(basis, forms []Row) []Row {
	for _, f := range forms {
		w.Spend(len(basis) * len(f))
		for {
			at, value, others := -1, int64(0), false
			for i, b := range basis {
				if v := Dot(f, b); v != 0 {
					others = others || at >= 0
					if at < 0 || arith.Abs(v) < arith.Abs(value) {
						at, value = i, v
					}
				}
			}
			if at < 0 {
				break
			}
			if !others {
				basis = slices.Delete(slices.Clone(basis), at, at+1)
				break
			}
			next := slices.Clone(basis)
			for i, b := range basis {
				if i != at {
					if q := Dot(f, b) / value; q != 0 {
						next[i] = CombineRows(1, b, -q, basis[at])
					}
				}
			}
			basis = next
		}
	}
	return basis
}

// Echelon returns a basis of the lattice that the vectors span, in which the pivot of each, positive, is the first
// coordinate that is not 0 and is 0 in those after it.
func (w *Work) Echelon(vs []Row) (basis []Row, pivots []int) {
	for at := 0; len(vs) > 0 && at < len(vs[0]); at++ {
		w.Spend(len(vs) * len(vs[0]))
		for {
			p, more := -1, false
			for i, v := range vs {
				if v[at] != 0 {
					more = more || p >= 0
					if p < 0 || arith.Abs(v[at]) < arith.Abs(vs[p][at]) {
						p = i
					}
				}
			}
			if p < 0 {
				break
			}
			if !more {
				v := vs[p]
				if v[at] < 0 {
					v = NegRow(v)
				}
				basis, pivots = append(basis, v), append(pivots, at)
				vs = slices.Delete(slices.Clone(vs), p, p+1)
				break
			}
			next := slices.Clone(vs)
			for i, v := range vs {
				if q := v[at] / vs[p][at]; i != p && q != 0 {
					next[i] = CombineRows(1, v, -q, vs[p])
				}
			}
			vs = next
		}
	}
	return basis, pivots
}

// Independent reports that the chosen rows are linearly Independent, the earlier ones being so.
func Independent(coeffs Matrix, chosen []int) bool {
	if len(chosen) == 1 {
		return !IsZero(coeffs[chosen[0]])
	}
	rows := make(Matrix, len(chosen))
	for i, c := range chosen {
		rows[i] = slices.Clone(coeffs[c])
	}
	// Fraction-free elimination by columns.
	for i := range rows {
		p := slices.IndexFunc(rows[i], func(v int64) bool { return v != 0 })
		if p < 0 {
			return false
		}
		for j := i + 1; j < len(rows); j++ {
			if rows[j][p] != 0 {
				g := arith.Gcd(rows[i][p], rows[j][p])
				rows[j] = CombineRows(rows[i][p]/g, rows[j], -rows[j][p]/g, rows[i])
			}
		}
	}
	return true
}
