package kernel

import (
	"fmt"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// DomainOf is the set of values that the inames take together, in the order given, under the assumptions: the intersection
// of their domains and of the domains that these use inames of, projected on the inames.
func (k *Kernel) DomainOf(inames []string) (*polycount.Set, error) {
	d, err := k.RawDomainOf(inames)
	if err != nil {
		return nil, err
	}
	if k.Assumptions != nil {
		if d, err = d.IntersectParams(k.Assumptions); err != nil {
			return nil, fmt.Errorf("kernel %s: domain of %v: %w", k.Name, inames, err)
		}
	}
	return d, nil
}

// RawDomainOf is DomainOf without the assumptions.
func (k *Kernel) RawDomainOf(inames []string) (_ *polycount.Set, err error) {
	defer throw.Catch(&err)
	full := withoutCopies(k.joinDomains(inames), inames)
	d, err := full.Project(inames...)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: domain of %v: %w", k.Name, inames, err)
	}
	return d, nil
}

// withoutCopies leaves out dimensions that another one can stand for, but for those to keep: all constraints on a copy of an iname, as duplicate_inames makes
// them, hold for the value of the iname. To project such a dimension out would divide the set, as that is not seen there.
func withoutCopies(d *polycount.Set, keep []string) *polycount.Set {
	cs, exact := d.Constraints()
	if !exact {
		return d
	}
	dims := d.Dims()
	for _, name := range d.Dims() {
		if slices.Contains(keep, name) {
			continue
		}
		isCopy := func(other string) bool {
			by := map[string]polycount.Affine{name: polycount.Name(other)}
			return other != name && !slices.ContainsFunc(cs, func(c polycount.Constraint) bool {
				return c.Affine.Has(name) && !slices.ContainsFunc(cs, polycount.Constraint{Affine: c.Affine.Subst(by), Equality: c.Equality}.Equal)
			})
		}
		if slices.ContainsFunc(dims, isCopy) {
			cs = slices.DeleteFunc(cs, func(c polycount.Constraint) bool { return c.Affine.Has(name) })
			dims = slices.DeleteFunc(dims, func(n string) bool { return n == name })
		}
	}
	if len(dims) == len(d.Dims()) {
		return d
	}
	return polycount.NewSet(d.Params(), dims, cs...)
}

// joinDomains intersects the domains of the inames and those that these use inames of. It keeps all their dimensions.
func (k *Kernel) joinDomains(inames []string) *polycount.Set {
	for _, n := range inames {
		if !k.IsIname(n) {
			panic(throw.Of(k.UnknownIname(n)))
		}
	}
	parts := k.domainsOf(inames)
	dims := lists.Flat(parts, (*polycount.Set).Dims)
	return throw.Get(polycount.Join(dims, parts...))
}

// domainsOf lists the domains of the inames and those that these use inames of.
func (k *Kernel) domainsOf(inames []string) []*polycount.Set {
	need := make([]bool, len(k.Domains))
	var mark func(names []string)
	mark = func(names []string) {
		for _, n := range names {
			if i := k.DomainIndex(n); i >= 0 && !need[i] {
				need[i] = true
				mark(k.Domains[i].Params())
			}
		}
	}
	mark(inames)
	var out []*polycount.Set
	for i, d := range k.Domains {
		if need[i] {
			out = append(out, d)
		}
	}
	return out
}

// AffineOf is ToAffine over the kernel's inames and parameters.
func (k *Kernel) AffineOf(e expr.Expr) (polycount.Affine, error) {
	return expr.ToAffine(e, func(name string) bool { return k.IsIname(name) || k.IsParam(name) })
}

