package polycount

import (
	"fmt"
	"slices"
)

// Bound of a dimension: at least ⌈Num/Den⌉ as a lower bound, at most ⌊Num/Den⌋ as an upper one. Den ≥ 1.
type Bound struct {
	Num Affine
	Den int64
}

// single returns the one member of s.
func (s *Set) single() (*conj, error) {
	cs := s.members()
	if len(cs) != 1 {
		return nil, fmt.Errorf("polycount: a set of one disjunct is needed, this has %d", len(cs))
	}
	return cs[0], nil
}

// Constraints are those of a set of one disjunct; floors stand in them as such. exact is false when s has several
// disjuncts. An empty union gives the constraint −1 ≥ 0.
func (s *Set) Constraints() (cs []Constraint, exact bool) {
	if s.pending {
		return nil, false
	}
	if len(s.cs) == 0 {
		return []Constraint{{Affine: Int(-1)}}, true
	}
	if len(s.cs) > 1 {
		return nil, false
	}
	c, names := s.cs[0], s.names()
	for _, r := range c.eq {
		cs = append(cs, Constraint{affineOf(c, r, names), true})
	}
	for _, r := range c.ge {
		cs = append(cs, Constraint{Affine: affineOf(c, r, names)})
	}
	return cs, true
}

// Bounds are the irredundant bounds of a dimension in terms of the other dimensions and the parameters, of a set of
// one disjunct, where the others are such that there is a point: those of a loop inside the loops over the others. Every point satisfies them; together with Stride and the constraints without dim they say all that
// constraints free of floors of dim say. A floor of dim other than that stride is eliminated, which can only widen
// the bounds: test with Implies what remains to be guarded.
func (s *Set) Bounds(dim string) (lower, upper []Bound, err error) {
	defer Rescue(&err)
	c, err := s.single()
	if err != nil {
		return nil, nil, err
	}
	names := s.names()
	at := slices.Index(names, dim) + 1
	if at == 0 {
		return nil, nil, fmt.Errorf("polycount: no dimension %q in %v", dim, names)
	}
	w := anyWork()
	c = w.withoutFloorsOf(c, at)
	if c == nil || !w.solvable(c.question()) {
		return nil, nil, fmt.Errorf("polycount: %q has no bounds: the set is empty", dim)
	}
	c = c.connected(at)
	normalizeRows(&c.eq, &c.ge)
	if !c.twoBounds(at) {
		// Bounds that only say when there is a point are implied by the projection on the others.
		drop := make([]bool, c.n)
		drop[at-1] = true
		if ctx := w.project(c, drop); len(ctx) == 1 {
			by := identityRows(c.n)
			by = slices.Delete(by, at-1, at)
			c = w.irredundantUnder(c, ctx[0].substitute(c.n, by), at)
		} else {
			c = w.irredundant(c, at)
		}
	}
	put := func(r row) {
		k := r[at]
		if k == 0 {
			return
		}
		e := slices.Clone(r)
		e[at] = 0
		if k > 0 {
			lower = append(lower, Bound{affineOf(c, negRow(e), names), k})
		} else {
			upper = append(upper, Bound{affineOf(c, e, names), -k})
		}
	}
	for _, r := range c.eq {
		put(r)
		put(negRow(r))
	}
	for _, r := range c.ge {
		put(r)
	}
	return lower, upper, nil
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

// Stride is the coarsest congruence dim ≡ residue (mod modulus) that an equality of s forces, with the residue in terms
// of the other names; modulus 1 without one. A set of several disjuncts has none.
func (s *Set) Stride(dim string) (modulus int64, residue Affine) {
	modulus = 1
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(fault); !ok {
				panic(r)
			}
			modulus, residue = 1, Affine{}
		}
	}()
	names := s.names()
	at := slices.Index(names, dim) + 1
	if len(s.cs) != 1 || at == 0 {
		return 1, Affine{}
	}
	c := s.cs[0]
	for _, e := range c.eq {
		if e[at] == 0 {
			continue
		}
		// e = k·dim + rest + Σ m·floor(…dim…) = 0, so k·dim ≡ −rest modulo the gcd of the m.
		var m int64
		for k := range c.divs {
			if col := 1 + c.n + k; e[col] != 0 && c.dependsOn(k, at) {
				m = gcd(m, e[col])
			}
		}
		if m <= modulus || gcd(e[at], m) != 1 {
			continue
		}
		rest := slices.Clone(e)
		rest[at] = 0
		inv := neg(inverse(e[at], m))
		for i := range rest {
			if i > c.n && c.dependsOn(i-1-c.n, at) {
				rest[i] = 0
			}
			rest[i] = centred(mul(centred(rest[i], m), inv), m)
		}
		rest[0] = mod(rest[0], m)
		modulus, residue = m, affineOf(c, rest, names)
	}
	return modulus, residue
}

// dependsOn reports that floor k contains the variable of column at.
func (c *conj) dependsOn(k, at int) bool {
	for i, v := range c.divs[k].num {
		if v != 0 && (i == at || i > c.n && c.dependsOn(i-1-c.n, at)) {
			return true
		}
	}
	return false
}
