package lower

import (
	"maps"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
)

// looping is a loop of any kind.
func (l *lowering) looping(s cfront.Stmt) {
	if x, ok := s.(*cfront.For); ok && x.Init != nil {
		l.statement(x.Init)
	}
	x := l.usual(s)
	c := l.counts(x)
	if c != nil {
		if n, ok := l.trips(c); ok && l.writesOut(x, n) {
			l.unrolled(x, n)
			return
		}
		if times := l.times(x, c); times > 1 && l.inParts(x, c, times) {
			return
		}
	} else if first := l.mostly(x); first != x {
		if c := l.counts(first); c != nil {
			if n, ok := l.trips(c); ok && l.writesOut(first, n) {
				l.unrolled(first.broken(x), n)
				return
			}
		}
	}
	l.looped(x.Cond, x.Body, x.Step, x.once, l.bounds(c))
}

// mostly is a loop with a condition on its counter alone where that comes before others, if it works on private arrays: then it is written out up to the most times that
// it turns. Other loops are what they are.
func (l *lowering) mostly(x *loop) *loop {
	both, ok := x.Cond.(*cfront.Binary)
	if !ok || both.Op != "&&" || x.once || x.Unroll == 1 {
		return x
	}
	out := *x.For
	out.Cond = both.X
	if first := (&loop{&out, false}); l.ofArrays(first) {
		return first
	}
	return x
}

// broken is a loop that mostly has taken conditions from, with a jump where these do not hold.
func (x *loop) broken(from *loop) *loop {
	both, ok := from.Cond.(*cfront.Binary)
	if !ok || x.Cond == from.Cond {
		return x
	}
	out := *x.For
	out.Body = &cfront.If{Pos: both.Pos, Cond: both.Y, Then: x.Body, Else: &cfront.Jump{Pos: both.Pos, What: "break"}}
	return &loop{&out, false}
}

// writesOut decides whether a loop of so many iterations is unrolled as a whole.
func (l *lowering) writesOut(x *loop, n int) bool {
	switch {
	case x.Unroll == 1:
		return n <= 1
	case x.Unroll < 0:
		return true
	case x.Unroll > 1:
		return n <= x.Unroll
	}
	limit, arrays := l.FullUnroll, !l.staysLoop(x.Body, nil) && l.ofArrays(x)
	if arrays {
		limit = l.FullArrays
	}
	return n <= 1 || (arrays || !l.leaves(x.Body)) && n*l.size(x.Body) <= limit && !l.callsAny(x.Body, isPower)
}

// leaves reports whether a jump leaves the loop that a statement is the body of, before its counter does.
func (l *lowering) leaves(s cfront.Stmt) bool {
	return l.contains(s, func(j *cfront.Jump, inner bool) bool { return j.What == "break" && !inner || j.What == "return" })
}

// unrolled writes out all iterations.
func (l *lowering) unrolled(x *loop, n int) {
	fr := &frame{end: l.NewBlock(), regions: len(l.regions) + 1, loop: l.loop}
	leaves := l.left(x.Body)
	l.frames = append(l.frames, fr)
	var r region
	if leaves {
		r = l.enter(fr.end)
	} else {
		fr.regions--
	}
	for range n {
		if l.dead {
			break
		}
		l.oneTurn(fr, x)
	}
	if !l.dead && !x.once {
		l.effects(x.Cond)
	}
	l.frames = l.frames[:len(l.frames)-1]
	if leaves {
		l.leave(r, &fr.ends)
	}
}

// oneTurn is an iteration of a loop that is known to make it.
func (l *lowering) oneTurn(fr *frame, x *loop) {
	if !x.once {
		l.effects(x.Cond)
	}
	l.iteration(fr, x.Body)
	if !l.dead && x.Step != nil {
		l.expression(x.Step)
	}
	if !l.dead && x.once {
		l.effects(x.Cond)
	}
}

