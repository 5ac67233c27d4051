package interp

import (
	"fmt"
	"math"

	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
)

// less compares integers of the type.
func less(t expr.DType, a, b int64) bool {
	if t == expr.Uint64 {
		return uint64(a) < uint64(b)
	}
	return a < b
}

var floatOps = map[expr.OpKind]func(a, b float64) float64{
	expr.Add:      func(a, b float64) float64 { return a + b },
	expr.Sub:      func(a, b float64) float64 { return a - b },
	expr.Mul:      func(a, b float64) float64 { return a * b },
	expr.Div:      func(a, b float64) float64 { return a / b },
	expr.FloorDiv: func(a, b float64) float64 { return math.Floor(a / b) },
	expr.Pow:      math.Pow,
	expr.Min:      expr.Math2["fmin"],
	expr.Max:      expr.Math2["fmax"],
}

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
				r = wrap(t, r*a)
			}
			a = wrap(t, a*a)
		}
		return r
	},
}

func shiftCount(t expr.DType, n int64) uint64 {
	return uint64(n) & uint64(8*max(t.Size(), 4)-1)
}

func (c *compiler) op(t expr.DType, x *expr.Op) (value, error) {
	switch {
	case x.Kind == expr.And || x.Kind == expr.Or || x.Kind == expr.Not:
		return c.logic(x)
	case x.Kind.IsComparison():
		return c.compare(x)
	}
	if t.IsVector() {
		return c.lanewise(t, x.Args, func(args []expr.Expr) expr.Expr { return &expr.Op{Kind: x.Kind, Args: args} })
	}
	args, err := c.allTyped(x.Args, t)
	if err != nil {
		return value{}, err
	}
	switch x.Kind {
	case expr.Neg:
		if f := args[0].f; f != nil {
			return value{t: t, f: func(st *state) float64 { return -f(st) }}, nil
		}
		i := args[0].i
		return value{t: t, i: func(st *state) int64 { return wrap(t, -i(st)) }}, nil
	case expr.BitNot:
		if i := args[0].i; i != nil {
			return value{t: t, i: func(st *state) int64 { return wrap(t, ^i(st)) }}, nil
		}
	}
	if t.IsFloat() {
		return foldFloat(t, x, args)
	}
	f, ok := intOps[x.Kind]
	if !ok {
		return value{}, fmt.Errorf("%s of integers cannot be run", x.Kind)
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
			return wrap(t, f(t, p, q))
		}
	}
	return value{t: t, i: v}, nil
}

// foldFloat applies a float operator from left to right, rounding after each step.
func foldFloat(t expr.DType, x *expr.Op, args []value) (value, error) {
	if x.Kind == expr.Mod {
		a, b := args[0].f, args[1].f
		return value{t: t, f: func(st *state) float64 {
			p, q := a(st), b(st)
			return round(t, p-round(t, q*math.Floor(round(t, p/q))))
		}}, nil
	}
	f, ok := floatOps[x.Kind]
	if !ok {
		return value{}, fmt.Errorf("%s of floats cannot be run", x.Kind)
	}
	v := args[0].f
	for _, arg := range args[1:] {
		a, b := v, arg.f
		switch {
		case t == expr.Float32 && x.Kind == expr.Add: // the innermost operations of most kernels
			v = func(st *state) float64 { return float64(float32(a(st)) + float32(b(st))) }
		case t == expr.Float32 && x.Kind == expr.Mul:
			v = func(st *state) float64 { return float64(float32(a(st)) * float32(b(st))) }
		default:
			v = func(st *state) float64 { return round(t, f(a(st), b(st))) }
		}
	}
	return value{t: t, f: v}, nil
}

func (c *compiler) logic(x *expr.Op) (value, error) {
	tests := make([]func(*state) bool, len(x.Args))
	for n, e := range x.Args {
		var err error
		if tests[n], err = c.truth(e); err != nil {
			return value{}, err
		}
	}
	stop := x.Kind == expr.Or // the operand that decides
	if x.Kind == expr.Not {
		return fromTruth(func(st *state) bool { return !tests[0](st) }), nil
	}
	return fromTruth(func(st *state) bool {
		for _, t := range tests {
			if t(st) == stop {
				return stop
			}
		}
		return !stop
	}), nil
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

func (c *compiler) compare(x *expr.Op) (value, error) {
	t, err := c.common(x.Args)
	if err != nil {
		return value{}, err
	}
	v, err := c.allTyped(x.Args, t)
	if err != nil {
		return value{}, err
	}
	l, r := v[0], v[1]
	switch {
	case t.IsFloat():
		holds := comparison[float64](x.Kind)
		return fromTruth(func(st *state) bool { return holds(l.f(st), r.f(st)) }), nil
	case t == expr.Uint64:
		holds := comparison[uint64](x.Kind)
		return fromTruth(func(st *state) bool { return holds(uint64(l.i(st)), uint64(r.i(st))) }), nil
	}
	holds := comparison[int64](x.Kind)
	return fromTruth(func(st *state) bool { return holds(l.i(st), r.i(st)) }), nil
}
