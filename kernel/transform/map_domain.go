package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// MapDomain replaces the inames of a map's domain by those of its range, as in "{ [i, j] -> [i + j, j] }" or
// "[n] -> { [t, i] -> [a, b] : a = t + i and b = i }". On the kernel's domain each point must have one image, and the old
// inames must be quasi-affine in the new ones, so that no point is lost or visited twice. Each statement must be within
// all of the old inames or none.
func MapDomain(k *kernel.Kernel, text string) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	m := throw.Get(polycount.ParseMap(text))
	fail := func(format string, args ...any) (*kernel.Kernel, error) {
		return nil, source.New("", text, 0, format, args...)
	}
	olds, names := m.In(), m.Out()
	checkReplaceable(k, "map", olds)
	for i, n := range names {
		if slices.Contains(olds, n) {
			return fail("the name %s is on both sides; give the new iname another name", n)
		}
		if slices.Contains(names[:i], n) {
			return fail("iname %s is defined twice", n)
		}
		checkNewName(k, n)
	}
	for _, p := range m.Params() {
		if !k.IsParam(p) {
			return fail("%s is not a parameter of the kernel (%s)", p, nameset.Text(k.Params()))
		}
	}
	d, err := k.DomainOf(olds)
	if err == nil {
		m, err = m.IntersectDomain(d)
	}
	if err != nil {
		return nil, k.Errorf("mapping inames %s: %w", nameset.Text(olds), err)
	}
	graph := m.Graph()
	if reached, err := graph.Project(olds...); err != nil {
		return nil, k.Errorf("mapping inames %s: %w", nameset.Text(olds), err)
	} else if total, err := d.IsSubset(reached); err != nil || !total {
		if err == nil {
			err = fmt.Errorf("some points of the domain %s have no image", d)
		}
		return nil, k.Errorf("cannot map inames %s: %w", nameset.Text(olds), err)
	}
	values, err := functionsOf(graph, olds, names)
	if err != nil {
		return nil, k.Errorf("cannot map inames %s: %w", nameset.Text(olds), err)
	}
	if _, err := functionsOf(graph, names, olds); err != nil {
		return nil, k.Errorf("cannot map inames %s: %w", nameset.Text(olds), err)
	}
	var cs []polycount.Constraint
	image, err := m.Range()
	if err == nil && len(image.Disjuncts()) != 1 {
		err = fmt.Errorf("the new domain falls into %d parts", len(image.Disjuncts()))
	}
	if err != nil {
		return nil, k.Errorf("mapping inames %s: %w", nameset.Text(olds), err)
	}
	cs, _ = image.Constraints()
	c := k.Clone()
	if err := replaceInames(c, olds, names, values, cs...); err != nil {
		return nil, k.Errorf("mapping inames %s: %w", nameset.Text(olds), err)
	}
	return c, nil
}

// functionsOf expresses each of the names as a quasi-affine function of other names on a set.
func functionsOf(set *polycount.Set, names, of []string) (_ map[string]polycount.Affine, err error) {
	defer throw.Catch(&err)
	out := map[string]polycount.Affine{}
	known := slices.Clone(of)
	for left := names; len(left) > 0; {
		var next []string
		for _, n := range left {
			e, found := functionOf(set, n, known)
			if !found {
				next = append(next, n)
				continue
			}
			out[n] = e.Subst(out)
			known = append(known, n)
		}
		if len(next) == len(left) {
			return nil, fmt.Errorf("%s is not a quasi-affine function of %s on the domain", left[0], nameset.Text(of))
		}
		left = next
	}
	return out, nil
}

