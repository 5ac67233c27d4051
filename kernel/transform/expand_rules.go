package transform

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// ExpandRules replaces all uses of substitution rules by their bodies.
func ExpandRules(k *kernel.Kernel) (*kernel.Kernel, error) {
	if len(k.Rules) == 0 {
		return k, nil
	}
	c := k.Clone()
	var bad error
	c.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(func(e expr.Expr) expr.Expr {
			x, err := k.Expand(e)
			if err != nil && bad == nil {
				bad = k.Errorf("statement %s: %w", s.ID, err)
			}
			return x
		})
	})
	c.Rules = nil
	return c, bad
}
