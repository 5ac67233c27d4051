package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// project eliminates the variables of c for which drop is set, exactly over the integers. The result is a union over
// the kept variables whose members may overlap; every floor in it has a definition.
func (w *work) project(c *conj, drop []bool) []*conj {
	q, _ := c.quantifyIn(drop, false)
	return w.eliminate(q)
}

// withoutClosed decides the constraints of c that are connected with no variable that is kept: nil where they have no
// solution, otherwise c without them.
func (w *work) withoutClosed(c *conj, drop []bool) *conj {
	in := make([]bool, c.width())
	for i := 1; i <= c.n; i++ {
		in[i] = !drop[i-1]
	}
	c.connect(in)
	closed := question{divs: c.divs, n: c.n}
	left := &conj{n: c.n, divs: c.divs}
	pick := func(rows []row) (in1, out1 []row) {
		n := 0
		for _, r := range rows {
			if meets(r, in) {
				n++
			}
		}
		if n == len(rows) {
			return rows, nil
		}
		list := make([]row, len(rows))
		in1, out1 = list[:0:n], list[n:n]
		for _, r := range rows {
			if meets(r, in) {
				in1 = append(in1, r)
			} else {
				out1 = append(out1, r)
			}
		}
		return in1, out1
	}
	left.eq, closed.eq = pick(c.eq)
	left.ge, closed.ge = pick(c.ge)
	if len(closed.eq)+len(closed.ge) == 0 {
		return c
	}
	if !w.solvable(closed) {
		return nil
	}
	return left
}

// quantify returns c over the kept variables, with those for which drop is set, and the floors that depend on them,
// as columns without definition. place tells where each column of c went.
func (c *conj) quantify(drop []bool) (out *conj, place []int) { return c.quantifyIn(drop, true) }

// quantifyIn is quantify; where not all are asked for, variables that stand in no row get no column.
func (c *conj) quantifyIn(drop []bool, all bool) (out *conj, place []int) {
	// Columns of the new conj: kept variables, kept floors, then existentials.
	out = &conj{}
	place = make([]int, c.width())
	for i := 1; i <= c.n; i++ {
		if !drop[i-1] {
			out.n++
			place[i] = out.n
		}
	}
	rename := func(r row) row {
		v := make(row, out.width())
		v[0] = r[0]
		for i := 1; i < len(r); i++ {
			if r[i] != 0 {
				v[place[i]] = r[i]
			}
		}
		return v
	}
	dropped := make([]bool, c.width())
	for i := 1; i <= c.n; i++ {
		dropped[i] = drop[i-1]
	}
	for k, d := range c.divs {
		at := 1 + c.n + k
		for i := 1; i < len(d.num); i++ {
			dropped[at] = dropped[at] || d.num[i] != 0 && dropped[i]
		}
		switch {
		case d.den <= 0: // existentials stay what they are
			place[at] = out.addColumn(div{den: d.den})
		case !dropped[at]:
			place[at] = out.addColumn(div{rename(d.num), d.den})
		}
	}
	for i := 1; i < c.width(); i++ {
		if dropped[i] && (all || i > c.n || c.usedInRows(i) || c.usedInDivs(i)) {
			place[i] = out.addColumn(div{})
		}
	}
	for _, r := range c.eq {
		out.addEQ(rename(r))
	}
	for _, r := range c.ge {
		out.addGE(rename(r))
	}
	for k := range c.divs {
		if dropped[1+c.n+k] {
			lo, hi := c.definition(k)
			out.addGE(rename(lo))
			out.addGE(rename(hi))
		}
	}
	return out, place
}

// eliminate removes the floors without definition, which are existentials.
func (w *work) eliminate(c *conj) []*conj { return w.eliminateUntil(c, false) }

// eliminateUntil is eliminate, or with stop only the steps that need no branching.
func (w *work) eliminateUntil(c *conj, stop bool) []*conj {
	for c.dropDigit(true) {
		w.spend((len(c.eq) + len(c.ge) + 1) * c.width())
	}
	for {
		w.spend((len(c.eq) + len(c.ge) + 1) * c.width())
		if !normalizeRows(&c.eq, &c.ge) {
			return nil
		}
		if c.solveExistential() {
			continue
		}
		e := c.pickExistential()
		if e.at == 0 {
			if !c.simplify() {
				return nil
			}
			return []*conj{c}
		}
		s := &system{nil, c.ge, c.width()}
		lower, upper, rest := s.split(e.at)
		switch {
		case len(lower) == 0 || len(upper) == 0:
			c.ge = rest
		case e.exact:
			c.ge = w.shadow(rest, lower, upper, e.at, false)
		case stop:
			return []*conj{c}
		case e.alone:
			return w.byTightest(c, e.at, lower, upper)
		default:
			return w.byShadows(c, e.at, lower, upper, rest)
		}
	}
}