func functionOf(set *polycount.Set, name string, of []string) (e polycount.Affine, found bool) {
	only := throw.Get(set.Project(append(slices.Clone(of), name)...))
	var candidates []polycount.Affine
	for _, part := range only.Disjuncts() {
		lower, upper := throw.Get2(part.Bounds(name))
		for _, b := range upper {
			candidates = append(candidates, b.Num.FloorDiv(b.Den))
		}
		for _, b := range lower {
			candidates = append(candidates, b.Num.Neg().FloorDiv(b.Den).Neg())
		}
	}
	for _, e := range candidates {
		if is, err := set.Implies(polycount.EQ(polycount.Name(name), e)); err != nil || is {
			throw.If(err)
			return e, is
		}
	}
	return e, false
}

// JoinInames replaces inames by one that enumerates their combined values, the last iname varying fastest: for i and j
// with 0 <= j < m, name = m*i + j. It is the inverse of SplitIname. All but the first need a constant number of values,
// and each statement and each reduction must be within all of them or none.
func JoinInames(k *kernel.Kernel, inames []string, name, tag string) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	if len(inames) < 2 {
		return nil, k.Errorf("joining inames takes two or more, not %s", nameset.Text(inames))
	}
	if name == "" {
		name = k.FreshName(joinNames(inames))
	} else if err := throw.Try(func() { checkNewName(k, name) }); err != nil {
		return nil, err
	}
	checkReplaceable(k, "join", inames)
	values := map[string]polycount.Affine{}
	rest := polycount.Name(name) // joins the inames not yet split off
	for _, n := range slices.Backward(inames[1:]) {
		lo, hi, hasLo, hasHi, err := k.Interval(polycount.Name(n), []string{n})
		throw.If(err)
		if !hasLo || !hasHi {
			return nil, k.Errorf("cannot join iname %s: the number of its values is not constant; put it first, split it or fix the parameters", n)
		}
		size := max(hi-lo+1, 1)
		values[n] = rest.Mod(size).AddInt(lo)
		rest = rest.FloorDiv(size)
	}
	values[inames[0]] = rest
	c := k.Clone()
	if err := replaceInames(c, inames, []string{name}, values); err != nil {
		return nil, k.Errorf("joining inames %s: %w", nameset.Text(inames), err)
	}
	t, err := kernel.ParseTag(tag)
	if err != nil {
		return nil, k.Errorf("iname %s: %w", name, err)
	}
	return c, c.SetTag(name, t)
}

func joinNames(inames []string) string {
	out := inames[0]
	for _, n := range inames[1:] {
		out += "_" + n
	}
	return out
}

// checkReplaceable checks that the inames can be replaced together: they are distinct, untagged and of one domain, and each
// statement and reduction is within all of them or none.
func checkReplaceable(k *kernel.Kernel, what string, inames []string) {
	for i, n := range inames {
		switch {
		case !k.IsIname(n):
			panic(throw.Of(k.UnknownIname(n)))
		case slices.Contains(inames[:i], n):
			panic(throw.Of(k.Errorf("cannot %s iname %s with itself", what, n)))
		case k.DomainIndex(n) != k.DomainIndex(inames[0]):
			panic(throw.Of(k.Errorf("cannot %s inames %s and %s: they are in different domains", what, inames[0], n)))
		}
		if tag, ok := k.Tags[n]; ok {
			panic(throw.Of(k.Errorf("cannot %s iname %s: it is tagged %s; tag the new inames instead", what, n, tag)))
		}
	}
	all := func(list []string, who string) error {
		if n := len(nameset.Intersect(inames, list)); n > 0 && n < len(inames) {
			return k.Errorf("cannot %s inames %s: %s is within %s only", what, nameset.Text(inames), who, nameset.Text(nameset.Intersect(inames, list)))
		}
		return nil
	}
	reductions := func(e expr.Expr, who string) error {
		for _, r := range expr.Reductions(e) {
			if err := all(r.Inames, "reduction "+r.String()+" in "+who); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range k.Statements {
		throw.If(all(s.Inames, "statement "+s.ID))
		for _, e := range s.Exprs() {
			throw.If(reductions(e, "statement "+s.ID))
		}
	}
	for _, r := range k.Rules {
		throw.If(reductions(r.Body, "rule "+r.Name))
	}
}
