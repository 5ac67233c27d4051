package ckernel

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
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
		b.env = b.merge(decision{set: when}, e.env, b.env)
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

// target is the frame that a jump leaves, with the loops within it that it leaves as well, the innermost first.
func (b *builder) target(x *cfront.Jump) (f *frame, through []*frame) {
	for _, f := range slices.Backward(b.frames) {
		loop := !f.function && f.label == ""
		switch {
		case x.What == "return" && f.function, x.What == "goto" && x.Label != "" && f.label == x.Label:
			return f, through
		case x.What != "return" && x.What != "goto" && loop:
			return f, nil
		case f.function && x.What == "goto":
			b.failAt(x.Pos, "write a loop, or a branch", "a goto that leads backwards or into a block has no place in a kernel")
		case f.function:
			b.failAt(x.Pos, "", "%s outside of a loop", x.What)
		case loop:
			through = append(through, f)
		}
	}
	return nil, nil
}

// leaveThrough follows a jump out of loops, to the end of a frame. Loops whose iterations are declared have a flag that tells it behind them.
func (b *builder) leaveThrough(x *cfront.Jump, f *frame, through []*frame) {
	out := exit{maps.Clone(b.env), b.live}
	for _, l := range through {
		switch {
		case l.copies:
			continue
		case !l.declared && b.trial > 0:
			return
		case !l.declared:
			b.failAt(x.Pos, "declare the average number of iterations, as in "+l.text.example()+", or let a condition of the loop end it", "a %s within a loop", x.What)
		}
		b.assignTemp(x.Pos, l.left, expr.Int{Value: 1})
		out.live = l.before
		out.live.preds = append(slices.Clip(out.live.preds), expr.Binary(expr.Ne, expr.Var{Name: l.left}, expr.Int{}))
	}
	for v, val := range out.env {
		if val.either != nil || val.isNum && !b.known(val.num, out.live) || val.at != nil && val.at.offset != nil && !b.known(val.at.offset, out.live) {
			out.env[v] = value{}
		}
	}
	f.exits = append(f.exits, out)
}

// known reports whether a number is one where control goes on, rather than that of an iteration that was left.
func (b *builder) known(n *expr.Poly, there live) bool {
	return !slices.ContainsFunc(b.open, func(l *loop) bool { return slices.Contains(b.variables(n), l.name) && !there.domain.HasParam(l.name) })
}

// block follows statements, and jumps among them to labels further down.
func (b *builder) block(items []cfront.Stmt) {
	before, depth := b.live, len(b.frames)
	for i, item := range slices.Backward(items) {
		if l, is := item.(*cfront.Other); is && l.Label != "" && slices.ContainsFunc(items[:i], func(s cfront.Stmt) bool { return jumpsTo(s, l.Label) }) {
			b.frames = append(b.frames, &frame{label: l.Label})
		}
	}
	for _, item := range items {
		last := b.frames[len(b.frames)-1]
		if l, is := item.(*cfront.Other); is && len(b.frames) > depth && l.Label == last.label {
			b.frames = b.frames[:len(b.frames)-1]
			if len(last.exits) > 0 {
				b.rejoin(before, last.exits)
			}
		}
		b.statement(item)
	}
}

// jumpsTo reports whether a statement has a goto to a label.
func jumpsTo(s cfront.Stmt, label string) bool {
	for s := range cfront.Statements(s) {
		if j, is := s.(*cfront.Jump); is && j.Label == label {
			return true
		}
	}
	return false
}

// hasLabel reports whether a label stands in a statement.
func hasLabel(s cfront.Stmt, label string) bool {
	for s := range cfront.Statements(s) {
		if l, is := s.(*cfront.Other); is && label != "" && l.Label == label {
			return true
		}
	}
	return false
}

// leaves reports whether a jump in the body of a loop leaves that loop.
func leaves(s cfront.Stmt) bool {
	return jumpsBy(s, []string{"return"}, []string{"break"}) || leavesFor(s, s)
}

