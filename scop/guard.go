package scop

import (
	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// A branch on data is taken apart by choices: what is assigned to x in it is the new value or, where the condition does not hold, what x has. Such a statement
// runs at all points of its domain and reads x, so that all that is found out of loads and stores is sound.

// guard is a condition on data around a statement.
type guard struct {
	cond cfront.Expr
	not  bool // it does not hold
}

// guarded follows a branch whose condition depends on data. What of the condition is affine narrows where the branch runs.
func (b *builder) guarded(x *cfront.If, at scope, place int64) int64 {
	then := at
	var rest cfront.Expr
	for _, c := range conjuncts(x.Cond) {
		b.domain = then.domain
		var holds *polycount.Set
		switch {
		case b.attempt(func() { holds = b.condition(c) }):
			both, err := then.domain.Intersect(holds)
			b.try(x.Pos, err)
			then.domain = b.simple(x.Pos, both)
		case rest == nil:
			rest = c
		default:
			rest = cfront.Operation(x.Pos, "&&", rest, c)
		}
	}
	outer := b.guards
	b.depth++
	defer func() { b.guards, b.depth = outer, b.depth-1 }()
	if x.Else == nil && isAssignment(x.Then) {
		b.guards = appended(outer, guard{rest, false})
		b.fork(x, nil, func() { place = b.statement(x.Then, then, place) }, func() {})
		return place
	}
	// The condition is evaluated once: what the branch assigns may change it.
	_, holds := cfront.Temporary("holds", cfront.Zero(x.Pos))
	b.uses.written[holds.Var] = true
	whole := x.Cond
	if t, ok := whole.(*cfront.Binary); !ok || cexpr.Tests[t.Op] == "" {
		whole = cfront.Operation(x.Pos, "!=", whole, cfront.Zero(x.Pos))
	}
	for _, g := range outer {
		op := "!="
		if g.not {
			op = "=="
		}
		whole = cfront.Operation(x.Pos, "&&", cfront.Operation(x.Pos, op, g.cond, cfront.Zero(x.Pos)), whole)
	}
	b.guards = nil
	place = b.assign(x.Pos, holds, whole, at, place)
	b.fork(x, nil, func() {
		b.guards = []guard{{holds, false}}
		place = b.statement(x.Then, then, place)
	}, func() {
		if x.Else != nil {
			b.guards = appended(outer, guard{holds, true})
			place = b.statement(x.Else, at, place)
		}
	})
	return place
}

// isAssignment reports that a statement is one assignment.
func isAssignment(s cfront.Stmt) bool {
	switch x := s.(type) {
	case *cfront.Block:
		return len(x.Items) == 1 && isAssignment(x.Items[0])
	case *cfront.Do:
		a, ok := x.X.(*cfront.Assign)
		if ok {
			_, ok = a.Value.(*cfront.Assign)
		}
		return x.X != nil && !ok
	}
	return false
}

// conjuncts are the conditions that hold together where one does.
func conjuncts(e cfront.Expr) []cfront.Expr {
	if x, ok := e.(*cfront.Binary); ok && x.Op == "&&" {
		return append(conjuncts(x.X), conjuncts(x.Y)...)
	}
	return []cfront.Expr{e}
}

// choose is the value of a guarded assignment: what read reads, else what the target has. A variable that is declared under the same conditions has nothing else.
func (b *builder) choose(to cfront.Expr, read func() expr.Expr, from expr.DType) expr.Expr {
	out := &expr.Cond{}
	for _, g := range b.guards {
		c := b.truth(g.cond)
		if g.not {
			c = expr.Negate(c)
		}
		if out.If == nil {
			out.If = c
		} else {
			out.If = &expr.Op{Kind: expr.And, Args: []expr.Expr{out.If, c}}
		}
	}
	out.Then = cexpr.Converted(read(), from, to.Type())
	r, scalar := to.(*cfront.Ref)
	switch {
	case scalar && b.inner[r.Var] == b.depth:
		out.Else = cexpr.Converted(expr.Int{}, expr.Int32, to.Type())
	case scalar: // what is known of it is what it has where the condition holds
		b.access(r, r.Var, false, nil)
		out.Else = expr.Var{Name: b.name(r.Var)}
	default:
		out.Else = b.value(to)
	}
	return out
}
