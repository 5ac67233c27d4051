package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// RemoveUnusedInames removes the given inames, which must be unused, or all unused ones, by projecting the domains on the
// others. Since a statement runs once for each point of the domain projected on its inames, no result changes.
func RemoveUnusedInames(k *kernel.Kernel, inames ...string) (*kernel.Kernel, error) {
	used := usedInames(k)
	gone := map[string]bool{}
	for _, n := range inames {
		if !k.IsIname(n) {
			return nil, k.UnknownIname(n)
		}
		if used[n] {
			return nil, k.Errorf("cannot remove iname %s: %s", n, userOf(k, n))
		}
		gone[n] = true
	}
	for _, n := range k.Inames() {
		if len(inames) == 0 && !used[n] {
			gone[n] = true
		}
	}
	c := k.Clone()
	// from the last domain to the first: the inames that a domain uses become unused when its own inames are removed
	for i := len(c.Domains) - 1; i >= 0; i-- {
		d := c.Domains[i]
		drop := slices.DeleteFunc(slices.Clone(d.Dims()), func(n string) bool { return !gone[n] })
		for _, later := range c.Domains[i+1:] {
			if len(later.Dims()) == 0 {
				continue // it goes
			}
			if bound := nameset.Intersect(drop, later.Params()); len(bound) > 0 {
				if len(inames) > 0 {
					return nil, k.Errorf("cannot remove iname %s: the domain %s depends on it", bound[0], later)
				}
				drop = nameset.Remove(drop, bound...)
			}
		}
		if len(drop) == 0 {
			continue
		}
		keep := nameset.Remove(d.Dims(), drop...)
		p, err := d.Project(keep...)
		if err != nil {
			return nil, k.Errorf("removing inames %s: %w", nameset.Text(drop), err)
		}
		if n := len(p.Disjuncts()); n != 1 && len(keep) > 0 { // without inames left, the domain goes
			if len(inames) == 0 {
				continue // the condition that they put on other inames is not one conjunction
			}
			return nil, k.Errorf("cannot remove iname %s: what remains of the domain is a union of %d sets", nameset.Text(drop), n)
		}
		c.Domains[i] = p
		for _, n := range drop {
			delete(c.Tags, n)
		}
		for j, list := range c.Priorities {
			c.Priorities[j] = nameset.Remove(list, drop...)
		}
	}
	c.Domains = slices.DeleteFunc(c.Domains, func(d *polycount.Set) bool { return len(d.Dims()) == 0 })
	c.Priorities = slices.DeleteFunc(c.Priorities, func(list []string) bool { return len(list) < 2 })
	return c, nil
}

// userOf says which statement or rule uses the iname.
func userOf(k *kernel.Kernel, iname string) string {
	for _, s := range k.Statements {
		if slices.Contains(s.AllInames(), iname) {
			return "statement " + s.ID + " is within it"
		}
	}
	return "a substitution rule uses it"
}

// usedInames are the inames of statements and of the bodies of rules; other names of these are among them.
func usedInames(k *kernel.Kernel) map[string]bool {
	used := map[string]bool{}
	for _, s := range k.Statements {
		for _, n := range s.AllInames() {
			used[n] = true
		}
	}
	for _, r := range k.Rules {
		for _, red := range expr.Reductions(r.Body) {
			for _, n := range red.Inames {
				used[n] = true
			}
		}
		expr.FreeVars(r.Body, func(n string) { used[n] = used[n] || !slices.Contains(r.Args, n) })
	}
	return used
}
