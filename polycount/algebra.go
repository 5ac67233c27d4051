package polycount

import "slices"

// intersect of two unions, without the members that are plainly empty.
func (w *work) intersect(a, b []*conj) []*conj {
	var out []*conj
	for _, x := range a {
		for _, y := range b {
			c := conjunction(x, y)
			w.spend((len(c.eq) + len(c.ge) + 1) * c.width())
			if c.simplify() && (len(a)*len(b) == 1 || w.solvable(c.question())) {
				out = append(out, c)
			}
		}
	}
	return out
}

// subtract returns a \ b; the members that come from one member of a are disjoint.
func (w *work) subtract(a, b []*conj) []*conj {
	for _, y := range b {
		var out []*conj
		for _, x := range a {
			out = append(out, w.subtractOne(x, y)...)
		}
		a = out
	}
	return a
}

// subtractOne returns x \ y as disjoint parts: for the k-th constraint of y, what satisfies the ones before but not it.
func (w *work) subtractOne(x, y *conj) []*conj {
	both := x.clone()
	apply := both.importer(y)
	type constraint struct {
		r  row
		eq bool
	}
	var cs []constraint
	for _, r := range y.eq {
		cs = append(cs, constraint{apply(r), true})
	}
	for _, r := range y.ge {
		cs = append(cs, constraint{apply(r), false})
	}
	all := both.clone()
	for _, c := range cs {
		if c.eq {
			all.addEQ(c.r)
		} else {
			all.addGE(c.r)
		}
	}
	if !w.solvable(all.question()) {
		return []*conj{x}
	}
	var out []*conj
	take := func(r row) {
		p := both.clone()
		p.addGE(r)
		if p.simplify() && w.solvable(p.question()) {
			out = append(out, p)
		}
	}
	for _, c := range cs {
		take(both.fit(negated(c.r)))
		if c.eq {
			take(both.fit(negated(negRow(c.r))))
			both.addEQ(slices.Clone(c.r))
		} else {
			both.addGE(slices.Clone(c.r))
		}
	}
	return out
}

// addMember appends c unless an equal conjunction is there.
func addMember(cs []*conj, c *conj) []*conj {
	for _, d := range cs {
		if sameConj(c, d) {
			return cs
		}
	}
	return append(cs, c)
}

// sameConj compares the normal forms.
func sameConj(a, b *conj) bool {
	same := func(x, y []row) bool { return slices.EqualFunc(x, y, slices.Equal) }
	return len(a.divs) == len(b.divs) && same(a.eq, b.eq) && same(a.ge, b.ge) &&
		slices.EqualFunc(a.divs, b.divs, func(x, y div) bool { return x.den == y.den && equalPadded(x.num, y.num) })
}

// disjoint returns members that cover the same points once.
func (w *work) disjoint(cs []*conj) []*conj {
	var out []*conj
	for _, c := range cs {
		parts := []*conj{c}
		if len(cs) > 1 {
			parts = w.subtract(parts, out)
		}
		for _, p := range parts {
			if w.solvable(p.question()) {
				out = append(out, p)
			}
		}
	}
	return out
}

func (w *work) isEmpty(cs []*conj) bool {
	for _, c := range cs {
		if w.solvable(c.question()) {
			return false
		}
	}
	return true
}

// implied decides c ⇒ r ≥ 0 (or = 0) for a row over the columns of c.
func (w *work) implied(c *conj, r row, equality bool) bool {
	test := func(r row) bool { return !w.solvable(c.question(r)) }
	return test(negated(r)) && (!equality || test(negated(negRow(r))))
}
