package kernel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Strides are the distances in elements between neighbours along each axis, from the layout and the shape.
func (a *Array) Strides() (_ []expr.Expr, err error) {
	defer throw.Catch(&err)
	out := make([]expr.Expr, len(a.Shape))
	polys := a.stridePolys()
	for i, p := range polys {
		out[i] = p.Expr()
	}
	return out, nil
}

// stridePolys computes the strides as polynomials in the parameters. A size that is not a polynomial (n // 2, say)
// becomes an opaque factor, named by its text in parentheses.
func (a *Array) stridePolys() []*expr.Poly {
	n := len(a.Shape)
	if a.Axes != nil && len(a.Axes) != n {
		panic(throw.Errorf("array %s has %d axes and a layout of %d", a.Name, n, len(a.Axes)))
	}
	order := make([]int, n) // axes, the fastest varying first
	for i := range order {
		order[i] = n - 1 - i
	}
	if a.Axes != nil {
		slices.SortStableFunc(order, func(x, y int) int { return a.Axes[x].Nest - a.Axes[y].Nest })
	}
	out := make([]*expr.Poly, n)
	stride := expr.ConstPoly(1)
	for pos, axis := range order {
		if a.Axes != nil && a.Axes[axis].Stride != nil {
			out[axis] = opaquePoly(a.Axes[axis].Stride)
			continue
		}
		out[axis] = stride
		if pos == n-1 {
			break
		}
		if a.Shape[axis] == nil {
			panic(throw.Errorf("array %s: the size of axis %d is unknown", a.Name, axis))
		}
		stride = stride.Mul(opaquePoly(a.Shape[axis]))
	}
	return out
}

func opaquePoly(e expr.Expr) *expr.Poly {
	if p, err := expr.PolyOf(e, nil); err == nil {
		return p
	}
	return expr.VarPoly("(" + e.String() + ")")
}

// LinearForm is a flat index: Σ Coeff·Iname + Σ Coeff·floor(Num/Den) + Rest, in elements.
type LinearForm struct {
	Terms  []LinearTerm // by iname, sorted
	Floors []FloorTerm
	Rest   *expr.Poly // no inames
}

// LinearTerm is Coeff·Iname.
type LinearTerm struct {
	Iname string
	Coeff *expr.Poly
}

// FloorTerm is Coeff·floor(Num/Den), with at least one iname in Num.
type FloorTerm struct {
	Num   polycount.Affine
	Den   int64
	Coeff *expr.Poly
}

// Coeff is the coefficient of the iname outside floors, 0 where it does not occur.
func (f *LinearForm) Coeff(iname string) *expr.Poly {
	for _, t := range f.Terms {
		if t.Iname == iname {
			return t.Coeff
		}
	}
	return nil
}

// String prints the form with inames in their order: "(16*n)*i_outer + n*i_inner + 3".
func (f *LinearForm) String() string {
	var parts []string
	add := func(c *expr.Poly, of string) {
		s := c.String()
		if c.Len() > 1 {
			s = "(" + s + ")"
		}
		parts = append(parts, strings.TrimPrefix(s+"*"+of, "1*"))
	}
	for _, t := range f.Terms {
		add(t.Coeff, t.Iname)
	}
	for _, t := range f.Floors {
		add(t.Coeff, (&polycount.Floor{Num: t.Num, Den: t.Den}).String())
	}
	if !f.Rest.IsZero() || len(parts) == 0 {
		parts = append(parts, f.Rest.String())
	}
	return strings.Join(parts, " + ")
}

