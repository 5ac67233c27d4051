package offload

import (
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// contract makes private scalars of arrays that only this launch uses and of which each work-item uses one element, in all of its statements: what copies of a scalar
// for the iterations of a parallel loop come to when that loop is one of work-items.
func (c *compiler) contract(n *scop.Nest, arrays map[*scop.Array]*scop.Array, parallel []string) {
	for from, a := range arrays {
		if !from.Local || from.Scattered() || len(from.Shape) == 0 || c.launches[from] != 1 || !onePerItem(n, a, parallel) {
			continue
		}
		a.Shape, a.Local = []expr.Expr{}, true
		c.contracted[from] = true
		scalar := func(e expr.Expr) expr.Expr {
			return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
				if x, ok := e.(*expr.Access); ok && x.Array == a.Name {
					return expr.Var{Name: a.Name}
				}
				return e
			})
		}
		for _, s := range n.Statements {
			s.LHS, s.RHS = scalar(s.LHS), scalar(s.RHS)
			for i := range s.Accesses {
				if s.Accesses[i].Array == a {
					s.Accesses[i].Index = nil
				}
			}
		}
	}
}

// onePerItem reports that all accesses of an array are to one element, for given values of the parallel loops.
func onePerItem(n *scop.Nest, a *scop.Array, parallel []string) bool {
	var one []polycount.Affine
	for _, s := range n.Statements {
		for _, x := range s.Accesses {
			if x.Array != a {
				continue
			}
			if one == nil {
				one = x.Index
			}
			if !slices.EqualFunc(one, x.Index, polycount.Affine.Equal) || slices.ContainsFunc(x.Index, func(i polycount.Affine) bool {
				return slices.ContainsFunc(i.Names(), func(name string) bool { return !slices.Contains(parallel, name) && !slices.Contains(n.Params, name) })
			}) {
				return false
			}
		}
	}
	return true
}
