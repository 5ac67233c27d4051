package linear

import (
	"fmt"
	"math/big"
	"strings"

	"gpuperf/polycount/internal/arith"
)

// bigRow is a row whose coefficients have no limit. Rows are never changed in place.
type bigRow []*big.Int

// bigSystem repeats a System for feasibleBig: the Omega test where coefficients overflow.
type bigSystem struct {
	eq, ge []bigRow
	width  int
}

func (s *System) big() *bigSystem {
	widen := func(rows []Row) (out []bigRow) {
		for _, r := range rows {
			x := make(bigRow, len(r))
			for i, v := range r {
				x[i] = big.NewInt(v)
			}
			out = append(out, x)
		}
		return out
	}
	return &bigSystem{widen(s.Eq), widen(s.Ge), s.Width}
}

var bigOne = big.NewInt(1)

// combine returns k·r + l·o.
func (r bigRow) combine(k *big.Int, o bigRow, l *big.Int) bigRow {
	out := make(bigRow, len(r))
	t := new(big.Int)
	for i := range r {
		out[i] = new(big.Int).Mul(k, r[i])
		out[i].Add(out[i], t.Mul(l, o[i]))
	}
	return out
}

// reduced is r divided by the gcd of its coefficients, the constant rounded down; exact is false where it was rounded, and
// constant true where there are no coefficients.
func (r bigRow) reduced() (out bigRow, exact, constant bool) {
	g := new(big.Int)
	for _, v := range r[1:] {
		g.GCD(nil, nil, g, new(big.Int).Abs(v))
	}
	if g.Sign() == 0 {
		return r, true, true
	}
	out, exact = make(bigRow, len(r)), true
	for i, v := range r {
		rest := new(big.Int)
		out[i], _ = new(big.Int).DivMod(v, g, rest) // Euclidean
		exact = exact && rest.Sign() == 0
	}
	return out, exact, false
}

// direction is a key that parallel rows share; rows of opposite direction have the same key and sign −1.
func (r bigRow) direction(sign int64) string {
	var b strings.Builder
	for _, v := range r[1:] {
		b.WriteString(new(big.Int).Mul(v, big.NewInt(sign)).Text(36) + ",")
	}
	return b.String()
}

// normalize is NormalizeRows.
func (s *bigSystem) normalize() bool {
	tightest := map[string]bigRow{}
	var order []bigRow
	for _, r := range s.ge {
		r, _, constant := r.reduced()
		key := r.direction(1)
		switch old := tightest[key]; {
		case constant && r[0].Sign() < 0:
			return false
		case constant:
		case old == nil:
			order = append(order, r)
			tightest[key] = r
		case r[0].Cmp(old[0]) < 0:
			tightest[key] = r
		}
	}
	eq := s.eq
	s.eq, s.ge = nil, nil
	for _, r := range order {
		key := r.direction(1)
		r = tightest[key]
		if r == nil { // part of an equality
			continue
		}
		if opposite := tightest[r.direction(-1)]; opposite != nil {
			switch new(big.Int).Add(r[0], opposite[0]).Sign() {
			case -1:
				return false
			case 0:
				eq = append(eq, r)
				delete(tightest, r.direction(-1))
				continue
			}
		}
		s.ge = append(s.ge, r)
	}
	for _, r := range eq {
		r, exact, constant := r.reduced()
		switch {
		case constant && r[0].Sign() != 0, !exact:
			return false
		case !constant:
			s.eq = append(s.eq, r)
		}
	}
	return true
}

// solve uses the last equality for a change of variables, as System.Solve does.
func (s *bigSystem) solve() {
	last := len(s.eq) - 1
	e, at := s.eq[last], 0
	for i := 1; i < len(e); i++ {
		if e[i].Sign() != 0 && (at == 0 || e[i].CmpAbs(e[at]) < 0) {
			at = i
		}
	}
	by := make(bigRow, len(e)) // added k times to a row with coefficient k at column at
	for i, v := range e {
		by[i] = new(big.Int).Neg(new(big.Int).Quo(v, e[at]))
	}
	if e[at].CmpAbs(bigOne) == 0 {
		s.eq = s.eq[:last]
	} else {
		by[0], by[at] = new(big.Int), new(big.Int)
	}
	for _, rows := range [][]bigRow{s.eq, s.ge} {
		for i, r := range rows {
			if r[at].Sign() != 0 {
				rows[i] = r.combine(bigOne, by, r[at])
			}
		}
	}
}

