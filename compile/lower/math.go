package lower

import (
	"math"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// math is a function of numbers, lane by lane.
func (l *lowering) math(x *cfront.Call, f cfront.Intrinsic) value {
	var args []value
	t := x.DType
	lanes := max(x.DType.Lanes(), 1)
	ints := f.IR == "popcount" || f.IR == "clz" || f.IR == "ffs" || f.IR == "isnan" || f.IR == "isinf" || f.IR == "isfinite" || f.IR == "signbit"
	for i, a := range x.Args {
		v := l.expression(a)
		switch {
		case ints && strings.HasPrefix(x.Func, "__") && v.t.IsInteger(): // of CUDA C: __popc, __clzll
			v = l.convert(x.Pos, v, map[bool]expr.DType{false: expr.Int32, true: expr.Int64}[strings.HasSuffix(x.Func, "ll")])
		case ints:
		case f.IR == "ldexp" && i == 1 || f.IR == "rint" || f.IR == "round":
		default:
			v = l.convert(x.Pos, v, t)
		}
		args = append(args, v)
	}
	out := value{t: t}
	for i := range lanes {
		var one []*ssa.Value
		for _, a := range args {
			one = append(one, a.x[min(int(i), len(a.x)-1)])
		}
		kind := t.Base()
		if len(args) > 0 && (ints || !kind.IsFloat()) {
			kind = args[0].t.Base()
		}
		r := l.function(x, f.IR, kind, one)
		if r == nil {
			r = l.ofLibrary(x, f.IR, kind, one)
		}
		if r == nil {
			l.fail(x.Pos, "%s of %s is not compiled here", x.Func, kind)
		}
		if r.Type == ssa.Pred {
			r = l.asWord(r)
		}
		if t.Base().IsInteger() && kind.IsFloat() && !ints { // lrintf
			r = l.floatToInt(r, kind, t.Base(), ".TRUNC")
		}
		out.x = append(out.x, r)
	}
	return out
}

// function is a function of a lane; nil for what is not compiled here.
func (l *lowering) function(x *cfront.Call, name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	fast := l.Fast || strings.HasPrefix(x.Func, "__") && !strings.HasSuffix(x.Func, "_rn") || approximated(x.Func)
	switch {
	case isHalf(t):
		return l.halfFunction(x, name, t, a)
	case t == expr.Float32:
		return l.single(name, fast, a)
	case t == expr.Float64:
		return l.double(name, a)
	}
	return l.whole(x, name, t, a)
}

// whole are functions of integers.
func (l *lowering) whole(x *cfront.Call, name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	w := wordType(t)
	s := t.IsSigned() || x.Func == "__sad"
	pick := func(signed, unsigned ssa.Op) ssa.Op {
		if s {
			return signed
		}
		return unsigned
	}
	switch name {
	case "min":
		return l.extreme(t, "LT", pick(ssa.MinS, ssa.MinU), a[0], a[1])
	case "max":
		return l.extreme(t, "GT", pick(ssa.MaxS, ssa.MaxU), a[0], a[1])
	case "clamp":
		return l.extreme(t, "LT", pick(ssa.MinS, ssa.MinU), l.extreme(t, "GT", pick(ssa.MaxS, ssa.MaxU), a[0], a[1]), a[2])
	case "abs", "fabs":
		if w == ssa.D {
			zero := l.Const64(0)
			return l.Make(ssa.Select, w, l.MakeAux(ssa.Cmp, ssa.Pred, "LT", a[0], zero), l.Make(ssa.Sub, w, zero, a[0]), a[0])
		}
		return l.MakeAux(ssa.Raw, ssa.W, "IABS", a[0])
	case "mul_hi":
		if w == ssa.W {
			return l.Make(pick(ssa.MulHiS, ssa.MulHiU), w, a[0], a[1])
		}
		return l.longHigh(s, a[0], a[1])
	case "sad":
		d := l.Make(ssa.Sub, ssa.W, l.Make(pick(ssa.MaxS, ssa.MaxU), ssa.W, a[0], a[1]), l.Make(pick(ssa.MinS, ssa.MinU), ssa.W, a[0], a[1]))
		return l.Make(ssa.Add, ssa.W, d, a[2])
	case "mad":
		return l.Make(ssa.Add, w, l.Make(ssa.Mul, w, a[0], a[1]), a[2])
	case "popcount":
		if w == ssa.D {
			return l.Make(ssa.Add, ssa.W, l.MakeAux(ssa.Raw, ssa.W, "POPC", l.Word(a[0], 0)), l.MakeAux(ssa.Raw, ssa.W, "POPC", l.Word(a[0], 1)))
		}
		return l.MakeAux(ssa.Raw, ssa.W, "POPC", a[0])
	case "clz":
		if w == ssa.D {
			high := l.Word(a[0], 1)
			none := l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", high, l.Const(0))
			zeros := func(v *ssa.Value) *ssa.Value {
				return l.Make(ssa.Sub, ssa.W, l.Const(31), l.MakeAux(ssa.Raw, ssa.W, "FLO.U32", v))
			}
			return l.Make(ssa.Select, ssa.W, none, l.Make(ssa.Add, ssa.W, zeros(l.Word(a[0], 0)), l.Const(32)), zeros(high))
		}
		return l.Make(ssa.Sub, ssa.W, l.Const(31), l.MakeAux(ssa.Raw, ssa.W, "FLO.U32", a[0]))
	case "ffs":
		first := func(v *ssa.Value) *ssa.Value {
			return l.Make(ssa.Add, ssa.W, l.MakeAux(ssa.Raw, ssa.W, "FLO.U32.SH", l.MakeAux(ssa.Raw, ssa.W, "BREV", v)), l.Const(1))
		}
		if w == ssa.W {
			return first(a[0])
		}
		low, high := first(l.Word(a[0], 0)), first(l.Word(a[0], 1))
		none := l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", high, l.Const(0))
		high = l.Make(ssa.Select, ssa.W, none, high, l.Make(ssa.Add, ssa.W, high, l.Const(32)))
		return l.Make(ssa.Select, ssa.W, l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", low, l.Const(0)), high, low)
	case "brev":
		if w == ssa.D {
			return l.Make(ssa.Pack, ssa.D, l.MakeAux(ssa.Raw, ssa.W, "BREV", l.Word(a[0], 1)), l.MakeAux(ssa.Raw, ssa.W, "BREV", l.Word(a[0], 0)))
		}
		return l.MakeAux(ssa.Raw, ssa.W, "BREV", a[0])
	case "byte_perm":
		return l.MakeAux(ssa.Raw, ssa.W, "PRMT", a[0], l.Make(ssa.And, ssa.W, a[2], l.Const(0x7777)), a[1])
	case "hadd":
		return l.Make(ssa.Add, w, l.Make(ssa.And, w, a[0], a[1]), l.Make(pick(ssa.ShrS, ssa.ShrU), w, l.Make(ssa.Xor, w, a[0], a[1]), l.Const(1)))
	case "rhadd":
		return l.Make(ssa.Sub, w, l.Make(ssa.Or, w, a[0], a[1]), l.Make(pick(ssa.ShrS, ssa.ShrU), w, l.Make(ssa.Xor, w, a[0], a[1]), l.Const(1)))
	}
	return nil
}

// longHigh is the high half of a product of 64-bit numbers.
func (l *lowering) longHigh(signed bool, a, b *ssa.Value) *ssa.Value {
	word := func(v *ssa.Value, i int) *ssa.Value { return l.Word(v, i) }
	wide := func(x, y *ssa.Value) *ssa.Value { return l.Make(ssa.MulWideU, ssa.D, x, y) }
	add := func(x, y *ssa.Value) *ssa.Value { return l.Make(ssa.Add, ssa.D, x, y) }
	up := func(x *ssa.Value) *ssa.Value { return l.Make(ssa.Zext, ssa.D, x) }
	low := wide(word(a, 0), word(b, 0))
	first := add(wide(word(a, 1), word(b, 0)), up(word(low, 1)))
	second := add(wide(word(a, 0), word(b, 1)), up(word(first, 0)))
	high := add(add(wide(word(a, 1), word(b, 1)), up(word(first, 1))), up(word(second, 1)))
	if !signed {
		return high
	}
	less := func(x, y *ssa.Value) {
		negative := l.MakeAux(ssa.Cmp, ssa.Pred, "LT", x, l.Const64(0))
		high = l.Make(ssa.Sub, ssa.D, high, l.Make(ssa.Select, ssa.D, negative, y, l.Const64(0)))
	}
	less(a, b)
	less(b, a)
	return high
}

func (l *lowering) extreme(t expr.DType, name string, op ssa.Op, a, b *ssa.Value) *ssa.Value {
	if wordType(t) == ssa.D {
		return l.Make(ssa.Select, ssa.D, l.compared(name, t, a, b), a, b)
	}
	return l.Make(op, ssa.W, a, b)
}

// single are functions of single precision.
func (l *lowering) single(name string, fast bool, a []*ssa.Value) *ssa.Value {
	mul := func(x, y *ssa.Value) *ssa.Value { return l.Make(ssa.FMul, ssa.W, x, y) }
	muldiv := func(x *ssa.Value, f float64) *ssa.Value { return mul(x, l.Float(float32(f))) }
	unit := func(name string, x *ssa.Value) *ssa.Value { return l.MakeAux(ssa.Raw, ssa.W, "MUFU."+name, x) }
	switch name {
	case "fma", "mad":
		return l.Make(ssa.FFma, ssa.W, a...)
	case "fmin", "min":
		return l.Make(ssa.FMin, ssa.W, a...)
	case "fmax", "max":
		return l.Make(ssa.FMax, ssa.W, a...)
	case "clamp":
		return l.Make(ssa.FMin, ssa.W, l.Make(ssa.FMax, ssa.W, a[0], a[1]), a[2])
	case "fabs", "abs":
		return l.Make(ssa.FAbs, ssa.W, a[0])
	case "add":
		return l.Make(ssa.FAdd, ssa.W, a...)
	case "sub":
		return l.Make(ssa.FAdd, ssa.W, a[0], l.Make(ssa.FNeg, ssa.W, a[1]))
	case "mul":
		return mul(a[0], a[1])
	case "saturate":
		return l.MakeAux(ssa.Raw, ssa.W, "FADD.SAT", a[0], l.Make(ssa.FNeg, ssa.W, l.Const(0)))
	case "floor", "ceil", "trunc", "rint":
		return l.MakeAux(ssa.Raw, ssa.W, "FRND"+map[string]string{"floor": ".FLOOR", "ceil": ".CEIL", "trunc": ".TRUNC", "rint": ""}[name], a[0])
	case "round":
		half := l.MakeAux(ssa.Raw, ssa.W, "LOP3.LUT", l.Float(0.5), l.Const(0x80000000), a[0], l.Const(0xb8))
		return l.MakeAux(ssa.Raw, ssa.W, "FRND.TRUNC", l.Make(ssa.FAdd, ssa.W, a[0], half))
	case "sqrt":
		return l.root(a[0], fast || l.Cheap)
	case "rsqrt":
		return l.scaledSmall(a[0], "RSQ", 24, 12)
	case "exp":
		return l.exponential(a[0], fast)
	case "exp2":
		return l.powerOfTwo(a[0])
	case "log":
		if fast {
			return muldiv(l.scaledSmallLog(a[0]), math.Ln2)
		}
		return l.logarithm(a[0])
	case "log2":
		return l.scaledSmallLog(a[0])
	case "log10":
		if fast {
			return muldiv(l.scaledSmallLog(a[0]), math.Log10(2))
		}
		return muldiv(l.logarithm(a[0]), 1/math.Ln10)
	case "pow":
		if fast {
			return l.powerOfTwo(mul(a[1], l.scaledSmallLog(a[0])))
		}
		return l.power(a[0], a[1])
	case "sin", "cos":
		if fast {
			return unit(strings.ToUpper(name), l.MakeAux(ssa.Raw, ssa.W, "FMUL.RZ", a[0], l.Float(float32(1/(2*math.Pi)))))
		}
		return l.turn(a[0], name == "cos")
	case "tanh":
		if fast {
			return unit("TANH", a[0])
		}
		return l.tangent(a[0])
	case "exp10":
		return l.powerOfTwo(muldiv(a[0], math.Log2(10)))
	case "copysign":
		return l.MakeAux(ssa.Raw, ssa.W, "LOP3.LUT", a[0], l.Const(0x80000000), a[1], l.Const(signOfSecond))
	case "isnan":
		return l.MakeAux(ssa.FCmp, ssa.Pred, "NAN", a[0], a[0])
	case "isinf", "isfinite":
		how := map[string]string{"isinf": "EQ", "isfinite": "LT"}[name]
		return l.MakeAux(ssa.FCmp, ssa.Pred, how, l.Make(ssa.FAbs, ssa.W, a[0]), l.Float(float32(math.Inf(1))))
	case "signbit":
		return l.MakeAux(ssa.Cmp, ssa.Pred, "LT", a[0], l.Const(0))
	case "ldexp":
		return mul(a[0], l.Make(ssa.Shl, ssa.W, l.Make(ssa.Add, ssa.W, a[1], l.Const(127)), l.Const(23)))
	case "hypot":
		return l.root(l.Make(ssa.FAdd, ssa.W, mul(a[0], a[0]), mul(a[1], a[1])), fast)
	case "fmod":
		q := l.MakeAux(ssa.Raw, ssa.W, "FRND.TRUNC", l.divideFloats(a[0], a[1]))
		return l.Make(ssa.FFma, ssa.W, l.Make(ssa.FNeg, ssa.W, q), a[1], a[0])
	}
	return nil
}

// scaledSmall is a function of a number that is made greater where it is subnormal, and the result made right again.
func (l *lowering) scaledSmall(x *ssa.Value, unit string, up, down int) *ssa.Value {
	const least = 0x00800000 // the least normal number
	small := l.MakeAux(ssa.FCmp, ssa.Pred, "LT", l.Make(ssa.FAbs, ssa.W, x), l.Const(least))
	scaled := l.Make(ssa.Select, ssa.W, small, l.Make(ssa.FMul, ssa.W, x, l.Float(float32(math.Ldexp(1, up)))), x)
	y := l.MakeAux(ssa.Raw, ssa.W, "MUFU."+unit, scaled)
	return l.Make(ssa.Select, ssa.W, small, l.Make(ssa.FMul, ssa.W, y, l.Float(float32(math.Ldexp(1, down)))), y)
}

func (l *lowering) scaledSmallLog(x *ssa.Value) *ssa.Value {
	const least = 0x00800000 // the least normal number
	small := l.MakeAux(ssa.FCmp, ssa.Pred, "LT", l.Make(ssa.FAbs, ssa.W, x), l.Const(least))
	scaled := l.Make(ssa.Select, ssa.W, small, l.Make(ssa.FMul, ssa.W, x, l.Float(1<<24)), x)
	y := l.MakeAux(ssa.Raw, ssa.W, "MUFU.LG2", scaled)
	return l.Make(ssa.Select, ssa.W, small, l.Make(ssa.FAdd, ssa.W, y, l.Float(-24)), y)
}

// powerOfTwo is 2 to the power of x.
func (l *lowering) powerOfTwo(x *ssa.Value) *ssa.Value {
	small := l.MakeAux(ssa.FCmp, ssa.Pred, "LT", x, l.Float(-126))
	scaled := l.Make(ssa.Select, ssa.W, small, l.Make(ssa.FMul, ssa.W, x, l.Float(0.5)), x)
	y := l.MakeAux(ssa.Raw, ssa.W, "MUFU.EX2", scaled)
	return l.Make(ssa.Select, ssa.W, small, l.Make(ssa.FMul, ssa.W, y, y), y)
}

// root is a square root to the last place.
func (l *lowering) root(x *ssa.Value, fast bool) *ssa.Value {
	if fast {
		return l.Make(ssa.FMul, ssa.W, l.scaledSmall(x, "RSQ", 24, 12), x)
	}
	return expanded(l.Builder, []*ssa.Value{x}, func() *ssa.Value { return l.exactRoot(x) })
}

func (l *lowering) exactRoot(x *ssa.Value) *ssa.Value {
	r := l.MakeAux(ssa.Raw, ssa.W, "MUFU.RSQ", x)
	const from, span = 0x0d000000, 0x727fffff // bits of the least number for which the short way is exact, and how far those go
	odd := l.MakeAux(ssa.Cmp, ssa.Pred, "GTU", l.Make(ssa.Add, ssa.W, x, l.Const(-from)), l.Const(span))
	s := l.Make(ssa.FMul, ssa.W, x, r)
	h := l.Make(ssa.FMul, ssa.W, r, l.Float(0.5))
	y := l.Make(ssa.FFma, ssa.W, l.Make(ssa.FFma, ssa.W, l.Make(ssa.FNeg, ssa.W, s), s, x), h, s)
	return l.rarely(odd, y, func() *ssa.Value {
		big := l.Make(ssa.FMul, ssa.W, x, l.Float(1<<24))
		y := l.Make(ssa.FMul, ssa.W, l.MakeAux(ssa.Raw, ssa.W, "MUFU.SQRT", big), l.Float(1.0/(1<<12)))
		zero := l.MakeAux(ssa.FCmp, ssa.Pred, "EQ", x, l.Const(0))
		return l.Make(ssa.Select, ssa.W, zero, x, y)
	})
}

// exponential is e to the power of x, in the instructions of NVIDIA's library.
func (l *lowering) exponential(x *ssa.Value, fast bool) *ssa.Value {
	if fast {
		return l.powerOfTwo(l.Make(ssa.FMul, ssa.W, x, l.Float(math.Log2E)))
	}
	const shifter, remains = 12582913, -12583039 // 1.5 × 2^23 + 1: rounds to an integer in the low bits; and what takes it off again, with the bias
	t := l.MakeAux(ssa.Raw, ssa.W, "FFMA.SAT", x, l.Float(0.0057249800302088261), l.Float(0.5))
	t = l.MakeAux(ssa.Raw, ssa.W, "FFMA.RM", t, l.Float(252), l.Float(shifter))
	u := l.Make(ssa.FAdd, ssa.W, t, l.Float(remains))
	v := l.Make(ssa.FFma, ssa.W, x, l.Float(1.4426950216293335), l.Make(ssa.FNeg, ssa.W, u))
	v = l.Make(ssa.FFma, ssa.W, x, l.Float(1.9259629911266174e-08), v)
	return l.Make(ssa.FMul, ssa.W, l.Make(ssa.Shl, ssa.W, t, l.Const(23)), l.MakeAux(ssa.Raw, ssa.W, "MUFU.EX2", v))
}

// polynomial is one by Horner's rule, the highest coefficient first.
func (l *lowering) polynomial(x *ssa.Value, c ...float64) *ssa.Value {
	p := l.Float(float32(c[0]))
	for _, k := range c[1:] {
		p = l.Make(ssa.FFma, ssa.W, x, p, l.Float(float32(k)))
	}
	return p
}

// logarithm is the natural one: that of the exponent, and a polynomial of the rest, which is from 2/3 to 4/3.
func (l *lowering) logarithm(x *ssa.Value) *ssa.Value {
	const least, third = 0x00800000, 0x3f2aaaab // the least normal number, and bits of 2/3
	small := l.MakeAux(ssa.FCmp, ssa.Pred, "LT", x, l.Const(least))
	y := l.Make(ssa.Select, ssa.W, small, l.Make(ssa.FMul, ssa.W, x, l.Float(1<<23)), x)
	exponent := l.Make(ssa.And, ssa.W, l.Make(ssa.Add, ssa.W, y, l.Const(-third)), l.Const(0xff800000))
	m := l.Make(ssa.FAdd, ssa.W, l.Make(ssa.Sub, ssa.W, y, exponent), l.Float(-1))
	e := l.Make(ssa.FFma, ssa.W, l.MakeAux(ssa.Raw, ssa.W, "I2FP.F32.S32", exponent), l.Float(1.0/(1<<23)), l.Make(ssa.Select, ssa.W, small, l.Float(-23), l.Float(0)))
	p := l.polynomial(m, 0.1, -0.11111111, 0.125, -0.14285714, 0.16666667, -0.2, 0.25, -0.33333333, 0.5)
	p = l.Make(ssa.FFma, ssa.W, l.Make(ssa.FMul, ssa.W, m, l.Make(ssa.FNeg, ssa.W, m)), p, m)
	r := l.Make(ssa.FFma, ssa.W, e, l.Float(math.Ln2), p)
	infinite := l.MakeAux(ssa.Cmp, ssa.Pred, "GTU", x, l.Const(0x7f7fffff))
	inf := l.Float(float32(math.Inf(1)))
	r = l.Make(ssa.Select, ssa.W, infinite, l.Make(ssa.FFma, ssa.W, x, inf, inf), r)
	zero := l.MakeAux(ssa.FCmp, ssa.Pred, "EQ", x, l.Const(0))
	return l.Make(ssa.Select, ssa.W, zero, l.Float(float32(math.Inf(-1))), r)
}

// power is x to the power of y: by the logarithm in two words, as the library has it.
func (l *lowering) power(x, y *ssa.Value) *ssa.Value {
	mul := func(a, b *ssa.Value) *ssa.Value { return l.Make(ssa.FMul, ssa.W, a, b) }
	ax := l.Make(ssa.FAbs, ssa.W, x)
	lg := l.logarithm(ax)
	high := mul(lg, l.Float(math.Log2E))
	low := l.Make(ssa.FFma, ssa.W, lg, l.Float(math.Log2E), l.Make(ssa.FNeg, ssa.W, high))
	p := mul(high, y)
	q := l.Make(ssa.FFma, ssa.W, low, y, l.Make(ssa.FFma, ssa.W, high, y, l.Make(ssa.FNeg, ssa.W, p)))
	n := l.MakeAux(ssa.Raw, ssa.W, "FRND", p)
	f := l.Make(ssa.FAdd, ssa.W, l.Make(ssa.FAdd, ssa.W, p, l.Make(ssa.FNeg, ssa.W, n)), q)
	e := l.polynomial(f, 0.0013391353422775864601, 0.0096188392490148544312, 0.055503588169813156128, 0.24022644758224487305, 0.69314718246459960938, 1)
	k := l.Make(ssa.Shl, ssa.W, l.MakeAux(ssa.Raw, ssa.W, "F2I.TRUNC.NTZ", n), l.Const(23))
	r := l.Make(ssa.Add, ssa.W, e, k)
	one := l.MakeAux(ssa.FCmp, ssa.Pred, "EQ", y, l.Const(0))
	return l.Make(ssa.Select, ssa.W, one, l.Float(1), r)
}

// turn is a sine or a cosine: what remains of quarters of a turn, and a polynomial for each kind of quarter.
func (l *lowering) turn(x *ssa.Value, cosine bool) *ssa.Value {
	q := l.MakeAux(ssa.Raw, ssa.W, "F2I.NTZ", l.Make(ssa.FMul, ssa.W, x, l.Float(2/math.Pi)))
	f := l.MakeAux(ssa.Raw, ssa.W, "I2FP.F32.S32", q)
	r := l.Make(ssa.FFma, ssa.W, f, l.Float(-1.5707962512969970703), x)
	r = l.Make(ssa.FFma, ssa.W, f, l.Float(-7.5497894158615963534e-08), r)
	r = l.Make(ssa.FFma, ssa.W, f, l.Float(-5.3903029534742383927e-15), r)
	const far = 105615 // beyond which three constants do not reduce the argument exactly
	r = l.rarely(l.MakeAux(ssa.FCmp, ssa.Pred, "GT", l.Make(ssa.FAbs, ssa.W, x), l.Float(far)), r, func() *ssa.Value {
		return l.Make(ssa.FMul, ssa.W, x, l.Const(0))
	})
	if cosine {
		q = l.Make(ssa.Add, ssa.W, q, l.Const(1))
	}
	odd := l.MakeAux(ssa.Cmp, ssa.Pred, "NE", l.Make(ssa.And, ssa.W, q, l.Const(1)), l.Const(0))
	pick := func(a, b float64) *ssa.Value {
		return l.Make(ssa.Select, ssa.W, odd, l.Float(float32(a)), l.Float(float32(b)))
	}
	s := l.Make(ssa.FMul, ssa.W, r, r)
	p := l.Make(ssa.Select, ssa.W, odd, l.Make(ssa.FFma, ssa.W, s, l.Float(2.4433157118e-05), l.Float(-0.0013887860113754868507)), l.Float(-0.00019574658654164522886))
	p = l.Make(ssa.FFma, ssa.W, s, p, pick(0.041666727513074874878, 0.0083327032625675201416))
	p = l.Make(ssa.FFma, ssa.W, s, p, pick(-0.4999999701976776123, -0.16666662693023681641))
	first := l.Make(ssa.Select, ssa.W, odd, l.Float(1), r)
	y := l.Make(ssa.FFma, ssa.W, l.Make(ssa.FMul, ssa.W, s, first), p, first)
	negative := l.MakeAux(ssa.Cmp, ssa.Pred, "NE", l.Make(ssa.And, ssa.W, q, l.Const(2)), l.Const(0))
	return l.Make(ssa.Select, ssa.W, negative, l.Make(ssa.FNeg, ssa.W, y), y)
}

// tangent is the hyperbolic tangent.
func (l *lowering) tangent(x *ssa.Value) *ssa.Value {
	ax := l.Make(ssa.FAbs, ssa.W, x)
	e := l.MakeAux(ssa.Raw, ssa.W, "MUFU.EX2", l.Make(ssa.FMul, ssa.W, ax, l.Float(2.8853900817779268)))
	large := l.Make(ssa.FFma, ssa.W, l.MakeAux(ssa.Raw, ssa.W, "MUFU.RCP", l.Make(ssa.FAdd, ssa.W, e, l.Float(1))), l.Float(-2), l.Float(1))
	const sign = 0x80000000 // the sign bit
	large = l.MakeAux(ssa.Raw, ssa.W, "LOP3.LUT", large, l.Const(sign), x, l.Const(0xb8))
	s := l.Make(ssa.FMul, ssa.W, x, x)
	p := l.polynomial(s, 0.01434264425188303, -0.052303962409496307, 0.1331529766321182251, -0.33332768082618713)
	near := l.Make(ssa.FFma, ssa.W, l.Make(ssa.FMul, ssa.W, s, p), x, x)
	return l.Make(ssa.Select, ssa.W, l.MakeAux(ssa.FCmp, ssa.Pred, "GE", ax, l.Float(0.6)), large, near)
}

// double are functions of double precision.
// doubleExponential is e to the power of x: a power of two, and a polynomial of degree 11.
// signOfSecond is the table of LOP3 that takes a bit of the third operand where the second has it set, else of the first.
const signOfSecond = 0xb8
