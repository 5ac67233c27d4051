package lower

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// trips is how often a loop turns, where all that decides is constant: its counter has its first value.
func (l *lowering) trips(c *counter) (n int, ok bool) {
	const most = 1 << 16 // iterations: no loop of so many is unrolled
	at, end, known := l.ends(c)
	by, also := l.constant(c.by)
	if !known || !also || c.ordered() {
		return 0, false
	}
	if c.once {
		n++
	}
	if c.late {
		at, ok = c.stepped(at, by)
	} else {
		ok = true
	}
	signed := c.bytes > 1 || common(c.v.DType, c.end.Type()).IsSigned()
	for ; ok && n < most; n++ {
		if goesOn, _ := cfront.Computed(c.op, at, end, !signed); goesOn == 0 {
			return n, true
		}
		at, ok = c.stepped(at, by)
	}
	return 0, false
}

// ordered reports whether a counter is a pointer below or above another one: NVIDIA's compiler does not tell how often such a loop turns, as the sum that the
// other one is may run over; its assembler writes it out all the same.
func (c *counter) ordered() bool { return c.v.Pointer && c.op != "!=" }

// ends are the value that a counter begins with, and the one that it is compared with; of a pointer, how far they are apart in bytes.
func (l *lowering) ends(c *counter) (first, end int64, known bool) {
	s, has := l.env[key{c.v, 0}]
	switch {
	case !has:
		return 0, 0, false
	case s.p != nil && l.harmless(c.end):
		e := l.expression(c.end)
		if e.p == nil {
			return 0, 0, false
		}
		end, known = l.apart(s.p, e.p)
		return 0, end, known
	case s.x == nil || s.x.Op != ssa.Const || c.v.Pointer:
		return 0, 0, false
	}
	end, known = l.constant(c.end)
	return l.signedOf(s.x, c.v.DType), end, known
}

// apart is how many bytes one pointer is behind another, where that is constant.
func (l *lowering) apart(from, to *pointer) (int64, bool) {
	if from.space != to.space || from.v != to.v {
		return 0, false
	}
	a, first := l.split(from)
	b, second := l.split(to)
	return second - first, a == b
}

// stepped is a value of a counter behind its change.
func (c *counter) stepped(at, by int64) (int64, bool) {
	switch c.step {
	case "+":
		at += by * c.bytes
	case "-":
		at -= by * c.bytes
	case "*":
		at *= by
	case "/":
		if by == 0 {
			return 0, false
		}
		at /= by
	case "<<":
		at <<= uint(by)
	case ">>":
		at >>= uint(by)
	default:
		return 0, false
	}
	if c.bytes > 1 || c.v.Pointer {
		return at, true
	}
	return c.v.DType.Wrap(at), true
}

func (l *lowering) signedOf(x *ssa.Value, t expr.DType) int64 { return t.Wrap(x.Int) }

// arithmetic are the operators whose value has the type of their operands.
var arithmetic = []string{"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"}

func (l *lowering) constant(e cfront.Expr) (n int64, ok bool) {
	switch x := e.(type) {
	case *cfront.Int:
		return x.Value, true
	case *cfront.Ref:
		s, has := l.env[key{x.Var, 0}]
		if has && s.x != nil && s.x.Op == ssa.Const && x.Var.DType.IsInteger() {
			return l.signedOf(s.x, x.Var.DType), true
		}
		if x.Var.Class == cfront.Global && x.Var.Const && x.Var.Init != nil && len(x.Var.Dims) == 0 {
			return l.constant(x.Var.Init)
		}
	case *cfront.Cast:
		n, ok = l.constant(x.X)
		if !ok || !x.DType.IsInteger() {
			return 0, false
		}
		return x.DType.Wrap(n), true
	case *cfront.Unary:
		n, ok = l.constant(x.X)
		switch x.Op {
		case "-":
			return x.DType.Wrap(-n), ok
		case "~":
			return x.DType.Wrap(^n), ok
		case "+":
			return n, ok
		}
	case *cfront.Binary:
		a, first := l.constant(x.X)
		b, second := l.constant(x.Y)
		if !first || !second || !x.DType.IsInteger() || !slices.Contains(arithmetic, x.Op) {
			return 0, false
		}
		if x.Op != "<<" && x.Op != ">>" {
			a, b = x.DType.Wrap(a), x.DType.Wrap(b)
		}
		n, ok = cfront.Computed(x.Op, a, b, x.DType == expr.Uint64)
		return x.DType.Wrap(n), ok
	}
	return 0, false
}

// inOrder adds up something of statements, each with the one before it.
func inOrder(list []cfront.Stmt, of func(s, before cfront.Stmt) int) (n int) {
	var before cfront.Stmt
	for _, s := range list {
		n += of(s, before)
		before = s
	}
	return n
}

// turns is how often a statement does what is in it, as it is written: a loop that stays one has its body once.
func (l *lowering) turns(s, before cfront.Stmt) int {
	switch s.(type) {
	case *cfront.For, *cfront.While:
		if n := l.nominal(s, before); n > 0 && l.writesOut(l.mostly(l.usual(s)), n) {
			return n
		}
	}
	return 1
}

// nominal is how often a loop inside another one turns where its numbers are literals, which the statement before it may have; 0 where that is not known.
func (l *lowering) nominal(s, before cfront.Stmt) int {
	x := l.mostly(l.usual(s))
	c := l.counts(x)
	if x.Init != nil {
		before = x.Init
	}
	if c == nil || c.v.Pointer {
		return 0
	}
	first, known := l.constant(startOf(before, c.v))
	if !known {
		return 0
	}
	saved, had := l.env[key{c.v, 0}]
	l.env[key{c.v, 0}] = slot{x: l.like(wordType(c.v.DType), first), t: c.v.DType}
	n, ok := l.trips(c)
	if delete(l.env, key{c.v, 0}); had {
		l.env[key{c.v, 0}] = saved
	}
	if !ok {
		return 0
	}
	return max(n, 1)
}

// startOf is what a statement gives a variable; nil where it gives it nothing.
func startOf(s cfront.Stmt, v *cfront.Var) cfront.Expr {
	switch x := s.(type) {
	case *cfront.Declare:
		for _, d := range x.Vars {
			if d == v {
				return d.Init
			}
		}
	case *cfront.Do:
		if a, ok := x.X.(*cfront.Assign); ok && a.Op == "" && isVar(a.To, v) {
			return a.Value
		}
	}
	return nil
}

// single are the functions that an instruction computes, of numbers of 32 bits.
var single = map[string]bool{
	"min": true, "max": true, "fmin": true, "fmax": true, "abs": true, "fabs": true, "fma": true, "mad": true, "mul_hi": true, "popcount": true, "brev": true, "byte_perm": true,
	"add": true, "sub": true, "mul": true, "floor": true, "ceil": true, "trunc": true, "rint": true,
}
