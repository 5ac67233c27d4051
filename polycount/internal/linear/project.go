package linear

import (
	"slices"

	"gpuperf/polycount/internal/arith"
)

// Project eliminates the variables of c for which drop is set, exactly over the integers. The result is a union over
// the kept variables whose members may overlap; every floor in it has a definition.
func (w *Work) Project(c *Conj, drop []bool) []*Conj {
	q, _ := c.QuantifyIn(drop, false)
	return w.Eliminate(q)
}

// WithoutClosed decides the constraints that are not connected with any kept variable, and drops them; it returns nil
// if they have no solution. It saves a sixth of the work of BenchmarkCount of features.
func (w *Work) WithoutClosed(c *Conj, drop []bool) *Conj {
	in := make([]bool, c.Width())
	for i := 1; i <= c.N; i++ {
		in[i] = !drop[i-1]
	}
	c.connect(in)
	closed := question{divs: c.Divs, n: c.N}
	left := &Conj{N: c.N, Divs: c.Divs}
	left.Eq, closed.eq = meeting(c.Eq, in)
	left.Ge, closed.ge = meeting(c.Ge, in)
	if len(closed.eq)+len(closed.ge) == 0 {
		return c
	}
	if !w.Solvable(closed) {
		return nil
	}
	return left
}

// Quantify turns the variables for which drop is set, and the floors that depend on them, into existentials. place
// gives the new column of each column of c.
func (c *Conj) Quantify(drop []bool) (out *Conj, place []int) { return c.QuantifyIn(drop, true) }

// QuantifyIn is Quantify; without all, variables that occur in no row are dropped.
func (c *Conj) QuantifyIn(drop []bool, all bool) (out *Conj, place []int) {
	// Columns of the new conj: kept variables, kept floors, then existentials.
	out = &Conj{}
	place = make([]int, c.Width())
	for i := 1; i <= c.N; i++ {
		if !drop[i-1] {
			out.N++
			place[i] = out.N
		}
	}
	rename := func(r Row) Row {
		v := make(Row, out.Width())
		v[0] = r[0]
		for i := 1; i < len(r); i++ {
			if r[i] != 0 {
				v[place[i]] = r[i]
			}
		}
		return v
	}
	dropped := make([]bool, c.Width())
	for i := 1; i <= c.N; i++ {
		dropped[i] = drop[i-1]
	}
	for k, d := range c.Divs {
		at := 1 + c.N + k
		for i := 1; i < len(d.Num); i++ {
			dropped[at] = dropped[at] || d.Num[i] != 0 && dropped[i]
		}
		switch {
		case d.Den <= 0: // existentials are kept
			place[at] = out.addColumn(Div{Den: d.Den})
		case !dropped[at]:
			place[at] = out.addColumn(Div{rename(d.Num), d.Den})
		}
	}
	for i := 1; i < c.Width(); i++ {
		if dropped[i] && (all || i > c.N || c.UsedInRows(i) || c.UsedInDivs(i)) {
			place[i] = out.addColumn(Div{})
		}
	}
	out.add(c, rename)
	for k := range c.Divs {
		if dropped[1+c.N+k] {
			lo, hi := c.Definition(k)
			out.AddGE(rename(lo))
			out.AddGE(rename(hi))
		}
	}
	return out, place
}

// Eliminate removes the existentials of c, exactly over the integers.
func (w *Work) Eliminate(c *Conj) []*Conj { return w.EliminateUntil(c, false) }

// EliminateUntil is Eliminate; with stop it only takes the steps that give one conjunction.
func (w *Work) EliminateUntil(c *Conj, stop bool) []*Conj {
	for c.DropDigit(true) {
		w.Spend((len(c.Eq) + len(c.Ge) + 1) * c.Width())
	}
	for {
		w.Spend((len(c.Eq) + len(c.Ge) + 1) * c.Width())
		if !NormalizeRows(&c.Eq, &c.Ge) {
			return nil
		}
		if c.SolveExistential() {
			continue
		}
		e := c.pickExistential()
		if e.at == 0 {
			if !c.Simplify() {
				return nil
			}
			return []*Conj{c}
		}
		s := &System{nil, c.Ge, c.Width()}
		lower, upper, rest := s.Split(e.at)
		switch {
		case len(lower) == 0 || len(upper) == 0:
			c.Ge = rest
		case e.exact:
			c.Ge = w.shadow(rest, lower, upper, e.at, false)
		case stop:
			return []*Conj{c}
		case e.alone:
			return w.byTightest(c, e.at, lower, upper)
		default:
			return w.byShadows(c, e.at, lower, upper, rest)
		}
	}
}

