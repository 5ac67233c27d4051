package lower

import (
	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// times is how many iterations of a loop are written out beside each other.
func (l *lowering) times(x *cfront.For, c *counter) int {
	switch {
	case x.Unroll == 1 || l.contains(x.Body, func(j *cfront.Jump, inner bool) bool { return j.What == "break" && !inner || j.What == "return" }):
		return 1
	case x.Unroll > 1:
		return x.Unroll
	}
	if l.contains2(x.Body) {
		return 1
	}
	most, bounded := l.mostTrips(c)
	for n := l.Times; n > 1; n /= 2 {
		if n*l.size(x.Body) <= l.Runtime && (!bounded || int64(n) <= most) {
			return n
		}
	}
	return 1
}

// contains2 reports whether a statement has loops that stay loops.
func (l *lowering) contains2(s cfront.Stmt) bool {
	found := false
	var walk func(s cfront.Stmt)
	walk = func(s cfront.Stmt) {
		switch x := s.(type) {
		case *cfront.While:
			found = true
		case *cfront.For:
			if n := l.nominal(x); n == 0 || !l.writesOut(x, n) {
				found = true
			}
		}
		stmts, _ := cfront.Inside(s)
		for _, one := range stmts {
			walk(one)
		}
	}
	walk(s)
	return found
}

// inParts makes two loops: one that does several iterations at a time, and one for the rest. It reports false where that cannot be.
func (l *lowering) inParts(x *cfront.For, c *counter, times int) bool {
	n := l.length(c)
	if n == nil {
		return false
	}
	if n.Op == ssa.Const {
		return l.inEqualParts(x, n.Int, times)
	}
	if times&(times-1) != 0 {
		return false
	}
	assigned := l.assigned(x.Body, &cfront.Do{X: x.Step})
	left := l.hold(ssa.W)
	sizes := []int{times}
	if most, bounded := l.mostTrips(c); l.again(x, c) && (!bounded || most >= int64(times*l.Times)) {
		sizes = []int{times * l.Times, times}
	}
	some := l.MakeAux(ssa.Cmp, ssa.Pred, "NE", n, l.Const(0))
	assigned[left.v] = true
	l.when(some, func() {
		rest := n
		for i, each := range append(sizes, 1) {
			whole := rest
			if each > 1 {
				less := l.Make(ssa.And, ssa.W, rest, l.Const(int64(each-1)))
				whole, rest = l.Make(ssa.Sub, ssa.W, rest, less), less
			}
			enough := l.MakeAux(ssa.Cmp, ssa.Pred, "NE", whole, l.Const(0))
			if i == 0 {
				enough = l.MakeAux(ssa.Cmp, ssa.Pred, "GEU", l.Make(ssa.Add, ssa.W, n, l.Const(-1)), l.Const(int64(each-1)))
			}
			l.when(enough, func() { l.counted(left, whole, int64(each), l.iterations(x, each), assigned) })
		}
	})
	return true
}

// iterations are so many of a loop, one after the other.
func (l *lowering) iterations(x *cfront.For, times int) func(*frame) {
	return func(fr *frame) {
		for range times {
			l.holds(x.Cond)
			l.iteration(fr, x.Body)
			l.expression(x.Step)
		}
	}
}

// again reports whether a loop that is written out Times times is so once more: NVIDIA's assembler does that to short bodies
// whose counter takes consecutive values up to what is no quotient.
func (l *lowering) again(x *cfront.For, c *counter) bool {
	by, known := l.constant(c.by)
	quotient := false
	cfront.Walk(c.end, func(e cfront.Expr) {
		b, ok := e.(*cfront.Binary)
		quotient = quotient || ok && (b.Op == "/" || b.Op == "%" || b.Op == ">>")
	})
	return x.Unroll == 0 && known && (by == 1 || by > 0 && l.straight(x.Body)) && !quotient && l.work(x.Body) <= l.Again
}

// straight reports whether a statement has no loops in it, and calls nothing.
func (l *lowering) straight(s cfront.Stmt) bool {
	ok := true
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		cfront.Walk(e, func(e cfront.Expr) {
			_, call := e.(*cfront.Call)
			ok = ok && !call
		})
	}
	for _, one := range stmts {
		_, loop := one.(*cfront.For)
		ok = ok && !loop && l.straight(one)
	}
	return ok
}

// work is about how many instructions a statement takes, but for its subscripts: most of these are computed before a loop, or follow from what was there. A
// product that is added to something is one with the sum.
func (l *lowering) work(s cfront.Stmt) (n int) {
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		n += l.size(&cfront.Do{Pos: s.Place(), X: e})
		cfront.Walk(e, func(e cfront.Expr) {
			switch x := e.(type) {
			case *cfront.Index:
				for _, sub := range x.Subs {
					if !divides(sub) {
						n -= l.size(&cfront.Do{Pos: s.Place(), X: sub})
					}
				}
				if l.inRegisters(x) {
					n--
				}
			case *cfront.Assign:
				if l.inRegisters(x.To) && x.Op == "" {
					n--
				}
			case *cfront.Binary:
				if (x.Op == "+" || x.Op == "-") && !x.Type().IsInteger() && (isProduct(x.X) || isProduct(x.Y)) {
					n--
				}
			}
		})
	}
	inner := 0
	for _, one := range stmts {
		inner += l.work(one)
	}
	if f, ok := s.(*cfront.For); ok {
		inner *= max(l.nominal(f), 1)
	}
	return n + inner
}

