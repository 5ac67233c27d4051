package transform

import (
	"maps"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// FixParameters replaces parameters and integer value arguments by constants.
func FixParameters(k *kernel.Kernel, values map[string]int64) (*kernel.Kernel, error) {
	c := k.Clone()
	by := map[string]expr.Expr{}
	for name, v := range values {
		if k.IsIname(name) {
			return nil, k.Errorf("cannot fix %s: it is an iname, not a parameter (%s)", name, nameset.Text(k.Params()))
		}
		if !k.IsParam(name) {
			return nil, k.Errorf("cannot fix %s: it is not a parameter of the kernel (%s)", name, nameset.Text(k.Params()))
		}
		by[name] = expr.Int{Value: v}
	}
	names := slices.Sorted(maps.Keys(values))
	var err error
	for i, d := range c.Domains {
		if c.Domains[i], err = d.Fix(values); err != nil {
			return nil, k.Errorf("fixing %s: %w", nameset.Text(names), err)
		}
	}
	if c.Assumptions != nil {
		if c.Assumptions, err = c.Assumptions.Fix(values); err != nil {
			return nil, k.Errorf("fixing %s: %w", nameset.Text(names), err)
		}
		empty, err := c.Assumptions.IsEmpty()
		if err != nil {
			return nil, k.Errorf("fixing %s: %w", nameset.Text(names), err)
		}
		if empty {
			return nil, k.Errorf("fixing %s contradicts the assumptions %s", describeValues(names, values), k.Assumptions)
		}
	}
	sub := func(e expr.Expr) expr.Expr { return foldSizes(expr.Subst(e, by)) }
	c.MapStmts(func(s *kernel.Stmt) { s.MapExprs(func(e expr.Expr) expr.Expr { return expr.Subst(e, by) }) })
	for i, v := range c.Values {
		c.Values[i].Value = expr.Subst(v.Value, expr.Without(by, []string{v.Index}))
	}
	for i, a := range c.Averages {
		c.Averages[i] = kernel.Average{Of: foldSizes(expr.Subst(a.Of, by)), Value: expr.Subst(a.Value, by)}
	}
	for i, r := range c.Rules {
		c.Rules[i] = &kernel.Rule{Name: r.Name, Args: r.Args, Body: expr.Subst(r.Body, expr.Without(by, r.Args))}
	}
	c.MapArrays(func(a *kernel.Array) {
		a.Shape = slices.Clone(a.Shape)
		for i, size := range a.Shape {
			a.Shape[i] = sub(size)
		}
		a.Axes = slices.Clone(a.Axes)
		for i, x := range a.Axes {
			a.Axes[i].Stride = sub(x.Stride)
		}
		a.Offset = sub(a.Offset)
	})
	c.Args = slices.DeleteFunc(c.Args, func(a *kernel.Array) bool { return a.IsValue && by[a.Name] != nil })
	return c, nil
}

func describeValues(names []string, values map[string]int64) string {
	return lists.Join(names, ", ", func(n string) string { return n + "=" + expr.Int{Value: values[n]}.String() })
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
		if v, ok := expr.EvalInt64(x, nil); ok { // least and greatest values too
			return expr.Int{Value: v}
		}
		return e
	})
}
