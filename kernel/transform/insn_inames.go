package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
)

// AddInamesToInsn adds inames to the statements that match. It returns an error if running a statement once per value of
// them would change the result: if the statement reads what it writes, or if the inames have no value at some of the points
// at which it runs.
func AddInamesToInsn(k *kernel.Kernel, inames []string, match string) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	stmts := matchSome(k, match)
	for _, n := range inames {
		if !k.IsIname(n) {
			return nil, k.UnknownIname(n)
		}
	}
	c := k.Clone()
	for _, s := range stmts {
		grown := nameset.Add(s.Inames, inames...)
		if slices.Equal(grown, s.Inames) {
			continue
		}
		if err := checkRepeatable(k, s, inames); err != nil {
			return nil, err
		}
		before, err := k.DomainOf(s.Inames)
		throw.If(err)
		after, err := k.DomainOf(grown)
		if err == nil {
			after, err = after.Project(s.Inames...)
		}
		if err != nil {
			return nil, k.Errorf("adding inames to %s: %w", s.ID, err)
		}
		same, err := before.IsSubset(after)
		if err != nil {
			return nil, k.Errorf("adding inames to %s: %w", s.ID, err)
		}
		if !same {
			return nil, k.Errorf("cannot add inames %s to statement %s: they take no value at some of the points where it runs",
				nameset.Text(inames), s.ID)
		}
		c.MapStmts(func(n *kernel.Stmt) {
			if n.ID == s.ID {
				n.Inames = grown
			}
		})
	}
	for _, n := range inames {
		throw.If(c.CheckTag(n))
	}
	return c, nil
}

// checkRepeatable returns an error if running a statement once more for each iteration of some inames changes the result.
func checkRepeatable(k *kernel.Kernel, s *kernel.Stmt, inames []string) error {
	for _, n := range inames {
		if slices.Contains(s.ReductionInames(), n) {
			return k.Errorf("cannot add iname %s to statement %s, which reduces over it", n, s.ID)
		}
	}
	if t := s.Target(); t != "" && k.ReadsFrom(s, t) {
		return k.Errorf("cannot add inames %s to statement %s: it reads %s, which it writes, so that running it again changes the result",
			nameset.Text(inames), s.ID, t)
	}
	for _, o := range k.Statements {
		t := o.Target()
		if o.ID == s.ID || t == "" || len(nameset.Intersect(o.AllInames(), inames)) == 0 {
			continue
		}
		if t == s.Target() || k.ReadsFrom(s, t) {
			return k.Errorf("cannot add inames %s to statement %s: statement %s writes %s within them, so that running %s again changes the result",
				nameset.Text(inames), s.ID, o.ID, t, s.ID)
		}
	}
	return nil
}
