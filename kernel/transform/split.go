package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Split is how SplitIname names and tags the new inames. Empty names are <iname>_outer and <iname>_inner.
type Split struct {
	Outer, Inner       string
	OuterTag, InnerTag string
}

// SplitIname replaces iname i by two: i = inner + length·outer with 0 <= inner < length. A tagged iname is an error: its
// values are mapped to a hardware axis already.
func SplitIname(k *kernel.Kernel, iname string, length int64, opt Split) (out *kernel.Kernel, err error) {
	if k.IsIname(iname) && length <= 0 {
		return nil, k.Errorf("cannot split iname %s by %d: the length must be positive", iname, length)
	}
	return divide(k, iname, opt, func(inner, outer polycount.Affine) (polycount.Affine, []polycount.Constraint) {
		return inner.Add(outer.Scale(length)), []polycount.Constraint{
			polycount.GE(inner, polycount.Int(0)), polycount.GE(polycount.Int(length-1), inner),
		}
	})
}

// divide replaces an iname by an inner and an outer one, of which value is a function, under constraints.
func divide(k *kernel.Kernel, iname string, opt Split, value func(inner, outer polycount.Affine) (polycount.Affine, []polycount.Constraint)) (*kernel.Kernel, error) {
	if !k.IsIname(iname) {
		return nil, k.UnknownIname(iname)
	}
	if tag, ok := k.Tags[iname]; ok {
		return nil, k.Errorf("cannot split iname %s: it is tagged %s; split first, then tag the parts", iname, tag)
	}
	if opt.Outer == "" {
		opt.Outer = iname + "_outer"
	}
	if opt.Inner == "" {
		opt.Inner = iname + "_inner"
	}
	for _, n := range []string{opt.Outer, opt.Inner} {
		if err := checkNewName(k, n); err != nil {
			return nil, err
		}
	}
	if opt.Outer == opt.Inner {
		return nil, k.Errorf("cannot split iname %s into %s twice", iname, opt.Outer)
	}
	c := k.Clone()
	of, cs := value(polycount.Name(opt.Inner), polycount.Name(opt.Outer))
	if err := replaceIname(c, iname, []string{opt.Outer, opt.Inner}, of, cs...); err != nil {
		return nil, k.Errorf("splitting iname %s: %w", iname, err)
	}
	for _, t := range [2][2]string{{opt.Outer, opt.OuterTag}, {opt.Inner, opt.InnerTag}} {
		tag, err := kernel.ParseTag(t[1])
		if err != nil {
			return nil, k.Errorf("iname %s: %w", t[0], err)
		}
		if err := c.SetTag(t[0], tag); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// checkNewName refuses a name for a new iname, array or rule that is malformed or in use.
func checkNewName(k *kernel.Kernel, name string) error {
	if !expr.IsName(name) {
		return k.Errorf("%q is no identifier", name)
	}
	if k.InUse(name) {
		return k.Errorf("the name %s is in use", name)
	}
	return nil
}

// replaceIname puts new inames in the place of an old one, everywhere, in place: old = value under the constraints.
func replaceIname(k *kernel.Kernel, old string, names []string, value polycount.Affine, cs ...polycount.Constraint) error {
	return replaceInames(k, []string{old}, names, map[string]polycount.Affine{old: value}, cs...)
}

// replaceInames puts new inames in the place of old ones of one domain, everywhere, in place: each old one has its value
// under the constraints. Statements and reductions are within all of the old inames or within none.
func replaceInames(k *kernel.Kernel, olds, names []string, values map[string]polycount.Affine, cs ...polycount.Constraint) error {
	for i, d := range k.Domains {
		own, foreign := nameset.Intersect(olds, d.Dims()), nameset.Intersect(olds, d.Params())
		if len(own) == 0 && len(foreign) == 0 {
			continue
		}
		dims := replaceNames(d.Dims(), olds, names)
		var bind []polycount.Constraint
		for _, old := range slices.Concat(own, foreign) {
			bind = append(bind, polycount.EQ(polycount.Name(old), values[old]))
		}
		if len(own) > 0 {
			bind = append(bind, cs...)
		}
		d, err := d.ToDims(foreign...).AddDims(names...).Constrain(bind...)
		if err == nil {
			keep := dims
			if len(own) == 0 {
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
		if len(own) == 0 {
			d = d.ToParams(names...)
		}
		k.Domains[i] = d
	}
	by := map[string]expr.Expr{}
	tidy := flattenIndices
	for old, value := range values {
		if err := value.Err(); err != nil {
			return err
		}
		by[old] = expr.FromAffine(value)
		if value.HasFloor() {
			tidy = func(e expr.Expr) expr.Expr { return affineIndices(k, e) }
		}
	}
	sub := func(e expr.Expr) expr.Expr { return tidy(splitReductions(expr.Subst(e, by), olds, names, by)) }
	k.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(sub)
		s.Inames = nameset.Sorted(replaceNames(s.Inames, olds, names))
	})
	for i, r := range k.Rules {
		if len(nameset.Intersect(r.Args, olds)) == 0 {
			k.Rules[i] = &kernel.Rule{Name: r.Name, Args: r.Args, Body: sub(r.Body)}
		}
	}
	for i, p := range k.Priorities {
		k.Priorities[i] = replaceNames(p, olds, names)
	}
	for _, old := range olds {
		delete(k.Tags, old)
	}
	return nil
}

// replaceNames puts new names where the first of the old ones stands, and drops the others.
func replaceNames(list, olds, names []string) []string {
	at := slices.IndexFunc(list, func(n string) bool { return slices.Contains(olds, n) })
	if at < 0 {
		return list
	}
	return slices.Concat(list[:at], names, nameset.Remove(list[at:], olds...))
}

// splitReductions replaces inames that reductions bind; Subst leaves their bodies alone.
func splitReductions(e expr.Expr, olds, names []string, by map[string]expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		r, ok := e.(*expr.Reduce)
		if !ok || len(nameset.Intersect(r.Inames, olds)) == 0 {
			return e
		}
		return r.Subst(replaceNames(r.Inames, olds, names), by)
	})
}

