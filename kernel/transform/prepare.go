package transform

import (
	"errors"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
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
	k.MapStmts(func(s *kernel.Stmt) {
		for _, t := range k.Bounds(s.AllInames()) {
			if writers := k.Writers(t); len(writers) == 1 && !k.DependsOn(writers[0], s.ID) {
				s.Deps = nameset.Add(s.Deps, writers[0].ID)
			}
		}
	})
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
			expr.Walk(e, func(x expr.Expr) bool {
				if cond, ok := x.(*expr.Cond); ok && err == nil {
					_, err = k.TypeOf(cond.If)
				}
				return err == nil
			})
			if err != nil {
				panic(throw.Of(k.Errorf("statement %s: %w", s.ID, err)))
			}
		}
		if s.Kind == kernel.Assign && types[1].IsVector() && types[0].Lanes() != types[1].Lanes() {
			panic(throw.Of(k.Errorf("statement %s assigns %s to %s, which is %s", s.ID, types[1], s.LHS, types[0])))
		}
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

// inferTypes gives element types to temporaries and arguments that have none, from what the kernel assigns to them, in
// place. Variables that are only read must have a type already.
func inferTypes(k *kernel.Kernel) (err error) {
	defer throw.Catch(&err)
	var open []*kernel.Array
	for _, a := range k.Arrays() {
		if a.DType == "" {
			open = append(open, a)
			if len(k.Writers(a.Name)) == 0 {
				return k.Errorf("%w", k.UnknownType(a))
			}
		}
	}
	// Each round infers the types that depend on known ones; variables that are assigned from each other are solved
	// together.
	for len(open) > 0 {
		var left []*kernel.Array
		for _, a := range open {
			t, err := throw.Value(func() expr.DType { return assignedType(k, a.Name, map[string]bool{a.Name: true}) })
			var unknown *kernel.UnknownTypeError
			switch {
			case errors.As(err, &unknown):
				left = append(left, a)
			case err != nil:
				return err
			default:
				setType(k, a.Name, t)
			}
		}
		if len(left) == len(open) {
			solveTypes(k, left)
			return nil
		}
		open = left
	}
	return nil
}

// solveTypes finds the least types of variables that are assigned from each other, by iteration from no types at all to a
// fixed point.
func solveTypes(k *kernel.Kernel, open []*kernel.Array) {
	for range 2*len(open) + 8 {
		changed := false
		for _, a := range open {
			neutral := map[string]bool{a.Name: true}
			for _, b := range open {
				neutral[b.Name] = neutral[b.Name] || k.Array(b.Name).DType == ""
			}
			t := assignedType(k, a.Name, neutral)
			if t != k.Array(a.Name).DType {
				setType(k, a.Name, t)
				changed = true
			}
		}
		if !changed {
			return
		}
	}
	panic(throw.Of(k.Errorf("the dtypes of %s depend on each other: declare one, as in <float32> %s = ...", open[0].Name, open[0].Name)))
}

func setType(k *kernel.Kernel, name string, t expr.DType) {
	k.ChangeArray(name, func(a *kernel.Array) { a.DType = t })
}

// assignedType is the common type of what is assigned to the variable. The neutral variables, itself among them, count
// as integer literals do.
func assignedType(k *kernel.Kernel, name string, neutral map[string]bool) expr.DType {
	var values []expr.Expr
	for _, w := range k.Writers(name) {
		v := expr.Rewrite(w.RHS, func(e expr.Expr) expr.Expr {
			switch x := e.(type) {
			case expr.Var:
				if neutral[x.Name] {
					return expr.Int{Value: 0}
				}
			case *expr.Access:
				if neutral[x.Array] {
					return expr.Int{Value: 0}
				}
			}
			return e
		})
		t, err := k.TypeOf(v)
		if err != nil {
			panic(throw.Of(k.Errorf("statement %s: %w", w.ID, err)))
		}
		if lhs, ok := w.LHS.(*expr.Access); ok && lhs.Lanes > 0 && t.IsVector() {
			v = &expr.Cast{DType: t.Base(), Arg: expr.Int{}} // the elements of the vector
		}
		values = append(values, v)
	}
	return throw.Get(k.TypeOf(&expr.Op{Kind: expr.Max, Args: values})) // of several operands: their common type
}
