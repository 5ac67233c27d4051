package features

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// boundBy lists the inames on which the values of others in an index depend through bounds that are read from memory:
// neighbours along them are then at different places, each in its own row.
func (c *counter) boundBy(s *kernel.Stmt, form *kernel.LinearForm, opaque []string) []string {
	if len(c.bounds) == 0 {
		return nil
	}
	used, out := slices.Clone(opaque), []string(nil) // inames
	for _, t := range form.Terms {
		used = append(used, t.Iname)
	}
	for _, f := range form.Floors {
		used = append(used, slices.DeleteFunc(f.Num.Names(), func(n string) bool { return !c.k.IsIname(n) })...)
	}
	for _, b := range c.k.Bounds(used) {
		out = append(out, c.assignedBy(b, s.Inames, map[string]bool{})...)
	}
	return out
}

// variesWith lists the inames that an expression of a statement may depend on: those in it, those on which private scalars that it
// reads depend and, where it reads another variable of the kernel's or what is not known, all of the statement's.
func (c *counter) variesWith(s *kernel.Stmt, e expr.Expr) []string {
	return c.varies(s, e, map[string]bool{})
}

// varies is variesWith, without the variables in seen.
func (c *counter) varies(s *kernel.Stmt, e expr.Expr, seen map[string]bool) (inames []string) {
	opaque := false
	for e := range expr.All(e) {
		switch x := e.(type) {
		case expr.Var:
			if c.k.IsIname(x.Name) {
				inames = append(inames, x.Name)
			} else if a := c.k.Array(x.Name); a != nil && !a.IsValue {
				opaque = opaque || a.Space != kernel.Private
				inames = append(inames, c.assignedBy(x.Name, s.Inames, seen)...)
			}
		case *expr.Access:
			if c.k.IsTemp(x.Array) {
				opaque = true
			}
		case *expr.Call: // what is computed of nothing, as a clock, or the iterations that only a run tells, each work-item has of its own
			f := c.k.Function(x.Func)
			opaque = opaque || len(x.Args) == 0 && f != nil && f.Def == nil
		}
	}
	if opaque {
		return s.Inames
	}
	return inames
}

// assignedBy lists the inames on which the value of a private scalar depends that is read within some inames: those of what is assigned to it, and of
// whether and how often it is.
func (c *counter) assignedBy(name string, within []string, seen map[string]bool) (inames []string) {
	if seen[name] {
		return nil
	}
	seen[name] = true
	for _, w := range c.k.Writers(name) {
		for _, e := range append(slices.Clone(w.Predicates), w.RHS) {
			inames = append(inames, c.varies(w, e, seen)...)
		}
		updates := c.k.ReadsFrom(w, name)
		for _, n := range w.Inames {
			inside := slices.Contains(within, n)
			switch {
			case c.k.Tags[n].Parallel() && !inside: // other work-items may not assign it
				inames = append(inames, n)
			case !c.k.Tags[n].Parallel() && (updates || !inside): // how often it is assigned
				inames = append(inames, c.trips(w, n, seen)...)
			}
		}
	}
	return inames
}

// trips lists the inames on hardware axes that the number of iterations of a loop around a statement may depend on.
func (c *counter) trips(s *kernel.Stmt, loop string, seen map[string]bool) (inames []string) {
	d, err := c.k.DomainOf(s.Inames)
	if err != nil {
		return s.Inames
	}
	list, _ := d.Constraints()
	for _, x := range list {
		if names := x.Affine.Names(); slices.Contains(names, loop) {
			inames = append(inames, slices.DeleteFunc(names, func(n string) bool { return !c.k.Tags[n].Parallel() })...)
		}
	}
	for _, b := range c.k.Bounds([]string{loop}) {
		inames = append(inames, c.assignedBy(b, s.Inames, seen)...)
	}
	return inames
}

// assignedWithin lists the inames of the statements that assign to a variable.
func (c *counter) assignedWithin(variable string) []string {
	return lists.Flat(c.k.Writers(variable), func(w *kernel.Stmt) []string { return w.Inames })
}
