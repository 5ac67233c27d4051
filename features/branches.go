package features

import (
	"fmt"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// scope is the part of a statement's domain in which an expression is evaluated: where affine conditions hold. There are none unless
// branches are counted exactly.
type scope struct {
	stmt  *kernel.Stmt
	conds []expr.Expr
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
	if c.isAffine(condition) {
		at.conds = append(at.conds[:len(at.conds):len(at.conds)], condition)
	}
	return at
}

// comparisons are the constraints of comparisons of affine expressions; != is not a single constraint.
var comparisons = map[expr.OpKind]func(a, b polycount.Affine) polycount.Constraint{
	expr.Eq: polycount.EQ,
	expr.Ge: polycount.GE,
	expr.Le: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(b, a) },
	expr.Gt: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(a, b.AddInt(1)) },
	expr.Lt: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(b, a.AddInt(1)) },
}

// isAffine reports whether a condition is made of comparisons of affine expressions.
func (c *counter) isAffine(e expr.Expr) bool {
	op, ok := e.(*expr.Op)
	if !ok {
		return false
	}
	switch op.Kind {
	case expr.And, expr.Or, expr.Not:
		for _, arg := range op.Args {
			if !c.isAffine(arg) {
				return false
			}
		}
		return true
	}
	if comparisons[op.Kind] == nil && op.Kind != expr.Ne {
		return false
	}
	for _, arg := range op.Args {
		if _, err := c.affine(arg); err != nil {
			return false
		}
	}
	return true
}

func (c *counter) affine(e expr.Expr) (polycount.Affine, error) {
	return expr.ToAffine(e, func(name string) bool { return c.k.IsIname(name) || c.k.IsParam(name) })
}

// restrict returns the part of a set in which an affine condition holds.
func (c *counter) restrict(set *polycount.Set, condition expr.Expr) (*polycount.Set, error) {
	op := condition.(*expr.Op)
	switch op.Kind {
	case expr.And:
		for _, arg := range op.Args {
			var err error
			if set, err = c.restrict(set, arg); err != nil {
				return nil, err
			}
		}
		return set, nil
	case expr.Or:
		var all *polycount.Set
		for _, arg := range op.Args {
			part, err := c.restrict(set, arg)
			if err == nil && all != nil {
				part, err = all.Union(part)
			}
			if err != nil {
				return nil, err
			}
			all = part
		}
		return all, nil
	case expr.Not, expr.Ne:
		arg := op.Args[0]
		if op.Kind == expr.Ne {
			arg = &expr.Op{Kind: expr.Eq, Args: op.Args}
		}
		part, err := c.restrict(set, arg)
		if err != nil {
			return nil, err
		}
		return set.Subtract(part)
	}
	a, err := c.affine(op.Args[0])
	if err != nil {
		return nil, err
	}
	b, err := c.affine(op.Args[1])
	if err != nil {
		return nil, err
	}
	return set.Constrain(comparisons[op.Kind](a, b))
}

// domainOf is the set of points of a scope; dimensions are the inames of its statement.
func (c *counter) domainOf(at scope) (*polycount.Set, error) {
	key := at.String()
	if d, ok := c.domains[key]; ok {
		return d, nil
	}
	d, err := c.k.DomainOf(at.stmt.Inames)
	for _, condition := range at.conds {
		if err == nil {
			d, err = c.restrict(d, condition)
		}
	}
	if err == nil {
		c.domains[key] = d
	}
	return d, err
}

// String is equal for scopes with equal points.
func (at scope) String() string {
	text := strings.Join(at.stmt.Inames, ", ")
	for _, condition := range at.conds {
		text += fmt.Sprintf(" where %s", condition)
	}
	return text
}