// pick chooses the variable to eliminate, as System.pick does; 0 where none is left.
func (s *bigSystem) pick() (x int, lower, upper, rest []bigRow, exact bool) {
	best := 0.0
	for i := 1; i < s.width; i++ {
		lo, hi, loMax, hiMax := 0, 0, new(big.Int), new(big.Int)
		for _, r := range s.ge {
			switch r[i].Sign() {
			case 1:
				if lo++; r[i].Cmp(loMax) > 0 {
					loMax = r[i]
				}
			case -1:
				if hi++; r[i].CmpAbs(hiMax) > 0 {
					hiMax = new(big.Int).Abs(r[i])
				}
			}
		}
		if lo+hi == 0 {
			continue
		}
		unit, cost := loMax.Cmp(bigOne) <= 0 || hiMax.Cmp(bigOne) <= 0, float64(lo*hi-lo-hi)
		if !unit {
			f, _ := new(big.Float).SetInt(new(big.Int).Mul(loMax, hiMax)).Float64()
			cost += 1000 * f
		}
		if x == 0 || cost < best {
			x, best, exact = i, cost, unit
		}
	}
	for _, r := range s.ge {
		switch r[x].Sign() * min(x, 1) {
		case 1:
			lower = append(lower, r)
		case -1:
			upper = append(upper, r)
		default:
			rest = append(rest, r)
		}
	}
	return x, lower, upper, rest, exact
}

// feasibleBig is search without a point, over coefficients of any size.
func (w *Work) feasibleBig(s *bigSystem) bool {
	for {
		w.Spend(8 * (len(s.eq) + len(s.ge) + 1) * s.width)
		if !s.normalize() {
			return false
		}
		if len(s.eq) > 0 {
			s.solve()
			continue
		}
		x, lower, upper, rest, exact := s.pick()
		if x == 0 {
			return true
		}
		top := new(big.Int) // the largest coefficient of an upper bound
		shadow := func(dark bool) *bigSystem {
			out := &bigSystem{ge: append([]bigRow(nil), rest...), width: s.width}
			for _, l := range lower {
				for _, u := range upper {
					w.Spend(8 * len(l))
					a, b := l[x], new(big.Int).Neg(u[x])
					r := l.combine(b, u, a)
					if dark {
						r[0].Sub(r[0], new(big.Int).Mul(new(big.Int).Sub(a, bigOne), new(big.Int).Sub(b, bigOne)))
					}
					out.ge = append(out.ge, r)
					if b.Cmp(top) > 0 {
						top = b
					}
				}
			}
			return out
		}
		all := shadow(false)
		switch {
		case len(lower) == 0 || len(upper) == 0 || exact:
			s = all
			continue
		case !w.feasibleBig(all):
			return false
		case w.feasibleBig(shadow(true)):
			return true
		}
		for _, l := range lower { // a·x = bound + i for i ≤ (top·a − top − a)/top (Pugh 1991, section 3)
			most := new(big.Int).Mul(top, l[x])
			most.Sub(most, top).Sub(most, l[x])
			most.Div(most, top)
			if !most.IsInt64() || most.Int64() > 1<<20 {
				arith.Throw(fmt.Errorf("polycount: %w", ErrBudget))
			}
			for i := int64(0); i <= most.Int64(); i++ {
				e := append(bigRow{new(big.Int).Sub(l[0], big.NewInt(i))}, l[1:]...)
				if w.feasibleBig(&bigSystem{[]bigRow{e}, append([]bigRow(nil), s.ge...), s.width}) {
					return true
				}
			}
		}
		return false
	}
}
