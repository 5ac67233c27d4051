package kernel

import (
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// JoinInames replaces inames by one that counts their values together, the last one fastest: for i and j with 0 <= j < m,
// name = m*i + j. It is the inverse of SplitIname. All but the first need a constant number of values, and each statement
// and each reduction must be within all of them or none.
func (k *Kernel) JoinInames(inames []string, name, tag string) (out *Kernel, err error) {
	defer expr.Rescue(&err)
	if len(inames) < 2 {
		return nil, k.errorf("joining inames takes two or more, not %s", listNames(inames))
	}
	if name == "" {
		name = k.freshName(joinNames(inames))
	} else if err := k.checkNewName(name); err != nil {
		return nil, err
	}
	if err := k.replaceable("join", inames); err != nil {
		return nil, err
	}
	values := map[string]polycount.Affine{}
	rest := polycount.Name(name) // of the inames not taken off yet
	for _, n := range slices.Backward(inames[1:]) {
		lo, hi, hasLo, hasHi, err := k.interval(polycount.Name(n), []string{n})
		if err != nil {
			return nil, err
		}
		if !hasLo || !hasHi {
			return nil, k.errorf("cannot join iname %s: the number of its values is not constant; put it first, split it or fix the parameters", n)
		}
		size := max(hi-lo+1, 1)
		values[n] = rest.Mod(size).AddInt(lo)
		rest = rest.FloorDiv(size)
	}
	values[inames[0]] = rest
	c := k.clone()
	if err := c.replaceInames(inames, []string{name}, values); err != nil {
		return nil, k.errorf("joining inames %s: %w", listNames(inames), err)
	}
	t, err := ParseTag(tag)
	if err != nil {
		return nil, k.errorf("iname %s: %w", name, err)
	}
	return c, c.setTag(name, t)
}

func joinNames(inames []string) string {
	out := inames[0]
	for _, n := range inames[1:] {
		out += "_" + n
	}
	return out
}

// replaceable reports whether others can take the place of the inames together: they are distinct, untagged, of one
// domain, and whatever is within one is within all.
func (k *Kernel) replaceable(what string, inames []string) error {
	for i, n := range inames {
		switch {
		case !k.IsIname(n):
			return k.unknownIname(n)
		case slices.Contains(inames[:i], n):
			return k.errorf("cannot %s iname %s with itself", what, n)
		case k.domainIndex(n) != k.domainIndex(inames[0]):
			return k.errorf("cannot %s inames %s and %s: they are of different domains", what, inames[0], n)
		}
		if tag, ok := k.Tags[n]; ok {
			return k.errorf("cannot %s iname %s: it is tagged %s; tag what comes of it", what, n, tag)
		}
	}
	all := func(list []string, who string) error {
		if n := len(intersectNames(inames, list)); n > 0 && n < len(inames) {
			return k.errorf("cannot %s inames %s: %s is within %s only", what, listNames(inames), who, listNames(intersectNames(inames, list)))
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
		if err := all(s.Inames, "statement "+s.ID); err != nil {
			return err
		}
		for _, e := range s.exprs() {
			if err := reductions(e, "statement "+s.ID); err != nil {
				return err
			}
		}
	}
	for _, r := range k.Rules {
		if err := reductions(r.Body, "rule "+r.Name); err != nil {
			return err
		}
	}
	return nil
}
