package lower

import (
	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

func (l *lowering) trips(c *counter) (n int, ok bool) {
	const most = 1 << 16 // iterations: no loop of so many is unrolled
	s, has := l.env[key{c.v, 0}]
	if !has || s.x == nil || s.x.Op != ssa.Const {
		return 0, false
	}
	end, known := l.constant(c.end)
	by, also := l.constant(c.by)
	if !known || !also {
		return 0, false
	}
	t := common(c.v.DType, c.end.Type())
	at := l.signedOf(s.x, c.v.DType)
	for ; n < most; n++ {
		if !compares(c.op, at, end, t.IsSigned()) {
			return n, true
		}
		switch c.step {
		case "+":
			at += by
		case "-":
			at -= by
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
		at = wrapped(at, c.v.DType)
	}
	return 0, false
}

func wrapped(n int64, t expr.DType) int64 {
	switch {
	case t.Size() == 8:
		return n
	case t.IsSigned():
		return n << (64 - 8*t.Size()) >> (64 - 8*t.Size())
	}
	return int64(uint64(n) << (64 - 8*t.Size()) >> (64 - 8*t.Size()))
}

func (l *lowering) signedOf(x *ssa.Value, t expr.DType) int64 { return wrapped(x.Int, t) }

func compares(op string, a, b int64, signed bool) bool {
	less := a < b
	if !signed {
		less = uint64(a) < uint64(b)
	}
	switch op {
	case "<":
		return less
	case "<=":
		return less || a == b
	case ">":
		return !less && a != b
	case ">=":
		return !less
	case "!=":
		return a != b
	case "==":
		return a == b
	}
	return false
}

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
		return wrapped(n, x.DType), true
	case *cfront.Unary:
		n, ok = l.constant(x.X)
		switch x.Op {
		case "-":
			return wrapped(-n, x.DType), ok
		case "~":
			return wrapped(^n, x.DType), ok
		case "+":
			return n, ok
		}
	case *cfront.Binary:
		a, first := l.constant(x.X)
		b, second := l.constant(x.Y)
		if !first || !second || !x.DType.IsInteger() {
			return 0, false
		}
		return folded(x.Op, a, b, x.DType)
	}
	return 0, false
}

func folded(op string, a, b int64, t expr.DType) (int64, bool) {
	switch op {
	case "+":
		return wrapped(a+b, t), true
	case "-":
		return wrapped(a-b, t), true
	case "*":
		return wrapped(a*b, t), true
	case "/", "%":
		if b == 0 {
			return 0, false
		}
		if op == "%" {
			return a % b, true
		}
		return a / b, true
	case "<<":
		return wrapped(a<<uint(b), t), true
	case ">>":
		return a >> uint(b), true
	case "&":
		return a & b, true
	case "|":
		return a | b, true
	case "^":
		return a ^ b, true
	}
	return 0, false
}

func (l *lowering) size(s cfront.Stmt) int {
	if s == nil {
		return 0
	}
	n := 0
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		cfront.Walk(e, func(e cfront.Expr) {
			switch x := e.(type) {
			case *cfront.Int, *cfront.Float, *cfront.Ref, *cfront.Cast, *cfront.Lane, *cfront.Address, *cfront.Member, *cfront.List, *cfront.Vector:
			case *cfront.Index:
				n++
			case *cfront.Call:
				n += l.callSize(x)
			case *cfront.Binary:
				n++
				if _, constant := l.constant(x.Y); (x.Op == "/" || x.Op == "%") && !constant {
					const division = 12 // instructions, about
					n += division
				}
			default:
				n++
			}
		})
	}
	inner := 0
	for _, one := range stmts {
		inner += l.size(one)
	}
	if f, ok := s.(*cfront.For); ok {
		inner *= max(l.nominal(f), 1)
	}
	return n + inner
}

func (l *lowering) nominal(f *cfront.For) int {
	c := l.counts(l.usual(f))
	d, ok := f.Init.(*cfront.Declare)
	if c == nil || !ok || len(d.Vars) == 0 || d.Vars[0] != c.v || d.Vars[0].Init == nil {
		return 0
	}
	first, known := l.constant(d.Vars[0].Init)
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

func (l *lowering) callSize(x *cfront.Call) int {
	const intrinsic, function = 4, 20 // instructions of a function of the device, and of one of its library, about
	if f := l.file.Function(x.Func); f != nil && len(l.calls) < 8 && f.Err == nil {
		l.calls = append(l.calls, f)
		n := l.size(f.Body)
		l.calls = l.calls[:len(l.calls)-1]
		return n
	}
	if f, ok := cfront.IntrinsicOf(x.Func); ok && f.Kind == cfront.Math {
		if single[f.IR] {
			return 1
		}
		return function
	}
	return intrinsic
}

// single are the functions that an instruction computes, of numbers of 32 bits.
var single = map[string]bool{
	"min": true, "max": true, "fmin": true, "fmax": true, "abs": true, "fabs": true, "fma": true, "mad": true, "mul_hi": true, "popcount": true, "brev": true, "byte_perm": true,
	"add": true, "sub": true, "mul": true, "floor": true, "ceil": true, "trunc": true, "rint": true,
}
