package polycount

import (
	"gpuperf/polycount/internal/arith"
	"math/big"
	"math/rand"
	"slices"
)

// neverNegative decides whether d is nowhere negative. Where d is affine in variables and floors that is exact; where it is
// of a higher degree a negative value is looked for, then a proof; decided is false where neither is found.
func (w *work) neverNegative(d *piecewise) (holds, decided bool) {
	r := rand.New(rand.NewSource(1))
	at := make([]*big.Int, 1+d.table.n)
	at[0] = big.NewInt(1)
	for size := int64(2); size < 1<<12; size += size/16 + 1 {
		for i := range d.table.n {
			at[1+i] = big.NewInt(r.Int63n(2*size+1) - size)
		}
		if d.value(at).Sign() < 0 {
			return false, true
		}
	}
	decided = true
	for _, x := range d.pieces {
		c := x.dom.clone()
		v := x.q.over(d.table, c)
		den, affine := int64(1), true
		for _, t := range v {
			if affine = affine && len(t.factors) <= 2 && t.c.B == nil; affine {
				den = arith.Lcm(den, t.c.D)
			}
		}
		if !affine {
			decided = decided && w.notNegative(c.flat(), v)
			continue
		}
		below := c.flat() // den·v ≤ −1
		e := make(row, below.width)
		e[0] = -1
		for _, t := range v {
			k := 0
			if t.factors != "" {
				k = atomAt(t.factors, 0)
			}
			e[k] = arith.Sub(e[k], arith.Mul(t.c.N, den/t.c.D))
		}
		below.ge = append(below.ge, e)
		if w.feasible(below) {
			return false, true
		}
	}
	return true, decided
}

// over writes q, over the columns of table, over those of c, adding the floors in it.
func (q quasi) over(table, c *conj) quasi {
	by := make([]quasi, table.width())
	for i := 1; i < table.width(); i++ {
		if !q.uses(i) {
			continue
		}
		e := make(row, i+1)
		e[i] = 1
		if by[i] = linear(c.translate(table, e)); by[i] == nil {
			by[i] = quasi{}
		}
	}
	return q.rename(by)
}

// notNegative looks for a proof that q ≥ 0 on s: after a change of variables to the distances from bounds with unit
// coefficients, which are ≥ 0, no coefficient of q is negative. The bounds are tried in several orders.
func (w *work) notNegative(s *system, q quasi) bool {
	for len(s.eq) > 0 {
		if !normalizeRows(&s.eq, &s.ge) {
			return true
		}
		if len(s.eq) > 0 {
			q = solveWith(s, q)
		}
	}
	tries := 64
	return w.provePositive(s.ge, q, make([]bool, s.width), &tries)
}

func (w *work) provePositive(ge []row, q quasi, changed []bool, tries *int) bool {
	w.spend(len(q) + 1)
	open := false
	free := func(at int) bool { return !changed[at] && q.uses(at) }
	for at := 1; at < len(changed); at++ {
		open = open || free(at)
	}
	if !open {
		return !slices.ContainsFunc(q, func(t mono) bool { return t.c.Sign() < 0 })
	}
	for at := len(changed) - 1; at > 0; at-- {
		if !free(at) {
			continue
		}
		for _, r := range ge {
			if r[at] != 1 && r[at] != -1 {
				continue
			}
			if *tries--; *tries < 0 {
				return false
			}
			// y = r ≥ 0: at = ±(y − the rest)
			by := slices.Clone(r)
			by[at] = -1
			if r[at] > 0 {
				by = negRow(by)
			}
			rows := cloneRows(ge)
			for _, x := range rows {
				if k := x[at]; k != 0 {
					x[at] = 0
					for j, v := range by {
						x[j] = arith.Add(x[j], arith.Mul(k, v))
					}
				}
			}
			done := slices.Clone(changed)
			done[at] = true
			if w.provePositive(rows, q.replace(at, linear(by)), done, tries) {
				return true
			}
		}
	}
	return false
}
