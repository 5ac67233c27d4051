package polycount

import "slices"

// gist drops the constraints of c that follow from the others and any member of ctx; nil where both exclude each other.
func (w *work) gist(c *conj, ctx []*conj) *conj {
	type base struct {
		*conj
		eq, ge []row // the constraints of c in it
	}
	var bases []base
	meet := false
	for _, x := range ctx {
		b := x.clone()
		apply := b.importer(c)
		n := base{conj: b}
		for _, r := range c.eq {
			n.eq = append(n.eq, apply(r))
		}
		for _, r := range c.ge {
			n.ge = append(n.ge, apply(r))
		}
		all := b.flat()
		all.eq = append(all.eq, cloneRows(n.eq)...)
		all.ge = append(all.ge, cloneRows(n.ge)...)
		meet = meet || w.feasible(all)
		bases = append(bases, n)
	}
	if !meet {
		return nil
	}
	dropEQ, dropGE := make([]bool, len(c.eq)), make([]bool, len(c.ge))
	follows := func(skipEQ, skipGE int) bool {
		for _, b := range bases {
			premise := b.clone()
			for i, r := range b.eq {
				if i != skipEQ && !dropEQ[i] {
					premise.addEQ(slices.Clone(r))
				}
			}
			for i, r := range b.ge {
				if i != skipGE && !dropGE[i] {
					premise.addGE(slices.Clone(r))
				}
			}
			if skipEQ >= 0 && !w.implied(premise, b.eq[skipEQ], true) {
				return false
			}
			if skipGE >= 0 && !w.implied(premise, b.ge[skipGE], false) {
				return false
			}
		}
		return true
	}
	for i := range c.eq {
		dropEQ[i] = follows(i, -1)
	}
	for i := range c.ge {
		dropGE[i] = follows(-1, i)
	}
	out := &conj{n: c.n, divs: c.divs}
	for i, r := range c.eq {
		if !dropEQ[i] {
			out.eq = append(out.eq, slices.Clone(r))
		}
	}
	for i, r := range c.ge {
		if !dropGE[i] {
			out.ge = append(out.ge, slices.Clone(r))
		}
	}
	out.simplify()
	return out
}

// connected copies the constraints of c, which has points, that bear on column at.
func (c *conj) connected(at int) *conj {
	in := make([]bool, c.width())
	in[at] = true
	c.connect(in)
	out := &conj{n: c.n, divs: c.divs}
	for _, r := range c.eq {
		if meets(r, in) {
			out.eq = append(out.eq, slices.Clone(r))
		}
	}
	for _, r := range c.ge {
		if meets(r, in) {
			out.ge = append(out.ge, slices.Clone(r))
		}
	}
	return out
}

// connect adds the columns that constraints connect with those that are in. Floors connect what stands in them.
func (c *conj) connect(in []bool) {
	grown := true
	mark := func(r row) {
		for i := 1; i < len(r); i++ {
			if r[i] != 0 && !in[i] {
				in[i], grown = true, true
			}
		}
	}
	for grown {
		grown = false
		for _, rows := range [2][]row{c.eq, c.ge} {
			for _, r := range rows {
				if meets(r, in) {
					mark(r)
				}
			}
		}
		for k, d := range c.divs {
			if q := 1 + c.n + k; in[q] {
				mark(d.num)
			} else if meets(d.num, in) {
				in[q], grown = true, true
			}
		}
	}
}

// meets reports that r has a column that is in.
func meets(r row, in []bool) bool {
	for i := 1; i < len(r); i++ {
		if r[i] != 0 && in[i] {
			return true
		}
	}
	return false
}

// twoBounds reports that column at stands in inequalities only, in one from below and one from above at the most, of
// which neither can follow from the other constraints where there is a point.
func (c *conj) twoBounds(at int) bool {
	lower, upper := 0, 0
	for _, r := range c.eq {
		if r[at] != 0 {
			return false
		}
	}
	for _, r := range c.ge {
		if r[at] > 0 {
			lower++
		} else if r[at] < 0 {
			upper++
		}
	}
	return lower <= 1 && upper <= 1
}

// withoutFloorsOf eliminates, over the rationals, the floors that depend on column at.
func (w *work) withoutFloorsOf(c *conj, at int) *conj {
	c = c.clone()
	dep := make([]bool, c.width())
	dep[at] = true
	var cols []int
	for k, d := range c.divs {
		for i := 1; i < len(d.num); i++ {
			if d.num[i] != 0 && dep[i] {
				dep[1+c.n+k] = true
			}
		}
		if dep[1+c.n+k] {
			lo, hi := c.definition(k)
			c.ge = append(c.ge, lo, hi)
			cols = append(cols, k)
		}
	}
	slices.Reverse(cols)
	for _, k := range cols {
		x := 1 + c.n + k
		// What equalities say of the stride is lost.
		s := w.rationalShadow(&system{c.eq, c.ge, c.width()}, x)
		c.eq, c.ge = s.eq, s.ge
		c.divs[k] = div{row{0}, 1}
		if !normalizeRows(&c.eq, &c.ge) {
			return nil
		}
	}
	c.dropUnused()
	return c
}

// irredundant drops inequalities that follow from the others. Where a column is given, at > 0, only its bounds are
// dropped, those with the larger constants first, so that what remains is what a loop would be written with.
func (w *work) irredundant(c *conj, at int) *conj { return w.irredundantUnder(c, nil, at) }

// irredundantUnder is irredundant where ctx holds too.
func (w *work) irredundantUnder(c, ctx *conj, at int) *conj {
	c = c.clone()
	normalizeRows(&c.eq, &c.ge)
	base := &conj{c.n, c.eq, nil, c.divs}
	if ctx != nil {
		base = conjunction(base, ctx)
	}
	gone := make([]bool, len(c.ge))
	premise := make([]row, 0, len(c.ge))
	for i := len(c.ge) - 1; i >= 0; i-- {
		if at > 0 && c.ge[i][at] == 0 {
			continue
		}
		premise = premise[:0]
		for j, r := range c.ge {
			if j != i && !gone[j] {
				premise = append(premise, r)
			}
		}
		gone[i] = !w.solvable(base.question(append(premise, negated(c.ge[i]))...))
	}
	kept := c.ge[:0]
	for i, r := range c.ge {
		if !gone[i] {
			kept = append(kept, r)
		}
	}
	c.ge = kept
	return c
}
