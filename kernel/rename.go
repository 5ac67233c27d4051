package kernel

import (
	"fmt"
	"slices"

	"gpuperf/polycount"
)

// RenameIname gives an iname a name that is not in use.
func (k *Kernel) RenameIname(old, name string) (*Kernel, error) {
	if !k.IsIname(old) {
		return nil, k.unknownIname(old)
	}
	if err := k.checkNewName(name); err != nil {
		return nil, fmt.Errorf("renaming iname %s: %w", old, err)
	}
	c := k.clone()
	if err := c.replaceIname(old, []string{name}, polycount.Name(name)); err != nil {
		return nil, k.errorf("renaming iname %s: %w", old, err)
	}
	if tag, ok := k.Tags[old]; ok {
		c.Tags[name] = tag
	}
	return c, nil
}

// DuplicateInames gives the statements that match their own copies of inames: loops of their own over the same values.
// names are those of the copies, by default <iname>_0 and so on. It is refused where one of these statements shares a
// variable with another statement within the iname and the order of the two loops would matter.
func (k *Kernel) DuplicateInames(inames []string, match string, names ...string) (*Kernel, error) {
	stmts, err := k.matchSome(match)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 && len(names) != len(inames) {
		return nil, k.errorf("%d names for copies of %d inames", len(names), len(inames))
	}
	c := k.clone()
	for i, iname := range inames {
		if !k.IsIname(iname) {
			return nil, k.unknownIname(iname)
		}
		var name string
		if len(names) > 0 {
			name = names[i]
			if err := c.checkNewName(name); err != nil {
				return nil, err
			}
		} else {
			name = c.freshName(iname)
		}
		if err := c.duplicate(iname, name, stmts); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// duplicate works in place.
func (k *Kernel) duplicate(iname, name string, stmts []*Stmt) error {
	if tag := k.Tags[iname]; tag.Parallel() {
		return k.errorf("cannot duplicate iname %s: it is tagged %s", iname, tag)
	}
	chosen := map[string]bool{}
	for _, s := range stmts {
		if s := k.Stmt(s.ID); slices.Contains(s.AllInames(), iname) {
			chosen[s.ID] = true
		}
	}
	if len(chosen) == 0 {
		return k.errorf("no statement that matches is within iname %s", iname)
	}
	if err := k.separable(iname, chosen); err != nil {
		return err
	}
	at := k.domainIndex(iname)
	d := k.Domains[at]
	for i, child := range k.Domains {
		if i != at && slices.Contains(child.Params(), iname) {
			return k.errorf("cannot duplicate iname %s: the domain %s depends on it", iname, child)
		}
	}
	copied, err := d.Rename(iname, name)
	if err == nil {
		dims := append(slices.Clone(d.Dims()), name)
		var both *polycount.Set
		if copied, err = copied.AddDims(iname).Project(dims...); err == nil {
			if both, err = d.AddDims(name).Intersect(copied); err == nil {
				k.Domains[at] = both
			}
		}
	}
	if err != nil {
		return k.errorf("duplicating iname %s: %w", iname, err)
	}
	by := map[string]Expr{iname: Var{name}}
	k.mapStmts(func(s *Stmt) {
		if !chosen[s.ID] {
			return
		}
		s.mapExprs(func(e Expr) Expr { return splitReductions(Subst(e, by), iname, []string{name}, by) })
		if slices.Contains(s.Inames, iname) {
			s.Inames = addSorted(removeNames(s.Inames, iname), name)
		}
	})
	if tag, ok := k.Tags[iname]; ok {
		k.Tags[name] = tag
	}
	return nil
}

// separable reports whether the chosen statements can have a loop over iname of their own. The other statements within
// iname then run before or after all of its iterations, so that what both touch must have a place per iteration.
func (k *Kernel) separable(iname string, chosen map[string]bool) error {
	touches := func(s *Stmt) (all, writes []*Access) {
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
			for _, pair := range [2][2][]*Access{{sWrites, oAll}, {sAll, oWrites}} {
				for _, a := range pair[0] {
					for _, b := range pair[1] {
						if a.Array == b.Array && !k.placePer(iname, a, b) {
							return k.errorf("cannot give %s a loop over %s of its own: it shares %s with %s, and %s is not indexed by %s alike in both; give it an element per iteration first (privatize_temporaries_with_inames)",
								s.ID, iname, a.Array, o.ID, a.Array, iname)
						}
					}
				}
			}
		}
	}
	return nil
}

// placePer reports whether both accesses have the same index on some axis, which takes another value for every value of
// iname.
func (k *Kernel) placePer(iname string, a, b *Access) bool {
	for i := range a.Index {
		if i >= len(b.Index) || !Equal(a.Index[i], b.Index[i]) {
			continue
		}
		e, err := k.affineOf(a.Index[i])
		if err != nil || e.Coeff(iname) == 0 || e.HasFloor() {
			continue
		}
		if alone := intersectNames(e.Names(), k.Inames()); len(alone) == 1 {
			return true
		}
	}
	return false
}
