package scop

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// finish completes the nest when all statements are read.
func (b *builder) finish() *Nest {
	n := b.nest
	b.refuseAliases()
	b.scatter()
	b.drop()
	n.Vars = map[string]*cfront.Var{}
	for v, name := range b.names {
		n.Vars[name] = v
	}
	for _, check := range b.later {
		check()
	}
	n.Params = slices.DeleteFunc(n.Params, func(name string) bool { return n.Given[name] != nil && !n.needs(name) })
	n.Context = polycount.NewSet(n.Params, nil, slices.DeleteFunc(b.context, func(c polycount.Constraint) bool {
		return slices.ContainsFunc(c.Affine.Names(), func(name string) bool { return !slices.Contains(n.Params, name) })
	})...)
	maps.DeleteFunc(n.Given, func(name string, _ cfront.Expr) bool { return !slices.Contains(n.Params, name) && !b.finally[name] })
	// An integer that is also used in bounds or subscripts is a parameter, whose value is no access.
	isParam := func(name string) bool { return slices.Contains(n.Params, name) }
	n.Arrays = slices.DeleteFunc(n.Arrays, func(a *Array) bool { return isParam(a.Name) })
	for _, s := range n.Statements {
		s.Accesses = slices.DeleteFunc(s.Accesses, func(a Access) bool { return isParam(a.Array.Name) })
	}
	names := map[string]bool{}
	for _, l := range n.Loops {
		dims := l.Bounds.Dims()
		l.Name = kernel.Fresh(dims[len(dims)-1], func(s string) bool { return names[s] || b.taken[s] && !b.reserved[s] })
		names[l.Name] = true
	}
	n.rowExtents()
	return n
}

// rowExtents gives rows that are pointers one length, as far as the nest reaches in any, so that all kernels of the nest agree on where elements are.
func (n *Nest) rowExtents() {
	var k *kernel.Kernel
	for _, a := range n.Arrays {
		if !a.Pointed || a.Shape[1] != nil {
			continue
		}
		if k == nil {
			var err error
			if k, err = n.Kernel(); err != nil {
				return
			}
		}
		if whole := k.Array(a.Name); whole != nil { // else no statement with it ever runs
			a.Shape = append([]expr.Expr{nil}, whole.Shape[1:]...)
		}
	}
}

// scatter has the subscripts of all accesses 0 where those of any are not affine, and a read before each write of such an array.
func (b *builder) scatter() {
	for _, s := range b.nest.Statements {
		for i, a := range s.Accesses {
			index := slices.Clone(a.Index)
			for d, is := range a.Array.Any {
				if is {
					index[d] = polycount.Int(0)
				}
			}
			s.Accesses[i].Index = index
		}
		if last := s.Accesses[len(s.Accesses)-1]; last.Array.Scattered() {
			before := last
			before.Write = false
			s.Accesses = slices.Insert(s.Accesses, len(s.Accesses)-1, before)
		}
	}
}

// needs reports that anything in the nest depends on a parameter.
func (n *Nest) needs(name string) bool {
	has := func(e expr.Expr) bool { return e != nil && expr.Mentions(e, name) }
	return slices.ContainsFunc(n.Loops, func(l *Loop) bool { return l.Bounds.HasParam(name) }) ||
		slices.ContainsFunc(n.Arrays, func(a *Array) bool { return slices.ContainsFunc(a.Shape, has) }) ||
		slices.ContainsFunc(n.Statements, func(s *Statement) bool {
			return s.Domain.HasParam(name) || has(s.LHS) || has(s.RHS) || slices.ContainsFunc(s.Accesses, func(a Access) bool {
				return a.Where != nil && a.Where.HasParam(name) || slices.ContainsFunc(a.Index, func(x polycount.Affine) bool { return x.Has(name) })
			})
		})
}

// drop leaves out the assignments to integers that nothing reads, as what they have is known wherever it is used, and after the region; and parameters of these alone.
func (b *builder) drop() {
	n := b.nest
	n.Finals, n.Counters = map[*cfront.Var][]Final{}, b.uses.iterators
	for v, list := range b.env {
		if b.uses.declared[v] {
			continue
		}
		for _, p := range list {
			n.Finals[v] = append(n.Finals[v], Final{p.when, p.value})
			for _, name := range namesOf(p) {
				b.finally[name] = true
			}
		}
	}
	for v, a := range b.arrays {
		if !a.Written || !b.followed(v) || !a.Local && b.env[v] == nil {
			continue
		}
		if slices.ContainsFunc(n.Statements, func(s *Statement) bool {
			return slices.ContainsFunc(s.Accesses, func(x Access) bool { return x.Array == a && !x.Write })
		}) {
			continue
		}
		n.Statements = slices.DeleteFunc(n.Statements, func(s *Statement) bool { return s.Accesses[len(s.Accesses)-1].Array == a })
		n.Arrays = slices.DeleteFunc(n.Arrays, func(x *Array) bool { return x == a })
	}
	for i, s := range n.Statements {
		s.Name = fmt.Sprintf("S%d", i)
		s.Domain = s.Domain.Named(s.Name)
	}
}
