package quasi

import (
	"math/big"
	"sync"

	"gpuperf/polycount/internal/arith"
)

// powerSums[k] are the coefficients of S_k(x) = Σ_{i=0}^{x} i^k by ascending powers of x (Faulhaber's formula). As
// S_k(x) − S_k(x−1) = x^k holds for every integer x, Σ_{i=l}^{u} i^k = S_k(u) − S_k(l−1) for all l ≤ u+1. Few are asked for, and most commands need none.
var powerSums = func() []func() []arith.Rat {
	const most = 24 // powers that are kept: loops nest less deep
	out := make([]func() []arith.Rat, most)
	for k := range out {
		out[k] = sync.OnceValue(func() []arith.Rat { return powerSum(k) })
	}
	return out
}()

// powerSum solves (x+1)^{k+1} − … in Bernoulli numbers with B_1 = +1/2:
// S_k(x) = 1/(k+1) Σ_j C(k+1, j) B_j x^{k+1−j}, plus [k = 0] for the term i = 0.
func powerSum(k int) []arith.Rat {
	b := Bernoulli(k)
	out := make([]arith.Rat, k+2)
	out[0] = arith.RatInt(0)
	for j := 0; j <= k; j++ {
		c := new(big.Rat).SetInt(new(big.Int).Binomial(int64(k+1), int64(j)))
		c.Mul(c, b[j])
		c.Quo(c, new(big.Rat).SetInt64(int64(k+1)))
		out[k+1-j] = arith.RatBig(c)
	}
	if k == 0 {
		out[0] = arith.RatInt(1)
	}
	return out
}

// Bernoulli returns B_0 … B_n with B_1 = +1/2.
func Bernoulli(n int) []*big.Rat {
	b := make([]*big.Rat, n+1)
	for m := range b {
		// Σ_{j<m} C(m+1, j) B_j + (m+1) B_m = m + 1
		s := new(big.Rat).SetInt64(int64(m + 1))
		for j := range m {
			c := new(big.Rat).SetInt(new(big.Int).Binomial(int64(m+1), int64(j)))
			s.Sub(s, c.Mul(c, b[j]))
		}
		b[m] = s.Quo(s, new(big.Rat).SetInt64(int64(m+1)))
	}
	return b
}

func powerSumOf(k int) []arith.Rat {
	if k < len(powerSums) {
		return powerSums[k]()
	}
	return powerSum(k)
}

// SumOver returns Σ_{x=lo}^{hi} p over the atom at, for lo ≤ hi+1.
func (p Quasi) SumOver(at int, lo, hi Quasi) Quasi {
	one := Constant(arith.RatInt(1))
	coeffs := p.byPower(at)
	if len(coeffs) == 0 {
		return nil
	}
	out := coeffs[0].Mul(hi.Sub(lo).Add(one))
	if len(coeffs) == 1 {
		return out
	}
	below := lo.Sub(one)
	hiPower, loPower := Constant(arith.RatInt(1)), Constant(arith.RatInt(1))
	// differences[j] = hi^j − (lo−1)^j
	differences := []Quasi{nil}
	for range len(coeffs) {
		hiPower, loPower = hiPower.Mul(hi), loPower.Mul(below)
		differences = append(differences, hiPower.Sub(loPower))
	}
	for k := 1; k < len(coeffs); k++ {
		var s Quasi
		for j, c := range powerSumOf(k) {
			if j > 0 {
				s = s.Add(differences[j].Scale(c))
			}
		}
		out = out.Add(coeffs[k].Mul(s))
	}
	return out
}
