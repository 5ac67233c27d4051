package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
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
