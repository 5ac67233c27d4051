package linear

import (
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
	x, lo, hi := w.narrowest(s)
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
func (w *Work) narrowest(s *System) (x int, lo, hi int64) {
	ranges, touched := s.ranges()
	w.Spend(touched)
	for i, p := range ranges {
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
	known, _ := s.ranges()
	return known
}

// ranges are Ranges and how many coefficients were looked at for them.
func (s *System) ranges() (known []Range, touched int) {
	known = make([]Range, s.Width)
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
				touched += len(r)
				if top, ok := most(r, i); ok {
					old := known[i]
					known[i].Bound(r[i], top)
					changed = changed || known[i] != old
				}
			}
		}
	}
	return known, touched
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
