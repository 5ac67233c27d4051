package kernel

import (
	"slices"

	"gpuperf/kernel/expr"
)

// AddBarrier adds a barrier on local or global memory between the statements that match before and those that match after.
// It stands within the sequential inames that they all share. Without an ID it is barrier, barrier_0 and so on. Barriers
// that accesses need are there in any case: this is for those that only the user knows of.
func (k *Kernel) AddBarrier(before, after, id string, space Space) (*Kernel, error) {
	kind, ok := map[Space]StmtKind{Local: LocalBarrier, Global: GlobalBarrier}[space]
	if !ok {
		return nil, k.errorf("a barrier is on local or global memory, not %q", space)
	}
	first, err := k.matchSome(before)
	if err != nil {
		return nil, err
	}
	second, err := k.matchSome(after)
	if err != nil {
		return nil, err
	}
	switch {
	case id == "":
		id = k.freshID("barrier")
	case !expr.IsName(id) || k.Stmt(id) != nil:
		return nil, k.errorf("statement id %q of the barrier is malformed or in use", id)
	}
	b := &Stmt{ID: id, Kind: kind, Deps: sortedSet(idsOf(first)), Inames: first[0].Inames}
	for _, s := range slices.Concat(first, second) {
		b.Inames = intersectNames(b.Inames, s.Inames)
	}
	b.Inames = slices.DeleteFunc(slices.Clone(b.Inames), func(n string) bool { return k.Tags[n].Parallel() })
	c := k.clone()
	c.mapStmts(func(s *Stmt) {
		if slices.Contains(idsOf(second), s.ID) {
			s.Deps = addSorted(s.Deps, id)
		}
	})
	at := slices.IndexFunc(c.Statements, func(s *Stmt) bool { return slices.Contains(s.Deps, id) })
	c.Statements = slices.Insert(c.Statements, at, b)
	return c, c.checkDeps()
}
