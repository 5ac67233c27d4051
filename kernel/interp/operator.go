package interp

import (
	"math"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// less compares integers of the type.
func less(t expr.DType, a, b int64) bool {
	if t == expr.Uint64 {
		return uint64(a) < uint64(b)
	}
	return a < b
}

// floatOp is an operator of floats.
type floatOp struct {
	f     func(a, b float64) float64
	units float64 // error of the result
	// spread is the error that the operands' errors bring; nil is that of any function.
	spread func(a, b, r, ea, eb float64) float64
}

var floatOps = map[expr.OpKind]floatOp{
	expr.Add: {func(a, b float64) float64 { return a + b }, 1, sumOfErrors},
	expr.Sub: {func(a, b float64) float64 { return a - b }, 1, sumOfErrors},
	expr.Mul: {func(a, b float64) float64 { return a * b }, 1, errorOfProduct},
	expr.Div: {func(a, b float64) float64 { return a / b }, 5, func(_, b, r, ea, eb float64) float64 {
		if eb > 0 && eb >= math.Abs(b) {
			return math.Inf(1)
		}
		return (ea + math.Abs(r)*eb) / (math.Abs(b) - eb)
	}},
	expr.FloorDiv: {func(a, b float64) float64 { return math.Floor(a / b) }, 0, nil},
	expr.Mod:      {func(a, b float64) float64 { return a - b*math.Floor(a/b) }, 1, nil},
	expr.Pow:      {math.Pow, functionError["pow"], nil},
	expr.Min:      {expr.Math2["fmin"], 0, greaterError},
	expr.Max:      {expr.Math2["fmax"], 0, greaterError},
}

func sumOfErrors(_, _, _, ea, eb float64) float64 { return ea + eb }

func greaterError(_, _, _, ea, eb float64) float64 { return max(ea, eb) }

func errorOfProduct(a, b, _, ea, eb float64) float64 { return math.Abs(a)*eb + math.Abs(b)*ea + ea*eb }

var intOps = map[expr.OpKind]func(t expr.DType, a, b int64) int64{
	expr.Add:    func(_ expr.DType, a, b int64) int64 { return a + b },
	expr.Sub:    func(_ expr.DType, a, b int64) int64 { return a - b },
	expr.Mul:    func(_ expr.DType, a, b int64) int64 { return a * b },
	expr.BitAnd: func(_ expr.DType, a, b int64) int64 { return a & b },
	expr.BitOr:  func(_ expr.DType, a, b int64) int64 { return a | b },
	expr.BitXor: func(_ expr.DType, a, b int64) int64 { return a ^ b },
	expr.Min:    integerFuncs["min"],
	expr.Max:    integerFuncs["max"],
	expr.FloorDiv: func(t expr.DType, a, b int64) int64 {
		if t == expr.Uint64 {
			return int64(uint64(a) / uint64(b))
		}
		return intmath.FloorDiv(a, b)
	},
	expr.Mod: func(t expr.DType, a, b int64) int64 {
		if t == expr.Uint64 {
			return int64(uint64(a) % uint64(b))
		}
		return intmath.Mod(a, b)
	},
	// OpenCL C takes shift counts modulo the width of the type, which here is at least that of int.
	expr.Shl: func(t expr.DType, a, b int64) int64 { return a << shiftCount(t, b) },
	expr.Shr: func(t expr.DType, a, b int64) int64 {
		if t == expr.Uint64 {
			return int64(uint64(a) >> shiftCount(t, b))
		}
		return a >> shiftCount(t, b)
	},
	expr.Pow: func(t expr.DType, a, b int64) int64 {
		r := int64(1)
		for ; b > 0; b >>= 1 {
			if b&1 != 0 {
				r = t.Wrap(r * a)
			}
			a = t.Wrap(a * a)
		}
		return r
	},
}

func shiftCount(t expr.DType, n int64) uint64 {
	return uint64(n) & uint64(8*max(t.Size(), 4)-1)
}

func (c *compiler) op(t expr.DType, x *expr.Op) value {
	switch {
	case x.Kind == expr.And || x.Kind == expr.Or || x.Kind == expr.Not:
		return c.logic(x)
	case x.Kind.IsComparison():
		return c.compare(x)
	}
	if t.IsVector() {
		return c.lanewise(t, x.Args, func(args []expr.Expr) expr.Expr { return &expr.Op{Kind: x.Kind, Args: args} })
	}
	args := c.allTyped(x.Args, t)
	switch x.Kind {
	case expr.Neg:
		if f := args[0].f; f != nil {
			return value{t: t, f: func(st *state) float64 { return -f(st) }}
		}
		i := args[0].i
		return value{t: t, i: func(st *state) int64 { return t.Wrap(-i(st)) }}
	case expr.BitNot:
		if i := args[0].i; i != nil {
			return value{t: t, i: func(st *state) int64 { return t.Wrap(^i(st)) }}
		}
	}
	if t.IsFloat() {
		return foldFloat(t, x, args)
	}
	f, ok := intOps[x.Kind]
	if !ok {
		panic(throw.Errorf("%s of integers cannot be run", x.Kind))
	}
	divides, power := x.Kind == expr.FloorDiv || x.Kind == expr.Mod, x.Kind == expr.Pow
	v := args[0].i
	for _, arg := range args[1:] {
		a, b := v, arg.i
		v = func(st *state) int64 {
			p, q := a(st), b(st)
			if divides && q == 0 {
				st.fail(x, "division by zero")
			}
			if power && less(t, q, 0) {
				st.fail(x, "negative power %d of an integer", q)
			}
			return t.Wrap(f(t, p, q))
		}
	}
	return value{t: t, i: v}
}

// foldFloat applies a float operator from left to right, rounding after each step.
func foldFloat(t expr.DType, x *expr.Op, args []value) value {
	op, ok := floatOps[x.Kind]
	if !ok {
		panic(throw.Errorf("%s of floats cannot be run", x.Kind))
	}
	if op.spread == nil {
		op.spread = func(a, b, r, ea, eb float64) float64 { return spread(op.f, a, b, r, ea, eb) }
	}
	f, u := op.f, op.units*units[t]
	if x.Kind == expr.Mod {
		f = func(a, b float64) float64 { return a - rounded(t, b*math.Floor(rounded(t, a/b))) }
	}
	v := args[0].f
	for _, arg := range args[1:] {
		a, b := v, arg.f
		switch {
		case t == expr.Float32 && x.Kind == expr.Add: // the innermost operations of most kernels
			v = func(st *state) float64 {
				p := a(st)
				e := st.err
				r := float64(float32(p) + float32(b(st)))
				return st.note(t, r, e+st.err, u*math.Abs(r))
			}
		case t == expr.Float32 && x.Kind == expr.Mul:
			v = func(st *state) float64 {
				p := a(st)
				e := st.err
				q := b(st)
				r := float64(float32(p) * float32(q))
				return st.note(t, r, errorOfProduct(p, q, r, e, st.err), u*math.Abs(r))
			}
		default:
			v = func(st *state) float64 {
				p := a(st)
				e := st.err
				q := b(st)
				r := rounded(t, f(p, q))
				return st.note(t, r, op.spread(p, q, r, e, st.err), u*math.Abs(r))
			}
		}
	}
	return value{t: t, f: v}
}

func (c *compiler) logic(x *expr.Op) value {
	tests := lists.Map(x.Args, c.truth)
	stop := x.Kind == expr.Or // the operand that decides
	if x.Kind == expr.Not {
		return fromTruth(func(st *state) bool { return !tests[0](st) })
	}
	return fromTruth(func(st *state) bool {
		for _, t := range tests {
			if t(st) == stop {
				return stop
			}
		}
		return !stop
	})
}

// comparison is the function that compares numbers of a type.
func comparison[T int64 | uint64 | float64](op expr.OpKind) func(a, b T) bool {
	switch op {
	case expr.Eq:
		return func(a, b T) bool { return a == b }
	case expr.Ne:
		return func(a, b T) bool { return a != b }
	case expr.Lt:
		return func(a, b T) bool { return a < b }
	case expr.Le:
		return func(a, b T) bool { return a <= b }
	case expr.Gt:
		return func(a, b T) bool { return a > b }
	}
	return func(a, b T) bool { return a >= b }
}

func (c *compiler) compare(x *expr.Op) value {
	t := c.common(x.Args)
	v := c.allTyped(x.Args, t)
	l, r := v[0], v[1]
	switch {
	case t.IsFloat():
		holds := comparison[float64](x.Kind)
		return fromTruth(func(st *state) bool { return holds(l.f(st), r.f(st)) })
	case t == expr.Uint64:
		holds := comparison[uint64](x.Kind)
		return fromTruth(func(st *state) bool { return holds(uint64(l.i(st)), uint64(r.i(st))) })
	}
	holds := comparison[int64](x.Kind)
	return fromTruth(func(st *state) bool { return holds(l.i(st), r.i(st)) })
}