// effects does what a condition changes.
func (l *lowering) effects(cond cfront.Expr) {
	if cond != nil && len(l.assigned(&cfront.Do{X: cond})) > 0 {
		l.condition(cond)
	}
}

// iteration is a body once.
func (l *lowering) iteration(fr *frame, body cfront.Stmt) {
	fr.next, fr.nexts = l.NewBlock(), nil
	if !l.contains(body, func(j *cfront.Jump, inner bool) bool { return j.What == "continue" && !inner }) {
		l.statement(body)
		return
	}
	r := l.enter(fr.next) // what follows a jump is not there in the next iteration
	fr.turn = len(l.regions)
	l.statement(body)
	l.leave(r, &fr.nexts)
}

// left reports whether a statement leaves the loop that it is the body of, or the function.
func (l *lowering) left(s cfront.Stmt) bool {
	return l.contains(s, func(j *cfront.Jump, inner bool) bool {
		return j.What == "break" && !inner || j.What == "continue" && !inner || j.What == "return" && len(l.calls) > 0
	})
}

func (l *lowering) contains(s cfront.Stmt, is func(j *cfront.Jump, inner bool) bool) bool {
	found := false
	var walk func(s cfront.Stmt, inner bool)
	walk = func(s cfront.Stmt, inner bool) {
		switch x := s.(type) {
		case *cfront.Jump:
			found = found || is(x, inner)
		case *cfront.For, *cfront.While:
			inner = true
		}
		stmts, _ := cfront.Inside(s)
		for _, one := range stmts {
			walk(one, inner)
		}
	}
	walk(s, false)
	return found
}

// looped is a loop: its condition is tested before it and at the end of each iteration. Of what must hold together, what may not be computed in vain is
// tested in the iteration.
func (l *lowering) looped(all cfront.Expr, body cfront.Stmt, step cfront.Expr, once bool, begin func()) {
	cond := all
	var then []cfront.Expr
	for b, ok := cond.(*cfront.Binary); ok && !once && b.Op == "&&" && !l.harmless(b.Y); b, ok = cond.(*cfront.Binary) {
		cond, then = b.X, append([]cfront.Expr{b.Y}, then...)
	}
	l.turning(func() *ssa.Value {
		if cond == nil {
			return l.Bool(true)
		}
		return l.condition(cond)
	}, begin, cond, then, body, step, once, l.assigned(body, &cfront.Do{X: step}, &cfront.Do{X: all}))
}

// holds says that the condition of a loop holds at the beginning of an iteration.
func (l *lowering) holds(cond cfront.Expr) {
	if cond != nil && l.pure(cond) {
		l.Assume(l.condition(cond), true)
	}
}

// pure reports whether an expression has no effect, and reads nothing that may change.
func (l *lowering) pure(e cfront.Expr) bool {
	return !cfront.Any(e, func(e cfront.Expr) bool {
		switch x := e.(type) {
		case *cfront.Call:
			f, known := cfront.IntrinsicOf(x.Func)
			return !known || f.Kind != cfront.Math || !single[f.IR]
		case *cfront.Assign, *cfront.Index, *cfront.Make, *cfront.Unknown, *cfront.Select:
			return true
		}
		return false
	})
}

// turning is a loop around a body, as long as a condition holds, and others at the beginning of each iteration.
func (l *lowering) turning(cond func() *ssa.Value, begin func(), is cfront.Expr, then []cfront.Expr, body cfront.Stmt, step cfront.Expr, once bool, assigned map[*cfront.Var]bool) {
	l.turningBody(cond, func(fr *frame) {
		begin()
		if !once {
			l.holds(is)
		}
		for _, e := range then {
			out, j := l.Make(ssa.PNot, ssa.Pred, l.condition(e)), &cfront.Jump{Pos: e.Place(), What: "break"}
			switch {
			case out.Op != ssa.Const:
				l.jumpIf(out, j)
			case out.Int != 0:
				l.jump(j)
				return
			}
		}
		l.iteration(fr, body)
		if !l.dead && step != nil {
			l.expression(step)
		}
	}, once, assigned)
}

