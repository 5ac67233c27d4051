package linear

import (
	"fmt"
	"slices"

	"gpuperf/polycount/internal/arith"
)

// trialUnits is the work after which the Omega test is taken to have blown up. Systems with few points but many floors
// do that: their shadows grow with every elimination. They are then split by the values of one variable. Without the
// split TestManyFloorsInASmallBox exceeds the default limit; the benchmark cases never get there.
const trialUnits = 200_000

// branchValues is the largest number of values of a variable by which a system is split.
const branchValues = 64

// settle is search for systems that may blow up: these are split by the values of one variable.
func (w *Work) settle(s *System, point Row) (yes bool) {
	trial := s.Clone()
	if w.Within(trialUnits, func(w *Work) { yes = w.search(trial, point) }) {
		return yes
	}
	if point != nil {
		clear(point[1:])
	}
	x, lo, hi := s.narrowest()
	if x == 0 {
		return w.search(s, point)
	}
	for v := lo; v <= hi; v++ {
		fixed := s.Clone()
		fixed.Eq = append(fixed.Eq, Plus(s.Width, -v, 1, x))
		if w.settle(fixed, point) {
			return true
		}
	}
	return false
}

// narrowest finds the variable with the fewest possible values, but more than one; x is 0 where no variable has at most
// branchValues. If a variable has no value, lo > hi.
func (s *System) narrowest() (x int, lo, hi int64) {
	for i, p := range s.Ranges() {
		if i == 0 || !p.HasLo || !p.HasHi || p.Hi == p.Lo || arith.Sub(p.Hi, p.Lo) >= branchValues {
			continue
		}
		if x == 0 || p.Hi-p.Lo < hi-lo {
			x, lo, hi = i, p.Lo, p.Hi
		}
	}
	return x, lo, hi
}

// Ranges are the intervals that the constraints, one by one, leave the columns.
func (s *System) Ranges() []Range {
	known := make([]Range, s.Width)
	// most is an upper bound of a row without its term at column skip.
	most := func(r Row, skip int) (top int64, ok bool) {
		top = r[0]
		for j := 1; j < len(r); j++ {
			end, has := known[j].Hi, known[j].HasHi
			if r[j] < 0 {
				end, has = known[j].Lo, known[j].HasLo
			}
			switch {
			case j == skip || r[j] == 0:
				continue
			case !has:
				return 0, false
			}
			if top, ok = addProduct(top, r[j], end); !ok {
				return 0, false
			}
		}
		return top, true
	}
	rows := slices.Clone(s.Ge)
	for _, r := range s.Eq {
		rows = append(rows, r, NegRow(r))
	}
	for changed, rounds := true, 0; changed && rounds < 2*s.Width; rounds++ {
		changed = false
		for _, r := range rows {
			for i := 1; i < len(r); i++ {
				if r[i] == 0 {
					continue
				}
				if top, ok := most(r, i); ok {
					old := known[i]
					known[i].Bound(r[i], top)
					changed = changed || known[i] != old
				}
			}
		}
	}
	return known
}

// exactPair reports that the real and the dark shadow of a pair of bounds have the same integer points. Without this
// test BenchmarkCount of features takes twice the time.
func exactPair(l, u Row, at int) bool {
	a, b := l[at], -u[at]
	if a == 1 || b == 1 {
		return true
	}
	g := arith.Gcd(a, b)
	r := CombineRows(b/g, l, a/g, u)
	gap := darkGap(a, b, g)
	h := ContentOf(r)
	if h == 0 {
		return r[0] < 0 || r[0] >= gap
	}
	return arith.FloorDiv(r[0], h) == arith.FloorDiv(arith.Sub(r[0], gap), h)
}

// Range is what bounds leave of one variable.
type Range struct {
	Lo, Hi       int64
	HasLo, HasHi bool
}

// Bound narrows the range to where k·x + c ≥ 0, k ≠ 0.
func (r *Range) Bound(k, c int64) {
	if k > 0 {
		if v := arith.CeilDiv(arith.Neg(c), k); !r.HasLo || v > r.Lo {
			r.Lo, r.HasLo = v, true
		}
	} else if v := arith.FloorDiv(c, arith.Neg(k)); !r.HasHi || v < r.Hi {
		r.Hi, r.HasHi = v, true
	}
}

// RangeOf is what the inequalities with nothing but column at leave it.
func RangeOf(ge []Row, at int) (r Range) {
	for _, x := range ge {
		k := x[at]
		x[at] = 0
		if k != 0 && IsZero(x[1:]) {
			r.Bound(k, x[0])
		}
		x[at] = k
	}
	return r
}

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
