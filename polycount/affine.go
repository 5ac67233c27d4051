package polycount

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// ErrOverflow is wrapped by errors for constraints whose coefficients leave the 64-bit range.
// The values of counts have no such limit.
var ErrOverflow = arith.ErrOverflow

// Affine is a quasi-affine expression c + Σ k·name + Σ k·⌊affine/d⌋ with integer coefficients: an immutable value.
// Equal expressions have one form: floors are reduced to coefficients in (−d/2, d/2] with the first one positive
// and a constant in [0, d), names come before floors, both sorted. The zero Affine is 0.
type Affine struct {
	c     int64
	terms []Term
}

// Term is Coeff·Name, or Coeff·⌊Floor.Num/Floor.Den⌋ where Floor is set.
type Term struct {
	Coeff int64
	Name  string
	Floor *Floor
}

// Floor is ⌊Num/Den⌋, Den > 1.
type Floor struct {
	Num Affine
	Den int64
}

// Int is the constant c.
func Int(c int64) Affine { return Affine{c: c} }

// Name is the parameter or dimension of that name.
func Name(name string) Affine { return Affine{terms: []Term{{Coeff: 1, Name: name}}} }

func compareTerms(a, b Term) int {
	if (a.Floor == nil) != (b.Floor == nil) {
		if a.Floor == nil {
			return -1
		}
		return 1
	}
	if a.Floor == nil {
		return strings.Compare(a.Name, b.Name)
	}
	if c := cmp.Compare(a.Floor.Den, b.Floor.Den); c != 0 {
		return c
	}
	return compareAffine(a.Floor.Num, b.Floor.Num)
}

func compareAffine(a, b Affine) int {
	for i := range min(len(a.terms), len(b.terms)) {
		if c := compareTerms(a.terms[i], b.terms[i]); c != 0 {
			return c
		}
		if c := cmp.Compare(a.terms[i].Coeff, b.terms[i].Coeff); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(a.terms), len(b.terms)); c != 0 {
		return c
	}
	return cmp.Compare(a.c, b.c)
}

// overflowed is in the only term of an expression whose coefficients left the 64-bit range. Because of the divisor 0,
// code that does not ask for Err cannot mistake that expression for another one.
var overflowed = &Floor{}

func overflow() Affine { return Affine{terms: []Term{{Coeff: 1, Floor: overflowed}}} }

func (a Affine) overflows() bool { return len(a.terms) == 1 && a.terms[0].Floor == overflowed }

// Err is an error that wraps ErrOverflow if a coefficient of a, or of an expression that a was computed from, left the
// 64-bit range. Everything that takes an expression or a constraint, such as Set.Constrain, returns this error. Before
// reading the terms of a computed expression, ask Err.
func (a Affine) Err() error {
	if a.overflows() {
		return fmt.Errorf("affine expression: %w", ErrOverflow)
	}
	return nil
}

// combine returns k·a + l·b. It may share the terms of one, which nothing changes.
func combine(k int64, a Affine, l int64, b Affine) Affine {
	if a.overflows() || b.overflows() {
		return overflow()
	}
	fits := true
	times := func(x, y int64) int64 {
		p, okP := arith.MulOK(k, x)
		q, okQ := arith.MulOK(l, y)
		sum, ok := arith.AddOK(p, q)
		fits = fits && okP && okQ && ok
		return sum
	}
	out := Affine{c: times(a.c, b.c)}
	switch {
	case k == 1 && (l == 0 || len(b.terms) == 0):
		out.terms = a.terms
	case l == 1 && (k == 0 || len(a.terms) == 0):
		out.terms = b.terms
	default:
		out.terms = make([]Term, 0, len(a.terms)+len(b.terms))
		for i, j := 0, 0; i < len(a.terms) || j < len(b.terms); {
			order := -1 // a's turn
			if i == len(a.terms) {
				order = 1
			} else if j < len(b.terms) {
				order = compareTerms(a.terms[i], b.terms[j])
			}
			var t Term
			var x, y int64
			if order <= 0 {
				t, x = a.terms[i], a.terms[i].Coeff
				i++
			}
			if order >= 0 {
				t, y = b.terms[j], b.terms[j].Coeff
				j++
			}
			if t.Coeff = times(x, y); t.Coeff != 0 {
				out.terms = append(out.terms, t)
			}
		}
	}
	if !fits {
		return overflow()
	}
	return out
}

