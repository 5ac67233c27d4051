package transform

import (
	"maps"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/matrix"
)

// Prepare expands substitution rules, infers element types, also of literals, realizes reductions, interleaves inames tagged ilp and resolves
// automatic axes and address spaces. It returns an error if the kernel does not determine one of these.
func Prepare(k *kernel.Kernel) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	c := throw.Get(ExpandRules(k))
	c = c.Clone()
	throw.If(inferTypes(c))
	c.TypeLiterals()
	c = throw.Get(RealizeReduction(c))
	c = resolveILP(c)
	throw.If(inferTypes(c))
	resolveAuto(c)
	resolveSpaces(c)
	orderBounds(c)
	throw.If(c.CheckForm())
	checkPrepared(c)
	return c, nil
}

// resolveSpaces fixes the address spaces of temporaries, in place.
func resolveSpaces(k *kernel.Kernel) {
	for _, a := range k.Temps {
		if a.Space == kernel.Auto {
			space := k.SpaceOf(a.Name)
			k.ChangeArray(a.Name, func(a *kernel.Array) { a.Space = space })
		}
	}
}

// orderBounds makes statements within inames that have data-dependent bounds depend on the statements that assign these
// bounds, in place. Transformations that add statements leave that to Prepare.
func orderBounds(k *kernel.Kernel) {
	if len(k.Bounds(k.Inames())) == 0 {
		return
	}
	k.MapStmts(func(*kernel.Stmt) {})
	writers := map[string][]*kernel.Stmt{}
	for _, s := range k.Statements {
		writers[s.Target()] = append(writers[s.Target()], s)
	}
	before := map[string]map[string]bool{} // what writers of bounds depend on, by their IDs
	for _, s := range k.Statements {
		for _, t := range k.Bounds(s.AllInames()) {
			if len(writers[t]) != 1 {
				continue
			}
			w := writers[t][0]
			if before[w.ID] == nil {
				before[w.ID] = k.Before(w)
			}
			if w != s && !before[w.ID][s.ID] && !slices.Contains(s.Deps, w.ID) {
				s.Deps = nameset.Add(s.Deps, w.ID)
				maps.DeleteFunc(before, func(_ string, list map[string]bool) bool { return list[s.ID] })
				delete(before, s.ID)
			}
		}
	}
}

// checkPrepared: all element types are known, and vectors are assigned to vectors of the same number of lanes.
func checkPrepared(k *kernel.Kernel) {
	for _, a := range k.Arrays() {
		if a.DType == "" {
			panic(throw.Of(k.Errorf("%w", k.UnknownType(a))))
		}
	}
	for _, s := range k.Statements {
		var types []expr.DType
		for _, e := range s.Exprs() {
			t, err := k.TypeOf(e)
			if err != nil {
				panic(throw.Of(k.Errorf("statement %s: %w", s.ID, err)))
			}
			types = append(types, t)
			for x := range expr.All(e) {
				if cond, ok := x.(*expr.Cond); ok && err == nil {
					_, err = k.TypeOf(cond.If)
				}
			}
			if err != nil {
				panic(throw.Of(k.Errorf("statement %s: %w", s.ID, err)))
			}
		}
		if s.Kind == kernel.Assign && types[1].IsVector() && types[0].Lanes() != types[1].Lanes() {
			panic(throw.Of(k.Errorf("statement %s assigns %s to %s, which is %s", s.ID, types[1], s.LHS, types[0])))
		}
		_, err := matrix.Of(k, s)
		throw.If(err)
	}
}

// resolveILP unrolls the inames tagged ilp inside all other loops, so that their iterations are interleaved:
// temporaries written within them get an element per iteration, and if the statements are in different loops, each gets
// its own unrolled loop. It returns an error if that would change the result.
func resolveILP(k *kernel.Kernel) *kernel.Kernel {
	c := k
	for _, n := range k.Inames() {
		if k.Tags[n].Kind != kernel.ILP {
			continue
		}
		next, err := interleave(c, n)
		if err != nil {
			panic(throw.Of(k.Errorf("iname %s is tagged ilp: %w; unr keeps its iterations one after the other", n, err)))
		}
		c = next
	}
	return c
}

func interleave(k *kernel.Kernel, iname string) (*kernel.Kernel, error) {
	c, err := PrivatizeTemporaries(k, []string{iname})
	if err != nil {
		return nil, err
	}
	var users []*kernel.Stmt
	alike := true
	loops := func(s *kernel.Stmt) []string {
		return slices.DeleteFunc(slices.Clone(s.Inames), func(n string) bool { return c.Tags[n].Parallel() })
	}
	for _, s := range c.Statements {
		if slices.Contains(s.Inames, iname) {
			users = append(users, s)
			alike = alike && slices.Equal(loops(s), loops(users[0]))
		}
	}
	inames := []string{iname}
	if !alike {
		for _, s := range users[1:] {
			name := c.FreshName(iname)
			if c, err = DuplicateInames(c, []string{iname}, "id:"+s.ID, name); err != nil {
				return nil, err
			}
			inames = append(inames, name)
		}
	}
	c = c.Clone()
	for _, n := range inames {
		c.Tags[n] = kernel.Tag{Kind: kernel.Unroll}
	}
	return c, nil
}
