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
	useCopies(c, stmts, copies)
	return c, nil
}

// useCopies puts the copies of inames in the place of these, in some statements.
func useCopies(c *kernel.Kernel, stmts []*kernel.Stmt, copies map[string]string) {
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
