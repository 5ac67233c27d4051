package features

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
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
func (c *counter) domainOf(at scope) (*polycount.Set, error) {
	key := at.String()
	if d, ok := c.domains[key]; ok {
		return d, nil
	}
	d, err := c.k.DomainOf(at.stmt.Inames)
	for _, condition := range at.conds {
		if err == nil {
			d, err = c.k.Restrict(d, condition)
		}
	}
	if err == nil {
		c.domains[key] = d
	}
	return d, err
}

// pointsOf is domainOf at the sizes of the count. Strides come from domainOf, so that they are the same at all sizes.
func (c *counter) pointsOf(at scope) (*polycount.Set, error) {
	d, err := c.domainOf(at)
	if err != nil {
		return nil, err
	}
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
// part of a multiply-add.
func (c *counter) countUpdate(s *kernel.Stmt) error {
	op, ok := s.RHS.(*expr.Op)
	if !ok || !slices.Contains([]expr.OpKind{expr.Add, expr.Sub, expr.Mul}, op.Kind) {
		return nil
	}
	changed := func(name string) bool { return (op.Kind != expr.Mul || name == s.Target()) && c.changes(name, s) }
	changes := false
	expr.Walk(op, func(e expr.Expr) bool {
		switch x := e.(type) {
		case expr.Var:
			changes = changes || changed(x.Name)
		case *expr.Access:
			changes = changes || changed(x.Array)
		}
		return !changes
	})
	t, err := c.k.TypeOf(s.LHS)
	if err != nil || !changes || !t.Base().IsFloat() {
		return err
	}
	at := c.scopeOf(s)
	domain, err := c.domainOf(at)
	if err != nil || c.dependsOnData(domain) != nil {
		return err
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
