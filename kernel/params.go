package kernel

import (
	"slices"
	"sort"
	"strings"

	"gpuperf/kernel/expr"
)

// FixParameters replaces parameters and integer value arguments by constants.
func (k *Kernel) FixParameters(values map[string]int64) (*Kernel, error) {
	c := k.clone()
	by := map[string]expr.Expr{}
	var names []string
	for name, v := range values {
		if k.IsIname(name) {
			return nil, k.errorf("cannot fix %s: it is an iname, not a parameter (%s)", name, listNames(k.Params()))
		}
		if !k.IsParam(name) {
			return nil, k.errorf("cannot fix %s: it is no parameter of the kernel (%s)", name, listNames(k.Params()))
		}
		by[name] = expr.Int{Value: v}
		names = append(names, name)
	}
	sort.Strings(names)
	var err error
	for i, d := range c.Domains {
		if c.Domains[i], err = d.Fix(values); err != nil {
			return nil, k.errorf("fixing %s: %w", listNames(names), err)
		}
	}
	if c.Assumptions != nil {
		if c.Assumptions, err = c.Assumptions.Fix(values); err != nil {
			return nil, k.errorf("fixing %s: %w", listNames(names), err)
		}
		empty, err := c.Assumptions.IsEmpty()
		if err != nil {
			return nil, k.errorf("fixing %s: %w", listNames(names), err)
		}
		if empty {
			return nil, k.errorf("fixing %s contradicts the assumptions %s", describeValues(names, values), k.Assumptions)
		}
	}
	sub := func(e expr.Expr) expr.Expr { return foldSizes(expr.Subst(e, by)) }
	c.mapStmts(func(s *Stmt) { s.mapExprs(func(e expr.Expr) expr.Expr { return expr.Subst(e, by) }) })
	for i, v := range c.Values {
		c.Values[i].Value = expr.Subst(v.Value, expr.Without(by, []string{v.Index}))
	}
	for i, a := range c.Averages {
		c.Averages[i] = Average{foldSizes(expr.Subst(a.Of, by)), expr.Subst(a.Value, by)}
	}
	for i, r := range c.Rules {
		c.Rules[i] = &Rule{r.Name, r.Args, expr.Subst(r.Body, expr.Without(by, r.Args))}
	}
	for _, list := range [2][]*Array{c.Args, c.Temps} {
		for i, a := range list {
			a := *a
			a.Shape = mapList(a.Shape, sub)
			a.Axes = slices.Clone(a.Axes)
			for j, x := range a.Axes {
				a.Axes[j].Stride = sub(x.Stride)
			}
			a.Offset = sub(a.Offset)
			list[i] = &a
		}
	}
	c.Args = slices.DeleteFunc(c.Args, func(a *Array) bool { return a.IsValue && by[a.Name] != nil })
	return c, nil
}

func describeValues(names []string, values map[string]int64) string {
	var parts []string
	for _, n := range names {
		parts = append(parts, n+"="+expr.Int{Value: values[n]}.String())
	}
	return strings.Join(parts, ", ")
}

func mapList(list []expr.Expr, f func(expr.Expr) expr.Expr) []expr.Expr {
	if list == nil {
		return nil
	}
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}

// foldSizes computes what has become constant in a size expression.
func foldSizes(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		x, ok := e.(*expr.Op)
		if !ok {
			return e
		}
		if a, err := expr.ToAffine(x, nil); err == nil && a.IsConstant() {
			return expr.Int{Value: a.Constant()}
		}
		if x.Kind != expr.Min && x.Kind != expr.Max {
			return e
		}
		var best int64
		for i, a := range x.Args {
			v, ok := a.(expr.Int)
			if !ok {
				return e
			}
			if i == 0 || (x.Kind == expr.Min) == (v.Value < best) {
				best = v.Value
			}
		}
		return expr.Int{Value: best}
	})
}

// PrioritizeLoops asks for a nesting order of the loops, outermost first. Later requests give way to earlier ones.
func (k *Kernel) PrioritizeLoops(inames []string) (*Kernel, error) {
	for i, n := range inames {
		if !k.IsIname(n) {
			return nil, k.unknownIname(n)
		}
		if slices.Contains(inames[:i], n) {
			return nil, k.errorf("loop priority names iname %s twice", n)
		}
	}
	c := k.clone()
	c.Priorities = append(c.Priorities, slices.Clone(inames))
	return c, nil
}

// AddDTypes sets the element types of arguments and temporaries. A type that was set differently before is an error.
func (k *Kernel) AddDTypes(types map[string]expr.DType) (*Kernel, error) {
	c := k.clone()
	var names []string
	for name := range types {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		a := c.Array(name)
		if a == nil {
			return nil, k.errorf("dtype for %s, which is no argument or temporary of the kernel", name)
		}
		if !types[name].Known() {
			return nil, k.errorf("%s: unknown element type %q (%s)", name, types[name], expr.KnownDTypes)
		}
		if a.DType != "" && a.DType != types[name] && !(a.IsValue && k.inferredParam(a)) {
			return nil, k.errorf("%s has dtype %s already, not %s", name, a.DType, types[name])
		}
		n := *a
		n.DType = types[name]
		c.setArray(&n)
	}
	return c, nil
}

// inferredParam reports whether the value argument has the type that Make gives to parameters by itself.
func (k *Kernel) inferredParam(a *Array) bool { return a.DType == expr.Int32 && k.IsParam(a.Name) }

// AddDependency makes the statements that match depend on the others.
func (k *Kernel) AddDependency(match, on string) (*Kernel, error) {
	c := k.clone()
	from, err := k.matchSome(match)
	if err != nil {
		return nil, err
	}
	to, err := k.matchSome(on)
	if err != nil {
		return nil, err
	}
	for i, s := range c.Statements {
		if !slices.Contains(from, s) {
			continue
		}
		n := *s
		for _, t := range to {
			if t != s {
				n.Deps = addSorted(n.Deps, t.ID)
			}
		}
		c.Statements[i] = &n
	}
	if err := c.checkDeps(); err != nil {
		return nil, err
	}
	return c, nil
}
