package kernel

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Check verifies the invariants of kernels. Its parts run in the order of the table below; each relies on those before it.
func (k *Kernel) Check() (err error) {
	defer throw.Catch(&err)
	throw.If(k.CheckForm())
	k.checkIndices()
	return nil
}

// CheckForm is Check without the ranges of indices, which depend on assumptions that may still be made. It is for kernels that transformations
// make; a front end checks all of what it reads.
func (k *Kernel) CheckForm() error {
	for _, part := range []func() error{
		k.checkNames,
		k.checkFunctions,
		k.checkStatements,
		k.CheckDeps,
		k.checkAccesses,
		k.checkReductions,
		k.checkAtomics,
		k.checkTags,
		k.checkArrays,
		k.checkBounds,
		k.checkRaces,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// checkNames: an iname is a dimension of one domain, a domain's inames come from earlier ones, and no name has two
// meanings.
func (k *Kernel) checkNames() error {
	seen := map[string]string{}
	var bad error // the first
	fail := func(format string, args ...any) {
		if bad == nil {
			bad = k.Errorf(format, args...)
		}
	}
	claim := func(name, what string) {
		if !expr.IsName(name) {
			fail("%s %q is not an identifier", what, name)
		}
		if old := seen[name]; old != "" {
			fail("%s is both %s %s and %s %s", name, article(old), old, article(what), what)
		}
		seen[name] = what
	}
	for i, d := range k.Domains {
		if n := len(d.Disjuncts()); n > 1 {
			fail("domain %d has %d disjuncts: %s", i, n, d)
		}
		for _, p := range d.Params() {
			if k.IsIname(p) && seen[p] == "" {
				fail("domain %s uses iname %s, which only a later domain defines", d, p)
			}
		}
		for _, n := range d.Dims() {
			claim(n, "iname")
		}
	}
	for _, a := range k.Args {
		what := "array argument"
		if a.IsValue {
			what = "value argument"
		}
		claim(a.Name, what)
	}
	for _, a := range k.Temps {
		claim(a.Name, "temporary")
	}
	for _, r := range k.Rules {
		claim(r.Name, "rule")
	}
	for _, f := range k.Functions {
		claim(f.Name, "function")
	}
	if k.Assumptions != nil && len(k.Assumptions.Dims()) > 0 {
		fail("the assumptions %s are not about parameters alone", k.Assumptions)
	}
	for _, p := range k.Priorities {
		for _, n := range p {
			if !k.IsIname(n) {
				fail("loop priority names %s, which is not an iname", n)
			}
		}
	}
	return bad
}

// checkStatements: IDs are unique, the parts fit the kind, and inames exist, sorted.
func (k *Kernel) checkStatements() error {
	seen := map[string]bool{}
	for _, s := range k.Statements {
		if s.ID == "" || seen[s.ID] {
			return k.Errorf("statement id %q is empty or used twice", s.ID)
		}
		seen[s.ID] = true
		if (s.Kind == Assign) != (s.LHS != nil && s.RHS != nil) {
			return k.Errorf("statement %s: assignments have two sides, other statements none", s.ID)
		}
		if !nameset.IsSet(s.Inames) {
			return k.Errorf("statement %s: inames %v are not sorted", s.ID, s.Inames)
		}
		for _, n := range s.Inames {
			if !k.IsIname(n) {
				return k.Errorf("statement %s is within %s, which is not an iname", s.ID, n)
			}
		}
	}
	return nil
}

// CheckDeps is the part of Check about dependencies: they exist and are acyclic.
func (k *Kernel) CheckDeps() error {
	const (
		visiting = 1
		done     = 2 // a state, as visiting
	)
	byID := map[string]*Stmt{}
	for _, s := range k.Statements {
		byID[s.ID] = s
	}
	state := map[string]int{}
	var path []string
	var visit func(s *Stmt) error
	visit = func(s *Stmt) error {
		if state[s.ID] == done {
			return nil
		}
		path = append(path, s.ID)
		if state[s.ID] == visiting {
			return k.Errorf("statements depend on each other in a cycle: %s", nameset.Text(path[slices.Index(path, s.ID):]))
		}
		state[s.ID] = visiting
		for _, d := range s.Deps {
			next := byID[d]
			if next == nil {
				return k.Errorf("statement %s depends on %s, which does not exist", s.ID, d)
			}
			if err := visit(next); err != nil {
				return err
			}
		}
		path = path[:len(path)-1]
		state[s.ID] = done
		return nil
	}
	for _, s := range k.Statements {
		if err := visit(s); err != nil {
			return err
		}
	}
	return nil
}

// checkAccesses: names are defined where they are used, an access has as many indices as its array has axes, and the inames
// used outside reductions are the statement's.
func (k *Kernel) checkAccesses() (err error) {
	defer throw.Catch(&err)
	for _, s := range k.Statements {
		if t := s.Target(); t != "" {
			if a := k.Array(t); a == nil || a.IsValue {
				return k.Errorf("statement %s assigns to %s, which is neither an array nor a temporary", s.ID, t)
			}
		}
		for _, e := range s.Exprs() {
			k.checkExpr(s, e, s.Inames)
		}
	}
	return nil
}

// checkExpr checks an expression of s that may use the inames in scope.
func (k *Kernel) checkExpr(s *Stmt, e expr.Expr, scope []string) {
	switch x := e.(type) {
	case nil:
		return
	case expr.Var:
		switch a := k.Array(x.Name); {
		case k.IsIname(x.Name):
			if !slices.Contains(scope, x.Name) {
				panic(throw.Of(k.Errorf("statement %s uses iname %s, which it is not within", s.ID, x.Name)))
			}
		case k.Rule(x.Name) != nil && len(k.Rule(x.Name).Args) == 0:
		case a == nil:
			if !k.IsParam(x.Name) {
				panic(throw.Of(k.Errorf("statement %s uses %s, which is not defined", s.ID, x.Name)))
			}
		case !a.IsValue && len(a.Shape) > 0:
			panic(throw.Of(k.Errorf("statement %s uses array %s without an index", s.ID, x.Name)))
		}
	case *expr.Access:
		k.checkAccess(s, x)
	case *expr.Reduce:
		for _, n := range x.Inames {
			if !k.IsIname(n) {
				panic(throw.Of(k.Errorf("statement %s reduces over %s, which is not an iname", s.ID, n)))
			}
			if slices.Contains(scope, n) {
				panic(throw.Of(k.Errorf("statement %s reduces over iname %s, which it is within already", s.ID, n)))
			}
		}
		scope = slices.Concat(scope, x.Inames)
	case *expr.Call:
		k.checkCall(s, x)
	}
	for _, c := range expr.Children(e) {
		k.checkExpr(s, c, scope)
	}
}

func (k *Kernel) checkAccess(s *Stmt, x *expr.Access) {
	a := k.Array(x.Array)
	if a == nil || a.IsValue {
		panic(throw.Of(k.Errorf("statement %s accesses %s, which is not an array", s.ID, x)))
	}
	if len(a.Shape) != len(x.Index) {
		panic(throw.Of(k.Errorf("statement %s: %s has %d indices, array %s has %d axes", s.ID, x, len(x.Index), x.Array, len(a.Shape))))
	}
	if x.As != "" && (!x.As.Known() || a.DType == "" || x.As.IsVector() || x.As.Size()%a.DType.Size() != 0) {
		panic(throw.Of(k.Errorf("statement %s: %s takes %s from an array of %s", s.ID, x, x.As, a.DType)))
	}
	if x.Lanes > 0 {
		if err := a.checkVector(x); err != nil {
			panic(throw.Of(k.Errorf("statement %s: %w", s.ID, err)))
		}
	}
}

func (k *Kernel) checkCall(s *Stmt, x *expr.Call) {
	if f := k.Function(x.Func); f != nil {
		if len(f.Params) != len(x.Args) {
			panic(throw.Of(k.Errorf("statement %s: function %s takes %s, not %d", s.ID, x.Func, format.Count(len(f.Params), "operand"), len(x.Args))))
		}
		return
	}
	if k.Rule(x.Func) == nil && !expr.IsFunction(x.Func) {
		panic(throw.Of(k.Errorf("statement %s calls %s, which is neither a rule nor a known function; %s", s.ID, x.Func, source.Suggest(x.Func, expr.Functions()))))
	}
	if n, _ := expr.Arity(x.Func); k.Rule(x.Func) == nil && n != len(x.Args) {
		panic(throw.Of(k.Errorf("statement %s: %s takes %s, not %d", s.ID, x.Func, format.Count(n, "operand"), len(x.Args))))
	}
}

// checkVector: the elements of a vector are adjacent in memory.
func (a *Array) checkVector(x *expr.Access) error {
	switch {
	case !expr.AreLanes(x.Lanes):
		return fmt.Errorf("%s has %d lanes; there are vectors of 2, 3, 4, 8 and 16", x, x.Lanes)
	case len(x.Index) == 0 || len(a.Shape) == 0:
		return fmt.Errorf("%s takes a vector from a scalar", x)
	case a.DType != "" && !a.TypeOf(x).Vector(x.Lanes).Known():
		return fmt.Errorf("%s takes a vector of %s, a type that has no vectors", x, a.DType)
	}
	strides, err := a.Strides()
	if err != nil {
		return err
	}
	if last := strides[len(strides)-1]; !expr.Equal(last, expr.Int{Value: 1}) {
		return fmt.Errorf("%s takes a vector along an axis whose elements have a distance of %s, not 1", x, last)
	}
	return nil
}

// checkReductions: only right-hand sides have reductions, where RealizeReduction can replace them.
func (k *Kernel) checkReductions() error {
	for _, s := range k.Statements {
		for i, e := range s.Exprs() {
			if i != 1 && len(expr.Reductions(e)) > 0 {
				return k.Errorf("statement %s: %s has a reduction; assign it to a temporary first", s.ID, e)
			}
		}
	}
	return nil
}

// checkTags: tags belong to inames, and no two inames of a statement share a hardware axis.
func (k *Kernel) checkTags() error {
	for _, n := range slices.Sorted(maps.Keys(k.Tags)) {
		if !k.IsIname(n) {
			return k.Errorf("tag %s on %s, which is not an iname", k.Tags[n], n)
		}
		if err := k.CheckTag(n); err != nil {
			return err
		}
	}
	return nil
}

// checkArrays: layouts fit shapes, element types exist, shapes use parameters only.
func (k *Kernel) checkArrays() error {
	for _, a := range k.Arrays() {
		if a.DType != "" && !a.DType.Known() {
			return k.Errorf("%s: unknown element type %q", a.Name, a.DType)
		}
		if space := k.SpaceOf(a.Name); a.DType.IsVector() && (a.IsValue || space != Private) {
			return k.Errorf("%s is of type %s, which only private temporaries may have: make it %s, and access %d elements at a time, %s[...; %d]",
				a.Name, a.DType, a.DType.Base(), a.DType.Lanes(), a.Name, a.DType.Lanes())
		}
		if a.IsValue {
			continue
		}
		for axis, size := range a.Shape {
			var bad string
			expr.FreeVars(size, func(n string) {
				if !k.IsParam(n) {
					bad = n
				}
			})
			if bad != "" {
				return k.Errorf("the size of axis %d of %s is %s, and %s is not a parameter", axis, a.Name, size, bad)
			}
		}
		if a.Axes != nil && len(a.Axes) != len(a.Shape) {
			return k.Errorf("array %s has %d axes and a layout of %d", a.Name, len(a.Shape), len(a.Axes))
		}
	}
	return nil
}

// checkRaces: different work-items write different elements, and read private temporaries that they wrote themselves.
func (k *Kernel) checkRaces() error {
	writers := map[string][]*Stmt{} // of private temporaries that are not PerItem
	for _, s := range k.Statements {
		if a := k.Array(s.Target()); a != nil && k.IsTemp(a.Name) && k.SpaceOf(a.Name) == Private && !a.PerItem {
			writers[a.Name] = append(writers[a.Name], s)
		}
	}
	for _, s := range k.Statements {
		for _, w := range k.Writes(s) {
			if s.Atomic && k.Array(w.Array).Space == Private {
				return k.Errorf("statement %s updates %s atomically, which no other work-item can access: it is private", s.ID, w.Array)
			}
			if iname, space, err := k.writesShared(s, w); err != nil {
				return err
			} else if iname != "" {
				return k.Errorf("statement %s: every value of %s (%s) writes the same element %s of %s memory; index it by %s, or let one value of %s write ({if=...})",
					s.ID, iname, k.Tags[iname], w, space, iname, iname)
			}
		}
		for _, r := range k.Reads(s) {
			if iname, writer := k.readsOther(s, writers[r.Array]); iname != "" {
				return k.Errorf("statement %s reads %s, which statement %[5]s writes for each value of %[3]s (%[4]s) separately; %[6]s is not an iname of %[7]s",
					s.ID, r.Array, iname, k.Tags[iname], writer, iname, s.ID)
			}
		}
	}
	return nil
}

// writesShared finds a parallel iname of s that does not index the written element, although all its work-items share
// that element. Statements with predicates are exempt: a predicate may let a single work-item write. The interpreter
// checks them, and kernels whose barriers are explicit.
func (k *Kernel) writesShared(s *Stmt, w *expr.Access) (iname string, space Space, err error) {
	space = k.SpaceOf(w.Array)
	if space == Private || len(s.Predicates) > 0 || s.Atomic || k.ExplicitBarriers {
		return "", space, nil
	}
	for _, n := range s.Inames {
		kind := k.Tags[n].Kind
		if kind != LocalAxis && (kind != GroupAxis || space != Global) {
			continue
		}
		used := false
		for _, e := range w.Index {
			used = used || expr.Mentions(e, n)
		}
		if used {
			continue
		}
		e, err := k.AffineOf(expr.Var{Name: n})
		if err != nil {
			return "", space, err
		}
		lo, hi, hasLo, hasHi, err := k.Interval(e, k.Inames())
		if err != nil {
			return "", space, err
		}
		if !hasLo || !hasHi || lo != hi {
			return n, space, nil
		}
	}
	return "", space, nil
}

// readsOther finds a local or group iname of a writer of a private temporary that s, which reads the temporary, is not
// within.
func (k *Kernel) readsOther(s *Stmt, writers []*Stmt) (iname, writer string) {
	if len(writers) == 0 {
		return "", ""
	}
	all := s.AllInames()
	for _, w := range writers {
		for _, n := range w.Inames {
			if kind := k.Tags[n].Kind; (kind == LocalAxis || kind == GroupAxis) && !slices.Contains(all, n) {
				return n, w.ID
			}
		}
	}
	return "", ""
}
