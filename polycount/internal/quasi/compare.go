package quasi

import (
	"math/rand"
	"slices"

	"gpuperf/polycount/internal/linear"
)

// NeverNegative decides whether d is nowhere negative. If d is affine in variables and floors, the answer is exact. If
// not, it looks for a negative value and then for a proof; decided is false if it finds neither.
func NeverNegative(w *linear.Work, d *Piecewise) (holds, decided bool) {
	r := rand.New(rand.NewSource(1))
	for size := int64(2); size < 1<<12; size += size/16 + 1 {
		if d.Value(randomPoint(r, d.Table.N, size)).Sign() < 0 {
			return false, true
		}
	}
	decided = true
	for _, x := range d.Pieces {
		c := x.Dom.Clone()
		v := x.Q.over(d.Table, c)
		row, _, affine := v.Affine(c.Width())
		if !affine {
			decided = decided && notNegative(w, c.Flat(), v)
			continue
		}
		below := c.Flat()
		below.Ge = append(below.Ge, linear.Negated(row))
		if w.Feasible(below) {
			return false, true
		}
	}
	return true, decided
}

// over turns q, over the columns of table, into a polynomial over those of c, and adds the floors in it to c.
func (q Quasi) over(table, c *linear.Conj) Quasi {
	by := make([]Quasi, table.Width())
	for i := 1; i < table.Width(); i++ {
		if !q.Uses(i) {
			continue
		}
		by[i] = Linear(c.Translate(table, linear.Plus(i+1, 0, 1, i)))
	}
	return q.Rename(by)
}

// notNegative looks for a proof that q ≥ 0 on s: after a change of variables to the distances from bounds with unit
// coefficients, which are ≥ 0, no coefficient of q is negative. The bounds are tried in several orders.
func notNegative(w *linear.Work, s *linear.System, q Quasi) bool {
	for len(s.Eq) > 0 {
		if !linear.NormalizeRows(&s.Eq, &s.Ge) {
			return true
		}
		if len(s.Eq) > 0 {
			q = solveWith(s, q)
		}
	}
	tries := 64
	return provePositive(w, s.Ge, q, make([]bool, s.Width), &tries)
}

func provePositive(w *linear.Work, ge []linear.Row, q Quasi, changed []bool, tries *int) bool {
	w.Spend(len(q) + 1)
	open := false
	free := func(at int) bool { return !changed[at] && q.Uses(at) }
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
				by = linear.NegRow(by)
			}
			rows := linear.CloneRows(ge)
			linear.Substitute(at, by, rows)
			done := slices.Clone(changed)
			done[at] = true
			if provePositive(w, rows, q.Replace(at, Linear(by)), done, tries) {
				return true
			}
		}
	}
	return false
}
