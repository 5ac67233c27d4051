package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// replaceIname replaces an iname by new ones everywhere, in place: old = value under the constraints.
func replaceIname(k *kernel.Kernel, old string, names []string, value polycount.Affine, cs ...polycount.Constraint) error {
	return replaceInames(k, []string{old}, names, map[string]polycount.Affine{old: value}, cs...)
}

// replaceInames replaces inames of one domain by new ones everywhere, in place: each old iname has its value under the
// constraints. Each statement and reduction must be within all of the old inames or none.
func replaceInames(k *kernel.Kernel, olds, names []string, values map[string]polycount.Affine, cs ...polycount.Constraint) error {
	for i, d := range k.Domains {
		d, err := replaceDims(d, olds, names, values, cs)
		if err != nil {
			return err
		}
		k.Domains[i] = d
	}
	by := map[string]expr.Expr{}
	normalize := flattenIndices
	for old, value := range values {
		if err := value.Err(); err != nil {
			return err
		}
		by[old] = expr.FromAffine(value)
		if value.HasFloor() {
			normalize = func(e expr.Expr) expr.Expr { return affineIndices(k, e) }
		}
	}
	sub := func(e expr.Expr) expr.Expr { return normalize(splitReductions(expr.Subst(e, by), olds, names, by)) }
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

// replaceNames replaces the first of the old names by the new ones, and drops the other old names.
func replaceNames(list, olds, names []string) []string {
	at := slices.IndexFunc(list, func(n string) bool { return slices.Contains(olds, n) })
	if at < 0 {
		return list
	}
	return slices.Concat(list[:at], names, nameset.Remove(list[at:], olds...))
}

// splitReductions replaces inames that reductions bind, which Subst does not.
func splitReductions(e expr.Expr, olds, names []string, by map[string]expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		r, ok := e.(*expr.Reduce)
		if !ok || len(nameset.Intersect(r.Inames, olds)) == 0 {
			return e
		}
		return r.Subst(replaceNames(r.Inames, olds, names), by)
	})
}

// affineIndices writes the affine indices in e in one form, in which floors cancel.
func affineIndices(k *kernel.Kernel, e expr.Expr) expr.Expr {
	return mapIndices(e, func(index expr.Expr) expr.Expr {
		a, err := expr.ToAffine(index, func(name string) bool { return k.Array(name) == nil || k.Array(name).IsValue })
		if err != nil {
			return index
		}
		return expr.FromAffine(a)
	})
}

// flattenIndices turns sums of sums in indices, where the order of integer additions does not matter, into one sum.
func flattenIndices(e expr.Expr) expr.Expr {
	return mapIndices(e, func(index expr.Expr) expr.Expr {
		return expr.Rewrite(index, func(e expr.Expr) expr.Expr {
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
	})
}

// mapIndices applies f to the indices of the accesses in e, innermost first.
func mapIndices(e expr.Expr, f func(index expr.Expr) expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if acc, ok := e.(*expr.Access); ok {
			return expr.MapChildren(acc, f)
		}
		return e
	})
}

// replaceDims is a domain in which names stand for olds. The value of each of olds is an expression in names, on which the constraints hold where they become dimensions.
func replaceDims(d *polycount.Set, olds, names []string, values map[string]polycount.Affine, cs []polycount.Constraint) (*polycount.Set, error) {
	own, foreign := nameset.Intersect(olds, d.Dims()), nameset.Intersect(olds, d.Params())
	if len(own) == 0 && len(foreign) == 0 {
		return d, nil
	}
	keep := replaceNames(d.Dims(), olds, names)
	bind := lists.Map(slices.Concat(own, foreign), func(old string) polycount.Constraint { return polycount.EQ(polycount.Name(old), values[old]) })
	if len(own) > 0 {
		bind = append(bind, cs...)
	} else {
		keep = slices.Concat(keep, names)
	}
	d, err := d.ToDims(foreign...).AddDims(names...).Constrain(bind...)
	if err == nil {
		d, err = d.Project(keep...)
	}
	if err != nil {
		return nil, err
	}
	if n := len(d.Disjuncts()); n != 1 {
		return nil, fmt.Errorf("the domain falls into %d parts", n)
	}
	if len(own) == 0 {
		d = d.ToParams(names...)
	}
	return d, nil
}
