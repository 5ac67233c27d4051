package quasi

import (
	"math/big"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// vanishes decides whether q is 0 at every integer point of dom. It makes variables of the floors and solves the
// equalities. A polynomial that vanishes on all integer points of a polyhedron with a full-dimensional recession cone
// is 0. A polyhedron that is bounded in some direction has finitely many slices in that direction, which are decided
// one by one.
func vanishes(w *linear.Work, table *linear.Conj, q Quasi, dom *linear.Conj) bool {
	if len(q) == 0 {
		return true
	}
	c := dom.Clone()
	v := q.over(table, c)
	return vanishesOn(w, c.Flat(), v)
}

func vanishesOn(w *linear.Work, s *linear.System, q Quasi) bool {
	for {
		w.Spend((len(s.Eq)+len(s.Ge)+1)*s.Width + len(q))
		if len(q) == 0 || !linear.NormalizeRows(&s.Eq, &s.Ge) {
			return true
		}
		if len(s.Eq) == 0 {
			break
		}
		q = solveWith(s, q)
	}
	point, ok := w.Sample(s.Clone())
	if !ok {
		return true
	}
	at := make([]*big.Int, len(point))
	for i, v := range point {
		at[i] = big.NewInt(v)
	}
	if q.Value(at).Sign() != 0 {
		return false
	}
	// A direction that s bounds from both sides: an inequality whose form cannot grow on the cone of directions.
	cone := &linear.System{Ge: linear.CloneRows(s.Ge), Width: s.Width}
	for _, r := range cone.Ge {
		r[0] = 0
	}
	for _, r := range s.Ge {
		t := cone.Clone()
		up := slices.Clone(r)
		up[0] = -1
		t.Ge = append(t.Ge, up)
		if w.Feasible(t) {
			continue
		}
		for v := int64(0); ; v++ { // r = v; the range is finite, and empty above
			above := s.Clone()
			high := slices.Clone(r)
			high[0] = arith.Sub(high[0], v)
			above.Ge = append(above.Ge, high)
			if !w.Feasible(above) {
				return true
			}
			slice := s.Clone()
			slice.Eq = append(slice.Eq, slices.Clone(high))
			if !vanishesOn(w, slice, q) {
				return false
			}
		}
	}
	return false
}

// solveWith carries out a change of variables by the last equality of s, also in q.
func solveWith(s *linear.System, q Quasi) Quasi {
	at, by := s.Solve()
	return q.Replace(at, Linear(by))
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
