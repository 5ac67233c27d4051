package linear

import (
	"slices"

	"gpuperf/internal/lists"
)

// Intersect is the intersection of two unions, without members that are evidently empty.
func (w *Work) Intersect(a, b []*Conj) []*Conj {
	var out []*Conj
	for _, x := range a {
		for _, y := range b {
			if contradict(x, y) {
				continue
			}
			c := Conjunction(x, y)
			w.Spend((len(c.Eq) + len(c.Ge) + 1) * c.Width())
			if c.Simplify() && (len(a)*len(b) == 1 || w.Solvable(c.Question())) {
				out = append(out, c)
			}
		}
	}
	return out
}

// contradict reports that an inequality of x contradicts one of y, which is how most disjoint members are told apart.
func contradict(x, y *Conj) bool {
	if len(x.Divs)+len(y.Divs) > 0 {
		return false
	}
	for _, r := range x.Ge {
		for _, o := range y.Ge {
			if r[0] < -o[0] && Parallel(r, o, true) {
				return true
			}
		}
	}
	return false
}

// Subtract is a \ b. Members that come from the same member of a are disjoint.
func (w *Work) Subtract(a, b []*Conj) []*Conj {
	for _, y := range b {
		var out []*Conj
		for _, x := range a {
			out = append(out, w.SubtractOne(x, y)...)
		}
		a = out
	}
	return a
}

// SubtractOne is x \ y as disjoint conjunctions: the k-th satisfies the first k−1 constraints of y and violates the
// k-th.
func (w *Work) SubtractOne(x, y *Conj) []*Conj {
	if contradict(x, y) {
		return []*Conj{x}
	}
	both := x.Clone()
	apply := both.Importer(y, nil)
	type constraint struct {
		r  Row
		eq bool
	}
	cs := lists.Map(y.Eq, func(r Row) constraint { return constraint{apply(r), true} })
	for _, r := range y.Ge {
		cs = append(cs, constraint{apply(r), false})
	}
	all := both.Clone()
	for _, c := range cs {
		if c.eq {
			all.AddEQ(c.r)
		} else {
			all.AddGE(c.r)
		}
	}
	if !w.Solvable(all.Question()) {
		return []*Conj{x}
	}
	var out []*Conj
	take := func(r Row) {
		p := both.Clone()
		p.AddGE(r)
		if p.Simplify() && w.Solvable(p.Question()) {
			out = append(out, p)
		}
	}
	for _, c := range cs {
		take(both.Fit(Negated(c.r)))
		if c.eq {
			take(both.Fit(Negated(NegRow(c.r))))
			both.AddEQ(slices.Clone(c.r))
		} else {
			both.AddGE(slices.Clone(c.r))
		}
	}
	return out
}

// AddMember appends c unless an equal conjunction is already there.
func AddMember(cs []*Conj, c *Conj) []*Conj {
	for _, d := range cs {
		if SameConj(c, d) {
			return cs
		}
	}
	return append(cs, c)
}

// SameConj reports that two conjunctions in normal form are equal.
func SameConj(a, b *Conj) bool {
	same := func(x, y []Row) bool { return slices.EqualFunc(x, y, slices.Equal) }
	return len(a.Divs) == len(b.Divs) && same(a.Eq, b.Eq) && same(a.Ge, b.Ge) &&
		slices.EqualFunc(a.Divs, b.Divs, func(x, y Div) bool { return x.Den == y.Den && EqualPadded(x.Num, y.Num) })
}

// Hash is the same for conjunctions that SameConj calls equal.
func (c *Conj) Hash() uint64 {
	h := uint64(14695981039346656037)
	for _, rows := range [][]Row{c.Eq, c.Ge} {
		h = (h ^ uint64(len(rows))) * 1099511628211
		for _, r := range rows {
			for _, v := range r {
				h = (h ^ uint64(v)) * 1099511628211
			}
		}
	}
	return h
}

// Disjoint returns disjoint conjunctions with the same union.
func (w *Work) Disjoint(cs []*Conj) []*Conj {
	var out []*Conj
	for _, c := range cs {
		parts := []*Conj{c}
		if len(cs) > 1 {
			parts = w.Subtract(parts, out)
		}
		for _, p := range parts {
			if w.Solvable(p.Question()) {
				out = append(out, p)
			}
		}
	}
	return out
}

func (w *Work) IsEmpty(cs []*Conj) bool {
	for _, c := range cs {
		if w.Solvable(c.Question()) {
			return false
		}
	}
	return true
}

// Implied decides c ⇒ r ≥ 0 (or = 0) for a row over the columns of c.
func (w *Work) Implied(c *Conj, r Row, equality bool) bool {
	test := func(r Row) bool { return !w.Solvable(c.Question(r)) }
	return test(Negated(r)) && (!equality || test(Negated(NegRow(r))))
}