// solveExistential uses one equality with existentials to remove one of them; false when there is none.
func (c *conj) solveExistential() bool {
	for i, e := range c.eq {
		at, others := 0, 0
		for k, d := range c.divs {
			col := 1 + c.n + k
			if d.den != 0 || e[col] == 0 {
				continue
			}
			others++
			if at == 0 || arith.Abs(e[col]) < arith.Abs(e[at]) {
				at = col
			}
		}
		if at == 0 {
			continue
		}
		if e[at] == 1 || e[at] == -1 {
			c.divs[at-1-c.n].den = gone
			c.eq = slices.Delete(c.eq, i, i+1)
			for _, rows := range [][]row{c.eq, c.ge} {
				for _, r := range rows {
					eliminateWith(r, e, at)
				}
			}
			return true
		}
		if others > 1 {
			// A change of the existentials that shrinks the coefficients of the others below e[at].
			for k, d := range c.divs {
				col := 1 + c.n + k
				if d.den != 0 || col == at || e[col] == 0 {
					continue
				}
				q := e[col] / e[at]
				for _, rows := range [][]row{c.eq, c.ge} {
					for _, r := range rows {
						if r[at] != 0 {
							r[col] = arith.Sub(r[col], arith.Mul(q, r[at]))
						}
					}
				}
			}
			return true
		}
		// rest + g·y = 0: y is −rest/g, an integer where rest ≡ 0 (mod g).
		rest := slices.Clone(e)
		rest[at] = 0
		g := -e[at]
		if g < 0 {
			g = -g
			rest = negRow(rest)
		}
		c.replaceExistential(at, c.floorRow(rest, g))
		c.divs[at-1-c.n].den = gone
		return true
	}
	return false
}

// replaceExistential puts the row by, which is free of existentials, for existential column at.
func (c *conj) replaceExistential(at int, by row) {
	by = c.fit(by)
	for _, rows := range [][]row{c.eq, c.ge} {
		for _, r := range rows {
			k := r[at]
			if k == 0 {
				continue
			}
			r[at] = 0
			for j, v := range by {
				if v != 0 {
					r[j] = arith.Add(r[j], arith.Mul(k, v))
				}
			}
		}
	}
}

type existential struct {
	at    int  // column; 0 when none is left
	exact bool // the real shadow is the integer shadow
	alone bool // no other existential stands beside it
}

func (c *conj) pickExistential() existential {
	var best existential
	bestCost := int64(0)
	for k, d := range c.divs {
		at := 1 + c.n + k
		if d.den != 0 || !c.usedInRows(at) {
			continue
		}
		e := existential{at: at, exact: true, alone: true}
		var lower, upper []row
		for _, r := range c.ge {
			switch {
			case r[at] > 0:
				lower = append(lower, r)
			case r[at] < 0:
				upper = append(upper, r)
			default:
				continue
			}
			for j, d := range c.divs {
				if col := 1 + c.n + j; d.den == 0 && col != at && r[col] != 0 {
					e.alone = false
				}
			}
		}
		cost := int64(len(lower)*len(upper) - len(lower) - len(upper))
		for _, l := range lower {
			for _, u := range upper {
				if e.exact && !exactPair(l, u, at) {
					e.exact = false
				}
			}
		}
		if !e.exact && len(lower) > 0 && len(upper) > 0 {
			cost += 1000
			if !e.alone {
				cost += 1000 * splinterCost(lower, upper, at)
			}
		}
		if best.at == 0 || cost < bestCost {
			best, bestCost = e, cost
		}
	}
	return best
}

// splinterCost is about the number of splinters of byShadows.
func splinterCost(lower, upper []row, at int) int64 {
	top, n := int64(0), int64(0)
	for _, u := range upper {
		top = max(top, -u[at])
	}
	for _, l := range lower {
		n += min(l[at], 1000) * min(top, 1000)
	}
	return n
}

