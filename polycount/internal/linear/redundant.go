package linear

import "slices"

// Gist drops the constraints of c that follow from its other constraints and any member of ctx. It returns nil if c and
// ctx are disjoint.
func (w *Work) Gist(c *Conj, ctx []*Conj) *Conj {
	var bases []base
	meet := false
	for _, x := range ctx {
		n := baseOf(x, c)
		all := n.Flat()
		all.Eq = append(all.Eq, CloneRows(n.eq)...)
		all.Ge = append(all.Ge, CloneRows(n.ge)...)
		meet = meet || w.Feasible(all)
		bases = append(bases, n)
	}
	if !meet {
		return nil
	}
	dropEQ, dropGE := make([]bool, len(c.Eq)), make([]bool, len(c.Ge))
	follows := func(skipEQ, skipGE int) bool {
		for _, b := range bases {
			premise := b.Clone()
			for i, r := range b.eq {
				if i != skipEQ && !dropEQ[i] {
					premise.AddEQ(slices.Clone(r))
				}
			}
			for i, r := range b.ge {
				if i != skipGE && !dropGE[i] {
					premise.AddGE(slices.Clone(r))
				}
			}
			if skipEQ >= 0 && !w.Implied(premise, b.eq[skipEQ], true) {
				return false
			}
			if skipGE >= 0 && !w.Implied(premise, b.ge[skipGE], false) {
				return false
			}
		}
		return true
	}
	out := &Conj{N: c.N, Divs: c.Divs}
	for i, r := range c.Eq {
		if dropEQ[i] = follows(i, -1); !dropEQ[i] {
			out.Eq = append(out.Eq, slices.Clone(r))
		}
	}
	for i, r := range c.Ge {
		if dropGE[i] = follows(-1, i); !dropGE[i] {
			out.Ge = append(out.Ge, slices.Clone(r))
		}
	}
	out.Simplify()
	return out
}

// base is what is known to hold, with the constraints of another conjunction in its columns.
type base struct {
	*Conj
	eq, ge []Row
}

func baseOf(known, c *Conj) base {
	n := base{Conj: known.Clone()}
	apply := n.Importer(c, nil)
	for _, r := range c.Eq {
		n.eq = append(n.eq, apply(r))
	}
	for _, r := range c.Ge {
		n.ge = append(n.ge, apply(r))
	}
	return n
}

// Connected are the constraints that are connected with column at through common columns. c must not be empty.
func (c *Conj) Connected(at int) *Conj {
	in := make([]bool, c.Width())
	in[at] = true
	c.connect(in)
	out := &Conj{N: c.N, Divs: c.Divs}
	out.Eq, _ = meeting(c.Eq, in)
	out.Ge, _ = meeting(c.Ge, in)
	return out
}

// meeting divides rows into those that have a column of in, and the others.
func meeting(rows []Row, in []bool) (meet, apart []Row) {
	n := 0
	for _, r := range rows {
		if hasColumn(r, in) {
			n++
		}
	}
	if n == len(rows) {
		return rows, nil
	}
	list := make([]Row, len(rows))
	meet, apart = list[:0:n], list[n:n]
	for _, r := range rows {
		if hasColumn(r, in) {
			meet = append(meet, r)
		} else {
			apart = append(apart, r)
		}
	}
	return meet, apart
}

// connect adds to in the columns that constraints or floors connect with those already in it.
func (c *Conj) connect(in []bool) {
	grown := true
	mark := func(r Row) {
		for i := 1; i < len(r); i++ {
			if r[i] != 0 && !in[i] {
				in[i], grown = true, true
			}
		}
	}
	for grown {
		grown = false
		for _, rows := range [2][]Row{c.Eq, c.Ge} {
			for _, r := range rows {
				if hasColumn(r, in) {
					mark(r)
				}
			}
		}
		for k, d := range c.Divs {
			if q := 1 + c.N + k; in[q] {
				mark(d.Num)
			} else if hasColumn(d.Num, in) {
				in[q], grown = true, true
			}
		}
	}
}

// hasColumn reports that r has a column of in.
func hasColumn(r Row, in []bool) bool {
	for i := 1; i < len(r); i++ {
		if r[i] != 0 && in[i] {
			return true
		}
	}
	return false
}

// TwoBounds reports that column at occurs in no equality and has at most one lower and one upper bound; then neither
// can be redundant.
func (c *Conj) TwoBounds(at int) bool {
	if slices.ContainsFunc(c.Eq, func(r Row) bool { return r[at] != 0 }) {
		return false
	}
	lower, upper, _ := (&System{Ge: c.Ge}).Split(at)
	return len(lower) <= 1 && len(upper) <= 1
}

// WithoutFloorsOf eliminates, over the rationals, the floors that depend on column at.
func (w *Work) WithoutFloorsOf(c *Conj, at int) *Conj {
	c = c.Clone()
	dep := make([]bool, c.Width())
	dep[at] = true
	var cols []int
	for k, d := range c.Divs {
		for i := 1; i < len(d.Num); i++ {
			if d.Num[i] != 0 && dep[i] {
				dep[1+c.N+k] = true
			}
		}
		if dep[1+c.N+k] {
			lo, hi := c.Definition(k)
			c.Ge = append(c.Ge, lo, hi)
			cols = append(cols, k)
		}
	}
	slices.Reverse(cols)
	for _, k := range cols {
		x := 1 + c.N + k
		// What equalities say of the stride is lost.
		s := w.rationalShadow(&System{c.Eq, c.Ge, c.Width()}, x)
		c.Eq, c.Ge = s.Eq, s.Ge
		c.Divs[k] = Div{Row{0}, 1}
		if !NormalizeRows(&c.Eq, &c.Ge) {
			return nil
		}
	}
	c.dropUnused()
	return c
}

// Irredundant drops inequalities that follow from the others, and from ctx where that is not nil. If at > 0, it drops only
// bounds of that column, later ones first: what remains are the bounds that a programmer would write in a loop.
func (w *Work) Irredundant(c, ctx *Conj, at int) *Conj {
	c = c.Clone()
	NormalizeRows(&c.Eq, &c.Ge)
	base := &Conj{c.N, c.Eq, nil, c.Divs}
	if ctx != nil {
		base = Conjunction(base, ctx)
	}
	gone := make([]bool, len(c.Ge))
	premise := make([]Row, 0, len(c.Ge))
	for i := len(c.Ge) - 1; i >= 0; i-- {
		if at > 0 && c.Ge[i][at] == 0 {
			continue
		}
		premise = premise[:0]
		for j, r := range c.Ge {
			if j != i && !gone[j] {
				premise = append(premise, r)
			}
		}
		gone[i] = !w.Solvable(base.Question(append(premise, Negated(c.Ge[i]))...))
	}
	kept := c.Ge[:0]
	for i, r := range c.Ge {
		if !gone[i] {
			kept = append(kept, r)
		}
	}
	c.Ge = kept
	return c
}
