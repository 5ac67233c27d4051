package linear

import (
	"fmt"
	"slices"

	"gpuperf/polycount/internal/arith"
)

// Enumerate visits the points of c, a conjunction without parameters, until visit returns false. An unbounded dimension
// is an error.
func (w *Work) Enumerate(c *Conj, visit func([]int64) bool) error {
	f := c.Flat()
	if !w.Feasible(f.Clone()) {
		return nil
	}
	// levels[k] is the rational shadow on the first k dimensions: it bounds dimension k.
	levels := make([]*System, c.N+1)
	for x := f.Width - 1; x >= 1; x-- {
		NormalizeRows(&f.Eq, &f.Ge)
		if x <= c.N {
			levels[x] = f.Clone()
		}
		f = w.rationalShadow(f, x)
	}
	point := Row{1}
	var walk func(k int) (bool, error)
	walk = func(k int) (bool, error) {
		if k > c.N {
			return !c.Holds(point) || visit(point[1:]), nil
		}
		at := levels[k].rangeOf(k, point)
		if !at.HasLo || !at.HasHi {
			return false, fmt.Errorf("polycount: dimension %d is unbounded", k)
		}
		for v := at.Lo; v <= at.Hi; v++ {
			w.Spend(1)
			point = append(point[:k], v)
			if more, err := walk(k + 1); !more || err != nil {
				return more, err
			}
		}
		return true, nil
	}
	_, err := walk(1)
	return err
}

// rationalShadow eliminates column x over the rationals.
func (w *Work) rationalShadow(s *System, x int) *System {
	s = s.Clone()
	if i := slices.IndexFunc(s.Eq, func(r Row) bool { return r[x] != 0 }); i >= 0 {
		e := s.Eq[i]
		s.Eq = slices.Delete(s.Eq, i, i+1)
		for _, rows := range [][]Row{s.Eq, s.Ge} {
			for j, r := range rows {
				if r[x] != 0 {
					g := arith.Gcd(r[x], e[x])
					rows[j] = CombineRows(arith.Abs(e[x])/g, r, -arith.Sign(e[x])*(r[x]/g), e)
				}
			}
		}
		return s
	}
	lower, upper, rest := s.Split(x)
	s.Ge = w.shadow(rest, lower, upper, x, false)
	NormalizeRows(&s.Eq, &s.Ge)
	return s
}

// rangeOf gives the range of column k, which is the last one in use, where the earlier columns have the given values.
func (s *System) rangeOf(k int, point Row) (out Range) {
	bound := func(r Row) {
		if r[k] != 0 {
			out.Bound(r[k], Dot(r[:k], point))
		}
	}
	for _, r := range s.Eq {
		bound(r)
		bound(NegRow(r))
	}
	for _, r := range s.Ge {
		bound(r)
	}
	return out
}
