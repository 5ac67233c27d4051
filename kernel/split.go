package kernel

import (
	"fmt"
	"slices"

	"gpuperf/polycount"
)

// Split is how SplitIname names and tags the new inames. Empty names are <iname>_outer and <iname>_inner.
type Split struct {
	Outer, Inner       string
	OuterTag, InnerTag string
}

// SplitIname replaces iname i by two: i = inner + length·outer with 0 <= inner < length. A tagged iname is an error: its
// values are mapped to a hardware axis already.
func (k *Kernel) SplitIname(iname string, length int64, opt Split) (out *Kernel, err error) {
	defer rescue(&err)
	if !k.IsIname(iname) {
		return nil, k.unknownIname(iname)
	}
	if tag, ok := k.Tags[iname]; ok {
		return nil, k.errorf("cannot split iname %s: it is tagged %s; split first, then tag the parts", iname, tag)
	}
	if length <= 0 {
		return nil, k.errorf("cannot split iname %s by %d: the length must be positive", iname, length)
	}
	if opt.Outer == "" {
		opt.Outer = iname + "_outer"
	}
	if opt.Inner == "" {
		opt.Inner = iname + "_inner"
	}
	for _, n := range []string{opt.Outer, opt.Inner} {
		if err := k.checkNewName(n); err != nil {
			return nil, err
		}
	}
	if opt.Outer == opt.Inner {
		return nil, k.errorf("cannot split iname %s into %s twice", iname, opt.Outer)
	}
	inner, outer := polycount.Name(opt.Inner), polycount.Name(opt.Outer)
	value := inner.Add(outer.Scale(length))
	c := k.clone()
	err = c.replaceIname(iname, []string{opt.Outer, opt.Inner}, value,
		polycount.GE(inner, polycount.Int(0)), polycount.GE(polycount.Int(length-1), inner))
	if err != nil {
		return nil, k.errorf("splitting iname %s: %w", iname, err)
	}
	for _, t := range [2][2]string{{opt.Outer, opt.OuterTag}, {opt.Inner, opt.InnerTag}} {
		tag, err := ParseTag(t[1])
		if err != nil {
			return nil, k.errorf("iname %s: %w", t[0], err)
		}
		if err := c.setTag(t[0], tag); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// checkNewName refuses a name for a new iname, array or rule that is malformed or in use.
func (k *Kernel) checkNewName(name string) error {
	if !isName(name) {
		return k.errorf("%q is no identifier", name)
	}
	if k.taken(name) {
		return k.errorf("the name %s is in use", name)
	}
	return nil
}

// replaceIname puts new inames in the place of an old one, everywhere, in place: old = value under the constraints.
func (k *Kernel) replaceIname(old string, names []string, value polycount.Affine, cs ...polycount.Constraint) error {
	for i, d := range k.Domains {
		owner := slices.Contains(d.Dims(), old)
		if !owner && !slices.Contains(d.Params(), old) {
			continue
		}
		var dims []string
		for _, n := range d.Dims() {
			if n == old {
				dims = append(dims, names...)
			} else {
				dims = append(dims, n)
			}
		}
		bind := []polycount.Constraint{polycount.EQ(polycount.Name(old), value)}
		if owner {
			bind = append(bind, cs...)
		}
		d, err := d.ToDims(k.paramsAmong(d, old)...).AddDims(names...).Constrain(bind...)
		if err == nil {
			keep := dims
			if !owner {
				keep = slices.Concat(dims, names)
			}
			d, err = d.Project(keep...)
		}
		if err != nil {
			return err
		}
		if n := len(d.Disjuncts()); n != 1 {
			return fmt.Errorf("the domain falls into %d parts", n)
		}
		if !owner {
			d = d.ToParams(names...)
		}
		k.Domains[i] = d
	}
	by := map[string]Expr{old: FromAffine(value)}
	sub := func(e Expr) Expr { return flattenIndices(splitReductions(Subst(e, by), old, names, by)) }
	k.mapStmts(func(s *Stmt) {
		s.mapExprs(sub)
		if slices.Contains(s.Inames, old) {
			s.Inames = addSorted(removeNames(s.Inames, old), names...)
		}
	})
	for i, r := range k.Rules {
		if !slices.Contains(r.Args, old) {
			k.Rules[i] = &Rule{r.Name, r.Args, sub(r.Body)}
		}
	}
	for i, p := range k.Priorities {
		if at := slices.Index(p, old); at >= 0 {
			k.Priorities[i] = slices.Concat(p[:at], names, p[at+1:])
		}
	}
	delete(k.Tags, old)
	return nil
}

// paramsAmong is old where it is a parameter of the domain.
func (k *Kernel) paramsAmong(d *polycount.Set, old string) []string {
	return intersectNames([]string{old}, d.Params())
}

// splitReductions replaces an iname that reductions bind; Subst leaves their bodies alone.
func splitReductions(e Expr, old string, names []string, by map[string]Expr) Expr {
	return Rewrite(e, func(e Expr) Expr {
		r, ok := e.(*Reduce)
		if !ok {
			return e
		}
		at := slices.Index(r.Inames, old)
		if at < 0 {
			return e
		}
		return &Reduce{r.Kind, slices.Concat(r.Inames[:at], names, r.Inames[at+1:]), Subst(r.Body, by)}
	})
}

// flattenIndices joins sums within sums in indices, where the order of integer additions does not matter.
func flattenIndices(e Expr) Expr {
	return Rewrite(e, func(e Expr) Expr {
		acc, ok := e.(*Access)
		if !ok {
			return e
		}
		out := &Access{acc.Array, acc.Tag, slices.Clone(acc.Index)}
		changed := false
		for i, x := range acc.Index {
			out.Index[i] = Rewrite(x, func(e Expr) Expr {
				sum, ok := e.(*Op)
				if !ok || sum.Kind != Add {
					return e
				}
				var flat []Expr
				for _, a := range sum.Args {
					if inner, ok := a.(*Op); ok && inner.Kind == Add {
						flat = append(flat, inner.Args...)
					} else {
						flat = append(flat, a)
					}
				}
				if len(flat) == len(sum.Args) {
					return e
				}
				return &Op{Add, flat}
			})
			changed = changed || out.Index[i] != x
		}
		if !changed {
			return e
		}
		return out
	})
}
