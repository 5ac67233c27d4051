package lower

import (
	"math"

	"gpuperf/compile/ssa"
)

func (l *lowering) double(name string, a []*ssa.Value) *ssa.Value {
	switch name {
	case "fma", "mad":
		return l.Make(ssa.DFma, ssa.D, a...)
	case "fabs", "abs":
		return l.Make(ssa.DAbs, ssa.D, a[0])
	case "add":
		return l.Make(ssa.DAdd, ssa.D, a...)
	case "sub":
		return l.Make(ssa.DAdd, ssa.D, a[0], l.Make(ssa.DNeg, ssa.D, a[1]))
	case "mul":
		return l.Make(ssa.DMul, ssa.D, a...)
	case "fmin", "min":
		return l.Make(ssa.Select, ssa.D, l.MakeAux(ssa.DCmp, ssa.Pred, "LT", a[0], a[1]), a[0], a[1])
	case "fmax", "max":
		return l.Make(ssa.Select, ssa.D, l.MakeAux(ssa.DCmp, ssa.Pred, "GT", a[0], a[1]), a[0], a[1])
	case "sqrt", "rsqrt":
		return l.doubleRoot(a[0], name == "rsqrt")
	case "floor", "ceil", "trunc", "rint":
		return l.MakeAux(ssa.Raw, ssa.D, "FRND.F64"+map[string]string{"floor": ".FLOOR", "ceil": ".CEIL", "trunc": ".TRUNC", "rint": ""}[name], a[0])
	case "exp":
		return l.doubleExponential(a[0])
	case "copysign":
		high := l.MakeAux(ssa.Raw, ssa.W, "LOP3.LUT", l.Word(a[0], 1), l.Const(0x80000000), l.Word(a[1], 1), l.Const(signOfSecond))
		return l.Make(ssa.Pack, ssa.D, l.Word(a[0], 0), high)
	case "isnan":
		return l.MakeAux(ssa.DCmp, ssa.Pred, "NAN", a[0], a[0])
	case "isinf", "isfinite":
		how := map[string]string{"isinf": "EQ", "isfinite": "LT"}[name]
		return l.MakeAux(ssa.DCmp, ssa.Pred, how, l.Make(ssa.DAbs, ssa.D, a[0]), l.Double(math.Inf(1)))
	case "signbit":
		return l.MakeAux(ssa.Cmp, ssa.Pred, "LT", l.Word(a[0], 1), l.Const(0))
	}
	return nil
}

func (l *lowering) doubleRoot(x *ssa.Value, inverse bool) *ssa.Value {
	r := l.Make(ssa.Pack, ssa.D, l.Const(0), l.MakeAux(ssa.Raw, ssa.W, "MUFU.RSQ64H", l.Word(x, 1)))
	t := l.Make(ssa.DMul, ssa.D, r, r)
	e := l.Make(ssa.DFma, ssa.D, x, l.Make(ssa.DNeg, ssa.D, t), l.Double(1))
	f := l.Make(ssa.DFma, ssa.D, e, l.Double(0.375), l.Double(0.5))
	g := l.Make(ssa.DMul, ssa.D, r, e)
	r = l.Make(ssa.DFma, ssa.D, f, g, r)
	if inverse {
		return r
	}
	s := l.Make(ssa.DMul, ssa.D, x, r)
	h := l.Make(ssa.DMul, ssa.D, r, l.Double(0.5))
	y := l.Make(ssa.DFma, ssa.D, l.Make(ssa.DFma, ssa.D, l.Make(ssa.DNeg, ssa.D, s), s, x), h, s)
	zero := l.MakeAux(ssa.DCmp, ssa.Pred, "EQ", x, l.Double(0))
	return l.Make(ssa.Select, ssa.D, zero, x, y)
}

func (l *lowering) doubleExponential(x *ssa.Value) *ssa.Value {
	const shifter = 6755399441055744 // 1.5 × 2^52: adding it rounds to an integer, which stands in the low bits
	t := l.Make(ssa.DFma, ssa.D, x, l.Double(math.Log2E), l.Double(shifter))
	n := l.Make(ssa.DAdd, ssa.D, t, l.Double(-shifter))
	r := l.Make(ssa.DFma, ssa.D, n, l.Double(-0.6931471805599453), x)
	r = l.Make(ssa.DFma, ssa.D, n, l.Double(-2.3190468138462996e-17), r)
	p := l.Double(1.0 / 39916800)
	factorial := 3628800.0
	for k := 10.0; k >= 0; k-- {
		p = l.Make(ssa.DFma, ssa.D, p, r, l.Double(1/factorial))
		if k > 0 {
			factorial /= k
		}
	}
	high := l.Make(ssa.Add, ssa.W, l.Word(p, 1), l.Make(ssa.Shl, ssa.W, l.Word(t, 0), l.Const(20)))
	return l.Make(ssa.Pack, ssa.D, l.Word(p, 0), high)
}
