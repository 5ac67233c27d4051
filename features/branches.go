package features

import (
	"fmt"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// scope is the part of a statement's domain in which an expression is evaluated: where affine conditions hold. There are none unless
// branches are counted exactly.
type scope struct {
	stmt  *kernel.Stmt
	conds []expr.Expr
	maybe bool // whether it is evaluated at all depends on data
}

// scopeOf is the scope of the assignment of s.
func (c *counter) scopeOf(s *kernel.Stmt) scope {
	at := scope{stmt: s}
	for _, p := range s.Predicates {
		at = c.under(at, p)
	}
	return at
}

// under narrows a scope to where the condition holds. By default the sides of a branch are all counted, as a device runs
// them one after the other where work-items diverge (Stevens and Klöckner, section 4). Exact counts take the terms of the
// condition that are affine; others, which depend on data, may hold everywhere.
func (c *counter) under(at scope, condition expr.Expr) scope {
	if !c.opt.ExactBranches {
		return at
	}
	op, _ := condition.(*expr.Op)
	if op != nil && op.Kind == expr.And {
		for _, arg := range op.Args {
			at = c.under(at, arg)
		}
		return at
	}
	if op != nil && op.Kind == expr.Not {
		if inner, ok := op.Args[0].(*expr.Op); ok && inner.Kind == expr.Or {
			for _, arg := range inner.Args {
				at = c.under(at, expr.Negate(arg))
			}
			return at
		}
	}
	if c.k.IsAffineCondition(condition) {
		at.conds = append(at.conds[:len(at.conds):len(at.conds)], condition)
	} else {
		at.maybe = true
	}
	return at
}

// domainOf is the set of points of a scope; dimensions are the inames of its statement.
func (c *counter) domainOf(at scope) *polycount.Set {
	key := at.String()
	if d, ok := c.domains[key]; ok {
		return d
	}
	d := throw.Get(c.k.DomainOf(at.stmt.Inames))
	for _, condition := range at.conds {
		d = throw.Get(c.k.Restrict(d, condition))
	}
	c.domains[key] = d
	return d
}

// pointsOf is domainOf at the sizes of the count. Strides come from domainOf, so that they are the same at all sizes.
func (c *counter) pointsOf(at scope) *polycount.Set {
	d := c.domainOf(at)
	return c.fixed(d.Within(c.limit.budget))
}

// String is equal for scopes with equal points.
func (at scope) String() string {
	text := strings.Join(at.stmt.Inames, ", ")
	for _, condition := range at.conds {
		text += fmt.Sprintf(" where %s", condition)
	}
	return text
}
