package scop

import (
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// finish completes the nest when all statements are read.
func (b *builder) finish() *Nest {
	n := b.nest
	b.apart()
	b.drop()
	n.Vars = map[string]*cfront.Var{}
	for v, name := range b.names {
		n.Vars[name] = v
	}
	for _, check := range b.later {
		check()
	}
	n.Context = polycount.NewSet(n.Params, nil, b.context...)
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
	return n
}

// drop leaves out the assignments to integers that nothing reads, as what they have is known wherever it is used, and after the region; and parameters of these alone.
func (b *builder) drop() {
	n := b.nest
	n.Finals = map[*cfront.Var][]Final{}
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
}
