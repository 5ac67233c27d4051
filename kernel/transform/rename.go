package transform

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// RenameIname gives an iname a name that is not in use.
func RenameIname(k *kernel.Kernel, old, name string) (*kernel.Kernel, error) {
	if !k.IsIname(old) {
		return nil, k.UnknownIname(old)
	}
	if err := throw.Try(func() { checkNewName(k, name) }); err != nil {
		return nil, fmt.Errorf("renaming iname %s: %w", old, err)
	}
	c := k.Clone()
	if err := replaceIname(c, old, []string{name}, polycount.Name(name)); err != nil {
		return nil, k.Errorf("renaming iname %s: %w", old, err)
	}
	if tag, ok := k.Tags[old]; ok {
		c.Tags[name] = tag
	}
	return c, nil
}

// DuplicateInames gives the statements that match their own copies of inames, and so their own loops over the same values.
// The copies are called names, by default <iname>_0 and so on. It is an error if one of these statements shares a variable
// with another statement within the iname and the order of the two loops would matter.
func DuplicateInames(k *kernel.Kernel, inames []string, match string, names ...string) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	stmts := matchSome(k, match)
	if len(names) > 0 && len(names) != len(inames) {
		return nil, k.Errorf("%d names for copies of %d inames", len(names), len(inames))
	}
	c := k.Clone()
	copies := map[string]string{}
	for i, iname := range inames {
		if !k.IsIname(iname) {
			return nil, k.UnknownIname(iname)
		}
		if tag := k.Tags[iname]; tag.Parallel() {
			return nil, k.Errorf("cannot duplicate iname %s: it is tagged %s", iname, tag)
		}
		if copies[iname] != "" {
			return nil, k.Errorf("iname %s is to be duplicated twice", iname)
		}
		taken := func(n string) bool {
			return k.InUse(n) || slices.Contains(slices.Collect(maps.Values(copies)), n)
		}
		name := kernel.Fresh(iname, taken)
		if len(names) > 0 {
			if name = names[i]; !expr.IsName(name) || taken(name) {
				return nil, k.Errorf("the name %q for a copy of %s is malformed or in use", name, iname)
			}
		}
		copies[iname] = name
		chosen := map[string]bool{}
		for _, s := range stmts {
			if slices.Contains(s.AllInames(), iname) {
				chosen[s.ID] = true
			}
		}
		if len(chosen) == 0 {
			return nil, k.Errorf("no statement that matches is within iname %s", iname)
		}
		checkSeparable(k, iname, chosen)
	}
	copyInames(c, copies)
	by := map[string]expr.Expr{}
	for old, name := range copies {
		by[old] = expr.Var{Name: name}
	}
	c.MapStmts(func(s *kernel.Stmt) {
		if !slices.ContainsFunc(stmts, func(o *kernel.Stmt) bool { return o.ID == s.ID }) {
			return
		}
		s.MapExprs(func(e expr.Expr) expr.Expr {
			e = expr.Subst(e, by)
			for old, name := range copies {
				e = splitReductions(e, []string{old}, []string{name}, map[string]expr.Expr{old: expr.Var{Name: name}})
			}
			return e
		})
		var own []string
		for _, n := range s.Inames {
			if copies[n] != "" {
				n = copies[n]
			}
			own = append(own, n)
		}
		s.Inames = nameset.Sorted(own)
	})
	return c, nil
}

// copyInames adds copies of inames, which together take the same values, with the same tags and priorities, in place.
func copyInames(k *kernel.Kernel, copies map[string]string) {
	olds := slices.Sorted(maps.Keys(copies))
	for i, d := range k.Domains {
		own, foreign := nameset.Intersect(olds, d.Dims()), nameset.Intersect(olds, d.Params())
		if len(own) == 0 {
			if len(foreign) > 0 {
				panic(throw.Of(k.Errorf("cannot duplicate iname %s: the domain %s depends on it; duplicate its inames too", foreign[0], d)))
			}
			continue
		}
		dims := slices.Clone(d.Dims())
		copied := d
		var err error
		for _, n := range slices.Concat(own, foreign) {
			if copied, err = copied.Rename(n, copies[n]); err != nil {
				panic(throw.Of(k.Errorf("duplicating iname %s: %w", n, err)))
			}
			if slices.Contains(own, n) {
				dims = append(dims, copies[n])
			}
		}
		added := dims[len(d.Dims()):]
		if copied, err = copied.AddDims(own...).Project(dims...); err == nil {
			k.Domains[i], err = d.AddDims(added...).Intersect(copied)
		}
		if err != nil {
			panic(throw.Of(k.Errorf("duplicating inames %s: %w", nameset.Text(own), err)))
		}
	}
	for _, n := range olds {
		if tag, ok := k.Tags[n]; ok {
			k.Tags[copies[n]] = tag
		}
	}
	for _, p := range slices.Clone(k.Priorities) {
		if len(nameset.Intersect(p, olds)) == 0 {
			continue
		}
		next := slices.Clone(p)
		for i, n := range next {
			if copies[n] != "" {
				next[i] = copies[n]
			}
		}
		k.Priorities = append(k.Priorities, next)
	}
}

// checkSeparable returns an error unless the chosen statements can have their own loop over iname. The other statements
// within iname then run before or after all of its iterations, so that what both access must have an element per
// iteration.
func checkSeparable(k *kernel.Kernel, iname string, chosen map[string]bool) {
	touches := func(s *kernel.Stmt) (all, writes []*expr.Access) {
		return slices.Concat(k.Reads(s), k.Writes(s)), k.Writes(s)
	}
	for _, s := range k.Statements {
		if !chosen[s.ID] {
			continue
		}
		for _, o := range k.Statements {
			if chosen[o.ID] || !slices.Contains(o.AllInames(), iname) {
				continue
			}
			sAll, sWrites := touches(s)
			oAll, oWrites := touches(o)
			for _, pair := range [2][2][]*expr.Access{{sWrites, oAll}, {sAll, oWrites}} {
				for _, a := range pair[0] {
					for _, b := range pair[1] {
						if a.Array == b.Array && !indexedAlike(k, iname, a, b) {
							panic(throw.Of(k.Errorf("cannot give %s its own loop over %s: it shares %s with %s, and %s is not indexed by %s in the same way in both; give it an element per iteration first (privatize_temporaries_with_inames)",
								s.ID, iname, a.Array, o.ID, a.Array, iname)))
						}
					}
				}
			}
		}
	}
}

// indexedAlike reports whether both accesses have the same index on some axis, with a different value for every value
// of iname.
func indexedAlike(k *kernel.Kernel, iname string, a, b *expr.Access) bool {
	for i := range a.Index {
		if i >= len(b.Index) || !expr.Equal(a.Index[i], b.Index[i]) {
			continue
		}
		e, err := k.AffineOf(a.Index[i])
		if err != nil || e.Coeff(iname) == 0 || e.HasFloor() {
			continue
		}
		if alone := nameset.Intersect(e.Names(), k.Inames()); len(alone) == 1 {
			return true
		}
	}
	return false
}

// replaceIname replaces an iname by new ones everywhere, in place: old = value under the constraints.
func replaceIname(k *kernel.Kernel, old string, names []string, value polycount.Affine, cs ...polycount.Constraint) error {
	return replaceInames(k, []string{old}, names, map[string]polycount.Affine{old: value}, cs...)
}

// replaceInames replaces inames of one domain by new ones everywhere, in place: each old iname has its value under the
// constraints. Each statement and reduction must be within all of the old inames or none.
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