// Add returns a + b. If a coefficient leaves the 64-bit range, Err of the result says so, here and in the operations
// below.
func (a Affine) Add(b Affine) Affine { return combine(1, a, 1, b) }

// Sub returns a − b.
func (a Affine) Sub(b Affine) Affine { return combine(1, a, -1, b) }

// AddScaled returns a + k·b.
func (a Affine) AddScaled(k int64, b Affine) Affine { return combine(1, a, k, b) }

// Neg returns −a.
func (a Affine) Neg() Affine { return a.Scale(-1) }

// Scale returns k·a.
func (a Affine) Scale(k int64) Affine { return combine(k, a, 0, Affine{}) }

// AddInt returns a + c.
func (a Affine) AddInt(c int64) Affine {
	sum, ok := arith.AddOK(a.c, c)
	switch {
	case a.overflows():
		return a
	case !ok:
		return overflow()
	}
	return Affine{sum, a.terms}
}

// FloorDiv returns ⌊a/d⌋ for d > 0.
func (a Affine) FloorDiv(d int64) Affine {
	if d <= 0 {
		panic(fmt.Sprintf("polycount: floor division by %d", d))
	}
	if a.overflows() {
		return a
	}
	// ⌊(m + ⌊e/b⌋)/d⌋ = ⌊(b·m + e)/(b·d)⌋ for integer m.
	for i, t := range a.terms {
		if t.Floor != nil && t.Coeff == 1 {
			rest := Affine{a.c, slices.Delete(slices.Clone(a.terms), i, i+1)}
			both, ok := arith.MulOK(d, t.Floor.Den)
			if !ok {
				return overflow()
			}
			return rest.Scale(t.Floor.Den).Add(t.Floor.Num).FloorDiv(both)
		}
	}
	whole, part, first := a.divided(d)
	if len(part.terms) == 0 {
		return whole
	}
	if len(whole.terms) > 0 { // a floor may have got the coefficient 1
		return whole.Add(part.FloorDiv(d))
	}
	if first < 0 {
		// ⌊e/d⌋ = −⌊(d − 1 − e)/d⌋
		return whole.Sub(part.Neg().AddInt(d - 1).FloorDiv(d))
	}
	g := d
	for _, t := range part.terms {
		g = arith.Gcd(g, t.Coeff)
	}
	if g > 1 {
		// The constant's share below g can never carry.
		for i := range part.terms {
			part.terms[i].Coeff /= g
		}
		part.c /= g
		d /= g
		return whole.Add(part.FloorDiv(d))
	}
	return whole.Add(Affine{terms: []Term{{Coeff: 1, Floor: &Floor{part, d}}}})
}

// divided is a as d times the whole and the part, whose coefficients are in (−d/2, d/2] and whose constant is in [0, d). First is the first of these coefficients that is
// not d/2, or 0.
func (a Affine) divided(d int64) (whole, part Affine, first int64) {
	for _, t := range a.terms {
		q, r := arith.FloorDiv(t.Coeff, d), arith.Mod(t.Coeff, d)
		if r > d-r {
			q, r = q+1, r-d
		}
		if r != 0 {
			if first == 0 && 2*r != d {
				first = r
			}
			part.terms = append(part.terms, Term{r, t.Name, t.Floor})
		}
		if q != 0 {
			whole.terms = append(whole.terms, Term{q, t.Name, t.Floor})
		}
	}
	part.c, whole.c = arith.Mod(a.c, d), arith.FloorDiv(a.c, d)
	return whole, part, first
}

