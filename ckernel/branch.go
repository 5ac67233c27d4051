package ckernel

import (
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

func (b *builder) branch(x *cfront.If) {
	c := b.truth(x.Cond)
	b.nextStatement()
	if c.pred == nil { // decided, or a set
		then := b.both(b.live.domain, c.set)
		if b.isEmpty(then) {
			b.statement(x.Else)
			return
		}
		other, err := b.live.domain.Subtract(c.points())
		b.try(err)
		if b.isEmpty(other) {
			b.statement(x.Then)
			return
		}
		b.twoWays(decision{set: c.set}, b.narrowed(then), b.narrowed(b.simple(other)), func() { b.statement(x.Then) }, func() { b.statement(x.Else) })
		return
	}
	if b.isEmpty(b.both(b.live.domain, c.set)) {
		b.statement(x.Else)
		return
	}
	when := decision{}
	then, other := b.onData(x.Cond.Place(), &c)
	if flag, is := c.pred.(*expr.Op).Args[0].(expr.Var); is && c.set == nil {
		when.flag = flag.Name
	}
	b.twoWays(when, then, other, func() { b.statement(x.Then) }, func() { b.statement(x.Else) })
}

// onData evaluates a condition on data, as a flag that it is from then on, and is where it holds, and where not.
func (b *position) onData(at cfront.Pos, c *condition) (then, other live) {
	before := b.live
	b.live = b.narrowed(b.both(before.domain, c.set))
	then, other = b.live, before
	flag := expr.Var{Name: b.scratch("holds", expr.Int32)}
	b.assignTemp(at, flag.Name, cexpr.Number(c.pred))
	c.pred = expr.Binary(expr.Ne, flag, expr.Int{})
	then.preds = append(slices.Clip(then.preds), c.pred)
	not := expr.Binary(expr.Eq, flag, expr.Int{})
	if c.set != nil {
		not = &expr.Op{Kind: expr.Or, Args: []expr.Expr{expr.Negate(cexpr.Disjunction(c.set)), not}}
	}
	other.preds = append(slices.Clip(other.preds), not)
	b.live = before
	return then, other
}

func (c condition) points() *polycount.Set {
	if c.set == nil {
		return everywhere()
	}
	return c.set
}

// narrowed is live on fewer points.
func (b *position) narrowed(domain *polycount.Set) live {
	return live{domain: b.simple(domain), preds: b.live.preds}
}

// twoWays follows both sides of a branch, of which a decision takes one.
func (b *builder) twoWays(when decision, then, other live, first, second func()) {
	before, env := b.live, maps.Clone(b.env)
	b.live = then
	first()
	afterThen, thenEnv := b.live, b.env
	b.live, b.env = other, env
	second()
	afterElse, elseEnv := b.live, b.env
	switch {
	case afterThen.dead && afterElse.dead:
		b.live = before
		b.live.dead = true
	case afterThen.dead:
		b.live, b.env = afterElse, elseEnv
	case afterElse.dead:
		b.live, b.env = afterThen, thenEnv
	default:
		b.env = b.merge(when, thenEnv, elseEnv)
		b.live = before
		if !afterThen.same(then) || !afterElse.same(other) {
			b.live = b.together(before, []live{afterThen, afterElse})
		}
	}
}

// same reports whether nothing has left since.
func (l live) same(o live) bool {
	return l.dead == o.dead && len(l.preds) == len(o.preds) && (l.domain == o.domain || l.domain.SameForm(o.domain))
}

// jump follows break, continue, return and goto.
func (b *builder) jump(x *cfront.Jump) {
	f, through := b.target(x)
	switch {
	case x.What == "return":
		switch {
		case x.Value != nil && f.result != nil:
			b.assign(x.Pos, f.result, x.Value)
		case x.Value != nil: // of a call without a value
			b.effect(x.Value)
		}
		b.leaveThrough(x, f, through)
		if f == b.frames[0] {
			b.leaveKernel()
		}
	case x.What == "goto":
		b.leaveThrough(x, f, through)
	case x.What == "continue":
		f.exits = append(f.exits, exit{maps.Clone(b.env), b.live})
	default:
		b.leave(x, f)
	}
	b.live.dead = true
}
