package interp

import (
	"fmt"
	"math"

	"gpuperf/kernel"
)

// less compares integers of the type.
func less(t kernel.DType, a, b int64) bool {
	if t == kernel.Uint64 {
		return uint64(a) < uint64(b)
	}
	return a < b
}

var floatOps = map[kernel.OpKind]func(a, b float64) float64{
	kernel.Add:      func(a, b float64) float64 { return a + b },
	kernel.Sub:      func(a, b float64) float64 { return a - b },
	kernel.Mul:      func(a, b float64) float64 { return a * b },
	kernel.Div:      func(a, b float64) float64 { return a / b },
	kernel.FloorDiv: func(a, b float64) float64 { return math.Floor(a / b) },
	kernel.Pow:      math.Pow,
	kernel.Min:      fmin,
	kernel.Max:      fmax,
}

var intOps = map[kernel.OpKind]func(t kernel.DType, a, b int64) int64{
	kernel.Add:    func(_ kernel.DType, a, b int64) int64 { return a + b },
	kernel.Sub:    func(_ kernel.DType, a, b int64) int64 { return a - b },
	kernel.Mul:    func(_ kernel.DType, a, b int64) int64 { return a * b },
	kernel.BitAnd: func(_ kernel.DType, a, b int64) int64 { return a & b },
	kernel.BitOr:  func(_ kernel.DType, a, b int64) int64 { return a | b },
	kernel.BitXor: func(_ kernel.DType, a, b int64) int64 { return a ^ b },
	kernel.Min:    integerFuncs["min"],
	kernel.Max:    integerFuncs["max"],
	kernel.FloorDiv: func(t kernel.DType, a, b int64) int64 {
		if t == kernel.Uint64 {
			return int64(uint64(a) / uint64(b))
		}
		return floorDiv(a, b)
	},
	kernel.Mod: func(t kernel.DType, a, b int64) int64 {
		if t == kernel.Uint64 {
			return int64(uint64(a) % uint64(b))
		}
		return floorMod(a, b)
	},
	// OpenCL C takes shift counts modulo the width of the type, which here is at least that of int.
	kernel.Shl: func(t kernel.DType, a, b int64) int64 { return a << shiftCount(t, b) },
	kernel.Shr: func(t kernel.DType, a, b int64) int64 {
		if t == kernel.Uint64 {
			return int64(uint64(a) >> shiftCount(t, b))
		}
		return a >> shiftCount(t, b)
	},
	kernel.Pow: func(t kernel.DType, a, b int64) int64 {
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

func shiftCount(t kernel.DType, n int64) uint64 {
	return uint64(n) & uint64(8*max(t.Size(), 4)-1)
}

func (c *compiler) op(t kernel.DType, x *kernel.Op) (value, error) {
	switch {
	case x.Kind == kernel.And || x.Kind == kernel.Or || x.Kind == kernel.Not:
		return c.logic(x)
	case x.Kind.IsComparison():
		return c.compare(x)
	}
	args := make([]value, len(x.Args))
	for n, e := range x.Args {
		var err error
		if args[n], err = c.typed(e, t); err != nil {
			return value{}, err
		}
	}
	switch x.Kind {
	case kernel.Neg:
		if f := args[0].f; f != nil {
			return value{t: t, f: func(st *state) float64 { return -f(st) }}, nil
		}
		i := args[0].i
		return value{t: t, i: func(st *state) int64 { return wrap(t, -i(st)) }}, nil
	case kernel.BitNot:
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
	divides, power := x.Kind == kernel.FloorDiv || x.Kind == kernel.Mod, x.Kind == kernel.Pow
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
func foldFloat(t kernel.DType, x *kernel.Op, args []value) (value, error) {
	if x.Kind == kernel.Mod {
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
		case t == kernel.Float32 && x.Kind == kernel.Add: // the innermost operations of most kernels
			v = func(st *state) float64 { return float64(float32(a(st)) + float32(b(st))) }
		case t == kernel.Float32 && x.Kind == kernel.Mul:
			v = func(st *state) float64 { return float64(float32(a(st)) * float32(b(st))) }
		default:
			v = func(st *state) float64 { return round(t, f(a(st), b(st))) }
		}
	}
	return value{t: t, f: v}, nil
}

func (c *compiler) logic(x *kernel.Op) (value, error) {
	tests := make([]func(*state) bool, len(x.Args))
	for n, e := range x.Args {
		var err error
		if tests[n], err = c.truth(e); err != nil {
			return value{}, err
		}
	}
	stop := x.Kind == kernel.Or // the operand that decides
	if x.Kind == kernel.Not {
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

func (c *compiler) compare(x *kernel.Op) (value, error) {
	t, err := c.common(x.Args)
	if err != nil {
		return value{}, err
	}
	l, err := c.typed(x.Args[0], t)
	if err != nil {
		return value{}, err
	}
	r, err := c.typed(x.Args[1], t)
	if err != nil {
		return value{}, err
	}
	kind := x.Kind
	if t.IsFloat() {
		a, b := l.f, r.f
		return fromTruth(func(st *state) bool {
			p, q := a(st), b(st)
			switch kind {
			case kernel.Eq:
				return p == q
			case kernel.Ne:
				return p != q
			case kernel.Lt:
				return p < q
			case kernel.Le:
				return p <= q
			case kernel.Gt:
				return p > q
			}
			return p >= q
		}), nil
	}
	a, b := l.i, r.i
	return fromTruth(func(st *state) bool {
		p, q := a(st), b(st)
		switch kind {
		case kernel.Eq:
			return p == q
		case kernel.Ne:
			return p != q
		case kernel.Lt:
			return less(t, p, q)
		case kernel.Le:
			return !less(t, q, p)
		case kernel.Gt:
			return less(t, q, p)
		}
		return !less(t, p, q)
	}), nil
}