// Interval returns constant bounds of the affine expression over the domain of its inames, for all parameter values
// that the assumptions allow. hasLo and hasHi say whether the bounds exist.
func (k *Kernel) Interval(e polycount.Affine, inames []string) (lo, hi int64, hasLo, hasHi bool, err error) {
	defer throw.Catch(&err)
	used := nameset.Intersect(e.Names(), inames)
	d := throw.Get(k.DomainOf(used))
	if len(used) == 1 && e.Equal(polycount.Name(used[0])) {
		if lo, hi, ok := constantRange(d, used[0]); ok {
			return lo, hi, true, true, nil
		}
	}
	const x = "$value" // no iname has such a name
	d = throw.Get(d.AddDims(x).Constrain(polycount.EQ(polycount.Name(x), e)))
	params := d.Params()
	d = throw.Get(d.ToDims(params...).Project(x))
	parts := throw.Get(Inhabited(d))
	hasLo, hasHi = len(parts) > 0, len(parts) > 0
	for i, part := range parts {
		lower, upper := throw.Get2(part.Bounds(x))
		l, okL := tightest(lower, true)
		h, okH := tightest(upper, false)
		if m, r := part.Stride(x); m > 1 && r.IsConstant() { // bounds need not be values that are taken
			l, h = l+intmath.Mod(r.Constant()-l, m), h-intmath.Mod(h-r.Constant(), m)
		}
		hasLo, hasHi = hasLo && okL, hasHi && okH
		if i == 0 {
			lo, hi = l, h
		}
		lo, hi = min(lo, l), max(hi, h)
	}
	return lo, hi, hasLo, hasHi, nil
}

// constantRange is the range of the name in a set whose only constraints are constant bounds of the name.
func constantRange(d *polycount.Set, name string) (lo, hi int64, ok bool) {
	list, ok := d.Constraints()
	if !ok || slices.ContainsFunc(list, func(c polycount.Constraint) bool { return c.Equality || !c.Affine.Only(name) }) {
		return 0, 0, false
	}
	return polycount.Between(list, name)
}

// tightest is the best constant bound in the list: the largest lower or the smallest upper one.
func tightest(bounds []polycount.Bound, lower bool) (best int64, ok bool) {
	for _, b := range bounds {
		if !b.Num.IsConstant() {
			continue
		}
		v := intmath.FloorDiv(b.Num.Constant(), b.Den)
		if lower {
			v = intmath.CeilDiv(b.Num.Constant(), b.Den)
		}
		if !ok || lower == (v > best) {
			best, ok = v, true
		}
	}
	return best, ok
}

// comparisons are the constraints of comparisons of affine expressions; != is not a single constraint.
var comparisons = map[expr.OpKind]func(a, b polycount.Affine) polycount.Constraint{
	expr.Eq: polycount.EQ,
	expr.Ge: polycount.GE,
	expr.Le: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(b, a) },
	expr.Gt: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(a, b.AddInt(1)) },
	expr.Lt: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(b, a.AddInt(1)) },
}

// Comparison is the constraint that affine expressions compare so; there is none for !=.
func Comparison(kind expr.OpKind, a, b polycount.Affine) (c polycount.Constraint, ok bool) {
	make, ok := comparisons[kind]
	if ok {
		c = make(a, b)
	}
	return c, ok
}

// IsAffineCondition reports whether a condition is made of comparisons of affine expressions over inames and parameters.
func (k *Kernel) IsAffineCondition(e expr.Expr) bool {
	op, ok := e.(*expr.Op)
	if !ok {
		return false
	}
	switch op.Kind {
	case expr.And, expr.Or, expr.Not:
		return !slices.ContainsFunc(op.Args, func(arg expr.Expr) bool { return !k.IsAffineCondition(arg) })
	}
	if comparisons[op.Kind] == nil && op.Kind != expr.Ne {
		return false
	}
	for _, arg := range op.Args {
		if _, err := k.AffineOf(arg); err != nil {
			return false
		}
	}
	return true
}

// Restrict returns the part of a set in which an affine condition holds.
func (k *Kernel) Restrict(set *polycount.Set, condition expr.Expr) (_ *polycount.Set, err error) {
	defer throw.Catch(&err)
	op := condition.(*expr.Op)
	switch op.Kind {
	case expr.And:
		for _, arg := range op.Args {
			set = throw.Get(k.Restrict(set, arg))
		}
		return set, nil
	case expr.Or:
		var all *polycount.Set
		for _, arg := range op.Args {
			part, err := k.Restrict(set, arg)
			if err == nil && all != nil {
				part, err = all.Union(part)
			}
			throw.If(err)
			all = part
		}
		return all, nil
	case expr.Not, expr.Ne:
		arg := op.Args[0]
		if op.Kind == expr.Ne {
			arg = &expr.Op{Kind: expr.Eq, Args: op.Args}
		}
		part := throw.Get(k.Restrict(set, arg))
		return set.Subtract(part)
	}
	a := throw.Get(k.AffineOf(op.Args[0]))
	b := throw.Get(k.AffineOf(op.Args[1]))
	return set.Constrain(comparisons[op.Kind](a, b))
}