// FlatIndex is the index of the accessed element from the start of the array. Parameters may multiply
// inames, as in a[n*i + j]; other indices that are not quasi-affine in the inames and parameters are a *NotAffineError.
func (k *Kernel) FlatIndex(acc *expr.Access) (_ *LinearForm, err error) {
	defer throw.Catch(&err)
	a := k.Array(acc.Array)
	if a == nil {
		return nil, fmt.Errorf("kernel %s: unknown array %s", k.Name, acc.Array)
	}
	if len(acc.Index) != len(a.Shape) {
		return nil, fmt.Errorf("kernel %s: %s has %d indices, array %s has %d axes", k.Name, acc, len(acc.Index), a.Name, len(a.Shape))
	}
	strides := a.stridePolys()
	sum := &formSum{k: k, terms: map[string]*expr.Poly{}, floors: map[string]FloorTerm{}}
	for i, e := range acc.Index {
		if err := throw.Try(func() { sum.add(e, strides[i]) }); err != nil {
			return nil, fmt.Errorf("kernel %s: index of %s: %w", k.Name, acc, err)
		}
	}
	if a.Offset != nil {
		sum.rest = sum.rest.Add(opaquePoly(a.Offset))
	}
	return sum.form(), nil
}

// formSum adds up a linear form. Unlike in ToAffine, parameters may multiply inames (a[n*i + j]).
type formSum struct {
	k      *Kernel
	terms  map[string]*expr.Poly
	floors map[string]FloorTerm
	rest   *expr.Poly
}

func (s *formSum) add(e expr.Expr, by *expr.Poly) {
	if by.IsZero() {
		return
	}
	a, notAffine := s.k.AffineOf(e)
	if notAffine == nil {
		s.addAffine(a, by)
		return
	}
	x, ok := e.(*expr.Op)
	if !ok {
		throw.If(notAffine)
		return
	}
	switch x.Kind {
	case expr.Add, expr.Sub, expr.Neg:
		for i, a := range x.Args {
			sign := int64(1)
			if x.Kind == expr.Neg || x.Kind == expr.Sub && i > 0 {
				sign = -1
			}
			s.add(a, by.Scale(sign))
		}
		return
	case expr.Mul:
		var rest []expr.Expr
		for _, a := range x.Args {
			if p, err := expr.PolyOf(a, s.k.IsParam); err == nil {
				by = by.Mul(p)
			} else if s.ofSizes(a) {
				by = by.Mul(opaquePoly(a))
			} else {
				rest = append(rest, a)
			}
		}
		switch len(rest) {
		case 0:
			s.rest = s.rest.Add(by)
			return
		case 1:
			s.add(rest[0], by)
			return
		}
	}
	throw.If(notAffine)
}

// ofSizes reports whether e is affine in parameters alone, as n // 16 is.
func (s *formSum) ofSizes(e expr.Expr) bool {
	a, err := s.k.AffineOf(e)
	return err == nil && !slices.ContainsFunc(a.Names(), s.k.IsIname)
}

func (s *formSum) addAffine(a polycount.Affine, by *expr.Poly) {
	for _, t := range a.All() {
		c := by.Scale(t.Coeff)
		switch {
		case t.Floor != nil && slices.ContainsFunc(t.Floor.Num.Names(), s.k.IsIname):
			key := t.Floor.String()
			f := s.floors[key]
			s.floors[key] = FloorTerm{t.Floor.Num, t.Floor.Den, f.Coeff.Add(c)}
		case t.Floor != nil:
			s.rest = s.rest.Add(c.Mul(expr.VarPoly("(" + expr.Binary(expr.FloorDiv, expr.FromAffine(t.Floor.Num), expr.Int{Value: t.Floor.Den}).String() + ")")))
		case s.k.IsIname(t.Name):
			s.terms[t.Name] = s.terms[t.Name].Add(c)
		default:
			s.rest = s.rest.Add(c.Mul(expr.VarPoly(t.Name)))
		}
	}
	s.rest = s.rest.Add(by.Scale(a.Constant()))
}

func (s *formSum) form() *LinearForm {
	f := &LinearForm{Rest: s.rest}
	for _, name := range slices.Sorted(maps.Keys(s.terms)) {
		if c := s.terms[name]; !c.IsZero() {
			f.Terms = append(f.Terms, LinearTerm{name, c})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.floors)) {
		if t := s.floors[key]; !t.Coeff.IsZero() {
			f.Floors = append(f.Floors, t)
		}
	}
	return f
}
