package features

import (
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
)

// countOps counts the operations of one execution of s: both sides of a select and none of the predicates, unless branches are exact.
func (c *counter) countOps(s *kernel.Stmt) error {
	if c.opt.Least {
		return c.countUpdate(s)
	}
	if err := c.operations(c.scopeOf(s)).Statement(s); err != nil || !c.opt.ExactBranches {
		return err
	}
	at := scope{stmt: s}
	for _, p := range s.Predicates {
		if err := c.operations(at).Visit(p); err != nil {
			return err
		}
		at = c.under(at, p)
	}
	return nil
}

// countUpdate counts the one operation of a statement that adds to a variable which its own loops change, or multiplies its own: another product may be
// part of a multiply-add, and so may this one where a statement beside it adds to the variable.
func (c *counter) countUpdate(s *kernel.Stmt) (err error) {
	defer throw.Catch(&err)
	op, ok := s.RHS.(*expr.Op)
	if !ok || !slices.Contains([]expr.OpKind{expr.Add, expr.Sub, expr.Mul}, op.Kind) {
		return nil
	}
	changed := func(name string) bool {
		return (op.Kind != expr.Mul || name == s.Target() && !c.isAdded(name, s)) && c.changes(name, s)
	}
	changes := expr.Any(op, func(e expr.Expr) bool {
		switch x := e.(type) {
		case expr.Var:
			return changed(x.Name)
		case *expr.Access:
			return changed(x.Array)
		}
		return false
	})
	t, err := c.k.TypeOf(s.LHS)
	if err != nil || !changes || !t.Base().IsFloat() {
		return err
	}
	at := c.scopeOf(s)
	if c.dependsOnData(c.domainOf(at)) != nil {
		return nil
	}
	c.add(Op{"madd", t.Base(), SubGroup}, at, SubGroup, t.Lanes())
	return nil
}

// changes reports whether a statement in the same loops as s writes a variable.
func (c *counter) changes(name string, s *kernel.Stmt) bool {
	return slices.ContainsFunc(c.k.Statements, func(o *kernel.Stmt) bool {
		return slices.Equal(o.Inames, s.Inames) && slices.ContainsFunc(c.k.Writes(o), func(w *expr.Access) bool { return w.Array == name })
	})
}

// isAdded reports whether a statement in the same loops as s adds something to a variable.
func (c *counter) isAdded(name string, s *kernel.Stmt) bool {
	return slices.ContainsFunc(c.k.Statements, func(o *kernel.Stmt) bool {
		op, ok := o.RHS.(*expr.Op)
		return ok && (op.Kind == expr.Add || op.Kind == expr.Sub) && slices.Equal(o.Inames, s.Inames) &&
			slices.ContainsFunc(c.k.Reads(o), func(r *expr.Access) bool { return r.Array == name })
	})
}

// operations counts the operations of expressions in a scope.
func (c *counter) operations(at scope) ops.Visitor {
	v := ops.Visitor{Kernel: c.k, NoMadd: c.opt.NoMadd, IndexOps: c.opt.IndexOps}
	v.Found = func(op string, t expr.DType, n int64) { c.add(Op{op, t, SubGroup}, at, SubGroup, n) }
	if c.opt.FreeControl {
		v.Skip = c.k.IsAffineCondition
	}
	if c.opt.ExactBranches {
		v.Under = func(condition expr.Expr) ops.Visitor { return c.operations(c.under(at, condition)) }
	}
	return v
}
