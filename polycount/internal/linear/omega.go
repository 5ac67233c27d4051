package linear

import (
	"iter"
	"slices"

	"gpuperf/polycount/internal/arith"
)

// System is a conjunction of Eq = 0 and Ge ≥ 0 over integer variables in the columns 1 … Width−1; column 0 is the
// constant.
type System struct {
	Eq, Ge []Row
	Width  int
}

func (s *System) Clone() *System { return &System{CloneRows(s.Eq), CloneRows(s.Ge), s.Width} }

// Sample finds an integer solution [1, x…] of s. It destroys s.
func (w *Work) Sample(s *System) (point Row, ok bool) {
	point = Plus(s.Width, 1, 0, 0)
	return point, w.settle(s, point)
}

// search decides whether s has an integer solution by the Omega test (Pugh 1991), solving equalities by unimodular
// column operations. Where point is not nil it stores a solution there. It destroys s.
func (w *Work) search(s *System, point Row) bool {
	var undo []func()
	note := func(f func()) {
		if point != nil {
			undo = append(undo, f)
		}
	}
	done := func() bool {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
		return true
	}
	for {
		w.Spend((len(s.Eq) + len(s.Ge) + 1) * s.Width)
		if !NormalizeRows(&s.Eq, &s.Ge) {
			return false
		}
		if len(s.Eq) > 0 {
			for n := len(s.Eq); len(s.Eq) == n; {
				at, by := s.Solve()
				note(func() { point[at] = Dot(by, point) })
			}
			continue
		}
		x, exact := s.pick()
		if x == 0 {
			return done()
		}
		lower, upper, rest := s.Split(x)
		if point != nil {
			lo, hi := CloneRows(lower), CloneRows(upper)
			note(func() { point[x] = between(lo, hi, x, point) })
		}
		switch {
		case len(lower) == 0 || len(upper) == 0:
			s.Ge = rest
			continue
		case exact || allExact(lower, upper, x):
			s.Ge = w.shadow(rest, lower, upper, x, false)
			continue
		}
		if !w.search(&System{nil, CloneRows(w.shadow(rest, lower, upper, x, false)), s.Width}, nil) {
			return false
		}
		if w.search(&System{nil, CloneRows(w.shadow(rest, lower, upper, x, true)), s.Width}, point) {
			return done()
		}
		for e := range w.splinters(lower, upper, x) {
			if w.search(&System{[]Row{e}, CloneRows(s.Ge), s.Width}, point) {
				if len(undo) > 0 { // the splinter has settled x itself
					undo = undo[:len(undo)-1]
				}
				return done()
			}
		}
		return false
	}
}

// between is the value of x closest to 0 within its bounds, given the other variables.
func between(lower, upper []Row, x int, point Row) int64 {
	point[x] = 0
	var at Range
	for _, rows := range [2][]Row{lower, upper} {
		for _, r := range rows {
			at.Bound(r[x], Dot(r, point))
		}
	}
	switch {
	case at.HasLo && at.Lo > 0:
		return at.Lo
	case at.HasHi && at.Hi < 0:
		return at.Hi
	}
	return 0
}

// allExact reports that eliminating x is exact although its coefficients are not ±1.
func allExact(lower, upper []Row, x int) bool {
	for _, l := range lower {
		for _, u := range upper {
			if !exactPair(l, u, x) {
				return false
			}
		}
	}
	return true
}

// Solve uses the last equality for a change of variables, column at := by, and carries it out in s: it removes the
// equality where a coefficient is ±1, and otherwise shrinks the other coefficients below the least one. As the gcd of the
// coefficients is 1, repeating it removes the equality.
func (s *System) Solve() (at int, by Row) {
	last := len(s.Eq) - 1
	e := s.Eq[last]
	for i := 1; i < len(e); i++ {
		if e[i] != 0 && (at == 0 || arith.Abs(e[i]) < arith.Abs(e[at])) {
			at = i
		}
	}
	if e[at] == 1 || e[at] == -1 {
		s.Eq = s.Eq[:last]
		by = SolvedFor(at, e)
	} else {
		by = Plus(len(e), 0, 1, at)
		for i := 1; i < len(e); i++ {
			if i != at {
				by[i] = -(e[i] / e[at])
			}
		}
	}
	Substitute(at, by, s.Eq, s.Ge)
	return at, by
}

// pick chooses the variable to eliminate: first one whose elimination is exact, then the fewest new rows. 0: none left.
func (s *System) pick() (x int, exact bool) {
	best := int64(0)
	for i := 1; i < s.Width; i++ {
		var lo, hi, loMax, hiMax int64
		for _, r := range s.Ge {
			switch {
			case r[i] > 0:
				lo, loMax = lo+1, max(loMax, r[i])
			case r[i] < 0:
				hi, hiMax = hi+1, max(hiMax, -r[i])
			}
		}
		if lo+hi == 0 {
			continue
		}
		isExact := loMax <= 1 || hiMax <= 1
		cost := lo*hi - lo - hi
		if !isExact {
			cost += 1000 * min(loMax, 1000) * min(hiMax, 1000)
		}
		if x == 0 || cost < best {
			x, exact, best = i, isExact, cost
		}
	}
	return x, exact
}

// Split sorts the inequalities into lower bounds of x, upper bounds, and those without x.
func (s *System) Split(x int) (lower, upper, rest []Row) {
	for _, r := range s.Ge {
		switch {
		case r[x] > 0:
			lower = append(lower, r)
		case r[x] < 0:
			upper = append(upper, r)
		default:
			rest = append(rest, r)
		}
	}
	return lower, upper, rest
}

// shadow eliminates x: it returns the real shadow, or with dark the dark shadow, each point of which has an integer x.
func (w *Work) shadow(rest, lower, upper []Row, x int, dark bool) []Row {
	out := slices.Clip(rest)
	for _, l := range lower {
		for _, u := range upper {
			w.Spend(len(l))
			a, b := l[x], -u[x]
			g := arith.Gcd(a, b)
			r := CombineRows(b/g, l, a/g, u)
			if dark {
				r[0] = arith.Sub(r[0], darkGap(a, b, g))
			}
			out = append(out, r)
		}
	}
	return out
}

// darkGap is by how much b·l + a·u, divided by g, must exceed 0 so that there is an integer between the bounds:
// (a−1)(b−1) in general (Pugh 1991, section 3).
func darkGap(a, b, g int64) int64 { return arith.CeilDiv(arith.Mul(a-1, b-1), g) }

// splinters are equalities of which every solution outside the dark shadow satisfies one. There are as many as a coefficient is large:
// each is made, and its work spent, when it is looked at.
func (w *Work) splinters(lower, upper []Row, x int) iter.Seq[Row] {
	top := int64(0)
	for _, u := range upper {
		top = max(top, -u[x])
	}
	return func(yield func(Row) bool) {
		for _, l := range lower {
			a := l[x]
			for i := int64(0); i <= arith.FloorDiv(arith.Sub(arith.Mul(top, a), top+a), top); i++ {
				w.Spend(len(l))
				e := slices.Clone(l)
				e[0] = arith.Sub(e[0], i)
				if !yield(e) {
					return
				}
			}
		}
	}
}
