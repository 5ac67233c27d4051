package polycount

import (
	"gpuperf/polycount/internal/arith"
	"math/big"
	"slices"
)

// vanishes decides whether q is 0 at every integer point of dom. The floors are made variables, equalities solved; a
// polynomial that is 0 on all integer points of a polyhedron whose cone of directions is full-dimensional is 0; in a
// polyhedron that is bounded in some direction, each of its finitely many slices is decided apart.
func (w *work) vanishes(table *conj, q quasi, dom *conj) bool {
	if len(q) == 0 {
		return true
	}
	c := dom.clone()
	v := q.over(table, c)
	return w.vanishesOn(c.flat(), v)
}

func (w *work) vanishesOn(s *system, q quasi) bool {
	for {
		w.spend((len(s.eq)+len(s.ge)+1)*s.width + len(q))
		if len(q) == 0 || !normalizeRows(&s.eq, &s.ge) {
			return true
		}
		if len(s.eq) == 0 {
			break
		}
		q = solveWith(s, q)
	}
	point, ok := w.sample(s.clone())
	if !ok {
		return true
	}
	at := make([]*big.Int, len(point))
	for i, v := range point {
		at[i] = big.NewInt(v)
	}
	if q.value(at).Sign() != 0 {
		return false
	}
	// A direction that s bounds from both sides: an inequality whose form cannot grow on the cone of directions.
	cone := &system{ge: cloneRows(s.ge), width: s.width}
	for _, r := range cone.ge {
		r[0] = 0
	}
	for _, r := range s.ge {
		t := cone.clone()
		up := slices.Clone(r)
		up[0] = -1
		t.ge = append(t.ge, up)
		if w.feasible(t) {
			continue
		}
		for v := int64(0); ; v++ { // r = v; the range is finite, and empty above
			above := s.clone()
			high := slices.Clone(r)
			high[0] = arith.Sub(high[0], v)
			above.ge = append(above.ge, high)
			if !w.feasible(above) {
				return true
			}
			slice := s.clone()
			slice.eq = append(slice.eq, slices.Clone(high))
			if !w.vanishesOn(slice, q) {
				return false
			}
		}
	}
	return false
}

// solveWith removes the last equality of s and carries the change of variables into q.
func solveWith(s *system, q quasi) quasi {
	e := s.eq[len(s.eq)-1]
	at := 0
	for i := 1; i < len(e); i++ {
		if e[i] != 0 && (at == 0 || arith.Abs(e[i]) < arith.Abs(e[at])) {
			at = i
		}
	}
	change := make(row, len(e))
	if e[at] == 1 || e[at] == -1 {
		for i, v := range e {
			if i != at {
				change[i] = arith.Mul(-e[at], v)
			}
		}
		s.eq = s.eq[:len(s.eq)-1]
	} else {
		change[at] = 1
		for i := 1; i < len(e); i++ {
			if i != at {
				change[i] = -(e[i] / e[at])
			}
		}
	}
	for _, rows := range [][]row{s.eq, s.ge} {
		for _, r := range rows {
			if k := r[at]; k != 0 {
				r[at] = 0
				for j, v := range change {
					if v != 0 {
						r[j] = arith.Add(r[j], arith.Mul(k, v))
					}
				}
			}
		}
	}
	return q.replace(at, linear(change))
}
