package count

import (
	"math/big"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// unimodular is a cone {z : rows·z ≥ …} of determinant ±1, with the sign that it has in a decomposition.
type unimodular struct {
	rows linear.Matrix // of the polar cone
	rays linear.Matrix // rows⁻¹: its columns are the rays
	sign int64
}

// decompose writes the polar of the cone spanned by the rows of a as a signed sum of polars of unimodular cones, up to
// cones that contain lines (Barvinok 1994; on the polar side lower-dimensional cones may be dropped).
func decompose(w *linear.Work, a linear.Matrix, sgn int64, out *[]unimodular) {
	w.Spend(len(a) * len(a) * len(a))
	adj, det := a.Adjugate()
	if det == 1 || det == -1 {
		if det < 0 {
			for i := range adj {
				adj[i] = linear.NegRow(adj[i])
			}
		}
		*out = append(*out, unimodular{a, adj, sgn})
		return
	}
	// An integer vector is x·a/det-combination of the rows: v = Σ (α_i/det)·a_i with α in the lattice of the rows of adj.
	vec, alpha := linear.ShortCombination(adj)
	positive := false
	for _, x := range alpha {
		if arith.Abs(x) >= arith.Abs(det) {
			panic(throw.Errorf("polycount: no short vector found in a cone of index %d: %w", arith.Abs(det), linear.ErrBudget))
		}
		positive = positive || (x > 0) == (det > 0) && x != 0
	}
	if !positive { // v and the rows must lie in one half-space
		vec, alpha = linear.NegRow(vec), linear.NegRow(alpha)
	}
	for i, x := range alpha {
		if x == 0 {
			continue
		}
		part := make(linear.Matrix, len(a))
		copy(part, a)
		part[i] = vec
		decompose(w, part, sgn*arith.Sign(x)*arith.Sign(det), out)
	}
}

// toddSeries[k] is B_k/k! with B_1 = −1/2: y/(e^y − 1) = Σ toddSeries[k]·y^k.
var toddSeries = newToddSeries(24)

func newToddSeries(n int) []arith.Rat {
	b := quasi.Bernoulli(n)
	out := make([]arith.Rat, n+1)
	fact := big.NewInt(1)
	for k := range out {
		if k > 0 {
			fact = new(big.Int).Mul(fact, big.NewInt(int64(k)))
		}
		out[k] = arith.RatBig(new(big.Rat).Quo(b[k], new(big.Rat).SetInt(fact)))
	}
	out[1] = out[1].Neg()
	return out
}

// pointsOf is the constant term in t of e^{t·s}/Π(1 − e^{t·c_i}), the value at 1 of the generating function of a
// unimodular cone whose rays have the products c_i ≠ 0 with the specialisation vector, s being that of its apex.
func pointsOf(c []int64, s quasi.Quasi) quasi.Quasi {
	d := len(c)
	todd := toddSeries
	if d >= len(todd) {
		todd = newToddSeries(d)
	}
	// series = Π Σ_k todd[k]·(c_i·t)^k up to t^d
	series := arith.Zeros(d + 1)
	series[0] = arith.RatInt(1)
	scale := arith.RatInt(1)
	if d%2 == 1 {
		scale = arith.RatInt(-1)
	}
	for _, x := range c {
		next := arith.Zeros(d + 1)
		for k := range next {
			power := arith.RatInt(1)
			for j := 0; j <= k; j++ {
				if !todd[j].IsZero() {
					next[k] = next[k].Add(series[k-j].Mul(todd[j]).Mul(power))
				}
				power = power.Mul(arith.RatInt(x))
			}
		}
		series = next
		scale = scale.Mul(arith.RatBig(big.NewRat(1, x)))
	}
	var out quasi.Quasi
	power := quasi.Constant(arith.RatInt(1)) // s^k/k!
	for k := 0; k <= d; k++ {
		if k > 0 {
			power = power.Mul(s).Scale(arith.RatOf(1, int64(k)))
		}
		out = out.Add(power.Scale(series[d-k].Mul(scale)))
	}
	return out
}
