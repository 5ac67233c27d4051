package kernel

import "gpuperf/kernel/expr"

// ExpandRules replaces all uses of substitution rules by their bodies.
func (k *Kernel) ExpandRules() (*Kernel, error) {
	if len(k.Rules) == 0 {
		return k, nil
	}
	c := k.clone()
	var bad error
	c.mapStmts(func(s *Stmt) {
		s.mapExprs(func(e expr.Expr) expr.Expr {
			x, err := k.expandExpr(e)
			if err != nil && bad == nil {
				bad = k.errorf("statement %s: %w", s.ID, err)
			}
			return x
		})
	})
	c.Rules = nil
	return c, bad
}
