package linear

import (
	"math/big"
	"slices"

	"gpuperf/internal/throw"
)

// bigRow is a row whose coefficients have no limit. Rows are never changed in place.
type bigRow []*big.Int

// big are the constraints of s as inequalities: an equality is a pair of opposite ones.
func (s *System) big() (rows []bigRow) {
	put := func(r Row, sgn int64) {
		x := make(bigRow, len(r))
		for i, v := range r {
			x[i] = new(big.Int).Mul(big.NewInt(v), big.NewInt(sgn))
		}
		rows = append(rows, x)
	}
	for _, r := range s.Ge {
		put(r, 1)
	}
	for _, r := range s.Eq {
		put(r, 1)
		put(r, -1)
	}
	return rows
}

var bigOne, bigMinusOne = big.NewInt(1), big.NewInt(-1)

// times returns k·r + l·o.
func (r bigRow) times(k *big.Int, o bigRow, l *big.Int) bigRow {
	out := make(bigRow, len(r))
	for i := range r {
		out[i] = new(big.Int).Mul(k, r[i])
		out[i].Add(out[i], new(big.Int).Mul(l, o[i]))
	}
	return out
}

// direction is a key of the coefficients without the constant, or of the opposite ones.
func (r bigRow) direction(opposite bool) string {
	var key []byte
	x := new(big.Int)
	for _, v := range r[1:] {
		if opposite {
			v = x.Neg(v)
		}
		key = append(v.Append(key, 62), ' ')
	}
	return string(key)
}

// content is the greatest common divisor of the coefficients without the constant.
func (r bigRow) content() *big.Int {
	g, x := new(big.Int), new(big.Int)
	for _, v := range r[1:] {
		if v.Sign() != 0 && g.Cmp(bigOne) != 0 {
			g.GCD(nil, nil, g, x.Abs(v))
		}
	}
	return g
}

// normalizeBig is NormalizeRows. equality is a row whose opposite is in out, too; nil where there is none.
func normalizeBig(rows []bigRow) (out []bigRow, equality bigRow, ok bool) {
	place := map[string]int{} // of the tightest row of each direction
	for _, r := range rows {
		g := r.content()
		if g.Sign() == 0 {
			if r[0].Sign() < 0 {
				return nil, nil, false
			}
			continue
		}
		x := r
		if g.Cmp(bigOne) != 0 {
			x = make(bigRow, len(r))
			for i, v := range r {
				x[i] = new(big.Int).Div(v, g) // Euclidean: rounds the constant down
			}
		}
		key := x.direction(false)
		if i, known := place[key]; !known {
			place[key] = len(out)
			out = append(out, x)
		} else if x[0].Cmp(out[i][0]) < 0 {
			out[i] = x
		}
	}
	for _, r := range slices.Backward(out) {
		if i, known := place[r.direction(true)]; known {
			switch out[i][0].Cmp(new(big.Int).Neg(r[0])) {
			case -1:
				return nil, nil, false
			case 0:
				equality = r
			}
		}
	}
	return out, equality, true
}

// solveBig uses an equality for a change of variables, as System.Solve does.
func solveBig(rows []bigRow, e bigRow) {
	at := 0
	for i := 1; i < len(e); i++ {
		if e[i].Sign() != 0 && (at == 0 || e[i].CmpAbs(e[at]) < 0) {
			at = i
		}
	}
	by := make(bigRow, len(e)) // added k times to a row with coefficient k at column at
	for i, v := range e {
		by[i] = new(big.Int).Neg(new(big.Int).Quo(v, e[at]))
	}
	if e[at].CmpAbs(bigOne) != 0 {
		by[at] = new(big.Int)
	}
	for i, r := range rows {
		rows[i] = r.times(bigOne, by, r[at])
	}
}

// feasibleBig is search without a point, over coefficients of any size.
func (w *Work) feasibleBig(rows []bigRow) bool {
	for {
		var equality bigRow
		var ok bool
		if rows, equality, ok = normalizeBig(rows); !ok || len(rows) == 0 {
			return ok
		}
		w.Spend(8 * (len(rows) + 1) * len(rows[0]))
		if equality != nil {
			solveBig(rows, equality)
			continue
		}
		x, exact := pickBig(rows)
		var lower, upper, rest []bigRow
		top := new(big.Int) // the largest coefficient of an upper bound
		for _, r := range rows {
			switch r[x].Sign() {
			case 1:
				lower = append(lower, r)
			case -1:
				upper = append(upper, r)
				if r[x].CmpAbs(top) > 0 {
					top.Abs(r[x])
				}
			default:
				rest = append(rest, r)
			}
		}
		shadow := func(dark bool) []bigRow {
			out := slices.Clone(rest)
			for _, l := range lower {
				for _, u := range upper {
					w.Spend(8 * len(l))
					a, b := l[x], new(big.Int).Neg(u[x])
					r := l.times(b, u, a)
					if dark {
						r[0].Sub(r[0], b.Mul(b.Sub(b, bigOne), new(big.Int).Sub(a, bigOne)))
					}
					out = append(out, r)
				}
			}
			return out
		}
		switch {
		case exact:
			rows = shadow(false)
			continue
		case !w.feasibleBig(shadow(false)):
			return false
		case w.feasibleBig(shadow(true)):
			return true
		}
		return slices.ContainsFunc(lower, func(l bigRow) bool { return w.splinteredBig(rows, l, x, top) })
	}
}

// splinteredBig looks for points near a lower bound l of x: a·x = bound + i for i ≤ (top·a − top − a)/top (Pugh 1991, section 3).
func (w *Work) splinteredBig(rows []bigRow, l bigRow, x int, top *big.Int) bool {
	most := new(big.Int).Mul(top, l[x])
	most.Sub(most, top).Sub(most, l[x])
	most.Div(most, top)
	if !most.IsInt64() || most.Int64() > 1<<20 {
		panic(throw.Errorf("polycount: %w", ErrBudget))
	}
	for i := int64(0); i <= most.Int64(); i++ {
		e := append(bigRow{new(big.Int).Sub(l[0], big.NewInt(i))}, l[1:]...)
		if w.feasibleBig(append(slices.Clip(rows), e, e.times(bigMinusOne, e, new(big.Int)))) {
			return true
		}
	}
	return false
}

// pickBig chooses the variable to eliminate: where its elimination is exact, or the coefficients are short, and there are
// few new rows.
func pickBig(rows []bigRow) (x int, exact bool) {
	best := 0
	for i := 1; i < len(rows[0]); i++ {
		var lo, hi, loBits, hiBits int
		for _, r := range rows {
			switch r[i].Sign() {
			case 1:
				lo, loBits = lo+1, max(loBits, r[i].BitLen())
			case -1:
				hi, hiBits = hi+1, max(hiBits, r[i].BitLen())
			}
		}
		unit, cost := min(loBits, hiBits) <= 1, lo*hi-lo-hi
		if !unit {
			cost += 1000 << min(loBits+hiBits, 40)
		}
		if lo+hi > 0 && (x == 0 || cost < best) {
			x, best, exact = i, cost, unit
		}
	}
	return x, exact
}
