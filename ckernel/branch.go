package ckernel

import (
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// branch follows an if.
func (b *builder) branch(x *cfront.If) {
	c := b.truth(x.Cond)
	b.results = map[*cfront.Call]outcome{}
	if c.pred == nil { // decided, or a set
		then := b.both(b.live.domain, c.set)
		if b.isEmpty(then) {
			b.statement(x.Else)
			return
		}
		other, err := b.live.domain.Subtract(b.setOf(c))
		b.try(err)
		if b.isEmpty(other) {
			b.statement(x.Then)
			return
		}
		b.twoWays(x, c.set, b.narrowed(then), b.narrowed(b.simple(other)))
		return
	}
	before := b.live
	b.live = b.narrowed(b.both(before.domain, c.set))
	if b.isEmpty(b.live.domain) {
		b.live = before
		b.statement(x.Else)
		return
	}
	flag := expr.Var{Name: b.scratch("holds", expr.Int32)}
	b.assignTemp(x.Cond.Place(), flag.Name, cexpr.Number(c.pred))
	then := b.live
	then.preds = append(slices.Clip(then.preds), expr.Binary(expr.Ne, flag, expr.Int{}))
	other := before
	not := expr.Binary(expr.Eq, flag, expr.Int{})
	if c.set != nil {
		not = &expr.Op{Kind: expr.Or, Args: []expr.Expr{expr.Negate(cexpr.Disjunction(c.set)), not}}
	}
	other.preds = append(slices.Clip(other.preds), not)
	b.live = before
	b.twoWays(x, nil, then, other)
}

func (b *builder) setOf(c condition) *polycount.Set {
	if c.set == nil {
		return everywhere()
	}
	return c.set
}

// narrowed is live on fewer points.
func (b *builder) narrowed(domain *polycount.Set) live {
	return live{domain: b.simple(domain), preds: b.live.preds}
}

// twoWays follows both sides of a branch, of which the first runs where a set holds; nil where that depends on data.
func (b *builder) twoWays(x *cfront.If, when *polycount.Set, then, other live) {
	before, env := b.live, maps.Clone(b.env)
	b.live = then
	b.statement(x.Then)
	afterThen, thenEnv := b.live, b.env
	b.live, b.env = other, env
	b.statement(x.Else)
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
			b.live = b.eitherLive(before, then, afterThen, other, afterElse)
		}
	}
}

// same reports whether nothing has left since.
func (l live) same(o live) bool {
	return l.dead == o.dead && len(l.preds) == len(o.preds) && (l.domain == o.domain || l.domain.SameForm(o.domain))
}

// eitherLive is live at the points that either side of a branch reaches its end from.
func (b *builder) eitherLive(before, then, afterThen, other, afterElse live) live {
	if len(afterThen.preds) == len(before.preds) && len(afterElse.preds) == len(before.preds) {
		return live{domain: b.simple(b.union(afterThen.domain, afterElse.domain)), preds: before.preds}
	}
	side := func(start, end live) expr.Expr {
		all := slices.Clone(end.preds[len(before.preds):])
		rest, err := end.domain.Gist(start.domain)
		b.try(err)
		all = append(all, cexpr.Predicates(rest)...)
		if len(all) == 0 {
			return cexpr.Disjunction(everywhere())
		}
		if len(all) == 1 {
			return all[0]
		}
		return &expr.Op{Kind: expr.And, Args: all}
	}
	out := before
	out.preds = append(slices.Clip(out.preds), &expr.Op{Kind: expr.Or, Args: []expr.Expr{side(then, afterThen), side(other, afterElse)}})
	return out
}

// jump follows break, continue and return.
func (b *builder) jump(x *cfront.Jump) {
	switch x.What {
	case "return":
		i := len(b.frames) - 1
		for ; !b.frames[i].function; i-- {
			if !b.frames[i].copies {
				b.failAt(x.Pos, "let a condition of the loop end it", "a return within a loop")
			}
		}
		f := b.frames[i]
		if x.Value != nil && f.result != nil {
			b.assign(x.Pos, f.result, x.Value)
		}
		for _, inner := range b.frames[i+1:] {
			inner.broke = append(inner.broke, exit{nil, b.live})
		}
		f.exits = append(f.exits, exit{maps.Clone(b.env), b.live})
	case "continue", "break":
		f := b.frames[len(b.frames)-1]
		switch {
		case f.function:
			b.failAt(x.Pos, "", "%s outside of a loop", x.What)
		case x.What == "continue":
			f.exits = append(f.exits, exit{maps.Clone(b.env), b.live})
		default:
			b.leave(x, f)
		}
	default:
		b.failAt(x.Pos, "", "%s has no place in a kernel", x.What)
	}
	b.live.dead = true
}
