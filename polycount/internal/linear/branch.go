package linear

import "gpuperf/polycount/internal/arith"

// trialUnits is the work after which elimination is taken to have blown up: small systems with many floors, whose
// shadows grow at every step, are then divided by the values of a variable that has few.
const trialUnits = 200_000

// branchValues is the largest number of values of a variable by which a system is divided.
const branchValues = 64

// settle is search, with systems on which that takes long divided into cases.
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
		e := make(Row, s.Width)
		e[0], e[x] = -v, 1
		fixed.Eq = append(fixed.Eq, e)
		if w.settle(fixed, point) {
			return true
		}
	}
	return false
}

// extent is what is known of a variable; each side may be open.
type extent struct {
	lo, hi     int64
	isLo, isHi bool
}

// narrowest is the variable with the fewest values, more than one, by bounds carried from row to row; 0 where none has at
// most branchValues. A variable without values has lo > hi.
func (s *System) narrowest() (x int, lo, hi int64) {
	const large = 1 << 31 // beyond it bounds and coefficients are not looked at, so that nothing overflows
	known := make([]extent, s.Width)
	tighten := func(r Row, sign int64) bool {
		changed := false
		for i := 1; i < len(r); i++ {
			if r[i] == 0 {
				continue
			}
			top, ok := sign*r[0], arith.Abs(r[0]) < large // the most that the rest of the row can be
			for j := 1; j < len(r) && ok; j++ {
				k := sign * r[j]
				switch {
				case j == i || k == 0:
				case arith.Abs(k) >= large || arith.Abs(top) >= large*large/4:
					ok = false
				case k > 0:
					ok = known[j].isHi
					top += k * known[j].hi
				default:
					ok = known[j].isLo
					top += k * known[j].lo
				}
			}
			k := sign * r[i]
			if !ok || arith.Abs(k) >= large || arith.Abs(top) >= large*large/4 {
				continue
			}
			p := &known[i]
			if k > 0 { // k·x ≥ −top
				if v := arith.CeilDiv(-top, k); arith.Abs(v) < large/2 && (!p.isLo || v > p.lo) {
					p.lo, p.isLo, changed = v, true, true
				}
			} else if v := arith.FloorDiv(top, -k); arith.Abs(v) < large/2 && (!p.isHi || v < p.hi) {
				p.hi, p.isHi, changed = v, true, true
			}
		}
		return changed
	}
	for range 2 * s.Width {
		changed := false
		for _, r := range s.Ge {
			changed = tighten(r, 1) || changed
		}
		for _, r := range s.Eq {
			changed = tighten(r, 1) || changed
			changed = tighten(r, -1) || changed
		}
		if !changed {
			break
		}
	}
	for i := 1; i < s.Width; i++ {
		p := known[i]
		if !p.isLo || !p.isHi || p.hi == p.lo || p.hi-p.lo >= branchValues {
			continue
		}
		if x == 0 || p.hi-p.lo < hi-lo {
			x, lo, hi = i, p.lo, p.hi
		}
	}
	return x, lo, hi
}
