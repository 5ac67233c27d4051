package kernel

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Inames lists the inames in the order of the domains and their dimensions.
func (k *Kernel) Inames() []string {
	return lists.Flat(k.Domains, (*polycount.Set).Dims)
}

// IsIname reports whether name is a dimension of a domain.
func (k *Kernel) IsIname(name string) bool { return k.DomainIndex(name) >= 0 }

// DomainIndex is the index of the domain that has name as a dimension, -1 without one.
func (k *Kernel) DomainIndex(name string) int {
	return slices.IndexFunc(k.Domains, func(d *polycount.Set) bool { return d.HasDim(name) })
}

// Params lists the integer value arguments in their order, then the other parameters of the domains and the assumptions.
// Inames and temporaries that a domain uses as parameters are not among them.
func (k *Kernel) Params() []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) && !k.IsIname(name) && !k.IsTemp(name) {
			out = append(out, name)
		}
	}
	for _, a := range k.Args {
		if a.IsValue && (a.DType == "" || a.DType.IsInteger()) {
			add(a.Name)
		}
	}
	for _, d := range k.Domains {
		for _, p := range d.Params() {
			add(p)
		}
	}
	if k.Assumptions != nil {
		for _, p := range k.Assumptions.Params() {
			add(p)
		}
	}
	return out
}

// IsParam reports whether name is one of Params.
func (k *Kernel) IsParam(name string) bool {
	if k.IsIname(name) || k.IsTemp(name) {
		return false
	}
	return slices.ContainsFunc(k.Domains, func(d *polycount.Set) bool { return d.HasParam(name) }) ||
		k.Assumptions != nil && k.Assumptions.HasParam(name) ||
		slices.ContainsFunc(k.Args, func(a *Array) bool {
			return a.Name == name && a.IsValue && (a.DType == "" || a.DType.IsInteger())
		})
}

// Array returns the argument or temporary of that name, nil without one.
func (k *Kernel) Array(name string) *Array {
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for _, a := range list {
			if a.Name == name {
				return a
			}
		}
	}
	return nil
}

// Arrays lists the arguments and the temporaries.
func (k *Kernel) Arrays() []*Array { return slices.Concat(k.Args, k.Temps) }

// IsTemp reports whether name is a temporary.
func (k *Kernel) IsTemp(name string) bool {
	return slices.ContainsFunc(k.Temps, func(a *Array) bool { return a.Name == name })
}

// Stmt returns the statement with that ID, nil without one.
func (k *Kernel) Stmt(id string) *Stmt {
	return lists.First(k.Statements, func(s *Stmt) bool { return s.ID == id })
}

// Reads lists the array elements and scalar arrays that s reads: in its right-hand side, its predicates, the indices
// of what it writes and the bounds of its inames, in that order. A scalar temporary is an access without index.
func (k *Kernel) Reads(s *Stmt) []*expr.Access {
	var out []*expr.Access
	collect := func(e expr.Expr) {
		for x := range expr.All(e) {
			switch x := x.(type) {
			case *expr.Access:
				out = append(out, x)
			case expr.Var:
				if a := k.Array(x.Name); a != nil && !a.IsValue {
					out = append(out, &expr.Access{Array: x.Name})
				}
			}
		}
	}
	collect(s.RHS)
	for _, p := range s.Predicates {
		collect(p)
	}
	if lhs, ok := s.LHS.(*expr.Access); ok {
		for _, i := range lhs.Index {
			collect(i)
		}
	}
	if k.hasBounds() {
		for _, t := range k.Bounds(s.AllInames()) {
			out = append(out, &expr.Access{Array: t})
		}
	}
	return out
}

// ReadsFrom reports whether s reads the variable.
func (k *Kernel) ReadsFrom(s *Stmt, name string) bool {
	return slices.ContainsFunc(k.Reads(s), func(a *expr.Access) bool { return a.Array == name })
}

// Writes is what s assigns to: one access, or none for barriers and no-ops. A scalar temporary is an access without index.
func (k *Kernel) Writes(s *Stmt) []*expr.Access {
	switch x := s.LHS.(type) {
	case *expr.Access:
		return []*expr.Access{x}
	case expr.Var:
		return []*expr.Access{{Array: x.Name}}
	}
	return nil
}

// Target is the name of the variable that s assigns to, "" for statements that assign nothing.
func (s *Stmt) Target() string {
	switch x := s.LHS.(type) {
	case *expr.Access:
		return x.Array
	case expr.Var:
		return x.Name
	}
	return ""
}

// Orders is the space of the accesses that a LocalBarrier orders; Global includes Local.
func (s *Stmt) Orders() Space {
	if s.Memory == Global {
		return Global
	}
	return Local
}

// IsFence reports whether a statement is a call of a fence.
func (k *Kernel) IsFence(s *Stmt) bool {
	call, ok := s.RHS.(*expr.Call)
	return ok && k.Function(call.Func).IsFence()
}

// Exprs are the expressions of a statement: LHS, RHS and predicates.
func (s *Stmt) Exprs() []expr.Expr {
	out := make([]expr.Expr, 0, 2+len(s.Predicates))
	if s.LHS != nil {
		out = append(out, s.LHS)
	}
	if s.RHS != nil {
		out = append(out, s.RHS)
	}
	return append(out, s.Predicates...)
}

// ReductionInames lists the inames that s reduces over, sorted.
func (s *Stmt) ReductionInames() []string {
	var out []string
	for _, e := range s.Exprs() {
		for _, r := range expr.Reductions(e) {
			out = append(out, r.Inames...)
		}
	}
	return nameset.Sorted(out)
}

// AllInames lists the inames of s and those that it reduces over, sorted.
func (s *Stmt) AllInames() []string {
	if !s.reduces() {
		return nameset.Sorted(s.Inames)
	}
	return nameset.Sorted(append(slices.Clone(s.Inames), s.ReductionInames()...))
}

// reduces reports whether s has a reduction.
func (s *Stmt) reduces() bool {
	return expr.HasReduction(s.LHS) || expr.HasReduction(s.RHS) || slices.ContainsFunc(s.Predicates, expr.HasReduction)
}

// Unsynced reports whether NoSync of one of the statements says that they need no barrier for memory of the space.
func (s *Stmt) Unsynced(o *Stmt, space Space) bool {
	says := func(s, o *Stmt) bool {
		return slices.Contains(s.NoSync, o.ID) || slices.Contains(s.NoSync, o.ID+"@"+string(space))
	}
	return says(s, o) || says(o, s)
}

// Writers returns the statements that assign to the variable.
func (k *Kernel) Writers(name string) []*Stmt {
	return lists.Where(k.Statements, func(s *Stmt) bool { return s.Target() == name })
}

// Readers returns the statements that read the variable.
func (k *Kernel) Readers(name string) []*Stmt {
	return lists.Where(k.Statements, func(s *Stmt) bool { return k.ReadsFrom(s, name) })
}
