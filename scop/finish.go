package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// finish completes the nest when all statements are read.
func (b *builder) finish() *Nest {
	n := b.nest
	b.apart()
	n.Vars = map[string]*cfront.Var{}
	for v, name := range b.names {
		n.Vars[name] = v
	}
	for _, check := range b.later {
		check()
	}
	n.Context = polycount.NewSet(n.Params, nil, b.context...)
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