// leavesFor reports whether a goto in a part of a statement leaves the statement.
func leavesFor(part, whole cfront.Stmt) bool {
	for s := range cfront.Statements(part) {
		if j, is := s.(*cfront.Jump); is && j.What == "goto" && !hasLabel(whole, j.Label) {
			return true
		}
	}
	return false
}

// jumpsOut reports that a statement may end with a jump out of it.
func jumpsOut(s cfront.Stmt) bool {
	return jumpsBy(s, []string{"return"}, []string{"break", "continue"}) || leavesFor(s, s)
}

// jumpsBy reports whether there are some jumps in a statement, or others that are not of a loop in it.
func jumpsBy(s cfront.Stmt, all, outside []string) bool {
	switch x := s.(type) {
	case nil:
		return false
	case *cfront.Jump:
		return slices.Contains(all, x.What) || slices.Contains(outside, x.What)
	case *cfront.For, *cfront.While:
		outside = nil
	}
	inner, _ := cfront.Inside(s)
	return slices.ContainsFunc(inner, func(s cfront.Stmt) bool { return jumpsBy(s, all, outside) })
}

// All work-items of a group meet at a barrier, in each iteration of the loops around it, or the behaviour is undefined (OpenCL C 3.0, 6.15.8; CUDA C++
// Programming Guide 12, 10.6). It is told where that is not so. Work-items that have returned are told apart, as devices let the others go on.

// leaveKernel notes which work-items return.
func (b *builder) leaveKernel() {
	left := b.outside(b.live.domain)
	if b.gone != nil {
		left = b.union(b.gone, left)
	}
	b.gone = b.simple(left)
}

// outside are the work-items of a set, whatever the iterations of loops.
func (b *position) outside(s *polycount.Set) *polycount.Set {
	var loops []string
	for _, l := range b.open {
		loops = append(loops, l.name)
	}
	return b.without(s, loops)
}

// without is a set without some of its names: where there are values of these.
func (b *faults) without(s *polycount.Set, names []string) *polycount.Set {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !s.HasParam(n) })
	if len(names) == 0 {
		return s
	}
	out, err := s.ToDims(names...).ProjectOut(names...)
	b.try(err)
	return out
}

// items are the indices of work-items in their group.
func (b *grid) items() (names []string) {
	for _, a := range b.axes {
		if a.item != "" {
			names = append(names, a.item)
		}
	}
	return names
}

// meeting notes a doubt where some work-items of a group do not reach a barrier that others reach.
func (b *builder) meeting(at cfront.Pos) {
	domain := b.live.domain
	if domain == b.base || b.meets[domain] {
		return
	}
	missing, err := b.both(b.base, b.without(domain, b.items())).Subtract(domain)
	b.try(err)
	if b.isEmpty(missing) {
		b.meets[domain] = true
		return
	}
	place := fmt.Sprintf("%s:%d:%d: ", at.File, at.Line, at.Column)
	text := place + "not all work-items of a work-group reach this barrier, which is undefined behaviour"
	if b.gone != nil {
		others, err := missing.Subtract(b.gone)
		b.try(err)
		if b.isEmpty(others) {
			text = place + "work-items that have returned do not reach this barrier, which is undefined behaviour where a device waits for them"
		} else {
			missing = others
		}
	}
	inner := slices.DeleteFunc(missing.Params(), func(n string) bool { return b.sizes[n] != nil })
	b.doubts = append(b.doubts, kernel.Doubt{Text: text, Where: b.simple(b.without(missing, inner))})
}

// doubtsOf are the doubts at sizes that the kernel is for.
func (b *flow) doubtsOf() (out []kernel.Doubt) {
	for _, d := range b.doubts {
		d.Where = b.both(d.Where, b.assumed)
		if d.Where == nil || !b.isEmpty(d.Where) {
			out = append(out, d)
		}
	}
	return out
}