// exactPair reports that the real and the dark shadow of a pair of bounds coincide over the integers.
func exactPair(l, u row, at int) bool {
	a, b := l[at], -u[at]
	if a == 1 || b == 1 {
		return true
	}
	g := arith.Gcd(a, b)
	r := combineRows(b/g, l, a/g, u)
	gap := darkGap(a, b, g)
	h := contentOf(r)
	if h == 0 {
		return r[0] < 0 || r[0] >= gap
	}
	return arith.FloorDiv(r[0], h) == arith.FloorDiv(arith.Sub(r[0], gap), h)
}

// byTightest branches on which bound of the existential at is the tightest, on the side with fewer bounds, and puts
// the existential there: x = ⌊u/b⌋ for the least upper bound, ⌈l/a⌉ for the greatest lower one.
func (w *work) byTightest(c *conj, at int, lower, upper []row) []*conj {
	side, flip := upper, int64(1)
	if len(lower) < len(upper) {
		side, flip = lower, -1
	}
	var out []*conj
	for i, s := range side {
		t := c.clone()
		a := arith.Abs(s[at])
		for j, o := range side {
			if i == j {
				continue
			}
			// value of o/|o_at| is no tighter than that of s/a, ties going to the first
			b := arith.Abs(o[at])
			r := combineRows(a, o, -b, s)
			if j < i {
				r[0] = arith.Sub(r[0], 1)
			}
			t.addGE(r)
		}
		e := slices.Clone(s)
		e[at] = 0
		by := t.floorRow(e, a)
		if flip < 0 {
			by = negRow(by)
		}
		t.replaceExistential(at, by)
		out = append(out, w.eliminate(t)...)
	}
	return out
}

// byShadows splits by the Omega test: the dark shadow, and the splinters beside it.
func (w *work) byShadows(c *conj, at int, lower, upper, rest []row) []*conj {
	dark := c.clone()
	dark.ge = cloneRows(w.shadow(rest, lower, upper, at, true))
	out := w.eliminate(dark)
	for _, e := range splinters(lower, upper, at) {
		t := c.clone()
		t.addEQ(e)
		if w.solvable(t.question()) {
			out = append(out, w.eliminate(t)...)
		}
	}
	return out
}

// eliminateLimit is the work that goes into eliminating quantifiers when a set is made. What needs more is left
// quantified: counting and deciding need no elimination, and the rest tries again with all the work it may do.
const eliminateLimit = 400_000

// isOpen reports that c has existentials.
func (c *conj) isOpen() bool {
	for k, d := range c.divs {
		if d.den == 0 && c.usedInRows(1+c.n+k) {
			return true
		}
	}
	return false
}

// openUnlessSingle eliminates the existentials of c where that gives at most one member.
func (w *work) openUnlessSingle(c *conj) []*conj {
	if c = c.clone(); !c.simplify() {
		return nil
	}
	var parts []*conj
	if done := w.within(eliminateLimit, func(w *work) { parts = w.eliminate(c.clone()) }); done && len(parts) <= 1 {
		return parts
	}
	return []*conj{c}
}

// closed eliminates the existentials of c, if it has any.
func (w *work) closed(c *conj) []*conj {
	if !c.isOpen() {
		return []*conj{c}
	}
	return w.eliminate(c.clone())
}

// widened writes the existentials of c as further variables.
func (c *conj) widened() (out *conj, existentials int) {
	existentials = len(c.existentials())
	out = &conj{n: c.n + existentials}
	place := make([]int, c.width())
	next := c.n
	for i := range place {
		if place[i] = i; i > c.n && c.divs[i-1-c.n].den == 0 {
			next++
			place[i] = next
		}
	}
	move := func(r row) row {
		v := make(row, out.width())
		for i, x := range r {
			if x != 0 {
				v[place[i]] = x
			}
		}
		return v
	}
	for k, d := range c.divs {
		if d.den > 0 {
			place[1+c.n+k] = out.addColumn(div{move(d.num), d.den})
		}
	}
	for _, r := range c.eq {
		out.addEQ(move(r))
	}
	for _, r := range c.ge {
		out.addGE(move(r))
	}
	return out, existentials
}

// existentials are the unit vectors of c's columns without definition.
func (c *conj) existentials() []row {
	var out []row
	for k, d := range c.divs {
		if d.den == 0 {
			e := make(row, c.width())
			e[1+c.n+k] = 1
			out = append(out, e)
		}
	}
	return out
}

// after marks the variables of c from the one after the first n.
func (c *conj) after(n int) []bool {
	drop := make([]bool, c.n)
	for i := n; i < c.n; i++ {
		drop[i] = true
	}
	return drop
}