// Mod returns a − d·⌊a/d⌋ for d > 0.
func (a Affine) Mod(d int64) Affine { return a.Sub(a.FloorDiv(d).Scale(d)) }

// All yields the terms in their order, as Terms lists them.
func (a Affine) All() iter.Seq2[int, Term] { return slices.All(a.terms) }

// Len is the number of terms.
func (a Affine) Len() int { return len(a.terms) }

// Coeff is the coefficient of the plain name, outside floors.
func (a Affine) Coeff(name string) int64 {
	for _, t := range a.terms {
		if t.Floor == nil && t.Name == name {
			return t.Coeff
		}
	}
	return 0
}

// Constant is the constant term outside floors.
func (a Affine) Constant() int64 { return a.c }

// IsConstant reports that a has neither names nor floors.
func (a Affine) IsConstant() bool { return len(a.terms) == 0 }

// HasFloor reports that a contains a floor.
func (a Affine) HasFloor() bool {
	return slices.ContainsFunc(a.terms, func(t Term) bool { return t.Floor != nil })
}

// Terms are the non-constant terms, names before floors, each sorted.
func (a Affine) Terms() []Term { return slices.Clone(a.terms) }

// Names are the names in a, sorted, those inside floors included.
func (a Affine) Names() []string {
	var out []string
	a.collect(&out)
	slices.Sort(out)
	return slices.Compact(out)
}

// Has reports whether name occurs in a, also inside floors.
func (a Affine) Has(name string) bool {
	return slices.ContainsFunc(a.terms, func(t Term) bool {
		return t.Floor == nil && t.Name == name || t.Floor != nil && t.Floor.Num.Has(name)
	})
}

// InFloor reports whether name occurs inside a floor of a.
func (a Affine) InFloor(name string) bool {
	return slices.ContainsFunc(a.terms, func(t Term) bool { return t.Floor != nil && t.Floor.Num.Has(name) })
}

// Only reports that a is k·name + c.
func (a Affine) Only(name string) bool {
	return len(a.terms) == 1 && a.terms[0].Floor == nil && a.terms[0].Name == name
}

func (a Affine) collect(out *[]string) {
	for _, t := range a.terms {
		if t.Floor != nil {
			t.Floor.Num.collect(out)
		} else {
			*out = append(*out, t.Name)
		}
	}
}

// Subst replaces names by expressions, all at once.
func (a Affine) Subst(by map[string]Affine) Affine {
	if a.overflows() {
		return a
	}
	if out, ok := a.renamed(by); ok {
		return out
	}
	out := Int(a.c)
	for _, t := range a.terms {
		switch {
		case t.Floor != nil:
			out = combine(1, out, t.Coeff, t.Floor.Num.Subst(by).FloorDiv(t.Floor.Den))
		default:
			e, ok := by[t.Name]
			if !ok {
				e = Name(t.Name)
			}
			out = combine(1, out, t.Coeff, e)
		}
	}
	return out
}

// renamed is Subst for replacing names by different names in an expression without floors.
func (a Affine) renamed(by map[string]Affine) (out Affine, ok bool) {
	out = Affine{c: a.c, terms: make([]Term, 0, len(a.terms))}
	for _, t := range a.terms {
		if t.Floor != nil {
			return Affine{}, false
		}
		if e, ok := by[t.Name]; ok {
			if e.c != 0 || len(e.terms) != 1 || e.terms[0].Floor != nil || e.terms[0].Coeff != 1 {
				return Affine{}, false
			}
			t.Name = e.terms[0].Name
		}
		out.terms = append(out.terms, t)
	}
	slices.SortFunc(out.terms, compareTerms)
	for i := 1; i < len(out.terms); i++ {
		if out.terms[i].Name == out.terms[i-1].Name {
			return Affine{}, false
		}
	}
	return out, true
}

// Eval is the value of a; a missing name and a value outside 64 bits are errors.
func (a Affine) Eval(at map[string]int64) (v int64, err error) {
	if err := a.Err(); err != nil {
		return 0, err
	}
	defer throw.Catch(&err)
	return a.eval(at), nil
}

