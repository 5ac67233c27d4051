package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

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
