package polycount

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// Bound of a dimension: at least ⌈Num/Den⌉ as a lower bound, at most ⌊Num/Den⌋ as an upper one. Den ≥ 1.
type Bound struct {
	Num Affine
	Den int64
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
	for _, r := range c.Eq {
		cs = append(cs, Constraint{affineOf(c, r, names), true})
	}
	for _, r := range c.Ge {
		cs = append(cs, Constraint{Affine: affineOf(c, r, names)})
	}
	return cs, true
}

// Bounds are the irredundant bounds of a dimension by the other dimensions and the parameters: those of a loop over it
// inside the loops over the others. s must have one disjunct. Every point satisfies the bounds. Together with Stride
// and the constraints without dim they are equivalent to all constraints without floors of dim. Other floors of dim are
// eliminated, which can only widen the bounds: ask Implies which constraints need a guard.
func (s *Set) Bounds(dim string) (lower, upper []Bound, err error) {
	defer throw.Catch(&err)
	w := s.work()
	cs := s.members(w)
	if len(cs) != 1 {
		return nil, nil, fmt.Errorf("polycount: a set of one disjunct is needed, this has %d", len(cs))
	}
	names := s.names()
	at := slices.Index(names, dim) + 1
	if at == 0 {
		return nil, nil, fmt.Errorf("polycount: no dimension %q in %v", dim, names)
	}
	c := w.WithoutFloorsOf(cs[0], at)
	if c == nil || !w.Solvable(c.Question()) {
		return nil, nil, fmt.Errorf("polycount: %q has no bounds: the set is empty", dim)
	}
	c = c.Connected(at)
	linear.NormalizeRows(&c.Eq, &c.Ge)
	if !c.TwoBounds(at) {
		// Bounds that only say when there is a point are implied by the projection on the others.
		drop := make([]bool, c.N)
		drop[at-1] = true
		var ctx *linear.Conj
		if shadow := w.Project(c, drop); len(shadow) == 1 {
			ctx = shadow[0].Substitute(c.N, slices.Delete(linear.IdentityRows(c.N), at-1, at))
		}
		c = w.Irredundant(c, ctx, at)
	}
	put := func(r linear.Row) {
		k := r[at]
		if k == 0 {
			return
		}
		e := plainly(c, r, at)
		e[at] = 0
		if k > 0 {
			lower = append(lower, Bound{affineOf(c, linear.NegRow(e), names), k})
		} else {
			upper = append(upper, Bound{affineOf(c, e, names), -k})
		}
	}
	for _, r := range c.Eq {
		put(r)
		put(linear.NegRow(r))
	}
	for _, r := range c.Ge {
		put(r)
	}
	return lower, upper, nil
}

// plainly is a bound of dimension at without the floors that equalities of other dimensions say: where i mod 3 = 0, 3*floor(i/3) is i. Such a bound may
// hold in other disjuncts of a loop as well.
func plainly(c *linear.Conj, bound linear.Row, at int) linear.Row {
	out := slices.Clone(bound)
	for _, e := range c.Eq {
		floor := 0
		for col := 1 + c.N; col < c.Width(); col++ {
			if e[col] != 0 {
				if floor != 0 { // it says one by another
					floor = 0
					break
				}
				floor = col
			}
		}
		if floor != 0 && e[at] == 0 && out[floor]%e[floor] == 0 {
			linear.AddTimes(out, -out[floor]/e[floor], e)
		}
	}
	return out
}

// Stride is the coarsest congruence dim ≡ residue (mod modulus) that an equality of s implies, with the residue in
// terms of the other names. The modulus is 1 if there is none, and for a set of several disjuncts.
func (s *Set) Stride(dim string) (modulus int64, residue Affine) {
	var err error
	if modulus, residue, err = s.stride(dim); err != nil {
		return 1, Affine{}
	}
	return modulus, residue
}

func (s *Set) stride(dim string) (modulus int64, residue Affine, err error) {
	defer throw.Catch(&err)
	modulus = 1
	names := s.names()
	at := slices.Index(names, dim) + 1
	if len(s.cs) != 1 || at == 0 {
		return 1, Affine{}, nil
	}
	c := s.cs[0]
	for _, e := range c.Eq {
		if e[at] == 0 {
			continue
		}
		// e = k·dim + rest + Σ m·floor(…dim…) = 0, so k·dim ≡ −rest modulo the gcd of the m.
		var m int64
		for k := range c.Divs {
			if col := 1 + c.N + k; e[col] != 0 && c.DependsOn(k, at) {
				m = arith.Gcd(m, e[col])
			}
		}
		if m <= modulus || arith.Gcd(e[at], m) != 1 {
			continue
		}
		rest := slices.Clone(e)
		rest[at] = 0
		inv := arith.Neg(arith.Inverse(e[at], m))
		for i := range rest {
			if i > c.N && c.DependsOn(i-1-c.N, at) {
				rest[i] = 0
			}
			rest[i] = arith.Centred(arith.Mul(arith.Centred(rest[i], m), inv), m)
		}
		rest[0] = arith.Mod(rest[0], m)
		modulus, residue = m, affineOf(c, rest, names)
	}
	return modulus, residue, nil
}