func (a Affine) eval(at map[string]int64) int64 {
	v := a.c
	for _, t := range a.terms {
		var x int64
		if t.Floor != nil {
			x = arith.FloorDiv(t.Floor.Num.eval(at), t.Floor.Den)
		} else {
			var ok bool
			if x, ok = at[t.Name]; !ok {
				panic(throw.Errorf("polycount: no value given for %q", t.Name))
			}
		}
		v = arith.Add(v, arith.Mul(t.Coeff, x))
	}
	return v
}

// Equal reports that a and b have the same form. Expressions that are equal everywhere can differ in form only
// where they contain floors of different divisors.
func (a Affine) Equal(b Affine) bool { return compareAffine(a, b) == 0 }

// Constraint is Affine ≥ 0, or Affine = 0.
type Constraint struct {
	Affine   Affine
	Equality bool
}

// Between is the range that the inequalities on nothing but the name leave it; other constraints of the list may leave
// less. ok is false if an end is open or nothing is left.
func Between(list []Constraint, name string) (lo, hi int64, ok bool) {
	var r linear.Range
	for _, c := range list {
		k, constant := c.Affine.Coeff(name), c.Affine.c
		if !c.Equality && c.Affine.Only(name) && k != math.MinInt64 && constant != math.MinInt64 {
			r.Bound(k, constant)
		}
	}
	return r.Lo, r.Hi, r.HasLo && r.HasHi && r.Lo <= r.Hi
}

// GE is the constraint a ≥ b.
func GE(a, b Affine) Constraint { return Constraint{Affine: a.Sub(b)} }

// EQ is the constraint a = b.
func EQ(a, b Affine) Constraint { return Constraint{Affine: a.Sub(b), Equality: true} }

// Equal reports that c and d have the same form.
func (c Constraint) Equal(d Constraint) bool {
	return c.Equality == d.Equality && c.Affine.Equal(d.Affine)
}

// Negate returns constraints of which exactly one holds where c does not.
func (c Constraint) Negate() []Constraint {
	below := Constraint{Affine: c.Affine.Neg().AddInt(-1)}
	if !c.Equality {
		return []Constraint{below}
	}
	return []Constraint{below, {Affine: c.Affine.AddInt(-1)}}
}

// affineRow writes an Affine over c's columns; column gives the variable columns of names, 0 for unknown ones.
func affineRow(c *linear.Conj, a Affine, column func(name string) int) linear.Row {
	if err := a.Err(); err != nil {
		panic(throw.Of(err))
	}
	out := make(linear.Row, c.Width())
	out[0] = a.c
	for _, t := range a.terms {
		if t.Floor == nil {
			at := column(t.Name)
			if at == 0 {
				panic(throw.Errorf("polycount: unknown name %q", t.Name))
			}
			out[at] = arith.Add(out[at], t.Coeff)
			continue
		}
		e := c.FloorRow(affineRow(c, t.Floor.Num, column), t.Floor.Den)
		out = c.Fit(out)
		for i, v := range e {
			out[i] = arith.Add(out[i], arith.Mul(t.Coeff, v))
		}
	}
	return out
}

// affineOf is the reverse of affineRow.
func affineOf(c *linear.Conj, r linear.Row, names []string) Affine {
	out := Int(r[0])
	last := min(len(r)-1, c.N)
	n := 0
	for _, k := range r[1 : 1+last] {
		if k != 0 {
			n++
		}
	}
	out.terms = make([]Term, 0, n)
	for i := 1; i <= last; i++ {
		if r[i] != 0 {
			out.terms = append(out.terms, Term{Coeff: r[i], Name: names[i-1]})
		}
	}
	slices.SortFunc(out.terms, compareTerms)
	for i := c.N + 1; i < len(r); i++ {
		if r[i] != 0 {
			d := c.Divs[i-1-c.N]
			out = combine(1, out, r[i], affineOf(c, d.Num, names).FloorDiv(d.Den))
		}
	}
	return out
}
