package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// AddBarrier adds a barrier on local or global memory between the statements that match before and those that match after.
// It is within the sequential inames that they all share. Its default ID is barrier, barrier_0 and so on. Barriers that
// accesses need are added without it.
func AddBarrier(k *kernel.Kernel, before, after, id string, space kernel.Space) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	kind, ok := map[kernel.Space]kernel.StmtKind{kernel.Local: kernel.LocalBarrier, kernel.Global: kernel.GlobalBarrier}[space]
	if !ok {
		return nil, k.Errorf("a barrier is on local or global memory, not %q", space)
	}
	first := matchSome(k, before)
	second := matchSome(k, after)
	switch {
	case id == "":
		id = k.FreshID("barrier")
	case !expr.IsName(id) || k.Stmt(id) != nil:
		return nil, k.Errorf("statement id %q of the barrier is malformed or in use", id)
	}
	b := &kernel.Stmt{ID: id, Kind: kind, Deps: nameset.Sorted(idsOf(first)), Inames: first[0].Inames}
	for _, s := range slices.Concat(first, second) {
		b.Inames = nameset.Intersect(b.Inames, s.Inames)
	}
	b.Inames = slices.DeleteFunc(slices.Clone(b.Inames), func(n string) bool { return k.Tags[n].Parallel() })
	c := k.Clone()
	c.MapStmts(func(s *kernel.Stmt) {
		if slices.Contains(idsOf(second), s.ID) {
			s.Deps = nameset.Add(s.Deps, id)
		}
	})
	at := slices.IndexFunc(c.Statements, func(s *kernel.Stmt) bool { return slices.Contains(s.Deps, id) })
	c.Statements = slices.Insert(c.Statements, at, b)
	return c, c.CheckDeps()
}

// AddDependency makes the statements that match depend on those that on matches.
func AddDependency(k *kernel.Kernel, match, on string) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	c := k.Clone()
	from := matchSome(k, match)
	to := matchSome(k, on)
	c.MapStmts(func(s *kernel.Stmt) {
		if slices.Contains(idsOf(from), s.ID) {
			s.Deps = nameset.Add(s.Deps, nameset.Remove(idsOf(to), s.ID)...)
		}
	})
	return c, c.CheckDeps()
}

// PrioritizeLoops asks for a nesting order of the loops, outermost first. Later requests give way to earlier ones.
func PrioritizeLoops(k *kernel.Kernel, inames []string) (*kernel.Kernel, error) {
	for i, n := range inames {
		if !k.IsIname(n) {
			return nil, k.UnknownIname(n)
		}
		if slices.Contains(inames[:i], n) {
			return nil, k.Errorf("loop priority names iname %s twice", n)
		}
	}
	c := k.Clone()
	c.Priorities = append(c.Priorities, slices.Clone(inames))
	return c, nil
}