func (l *lowering) turningBody(cond func() *ssa.Value, body func(*frame), once bool, assigned map[*cfront.Var]bool) {
	first := l.Bool(true)
	if !once {
		first = cond()
	}
	if first.Op == ssa.Const && first.Int == 0 {
		return
	}
	l.fresh()
	fr := &frame{end: l.NewBlock(), regions: len(l.regions) + 1}
	before := l.Block
	before.Meet = fr.end
	l.regions = append(l.regions, fr.end)
	header, pre := l.NewBlock(), l.NewBlock()
	if first.Op == ssa.Const {
		l.Goto(pre)
	} else {
		l.Branch(first, pre, fr.end)
		fr.ends = append(fr.ends, snapshot{before, l.env})
	}
	l.Open()
	l.start(pre, l.env)
	l.Goto(header)
	l.loop = &ssa.Loop{Header: header, Before: pre, Outer: l.loop}
	fr.loop = l.loop
	l.start(header, l.env)
	for s := ssa.Global; s <= ssa.Generic; s++ {
		l.Changed(s)
	}
	phis := l.phis(pre, header, assigned)
	l.frames = append(l.frames, fr)
	body(fr)
	l.frames = l.frames[:len(l.frames)-1]
	if !l.dead {
		l.closeLoop(cond(), fr, header, phis)
	}
	l.Close()
	l.loop = l.loop.Outer
	l.regions = l.regions[:len(l.regions)-1]
	if before.Meet == fr.end && len(fr.ends) > 0 {
		fr.end.Meets = true
	} else if before.Meet == fr.end {
		before.Meet = nil
	}
	l.merge(fr.end, fr.ends)
}

// phis makes a value of each variable that a loop assigns, at its header: what it was before, and what an iteration leaves.
func (l *lowering) phis(pre, header *ssa.Block, assigned map[*cfront.Var]bool) map[key]slot {
	phis := map[key]slot{}
	for _, k := range l.keys(l.env) {
		if !assigned[k.v] {
			continue
		}
		s := l.env[k]
		switch {
		case s.p == nil:
			phis[k] = slot{x: l.Phi(s.x.Type, header, s.x), t: s.t}
			l.env[k] = phis[k]
		case s.p.space != ssa.NoSpace:
			a := l.addressAt(pre, s.p)
			phis[k] = slot{x: l.Phi(a.Type, header, a), t: s.t}
			p := *s.p
			p.base, p.off = phis[k].x, 0
			l.env[k] = slot{p: &p, t: s.t}
		}
	}
	return phis
}

// closeLoop goes back to the header of a loop as long as a condition holds.
func (l *lowering) closeLoop(again *ssa.Value, fr *frame, header *ssa.Block, phis map[key]slot) {
	for _, k := range l.keys(l.env) {
		first, is := phis[k]
		if !is {
			continue
		}
		phi := first.x
		s := l.env[k]
		x := s.x
		if s.p != nil {
			if s.p.space == ssa.NoSpace {
				l.fail(l.fn.Pos, "the pointer %s points to several variables", k.v.Name)
			}
			x = l.address(s.p)
		}
		if x.Type != phi.Type || l.reshaped[k.v] && s.t.Size() != first.t.Size() {
			l.inMemory(k.v)
		}
		phi.Args = append(phi.Args, x)
		delete(phis, k)
	}
	for k, first := range phis { // of variables that are not known at the end: nobody reads them
		if l.reshaped[k.v] {
			l.inMemory(k.v)
		}
		first.x.Args = append(first.x.Args, first.x)
	}
	end := l.Block
	if again.Op == ssa.Const && again.Int != 0 {
		l.Goto(header)
		l.dead = true
		return
	}
	out := maps.Clone(l.env)
	if again.Op == ssa.Const {
		l.fail(l.fn.Pos, "a loop that turns once is not compiled here")
	}
	l.Branch(again, header, fr.end)
	fr.ends = append(fr.ends, snapshot{end, out})
	l.dead = true
}