// Change is a change of variables that an equality suggests: column At becomes the form By.
type Change struct {
	At     int
	By     Row
	Solves int  // the index of the equality that it uses up, −1 where there is none
	Gone   bool // By is free of At, which nothing needs any more
}

// ChangeFor finds a change of the existentials of c by one of the equalities eq. An equality with a coefficient ±1 is
// solved. In one with several existentials, the coefficients shrink. From rest + g·y = 0 with one existential y follows
// y = ⌊−rest/g⌋; the equality stays and says that g divides rest, and the floor is added to c. ok is false if no
// equality has an existential.
func (c *Conj) ChangeFor(eq []Row) (change Change, ok bool) {
	for i, e := range eq {
		at, others := 0, 0
		for col := 1 + c.N; col < len(e); col++ {
			if e[col] == 0 || !c.Free(col) {
				continue
			}
			others++
			if at == 0 || arith.Abs(e[col]) < arith.Abs(e[at]) {
				at = col
			}
		}
		switch {
		case at == 0:
			continue
		case e[at] == 1 || e[at] == -1:
			return Change{at, SolvedFor(at, e), i, true}, true
		case others > 1:
			by := Plus(len(e), 0, 1, at)
			for col := 1 + c.N; col < len(e); col++ {
				if col != at && e[col] != 0 && c.Free(col) {
					by[col] = -(e[col] / e[at])
				}
			}
			return Change{at, by, -1, false}, true
		}
		rest := slices.Clone(e)
		rest[at] = 0
		if e[at] > 0 {
			rest = NegRow(rest)
		}
		return Change{at, c.FloorRow(rest, arith.Abs(e[at])), -1, true}, true
	}
	return Change{}, false
}

// SolveExistential applies ChangeFor to c. It reports false if no equality has an existential.
func (c *Conj) SolveExistential() bool {
	x, ok := c.ChangeFor(c.Eq)
	if !ok {
		return false
	}
	if x.Solves >= 0 {
		c.Eq = slices.Delete(c.Eq, x.Solves, x.Solves+1)
	}
	Substitute(x.At, x.By, c.Eq, c.Ge)
	if x.Gone {
		c.Divs[x.At-1-c.N].Den = Gone
	}
	return true
}

type existential struct {
	at    int  // column; 0 when none is left
	exact bool // the real shadow is the integer shadow
	alone bool // no other existential occurs in its rows
}

