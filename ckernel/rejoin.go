package ckernel

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel/expr"
)

// rejoin goes on where control comes from the end of some statements and from jumps to the same place: with what is known at either, at the points
// of all. Before is where these statements began.
func (b *bindings) rejoin(before live, exits []exit) {
	b.joinKnown(before, exits)
	var parts []live
	if !b.live.dead {
		parts = append(parts, b.live)
	}
	for _, e := range exits {
		parts = append(parts, e.live)
	}
	b.live = b.together(before, parts)
}

// joinKnown joins what is known where jumps have left some statements with what is known at their end.
func (b *bindings) joinKnown(before live, exits []exit) {
	dead := b.live.dead
	for _, e := range exits {
		if dead {
			b.env, dead = e.env, false
			continue
		}
		when := e.live.domain
		if len(e.live.preds) > len(before.preds) {
			when = nil
		}
		b.env = b.merge(when, e.env, b.env)
	}
}

// together is live at the points of all parts, which are some of those before.
func (b *faults) together(before live, parts []live) live {
	out := before
	out.dead = len(parts) == 0
	onData := slices.ContainsFunc(parts, func(l live) bool { return len(l.preds) > len(before.preds) })
	switch {
	case out.dead:
	case len(parts) == 1:
		return parts[0]
	case !onData:
		out.domain = parts[0].domain
		for _, l := range parts[1:] {
			out.domain = b.union(out.domain, l.domain)
		}
		if out.domain = b.simple(out.domain); b.inside(before.domain, out.domain) {
			out.domain = before.domain
		}
	default:
		var sides []expr.Expr
		for _, l := range parts {
			sides = append(sides, b.side(before, l))
		}
		out.preds = append(slices.Clip(out.preds), &expr.Op{Kind: expr.Or, Args: sides})
	}
	return out
}

// side is a predicate that holds at those points of a set of points that are in a part of it.
func (b *faults) side(whole, part live) expr.Expr {
	all := slices.Clone(part.preds[len(whole.preds):])
	rest, err := part.domain.Gist(whole.domain)
	b.try(err)
	all = append(all, cexpr.Predicates(rest)...)
	switch len(all) {
	case 0:
		return cexpr.Disjunction(everywhere())
	case 1:
		return all[0]
	}
	return &expr.Op{Kind: expr.And, Args: all}
}

// leaves reports whether a jump in the body of a loop leaves that loop.
func leaves(s cfront.Stmt) bool { return leavesBy(s, true) }

func leavesBy(s cfront.Stmt, breaks bool) bool {
	switch x := s.(type) {
	case nil:
		return false
	case *cfront.Jump:
		return x.What == "return" || breaks && x.What == "break"
	case *cfront.For, *cfront.While:
		breaks = false
	}
	inner, _ := cfront.Inside(s)
	return slices.ContainsFunc(inner, func(s cfront.Stmt) bool { return leavesBy(s, breaks) })
}
