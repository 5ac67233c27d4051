package linear

import (
	"gpuperf/polycount/internal/arith"
	"math/big"
	"math/rand"
	"slices"
)

// neverNegative decides whether d is nowhere negative. Where d is affine in variables and floors that is exact; where it is
// of a higher degree a negative value is looked for, then a proof; decided is false where neither is found.
func (w *Work) NeverNegative(d *Piecewise) (holds, decided bool) {
	r := rand.New(rand.NewSource(1))
	at := make([]*big.Int, 1+d.Table.N)
	at[0] = big.NewInt(1)
	for size := int64(2); size < 1<<12; size += size/16 + 1 {
		for i := range d.Table.N {
			at[1+i] = big.NewInt(r.Int63n(2*size+1) - size)
		}
		if d.Value(at).Sign() < 0 {
			return false, true
		}
	}
	decided = true
	for _, x := range d.Pieces {
		c := x.Dom.Clone()
		v := x.Q.over(d.Table, c)
		den, affine := int64(1), true
		for _, t := range v {
			if affine = affine && len(t.Factors) <= 2 && t.C.B == nil; affine {
				den = arith.Lcm(den, t.C.D)
			}
		}
		if !affine {
			decided = decided && w.notNegative(c.Flat(), v)
			continue
		}
		below := c.Flat() // den·v ≤ −1
		e := make(Row, below.Width)
		e[0] = -1
		for _, t := range v {
			k := 0
			if t.Factors != "" {
				k = AtomAt(t.Factors, 0)
			}
			e[k] = arith.Sub(e[k], arith.Mul(t.C.N, den/t.C.D))
		}
		below.ge = append(below.ge, e)
		if w.Feasible(below) {
			return false, true
		}
	}
	return true, decided
}

// over writes q, over the columns of table, over those of c, adding the floors in it.
func (q Quasi) over(table, c *Conj) Quasi {
	by := make([]Quasi, table.Width())
	for i := 1; i < table.Width(); i++ {
		if !q.uses(i) {
			continue
		}
		e := make(Row, i+1)
		e[i] = 1
		if by[i] = Linear(c.translate(table, e)); by[i] == nil {
			by[i] = Quasi{}
		}
	}
	return q.rename(by)
}

// notNegative looks for a proof that q ≥ 0 on s: after a change of variables to the distances from bounds with unit
// coefficients, which are ≥ 0, no coefficient of q is negative. The bounds are tried in several orders.
func (w *Work) notNegative(s *system, q Quasi) bool {
	for len(s.Eq) > 0 {
		if !NormalizeRows(&s.Eq, &s.ge) {
			return true
		}
		if len(s.Eq) > 0 {
			q = solveWith(s, q)
		}
	}
	tries := 64
	return w.provePositive(s.ge, q, make([]bool, s.Width), &tries)
}

func (w *Work) provePositive(ge []Row, q Quasi, changed []bool, tries *int) bool {
	w.spend(len(q) + 1)
	open := false
	free := func(at int) bool { return !changed[at] && q.uses(at) }
	for at := 1; at < len(changed); at++ {
		open = open || free(at)
	}
	if !open {
		return !slices.ContainsFunc(q, func(t Mono) bool { return t.C.Sign() < 0 })
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
				by = NegRow(by)
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
			if w.provePositive(rows, q.replace(at, Linear(by)), done, tries) {
				return true
			}
		}
	}
	return false
}