func (c *Conj) pickExistential() existential {
	var best existential
	bestCost := int64(0)
	for k, d := range c.Divs {
		at := 1 + c.N + k
		if d.Den != 0 || !c.UsedInRows(at) {
			continue
		}
		e := existential{at: at, exact: true, alone: true}
		var lower, upper []Row
		for _, r := range c.Ge {
			switch {
			case r[at] > 0:
				lower = append(lower, r)
			case r[at] < 0:
				upper = append(upper, r)
			default:
				continue
			}
			for j, d := range c.Divs {
				if col := 1 + c.N + j; d.Den == 0 && col != at && r[col] != 0 {
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

// splinterCost estimates the number of splinters of byShadows.
func splinterCost(lower, upper []Row, at int) int64 {
	top, n := int64(0), int64(0)
	for _, u := range upper {
		top = max(top, -u[at])
	}
	for _, l := range lower {
		n += min(l[at], 1000) * min(top, 1000)
	}
	return n
}

// byTightest splits by which bound of the existential is the tightest, on the side with fewer bounds, and replaces the
// existential by it: ⌊u/b⌋ for the least upper bound, ⌈l/a⌉ for the greatest lower one. Splitting by shadows instead
// makes BenchmarkCount of features take 12 times as long.
func (w *Work) byTightest(c *Conj, at int, lower, upper []Row) []*Conj {
	side, flip := upper, int64(1)
	if len(lower) < len(upper) {
		side, flip = lower, -1
	}
	var out []*Conj
	for i, s := range side {
		t := c.Clone()
		a := arith.Abs(s[at])
		for j, o := range side {
			if i == j {
				continue
			}
			// value of o/|o_at| is no tighter than that of s/a, ties going to the first
			b := arith.Abs(o[at])
			r := CombineRows(a, o, -b, s)
			if j < i {
				r[0] = arith.Sub(r[0], 1)
			}
			t.AddGE(r)
		}
		e := slices.Clone(s)
		e[at] = 0
		by := t.FloorRow(e, a)
		if flip < 0 {
			by = NegRow(by)
		}
		Substitute(at, t.Fit(by), t.Eq, t.Ge)
		out = append(out, w.Eliminate(t)...)
	}
	return out
}

// byShadows splits by the Omega test: the dark shadow, and the splinters.
func (w *Work) byShadows(c *Conj, at int, lower, upper, rest []Row) []*Conj {
	dark := c.Clone()
	dark.Ge = CloneRows(w.shadow(rest, lower, upper, at, true))
	out := w.Eliminate(dark)
	for e := range w.splinters(lower, upper, at) {
		t := c.Clone()
		t.AddEQ(e)
		if w.Solvable(t.Question()) {
			out = append(out, w.Eliminate(t)...)
		}
	}
	return out
}

// EliminateLimit is the work that eliminating quantifiers may take when a set is made. A set that needs more stays
// quantified: counting and deciding do not need the elimination, and what needs it tries again with its own limit.
const EliminateLimit = 400_000

// IsOpen reports that c has existentials.
func (c *Conj) IsOpen() bool {
	for k, d := range c.Divs {
		if d.Den == 0 && c.UsedInRows(1+c.N+k) {
			return true
		}
	}
	return false
}

// OpenUnlessSingle eliminates the existentials of c if that gives at most one conjunction.
func (w *Work) OpenUnlessSingle(c *Conj) []*Conj {
	if c = c.Clone(); !c.Simplify() {
		return nil
	}
	var parts []*Conj
	if done := w.Within(EliminateLimit, func(w *Work) { parts = w.Eliminate(c.Clone()) }); done && len(parts) <= 1 {
		return parts
	}
	return []*Conj{c}
}

// Closed eliminates the existentials of c, if there are any.
func (w *Work) Closed(c *Conj) []*Conj {
	if !c.IsOpen() {
		return []*Conj{c}
	}
	return w.Eliminate(c.Clone())
}

// Widened turns the existentials of c into further variables.
func (c *Conj) Widened() (out *Conj, existentials int) {
	existentials = len(c.Existentials())
	out = &Conj{N: c.N + existentials}
	place := make([]int, c.Width())
	next := c.N
	for i := range place {
		if place[i] = i; i > c.N && c.Divs[i-1-c.N].Den == 0 {
			next++
			place[i] = next
		}
	}
	move := func(r Row) Row {
		v := make(Row, out.Width())
		for i, x := range r {
			if x != 0 {
				v[place[i]] = x
			}
		}
		return v
	}
	for k, d := range c.Divs {
		if d.Den > 0 {
			place[1+c.N+k] = out.addColumn(Div{move(d.Num), d.Den})
		}
	}
	out.add(c, move)
	return out, existentials
}

// Existentials are the unit vectors of the columns of existentials.
func (c *Conj) Existentials() []Row {
	var out []Row
	for k, d := range c.Divs {
		if d.Den == 0 {
			out = append(out, Plus(c.Width(), 0, 1, 1+c.N+k))
		}
	}
	return out
}

// After marks all variables of c but the first n.
func (c *Conj) After(n int) []bool {
	drop := make([]bool, c.N)
	for i := n; i < c.N; i++ {
		drop[i] = true
	}
	return drop
}
