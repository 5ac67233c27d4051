package kernel

import (
	"slices"

	"gpuperf/kernel/expr"
)

// AddInamesToInsn puts the statements that match within further inames. It is refused where running a statement once
// per value of them, instead of once, would change the result: where it reads what it writes, or where the inames take
// no value for some of the points that it runs at.
func (k *Kernel) AddInamesToInsn(inames []string, match string) (*Kernel, error) {
	stmts, err := k.matchSome(match)
	if err != nil {
		return nil, err
	}
	for _, n := range inames {
		if !k.IsIname(n) {
			return nil, k.unknownIname(n)
		}
	}
	c := k.clone()
	for _, s := range stmts {
		grown := addSorted(s.Inames, inames...)
		if slices.Equal(grown, s.Inames) {
			continue
		}
		for _, n := range inames {
			if slices.Contains(s.ReductionInames(), n) {
				return nil, k.errorf("cannot add iname %s to statement %s, which reduces over it", n, s.ID)
			}
		}
		if t := target(s); t != "" && slices.ContainsFunc(k.Reads(s), func(r *expr.Access) bool { return r.Array == t }) {
			return nil, k.errorf("cannot add inames %s to statement %s: it reads %s, which it writes, so that running it again changes the result",
				listNames(inames), s.ID, t)
		}
		for _, o := range k.Statements {
			t := target(o)
			if o.ID == s.ID || t == "" || len(intersectNames(o.AllInames(), inames)) == 0 {
				continue
			}
			if t == target(s) || slices.ContainsFunc(k.Reads(s), func(r *expr.Access) bool { return r.Array == t }) {
				return nil, k.errorf("cannot add inames %s to statement %s: statement %s changes %s within them, so that running %s again changes the result",
					listNames(inames), s.ID, o.ID, t, s.ID)
			}
		}
		before, err := k.DomainOf(s.Inames)
		if err != nil {
			return nil, err
		}
		after, err := k.DomainOf(grown)
		if err == nil {
			after, err = after.Project(s.Inames...)
		}
		if err != nil {
			return nil, k.errorf("adding inames to %s: %w", s.ID, err)
		}
		same, err := before.IsSubset(after)
		if err != nil {
			return nil, k.errorf("adding inames to %s: %w", s.ID, err)
		}
		if !same {
			return nil, k.errorf("cannot add inames %s to statement %s: they take no value at some of the points where it runs",
				listNames(inames), s.ID)
		}
		c.mapStmts(func(n *Stmt) {
			if n.ID == s.ID {
				n.Inames = grown
			}
		})
	}
	for _, n := range inames {
		if err := c.checkAxes(n); err != nil {
			return nil, err
		}
	}
	return c, nil
}
