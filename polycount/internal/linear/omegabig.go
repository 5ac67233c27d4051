package linear

import (
	"fmt"
	"math/big"
	"strings"

	"gpuperf/polycount/internal/arith"
)

// bigRow is a row whose coefficients have no limit.
type bigRow []*big.Int

// bigSystem repeats a system for feasibleBig: the Omega test where the 64-bit one overflows.
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

// plus returns k·r + l·o.
func (r bigRow) plus(k *big.Int, o bigRow, l *big.Int) bigRow {
	out := make(bigRow, len(r))
	t := new(big.Int)
	for i := range r {
		out[i] = new(big.Int).Mul(k, r[i])
		out[i].Add(out[i], t.Mul(l, o[i]))
	}
	return out
}

// normalize is normalizeRows.
func (s *bigSystem) normalize() bool {
	content := func(r bigRow) *big.Int {
		g := new(big.Int)
		for _, v := range r[1:] {
			g.GCD(nil, nil, g, new(big.Int).Abs(v))
		}
		return g
	}
	key := func(r bigRow, sgn int64) string {
		var b strings.Builder
		for _, v := range r[1:] {
			b.WriteString(new(big.Int).Mul(v, big.NewInt(sgn)).Text(36) + ",")
		}
		return b.String()
	}
	divide := func(r bigRow, g *big.Int) {
		for i := range r {
			r[i] = new(big.Int).Div(r[i], g) // Euclidean, rounds the constant down
		}
	}
	var eq, ge []bigRow
	index := map[string]int{}
	for _, r := range s.ge {
		g := content(r)
		if g.Sign() == 0 {
			if r[0].Sign() < 0 {
				return false
			}
			continue
		}
		divide(r, g)
		k := key(r, 1)
		if i, ok := index[k]; ok {
			if r[0].Cmp(ge[i][0]) < 0 {
				ge[i] = r
			}
			continue
		}
		index[k] = len(ge)
		ge = append(ge, r)
	}
	kept := []bigRow{}
	for i, r := range ge {
		j, ok := index[key(r, -1)]
		switch sum := new(big.Int); {
		case !ok || sum.Add(r[0], ge[j][0]).Sign() > 0:
			kept = append(kept, r)
		case sum.Sign() < 0:
			return false
		case i < j:
			eq = append(eq, r)
		}
	}
	for _, r := range s.eq {
		g := content(r)
		switch {
		case g.Sign() == 0 && r[0].Sign() != 0, g.Sign() != 0 && new(big.Int).Mod(r[0], g).Sign() != 0:
			return false
		case g.Sign() != 0:
			divide(r, g)
			eq = append(eq, r)
		}
	}
	s.eq, s.ge = eq, kept
	return true
}

// solve removes the last equality, as solveEquality does.
func (s *bigSystem) solve() {
	e := s.eq[len(s.eq)-1]
	at := 0
	for {
		for i := 1; i < len(e); i++ {
			if e[i].Sign() != 0 && (at == 0 || e[at].Sign() == 0 || e[i].CmpAbs(e[at]) < 0) {
				at = i
			}
		}
		if e[at].CmpAbs(big.NewInt(1)) == 0 {
			break
		}
		for i := 1; i < len(e); i++ { // x_at := x_at − Σ q_i·x_i
			q := new(big.Int).Quo(e[i], e[at])
			if i == at || q.Sign() == 0 {
				continue
			}
			for _, rows := range [][]bigRow{s.eq, s.ge} {
				for _, r := range rows {
					r[i] = new(big.Int).Sub(r[i], new(big.Int).Mul(q, r[at]))
				}
			}
		}
	}
	s.eq = s.eq[:len(s.eq)-1]
	for _, rows := range [][]bigRow{s.eq, s.ge} {
		for i, r := range rows {
			if r[at].Sign() != 0 {
				rows[i] = r.plus(big.NewInt(1), e, new(big.Int).Neg(new(big.Int).Mul(r[at], e[at])))
			}
		}
	}
}

// feasibleBig is search without a point, over coefficients of any size. It destroys s.
func (w *Work) feasibleBig(s *bigSystem) bool {
	one := big.NewInt(1)
	for {
		w.Spend(8 * (len(s.eq) + len(s.ge) + 1) * s.width)
		if !s.normalize() {
			return false
		}
		if len(s.eq) > 0 {
			s.solve()
			continue
		}
		best, bestCost, exact := 0, 0.0, false
		for x := 1; x < s.width; x++ {
			lo, hi, loMax, hiMax := 0, 0, new(big.Int), new(big.Int)
			for _, r := range s.ge {
				switch r[x].Sign() {
				case 1:
					if lo++; r[x].Cmp(loMax) > 0 {
						loMax = r[x]
					}
				case -1:
					if hi++; r[x].CmpAbs(hiMax) > 0 {
						hiMax = new(big.Int).Abs(r[x])
					}
				}
			}
			if lo+hi == 0 {
				continue
			}
			isExact := loMax.Cmp(one) <= 0 || hiMax.Cmp(one) <= 0
			cost := float64(lo*hi - lo - hi)
			if !isExact {
				f, _ := new(big.Float).SetInt(new(big.Int).Mul(loMax, hiMax)).Float64()
				cost += 1000 * f
			}
			if best == 0 || cost < bestCost {
				best, bestCost, exact = x, cost, isExact
			}
		}
		if best == 0 {
			return true
		}
		var lower, upper, rest []bigRow
		for _, r := range s.ge {
			switch r[best].Sign() {
			case 1:
				lower = append(lower, r)
			case -1:
				upper = append(upper, r)
			default:
				rest = append(rest, r)
			}
		}
		shadow := func(dark bool) *bigSystem {
			out := &bigSystem{width: s.width}
			for _, r := range rest {
				out.ge = append(out.ge, append(bigRow{}, r...))
			}
			for _, l := range lower {
				for _, u := range upper {
					w.Spend(8 * len(l))
					a, b := l[best], new(big.Int).Neg(u[best])
					r := l.plus(b, u, a)
					if dark {
						gap := new(big.Int).Mul(new(big.Int).Sub(a, one), new(big.Int).Sub(b, one))
						r[0].Sub(r[0], gap)
					}
					out.ge = append(out.ge, r)
				}
			}
			return out
		}
		if len(lower) == 0 || len(upper) == 0 || exact {
			s = shadow(false)
			continue
		}
		if !w.feasibleBig(shadow(false)) {
			return false
		}
		if w.feasibleBig(shadow(true)) {
			return true
		}
		top := new(big.Int)
		for _, u := range upper {
			if u[best].CmpAbs(top) > 0 {
				top = new(big.Int).Abs(u[best])
			}
		}
		for _, l := range lower { // a·x = bound + i for i ≤ (top·a − top − a)/top (Pugh 1991, section 3)
			a := l[best]
			most := new(big.Int).Mul(top, a)
			most.Sub(most, top).Sub(most, a)
			most.Div(most, top)
			if !most.IsInt64() || most.Int64() > 1<<20 {
				arith.Throw(fmt.Errorf("polycount: %w", ErrBudget))
			}
			for i := int64(0); i <= most.Int64(); i++ {
				e := append(bigRow{}, l...)
				e[0] = new(big.Int).Sub(l[0], big.NewInt(i))
				t := &bigSystem{eq: []bigRow{e}, width: s.width}
				for _, r := range s.ge {
					t.ge = append(t.ge, append(bigRow{}, r...))
				}
				if w.feasibleBig(t) {
					return true
				}
			}
		}
		return false
	}
}
