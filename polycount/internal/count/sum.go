package count

import (
	"errors"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// region is a polyhedron over a counter's table, with a polynomial to be summed over the counted variables in it.
type region struct {
	eq, ge []linear.Row
	q      quasi.Quasi
	left   []int // the counted variables, never changed in place
}

func (r *region) Clone() region {
	return region{linear.CloneRows(r.eq), linear.CloneRows(r.ge), r.q, r.left}
}

// without is left without one variable.
func (r *region) without(at int) []int {
	out := make([]int, 0, len(r.left))
	for _, x := range r.left {
		if x != at {
			out = append(out, x)
		}
	}
	return out
}

// pad gives all rows the width of the table, which grows when floors are added.
func (k *counter) pad(r *region) {
	for _, rows := range [][]linear.Row{r.eq, r.ge} {
		for i := range rows {
			rows[i] = k.table.Fit(rows[i])
		}
	}
}

// errNotDirect ends a trial of nested sums that would have to split into residue classes, or into pieces.
var errNotDirect = errors.New("nested sums do not give one piece")

// sum adds the sum of r's polynomial over the counted variables to the pieces: nested sums by Faulhaber's formula, with
// case distinctions where bounds compete (Pugh 1994; Tawbi 1994).
func (k *counter) sum(r region) {
	for {
		k.pad(&r)
		k.Spend((len(r.eq)+len(r.ge)+1)*k.table.Width() + len(r.q))
		if !linear.NormalizeRows(&r.eq, &r.ge) {
			return
		}
		if k.solve(&r) || k.pin(&r) {
			continue
		}
		v := k.choose(&r)
		if v.at < 0 {
			return
		}
		if v.at == 0 {
			k.emit(r)
			return
		}
		if !v.direct {
			if k.trial {
				panic(throw.Of(errNotDirect))
			}
			k.splinter(&r)
			return
		}
		rest, ok := k.sumVariable(&r, v.at)
		if !ok {
			return
		}
		r = rest
	}
}

// solve removes a counted variable, or simplifies, by one of the equalities. It reports false if none has a counted
// variable.
func (k *counter) solve(r *region) bool {
	x, ok := k.table.ChangeFor(r.eq)
	if !ok {
		return false
	}
	if x.Solves >= 0 {
		r.eq = slices.Delete(r.eq, x.Solves, x.Solves+1)
	}
	if x.Gone {
		r.left = r.without(x.At)
	}
	k.put(r, x.At, x.By)
	return true
}

// put replaces the variable at by a form in r.
func (k *counter) put(r *region, at int, by linear.Row) {
	k.pad(r)
	r.q = r.q.Replace(at, quasi.Linear(by))
	linear.Substitute(at, by, r.eq, r.ge)
}

// pin removes a variable to which two opposite bounds in parameters leave at most one value: L ≤ a·x ≤ L + s with s <
// a. That value is ⌊(L+s)/a⌋.
func (k *counter) pin(r *region) bool {
	for _, at := range r.left {
		for _, lo := range r.ge {
			a := lo[at]
			if a <= 1 || !k.onlyCounted(lo, at) {
				continue
			}
			for _, hi := range r.ge {
				if hi[at] != -a || !linear.Parallel(lo, hi, true) || arith.Add(lo[0], hi[0]) >= a {
					continue
				}
				rest := slices.Clone(hi)
				rest[at] = 0
				by := k.table.FloorRow(rest, a)
				r.left = r.without(at)
				k.put(r, at, by)
				return true
			}
		}
	}
	return false
}

// onlyCounted reports that column at is the only counted variable in x.
func (k *counter) onlyCounted(x linear.Row, at int) bool {
	for c := 1 + k.table.N; c < len(x); c++ {
		if c != at && x[c] != 0 && k.table.Free(c) {
			return false
		}
	}
	return true
}

// variable is a candidate for the next summation.
type variable struct {
	at     int
	cost   int
	direct bool // Faulhaber applies: unit coefficients, or bounds by parameters alone
}

// choose returns the variable to sum next. at is 0 if none is left, and −1 if r is empty.
func (k *counter) choose(r *region) variable {
	var best variable
	for _, at := range r.left {
		v := variable{at: at, direct: true}
		lower, upper, unit, alone := 0, 0, true, true
		for _, x := range r.ge {
			if x[at] == 0 {
				continue
			}
			if x[at] > 0 {
				lower++
			} else {
				upper++
			}
			unit = unit && (x[at] == 1 || x[at] == -1)
			alone = alone && k.onlyCounted(x, at)
		}
		if lower == 0 || upper == 0 {
			if !k.feasible(r) {
				return variable{at: -1}
			}
			panic(throw.Of(errUnbounded))
		}
		v.direct = unit || alone
		v.cost = 4 * lower * upper
		if !unit {
			v.cost += 2
		}
		if !v.direct {
			v.cost += 1 << 20
		}
		if best.at == 0 || v.cost < best.cost {
			best = v
		}
	}
	return best
}

// over is r as a conjunction over the counter's table.
func (k *counter) over(r *region) *linear.Conj {
	return &linear.Conj{N: k.table.N, Eq: r.eq, Ge: r.ge, Divs: k.table.Divs}
}

// feasible decides whether r, with further rows, has integer points for some parameters.
func (k *counter) feasible(r *region, extra ...linear.Row) bool {
	return k.Solvable(k.over(r).Question(extra...))
}

// sumVariable sums over column at. It returns one of the resulting regions, if there is any, for the caller to continue
// with, and sums over the others itself.
func (k *counter) sumVariable(r *region, at int) (region, bool) {
	s := &linear.System{Eq: nil, Ge: r.ge, Width: k.table.Width()}
	lower, upper, rest := s.Split(at)
	lowest, lows := k.dominated(r, lower, at)
	uppest, ups := k.dominated(r, upper, at)
	split := lows*ups > 1
	var next []region
	for i, l := range lower {
		for j, u := range upper {
			if lowest[i] || uppest[j] {
				continue
			}
			n := region{eq: linear.CloneRows(r.eq), ge: linear.CloneRows(rest), left: r.without(at)}
			n.ge = append(n.ge, beats(lower, lowest, i, at)...)
			n.ge = append(n.ge, beats(upper, uppest, j, at)...)
			n.ge = append(n.ge, linear.CombineRows(-u[at], l, l[at], u))
			if split && !k.feasible(&n) {
				continue
			}
			lo, hi := slices.Clone(l), slices.Clone(u)
			lo[at], hi[at] = 0, 0
			// lo + a·x ≥ 0: x ≥ −⌊lo/a⌋; hi − b·x ≥ 0: x ≤ ⌊hi/b⌋
			low := quasi.Linear(k.table.FloorRow(lo, l[at])).Scale(arith.RatInt(-1))
			high := quasi.Linear(k.table.FloorRow(hi, -u[at]))
			k.Spend(len(r.q) * (len(low) + len(high)))
			n.q = r.q.SumOver(at, low, high)
			if len(n.q) > 0 {
				next = append(next, n)
			}
		}
	}
	if len(next) == 0 {
		return region{}, false
	}
	for _, n := range next[1:] {
		k.sum(n)
	}
	return next[0], true
}

// dominated marks the bounds of one side that are nowhere in r tighter than another one; left is the number of the others.
func (k *counter) dominated(r *region, side []linear.Row, at int) (gone []bool, left int) {
	gone, left = make([]bool, len(side)), len(side)
	for i, b := range side {
		for j, o := range side {
			if i == j || gone[j] || gone[i] {
				continue
			}
			if gone[j] = !k.feasible(r, linear.Negated(looser(o, b, at))); gone[j] {
				left--
			}
		}
	}
	return gone, left
}

// looser is the row that is ≥ 0 where bound o is not tighter than b.
func looser(o, b linear.Row, at int) linear.Row {
	return linear.CombineRows(arith.Abs(b[at]), o, -arith.Abs(o[at]), b)
}

// beats are the conditions under which bound i of one side is the tightest, and the first one among equals. Dominated
// bounds remain as conditions, since what dominates them may be eliminated together with the variable.
func beats(side []linear.Row, dominated []bool, i, at int) []linear.Row {
	var out []linear.Row
	for j, o := range side {
		if j == i {
			continue
		}
		d := looser(o, side[i], at)
		if j < i && !dominated[j] {
			d[0] = arith.Sub(d[0], 1)
		}
		out = append(out, d)
	}
	return out
}

// emit adds a region without counted variables to the pieces.
func (k *counter) emit(r region) {
	k.pad(&r)
	dom := &linear.Conj{N: k.table.N, Eq: r.eq, Ge: r.ge, Divs: slices.Clone(k.table.Divs)}
	dom = dom.Clone()
	if dom.Simplify() && len(r.q) > 0 {
		if k.trial && len(k.out) > 0 {
			panic(throw.Of(errNotDirect))
		}
		k.out = append(k.out, quasi.Piece{Dom: dom, Q: r.q})
	}
}

// splinter sums where no variable can be summed directly. Variables that share a row with a non-unit coefficient of the
// chosen one are written as m·y + residue. Then each bound is one in the y plus a floor of parameters.
func (k *counter) splinter(r *region) {
	best, bestCost, bestModuli := 0, int64(0), []int64(nil)
	for _, at := range r.left {
		moduli := make([]int64, k.table.Width())
		cost := int64(1)
		for _, x := range r.ge {
			a := arith.Abs(x[at])
			if a == 0 {
				continue
			}
			for c := 1 + k.table.N; c < len(x); c++ {
				if c != at && x[c] != 0 && k.table.Free(c) {
					moduli[c] = arith.Lcm(max(moduli[c], 1), a/arith.Gcd(a, x[c]))
				}
			}
		}
		for _, m := range moduli {
			if m > 1 {
				cost = arith.Mul(min(cost, 1<<20), min(m, 1<<20))
			}
		}
		if best == 0 || cost < bestCost {
			best, bestCost, bestModuli = at, cost, moduli
		}
	}
	classes := []region{r.Clone()}
	for c, m := range bestModuli {
		if m <= 1 {
			continue
		}
		var split []region
		for _, g := range classes {
			for res := range m {
				k.Spend((len(g.ge) + 1) * k.table.Width())
				n := g.Clone()
				k.put(&n, c, linear.Plus(k.table.Width(), res, m, c))
				split = append(split, n)
			}
		}
		classes = split
	}
	for _, n := range classes {
		for i, x := range n.ge {
			if a := arith.Abs(x[best]); a > 1 {
				n.ge[i] = k.divided(x, a)
			}
		}
		k.sum(n)
	}
}

// divided is the row x/a ≥ 0, with the part in parameters rounded down; a divides all other coefficients.
func (k *counter) divided(x linear.Row, a int64) linear.Row {
	param, out := make(linear.Row, len(x)), make(linear.Row, len(x))
	for i, v := range x {
		if k.table.Free(i) {
			out[i] = v / a
		} else {
			param[i] = v
		}
	}
	f := k.table.FloorRow(param, a)
	out = k.table.Fit(out)
	linear.AddTimes(out, 1, f)
	return out
}
