package lower

import (
	"math/bits"
	"slices"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// times is how many iterations of a loop are written out beside each other.
func (l *lowering) times(x *loop, c *counter) int {
	switch {
	case x.Unroll == 1 || l.leaves(x.Body):
		return 1
	case x.Unroll > 1:
		return x.Unroll
	}
	if l.staysLoop(x.Body, nil) || l.callsAny(x.Body, hasLoop) {
		return 1
	}
	size := l.later(x.Body)
	if n, known := l.trips(c); known {
		return l.equal(n, size)
	}
	most, bounded := l.mostTrips(c)
	for n := l.Times; n > 1; n /= 2 {
		if n*size <= l.Runtime && (!bounded || int64(n) <= most) {
			return n
		}
	}
	return 1
}

// equal is how many iterations of a loop of known length are written out beside each other: a power of two, of which the length is a multiple if that can be.
func (l *lowering) equal(n, size int) int {
	for times := 1 << max(bits.Len(uint(min(l.Runtime/size, n)))-1, 0); times > 1; times /= 2 {
		if n%times == 0 {
			return times
		}
	}
	times := 2 * l.Times
	for times > 1 && times*size > l.Runtime {
		times /= 2
	}
	return times
}

// staysLoop reports whether a statement has loops that stay loops.
func (l *lowering) staysLoop(s, before cfront.Stmt) bool {
	switch x := s.(type) {
	case *cfront.For, *cfront.While:
		if n := l.nominal(x, before); n == 0 || !l.writesOut(l.mostly(l.usual(x)), n) {
			return true
		}
	}
	stmts, _ := cfront.Inside(s)
	return inOrder(stmts, func(s, before cfront.Stmt) int {
		if l.staysLoop(s, before) {
			return 1
		}
		return 0
	}) > 0
}

// inParts makes two loops: one that does several iterations at a time, and one for the rest. It reports false where that cannot be.
func (l *lowering) inParts(x *loop, c *counter, times int) bool {
	n := l.lengthAhead(c)
	if n == nil {
		return false
	}
	if n.Op == ssa.Const {
		return l.inEqualParts(x, n.Int, times)
	}
	if times&(times-1) != 0 {
		return false
	}
	assigned := l.assigned(x.Body, &cfront.Do{X: x.Step}, &cfront.Do{X: x.Cond})
	left := l.hold(ssa.W)
	sizes := []int{times}
	if c.ordered() && x.Unroll == 0 && times > 2 {
		sizes = []int{times, times / 2}
	}
	if most, bounded := l.mostTrips(c); l.again(x, c) && (!bounded || most >= int64(times*l.Times)) {
		sizes = []int{times * l.Times, times}
	}
	some := l.Bool(true)
	switch {
	case x.once || c.ordered() || !l.pure(x.Cond) && !l.settled(x.Cond, c.quiet): // how often it turns tells whether it does
		if n = l.length(c); !x.once {
			some = l.MakeAux(ssa.Cmp, ssa.Pred, "NE", n, l.Const(0))
		}
	default:
		n, some = nil, l.condition(x.Cond)
	}
	assigned[left.v] = true
	l.when(some, func() {
		if n == nil {
			n = l.length(c)
		}
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
	if !x.once {
		l.effects(x.Cond)
	}
	return true
}

// iterations are so many of a loop, one after the other.
func (l *lowering) iterations(x *loop, times int) func(*frame) {
	return func(fr *frame) {
		for range times {
			if !x.once {
				l.holds(x.Cond)
			}
			l.oneTurn(fr, x)
		}
	}
}

// again reports whether a loop that is written out Times times is so once more: NVIDIA's assembler does that to short bodies
// whose counter takes consecutive values up to what is no quotient.
func (l *lowering) again(x *loop, c *counter) bool {
	by, known := l.constant(c.by)
	quotient := isOperation(c.end, "/", "%", ">>")
	return x.Unroll == 0 && !c.ordered() && known && (by == 1 || by > 0 && l.straight(x.Body)) && !quotient && !l.callsAny(x.Body, notSingle) && l.work(x.Body) <= l.Again
}

// straight reports whether a statement has no loops in it, and calls nothing.
func (l *lowering) straight(s cfront.Stmt) bool {
	for one := range cfront.Statements(s) {
		switch one.(type) {
		case *cfront.For, *cfront.While:
			if one != s {
				return false
			}
		}
	}
	for e := range cfront.Everywhere(s) {
		if _, call := e.(*cfront.Call); call {
			return false
		}
	}
	return true
}

// work is about how many instructions a statement takes that compute or store something.
func (l *lowering) work(s cfront.Stmt) int { return l.workAfter(s, nil) }

func (l *lowering) workAfter(s, before cfront.Stmt) (n int) {
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		n += l.operations(e)
		for e := range cfront.All(e) {
			n -= l.free(e)
		}
	}
	return n + l.turns(s, before)*inOrder(stmts, l.workAfter)
}

// free is what size counts of an expression that takes no instruction of its own here: a product in a sum, and a load.
func (l *lowering) free(e cfront.Expr) int {
	sum := func(op string, e ...cfront.Expr) bool {
		return (op == "+" || op == "-") && !e[0].Type().IsInteger() && slices.ContainsFunc(e, isProduct)
	}
	switch x := e.(type) {
	case *cfront.Binary:
		return bit(sum(x.Op, x.X, x.Y))
	case *cfront.Assign:
		return bit(sum(x.Op, x.Value))
	case *cfront.Index:
		return bit(!l.inRegisters(x) && !ofElement(x.Of))
	}
	return 0
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
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
func divides(e cfront.Expr) bool { return isOperation(e, "/", "%") }

// isOperation reports whether one of some operations is in an expression.
func isOperation(e cfront.Expr, ops ...string) bool {
	return cfront.Any(e, func(e cfront.Expr) bool {
		b, ok := e.(*cfront.Binary)
		return ok && slices.Contains(ops, b.Op)
	})
}

func isProduct(e cfront.Expr) bool {
	b, ok := e.(*cfront.Binary)
	return ok && b.Op == "*"
}

// inEqualParts is inParts of a loop of known length: the rest is written out.
func (l *lowering) inEqualParts(x *loop, n int64, times int) bool {
	if times < 2 {
		return false
	}
	left := l.hold(ssa.W)
	assigned := l.assigned(x.Body, &cfront.Do{X: x.Step}, &cfront.Do{X: x.Cond})
	assigned[left.v] = true
	fr := &frame{end: l.NewBlock(), regions: len(l.regions), loop: l.loop}
	if whole := n - n%int64(times); whole > 0 {
		l.counted(left, l.Const(whole), int64(times), l.iterations(x, times), assigned)
	}
	l.frames = append(l.frames, fr)
	for range n % int64(times) {
		l.oneTurn(fr, x)
	}
	l.frames = l.frames[:len(l.frames)-1]
	if !x.once {
		l.effects(x.Cond)
	}
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

// lengthAhead is length without its values in the code.
func (l *lowering) lengthAhead(c *counter) *ssa.Value {
	block, values := l.Block, len(l.Block.Values)
	l.Open()
	n := l.length(c)
	l.Close()
	if l.Block == block {
		block.Values = block.Values[:values]
	}
	return n
}

// length is how often a loop turns, as a value; nil where compilers do not compute it.
func (l *lowering) length(c *counter) *ssa.Value {
	if n, ok := l.trips(c); ok {
		return l.Const(int64(n))
	}
	by, known := l.constant(c.by)
	s, ok := l.env[key{c.v, 0}]
	if !ok || !l.harmless(c.end) && !l.settled(c.end, c.quiet) || c.step != "+" && c.step != "-" || known && by == 0 {
		return nil
	}
	if c.step == "-" {
		by = -by
	}
	up := c.op == "<" || c.op == "<="
	if c.op == "!=" {
		up = by > 0
	}
	if known && (by > 0) != up || !known && (c.step != "+" || c.op != "<" || !l.harmless(c.by)) || c.late && !c.once && !known {
		return nil
	}
	t := common(c.v.DType, c.end.Type())
	var n *ssa.Value
	switch {
	case c.v.Pointer:
		n = l.pointerLength(c, s.p, by)
	case s.x == nil || c.v.DType.Size() < 4:
	case wordType(t) == ssa.D:
		if by == 1 || by == -1 {
			first := l.convert(c.cond.Pos, number(c.v.DType, s.x), t).x[0]
			n = l.longLength(c, t, first, l.convert(c.cond.Pos, l.expression(c.end), t).x[0], by)
		}
	case wordType(c.v.DType) == ssa.W:
		n = l.wordLength(c, t, s.x, by, known)
	}
	if n != nil && c.once && !c.late { // the first test comes before the first change
		n = l.Make(ssa.Add, ssa.W, n, l.Const(1))
	}
	return n
}

// settled reports whether an expression is cheap but for elements of arrays that nobody writes, as in a loop that is quiet.
func (l *lowering) settled(e cfront.Expr, quiet bool) bool {
	const most = 16 // nodes
	nodes := 0
	return !cfront.Any(e, func(e cfront.Expr) bool {
		nodes++
		switch x := e.(type) {
		case *cfront.Index:
			r, ok := x.Of.(*cfront.Ref)
			return !ok || nodes > most || !(r.Var.Pointer && (quiet || r.Var.Const && r.Var.Restrict && r.Var.Class == cfront.Param) || r.Var.Space == cfront.ConstantSpace)
		case *cfront.Call, *cfront.Assign, *cfront.Make, *cfront.Unknown, *cfront.Select, *cfront.List:
			return true
		case *cfront.Ref:
			return nodes > most || x.Var.Class == cfront.Global && x.Var.Space != cfront.ConstantSpace || x.Var.Space == cfront.LocalSpace || l.learnt.memory[x.Var]
		}
		return nodes > most
	})
}

// least is how often a loop turns of whose condition the first value is beyond the end.
func (c *counter) least() int64 {
	if c.once && c.late {
		return 1
	}
	return 0
}

// from is the value that the first test of a loop, or of one that tests before its first iteration, sees.
func (l *lowering) from(c *counter, first *ssa.Value, by int64) *ssa.Value {
	if c.late && !c.once {
		return l.Make(ssa.Add, first.Type, first, l.like(first.Type, by))
	}
	return first
}

// wordLength is the length of a loop whose counter has 32 bits.
func (l *lowering) wordLength(c *counter, t expr.DType, first *ssa.Value, by int64, known bool) *ssa.Value {
	if signed := t.IsSigned() && common(c.v.DType, c.by.Type()).IsSigned(); !signed && (!known || by != 1 && by != -1) {
		return nil // the counter may run over
	}
	first = l.from(c, first, by)
	end := l.convert(c.cond.Pos, l.expression(c.end), t).x[0]
	if c.op == "<=" {
		end = l.Make(ssa.Add, ssa.W, end, l.Const(1))
	} else if c.op == ">=" {
		end = l.Make(ssa.Add, ssa.W, end, l.Const(-1))
	}
	span := l.Make(ssa.Sub, ssa.W, end, first)
	if known && by < 0 {
		span, by = l.Make(ssa.Sub, ssa.W, first, end), -by
	}
	n := span
	if !known {
		step := l.convert(c.cond.Pos, l.expression(c.by), expr.Uint32).x[0]
		n = l.quotient(expr.Uint32, l.Make(ssa.Add, ssa.W, l.Make(ssa.Add, ssa.W, span, step), l.Const(-1)), step)
	} else if by != 1 {
		n = l.quotient(expr.Uint32, l.Make(ssa.Add, ssa.W, span, l.Const(by-1)), l.Const(by))
	}
	if c.op == "!=" {
		return n
	}
	some := l.compared(map[bool]string{true: "LT", false: "GT"}[c.op == "<" || c.op == "<="], t, first, end)
	return l.Make(ssa.Select, ssa.W, some, n, l.Const(c.least()))
}

// pointerLength is the length of a loop whose counter is a pointer.
func (l *lowering) pointerLength(c *counter, first *pointer, by int64) *ssa.Value {
	end := l.expression(c.end).p
	each := max(by, -by) * c.bytes
	if first == nil || end == nil || first.space != end.space || first.space == ssa.NoSpace || each == 0 || each&(each-1) != 0 {
		return nil
	}
	a, b := l.address(first), l.address(end)
	t := expr.DType(expr.Uint64)
	if a.Type == ssa.W {
		a, b = l.convert(c.cond.Pos, number(expr.Uint32, a), t).x[0], l.convert(c.cond.Pos, number(expr.Uint32, b), t).x[0]
	}
	return l.longLength(c, t, a, b, by*c.bytes)
}

// longLength is the length of a loop with a counter of 64 bits that changes by a power of two. What does not end soon is taken to turn most times.
func (l *lowering) longLength(c *counter, t expr.DType, first, end *ssa.Value, by int64) *ssa.Value {
	const most = 1<<31 - 1<<8 // the counter of what is left has 32 bits, and whole parts are taken from it
	first = l.from(c, first, by)
	span, name := l.Make(ssa.Sub, ssa.D, end, first), "LT"
	if by < 0 {
		span, name, by = l.Make(ssa.Sub, ssa.D, first, end), "GT", -by
	}
	switch c.op {
	case "<", ">":
		span = l.Make(ssa.Add, ssa.D, span, l.like(ssa.D, by-1))
	case "<=", ">=":
		span, name = l.Make(ssa.Add, ssa.D, span, l.like(ssa.D, by)), name[:1]+"E"
	}
	n := l.Make(ssa.ShrU, ssa.D, span, l.Const(int64(bits.TrailingZeros64(uint64(by)))))
	few := l.compared("LT", expr.Uint64, n, l.like(ssa.D, most))
	low := l.convert(c.cond.Pos, number(expr.Uint64, n), expr.Uint32).x[0]
	n = l.Make(ssa.Select, ssa.W, few, low, l.Const(most))
	if c.op == "!=" {
		return n
	}
	return l.Make(ssa.Select, ssa.W, l.compared(name, t, first, end), n, l.Const(c.least()))
}
