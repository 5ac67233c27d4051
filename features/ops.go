package features

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
)

// countOps counts the operations of one execution of s: both sides of a select and none of the predicates, unless branches are exact.
func (c *counter) countOps(s *kernel.Stmt) error {
	v := c.operations(c.scopeOf(s))
	if err := v.Visit(s.LHS); err != nil {
		return err
	}
	if err := v.Visit(s.RHS); err != nil || !c.opt.ExactBranches {
		return err
	}
	v = c.operations(scope{stmt: s})
	for _, p := range s.Predicates {
		if err := v.Visit(p); err != nil {
			return err
		}
	}
	return nil
}

// operations counts the operations of expressions in a scope.
func (c *counter) operations(at scope) ops.Visitor {
	v := ops.Visitor{Kernel: c.k, NoMadd: c.opt.NoMadd, IndexOps: c.opt.IndexOps}
	v.Found = func(op string, t expr.DType, n int64) { c.add(Op{op, t, SubGroup}, at, SubGroup, n) }
	if c.opt.ExactBranches {
		v.Under = func(condition expr.Expr) ops.Visitor { return c.operations(c.under(at, condition)) }
	}
	return v
}