// affineIndices prints affine indices in one form, in which floors cancel.
func affineIndices(k *kernel.Kernel, e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		acc, ok := e.(*expr.Access)
		if !ok {
			return e
		}
		out := &expr.Access{Array: acc.Array, Tag: acc.Tag, Index: slices.Clone(acc.Index), Lanes: acc.Lanes}
		for i, x := range acc.Index {
			if a, err := expr.ToAffine(x, func(name string) bool { return k.Array(name) == nil || k.Array(name).IsValue }); err == nil {
				out.Index[i] = expr.FromAffine(a)
			}
		}
		return out
	})
}

// flattenIndices joins sums within sums in indices, where the order of integer additions does not matter.
func flattenIndices(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		acc, ok := e.(*expr.Access)
		if !ok {
			return e
		}
		out := &expr.Access{Array: acc.Array, Tag: acc.Tag, Index: slices.Clone(acc.Index), Lanes: acc.Lanes}
		changed := false
		for i, x := range acc.Index {
			out.Index[i] = expr.Rewrite(x, func(e expr.Expr) expr.Expr {
				sum, ok := e.(*expr.Op)
				if !ok || sum.Kind != expr.Add {
					return e
				}
				var flat []expr.Expr
				for _, a := range sum.Args {
					if inner, ok := a.(*expr.Op); ok && inner.Kind == expr.Add {
						flat = append(flat, inner.Args...)
					} else {
						flat = append(flat, a)
					}
				}
				if len(flat) == len(sum.Args) {
					return e
				}
				return &expr.Op{Kind: expr.Add, Args: flat}
			})
			changed = changed || out.Index[i] != x
		}
		if !changed {
			return e
		}
		return out
	})
}