// inRegisters reports whether an expression is a variable that is not kept in memory, or an element of one.
func (l *lowering) inRegisters(e cfront.Expr) bool {
	if x, ok := e.(*cfront.Index); ok {
		e = x.Of
	}
	r, ok := e.(*cfront.Ref)
	return ok && (r.Var.Class == cfront.Local || r.Var.Class == cfront.Param) && !r.Var.Pointer && r.Var.Space != cfront.LocalSpace && !l.learnt.memory[r.Var]
}

// divides reports whether a quotient is in an expression: what has one does not follow from what was there.
func divides(e cfront.Expr) (found bool) {
	cfront.Walk(e, func(e cfront.Expr) {
		b, ok := e.(*cfront.Binary)
		found = found || ok && (b.Op == "/" || b.Op == "%")
	})
	return found
}

func isProduct(e cfront.Expr) bool {
	b, ok := e.(*cfront.Binary)
	return ok && b.Op == "*"
}

// inEqualParts is inParts of a loop of known length: the rest is written out.
func (l *lowering) inEqualParts(x *cfront.For, n int64, times int) bool {
	for n%int64(times) != 0 && x.Unroll == 0 {
		times--
	}
	if times < 2 {
		return false
	}
	left := l.hold(ssa.W)
	assigned := l.assigned(x.Body, &cfront.Do{X: x.Step})
	assigned[left.v] = true
	fr := &frame{end: l.NewBlock(), regions: len(l.regions), loop: l.loop}
	if whole := n - n%int64(times); whole > 0 {
		l.counted(left, l.Const(whole), int64(times), l.iterations(x, times), assigned)
	}
	l.frames = append(l.frames, fr)
	for range n % int64(times) {
		l.iteration(fr, x.Body)
		l.expression(x.Step)
	}
	l.frames = l.frames[:len(l.frames)-1]
	return true
}

// counted is a loop that takes some from a number until it is 0.
func (l *lowering) counted(left key, from *ssa.Value, by int64, body func(*frame), assigned map[*cfront.Var]bool) {
	l.setHeld(left, from)
	l.turningBody(func() *ssa.Value {
		return l.MakeAux(ssa.Cmp, ssa.Pred, "NE", l.getHeld(left), l.Const(0))
	}, func(fr *frame) {
		body(fr)
		l.setHeld(left, l.Make(ssa.Add, ssa.W, l.getHeld(left), l.Const(-by)))
	}, true, assigned)
}

// length is how often a loop turns, as a value; nil where compilers do not compute it.
func (l *lowering) length(c *counter) *ssa.Value {
	if n, ok := l.trips(c); ok {
		return l.Const(int64(n))
	}
	by, known := l.constant(c.by)
	s, ok := l.env[key{c.v, 0}]
	t := common(c.v.DType, c.end.Type())
	if !ok || s.x == nil || !l.harmless(c.end) || wordType(t) != ssa.W || wordType(c.v.DType) != ssa.W || c.v.DType.Size() < 4 {
		return nil
	}
	if known && c.step == "-" {
		by = -by
	}
	switch {
	case c.step != "+" && c.step != "-" || known && by == 0:
		return nil
	case known && (by > 0) != (c.op == "<" || c.op == "<=") && c.op != "!=":
		return nil
	case !known && (c.step != "+" || c.op != "<" || !l.harmless(c.by)):
		return nil
	}
	if signed := t.IsSigned() && common(c.v.DType, c.by.Type()).IsSigned(); !signed && (!known || by != 1 && by != -1) {
		return nil // the counter may run over
	}
	end := l.convert(c.cond.Pos, l.expression(c.end), t).x[0]
	if c.op == "<=" {
		end = l.Make(ssa.Add, ssa.W, end, l.Const(1))
	} else if c.op == ">=" {
		end = l.Make(ssa.Add, ssa.W, end, l.Const(-1))
	}
	span := l.Make(ssa.Sub, ssa.W, end, s.x)
	if known && by < 0 {
		span, by = l.Make(ssa.Sub, ssa.W, s.x, end), -by
	}
	some := l.compared(map[bool]string{true: "LT", false: "GT"}[c.op == "<" || c.op == "<="], t, s.x, end)
	if c.op == "!=" {
		some = l.Bool(true)
	}
	n := span
	if !known {
		step := l.convert(c.cond.Pos, l.expression(c.by), expr.Uint32).x[0]
		n = l.quotient(expr.Uint32, l.Make(ssa.Add, ssa.W, l.Make(ssa.Add, ssa.W, span, step), l.Const(-1)), step)
	} else if by != 1 {
		n = l.quotient(expr.Uint32, l.Make(ssa.Add, ssa.W, span, l.Const(by-1)), l.Const(by))
	}
	return l.Make(ssa.Select, ssa.W, some, n, l.Const(0))
}
