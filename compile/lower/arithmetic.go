package lower

import (
	"math/bits"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

func (l *lowering) binary(x *cfront.Binary) value {
	switch x.Op {
	case "&&", "||", "==", "!=", "<", "<=", ">", ">=":
		if !x.X.Type().IsVector() && !x.Y.Type().IsVector() {
			return number(expr.Int32, l.asWord(l.condition(x)))
		}
	}
	a := l.expression(x.X)
	b := l.expression(x.Y)
	if a.p != nil || b.p != nil {
		return l.pointerArithmetic(x, a, b)
	}
	fast, cheap := l.Fast, l.Cheap
	defer func() { l.Fast, l.Cheap = fast, cheap }()
	switch {
	case approximated(x.Func):
		l.Fast = true
	case strings.HasSuffix(x.Func, "_rn"):
		l.Fast, l.Cheap = false, false
	}
	return l.arithmetic(x.Pos, x.Op, a, b)
}

func (l *lowering) pointerArithmetic(x *cfront.Binary, a, b value) value {
	switch {
	case a.p != nil && b.p != nil && x.Op == "-":
		size := sizeOf(a.elem, a.rec, false) * product(a.dims)
		d := l.Make(ssa.Sub, ssa.D, l.convert(x.Pos, a, expr.Uint64).x[0], l.convert(x.Pos, b, expr.Uint64).x[0])
		if size&(size-1) != 0 || size == 0 {
			l.fail(x.Pos, "the difference of pointers to elements of %d bytes is not compiled here", size)
		}
		return number(expr.Int64, l.Make(ssa.ShrS, ssa.D, d, l.Const(int64(bits.TrailingZeros64(uint64(size))))))
	case b.p != nil && x.Op == "+":
		a, b = b, a
	case b.p != nil || x.Op != "+" && x.Op != "-":
		return l.arithmetic(x.Pos, x.Op, l.convert(x.Pos, a, expr.Uint64), l.convert(x.Pos, b, expr.Uint64))
	}
	if x.Op == "-" {
		t := expr.DType(expr.Int32)
		if wordType(b.t) == ssa.D {
			t = expr.Int64
		}
		zero := number(t, l.Const(0))
		if t == expr.Int64 {
			zero = number(t, l.Const64(0))
		}
		b = l.arithmetic(x.Pos, "-", zero, l.convert(x.Pos, b, t))
	}
	size := sizeOf(a.elem, a.rec, false) * product(a.dims)
	if a.elem == "" && a.rec == nil {
		size = 8
	}
	out := a
	out.p = l.advanced(x.Pos, a.p, b, size)
	return out
}

// arithmetic is a op b.
func (l *lowering) arithmetic(at cfront.Pos, op string, a, b value) value {
	if len(a.x) == 0 || len(b.x) == 0 {
		l.fail(at, "%s of what is no number", op)
	}
	t := common(a.t, b.t)
	if op == "<<" || op == ">>" {
		t = common(a.t, expr.Int32)
		if a.t.IsVector() {
			t = a.t
		}
		b = l.convert(at, b, expr.DType(expr.Int32).Vector(max(b.t.Lanes(), 1)))
		a = l.convert(at, a, t)
		out := value{t: t}
		for i, x := range a.x {
			out.x = append(out.x, l.shift(op, t.Base(), x, b.x[min(i, len(b.x)-1)]))
		}
		return out
	}
	a, b = l.convert(at, a, t), l.convert(at, b, t)
	out := value{t: t}
	if isHalf(t.Base()) && op != "/" {
		pair := func(words []*ssa.Value) *ssa.Value { return l.halfOperation(at, op, t.Base(), words[0], words[1]) }
		if out.x = l.inPairs([][]*ssa.Value{a.x, b.x}, pair); out.x != nil {
			return out
		}
	}
	for i := range a.x {
		out.x = append(out.x, l.operation(at, op, t.Base(), a.x[i], b.x[i]))
	}
	return out
}

func (l *lowering) shift(op string, t expr.DType, x, n *ssa.Value) *ssa.Value {
	o := ssa.Shl
	if op == ">>" {
		o = ssa.ShrU
		if t.IsSigned() {
			o = ssa.ShrS
		}
	}
	return l.Make(o, wordType(t), x, n)
}

var (
	integerOps = map[string]ssa.Op{"+": ssa.Add, "-": ssa.Sub, "*": ssa.Mul, "&": ssa.And, "|": ssa.Or, "^": ssa.Xor}
	floatOps   = map[string]ssa.Op{"+": ssa.FAdd, "*": ssa.FMul}
	doubleOps  = map[string]ssa.Op{"+": ssa.DAdd, "*": ssa.DMul}
)

func (l *lowering) operation(at cfront.Pos, op string, t expr.DType, x, y *ssa.Value) *ssa.Value {
	switch {
	case isHalf(t):
		return l.halfOperation(at, op, t, x, y)
	case t == expr.Float32:
		if o, ok := floatOps[op]; ok {
			return l.Make(o, ssa.W, x, y)
		}
		switch op {
		case "-":
			return l.Make(ssa.FAdd, ssa.W, x, l.Make(ssa.FNeg, ssa.W, y))
		case "/":
			return l.divideFloats(x, y)
		}
	case t == expr.Float64:
		if o, ok := doubleOps[op]; ok {
			return l.Make(o, ssa.D, x, y)
		}
		switch op {
		case "-":
			return l.Make(ssa.DAdd, ssa.D, x, l.Make(ssa.DNeg, ssa.D, y))
		case "/":
			return l.divideDoubles(x, y)
		}
	default:
		if o, ok := integerOps[op]; ok {
			return l.Make(o, wordType(t), x, y)
		}
		switch op {
		case "/":
			return l.quotient(t, x, y)
		case "%":
			return l.remainder(t, x, y)
		}
	}
	l.fail(at, "%s of %s is not compiled here", op, t)
	return nil
}

// remainder is x - x / y * y.
func (l *lowering) remainder(t expr.DType, x, y *ssa.Value) *ssa.Value {
	w := wordType(t)
	if y.Op == ssa.Const && !t.IsSigned() && y.Int != 0 && y.Int&(y.Int-1) == 0 {
		return l.Make(ssa.And, w, x, l.like(w, y.Int-1))
	}
	return l.Make(ssa.Sub, w, x, l.Make(ssa.Mul, w, l.quotient(t, x, y), y))
}

func (l *lowering) like(t ssa.Type, n int64) *ssa.Value {
	if t == ssa.D {
		return l.Const64(n)
	}
	return l.Const(n)
}

// quotient is x / y of integers.
func (l *lowering) quotient(t expr.DType, x, y *ssa.Value) *ssa.Value {
	if y.Op == ssa.Const && y.Int != 0 && x.Op == ssa.Const {
		return l.constantQuotient(t, x.Int, y.Int)
	}
	if wordType(t) == ssa.D {
		return l.longQuotient(t, x, y)
	}
	if y.Op == ssa.Const && y.Int != 0 {
		if t.IsSigned() {
			return l.signedByConstant(x, int32(y.Int))
		}
		return l.unsignedByConstant(x, uint32(y.Int))
	}
	if t.IsSigned() {
		return l.signedQuotient(x, y)
	}
	return l.unsignedQuotient(x, y)
}

func (l *lowering) constantQuotient(t expr.DType, x, y int64) *ssa.Value {
	switch {
	case t.Size() == 8 && t.IsSigned():
		return l.Const64(x / y)
	case t.Size() == 8:
		return l.Const64(int64(uint64(x) / uint64(y)))
	case t.IsSigned():
		return l.Const(int64(int32(x)) / int64(int32(y)))
	}
	return l.Const(int64(uint32(x) / uint32(y)))
}

// unsignedByConstant divides by a number as compilers do: a product whose high half is shifted (Warren, "Hacker's Delight", 10-9).
func (l *lowering) unsignedByConstant(x *ssa.Value, d uint32) *ssa.Value {
	if d&(d-1) == 0 {
		return l.Make(ssa.ShrU, ssa.W, x, l.Const(int64(bits.TrailingZeros32(d))))
	}
	if d > 1<<31 { // it goes in once or not at all
		return l.Make(ssa.Select, ssa.W, l.MakeAux(ssa.Cmp, ssa.Pred, "GEU", x, l.Const(int64(d))), l.Const(1), l.Const(0))
	}
	shift := 32 - bits.LeadingZeros32(d-1)
	m := (uint64(1)<<(32+shift) + uint64(d) - 1) / uint64(d) // up to 33 bits
	if m < 1<<32 {
		return l.Make(ssa.ShrU, ssa.W, l.Make(ssa.MulHiU, ssa.W, x, l.Const(int64(m))), l.Const(int64(shift)))
	}
	// one bit less may do
	if low := uint64(1) << (31 + shift); (low+uint64(d)-1)/uint64(d) < 1<<32 {
		k := (low + uint64(d) - 1) / uint64(d)
		if e := k*uint64(d) - low; e <= 1<<(shift-1) {
			return l.Make(ssa.ShrU, ssa.W, l.Make(ssa.MulHiU, ssa.W, x, l.Const(int64(k))), l.Const(int64(shift-1)))
		}
	}
	if d%2 == 0 { // the factor 2 first
		z := bits.TrailingZeros32(d)
		return l.unsignedSmall(l.Make(ssa.ShrU, ssa.W, x, l.Const(int64(z))), d>>z, 32-z)
	}
	q := l.Make(ssa.MulHiU, ssa.W, x, l.Const(int64(uint32(m))))
	t := l.Make(ssa.ShrU, ssa.W, l.Make(ssa.Sub, ssa.W, x, q), l.Const(1))
	return l.Make(ssa.ShrU, ssa.W, l.Make(ssa.Add, ssa.W, t, q), l.Const(int64(shift-1)))
}

// unsignedSmall divides a number of so many bits.
func (l *lowering) unsignedSmall(x *ssa.Value, d uint32, width int) *ssa.Value {
	for s := range 32 {
		low := uint64(1) << (32 + s)
		m := (low + uint64(d) - 1) / uint64(d)
		if e := m*uint64(d) - low; m < 1<<32 && e<<width <= low {
			return l.Make(ssa.ShrU, ssa.W, l.Make(ssa.MulHiU, ssa.W, x, l.Const(int64(m))), l.Const(int64(s)))
		}
	}
	return l.unsignedQuotient(x, l.Const(int64(d)))
}

func (l *lowering) signedByConstant(x *ssa.Value, d int32) *ssa.Value {
	n := uint32(d)
	if d < 0 {
		n = -n
	}
	var q *ssa.Value
	switch {
	case n == 1:
		q = x
	case n&(n-1) == 0:
		k := int64(bits.TrailingZeros32(n))
		bias := x // of which the sign is the highest bit
		if k > 1 {
			bias = l.Make(ssa.ShrS, ssa.W, x, l.Const(31))
		}
		bias = l.Make(ssa.ShrU, ssa.W, bias, l.Const(32-k))
		q = l.Make(ssa.ShrS, ssa.W, l.Make(ssa.Add, ssa.W, x, bias), l.Const(k))
	default:
		s := 31 - bits.LeadingZeros32(n)
		var m uint64
		for ; ; s++ { // the smallest shift that is right for all numbers (Hacker's Delight, 10-1)
			low := uint64(1) << (32 + s)
			m = low/uint64(n) + 1
			if e := m*uint64(n) - low; e<<31 <= low {
				break
			}
		}
		h := l.Make(ssa.MulHiS, ssa.W, x, l.Const(int64(int32(uint32(m)))))
		if m >= 1<<31 {
			h = l.Make(ssa.Add, ssa.W, h, x)
		}
		q = l.Make(ssa.Add, ssa.W, l.Make(ssa.ShrS, ssa.W, h, l.Const(int64(s))), l.Make(ssa.ShrU, ssa.W, x, l.Const(31)))
	}
	if d < 0 {
		q = l.Make(ssa.Sub, ssa.W, l.Const(0), q)
	}
	return q
}

// unsignedQuotient divides by a number that is not constant, as code of NVIDIA's compiler does from sm_70 on: a reciprocal in floating point, one
// step of Newton's method in integers, two corrections.
func (l *lowering) unsignedQuotient(x, y *ssa.Value) *ssa.Value {
	q, r := l.approximate(x, y)
	q, _ = l.corrected(q, r, y)
	zero := l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", y, l.Const(0))
	return l.Make(ssa.Select, ssa.W, zero, l.Const(-1), q)
}

func (l *lowering) approximate(x, y *ssa.Value) (q, r *ssa.Value) {
	const downwards = 0x0ffffffe // four units of the last place less, at 2 to the power of 32 times
	f := l.MakeAux(ssa.Raw, ssa.W, "I2F.U32.RP", y)
	inverse := l.MakeAux(ssa.Raw, ssa.W, "MUFU.RCP", f)
	scaled := l.Make(ssa.Add, ssa.W, inverse, l.Const(downwards))
	e := l.MakeAux(ssa.Raw, ssa.W, "F2I.FTZ.U32.TRUNC.NTZ", scaled)
	error := l.Make(ssa.Mul, ssa.W, l.Make(ssa.Sub, ssa.W, l.Const(0), e), y)
	e = l.MakeAux(ssa.Raw, ssa.W, "IMAD.HI.U32", e, error, l.Make(ssa.Pack, ssa.D, l.Const(0), e))
	q = l.Make(ssa.MulHiU, ssa.W, e, x)
	r = l.Make(ssa.Add, ssa.W, x, l.Make(ssa.Mul, ssa.W, l.Make(ssa.Sub, ssa.W, l.Const(0), q), y))
	return q, r
}

func (l *lowering) corrected(q, r, y *ssa.Value) (*ssa.Value, *ssa.Value) {
	for range 2 {
		more := l.MakeAux(ssa.Cmp, ssa.Pred, "GEU", r, y)
		q = l.Make(ssa.Select, ssa.W, more, l.Make(ssa.Add, ssa.W, q, l.Const(1)), q)
		r = l.Make(ssa.Select, ssa.W, more, l.Make(ssa.Sub, ssa.W, r, y), r)
	}
	return q, r
}

func (l *lowering) signedQuotient(x, y *ssa.Value) *ssa.Value {
	a, b := l.MakeAux(ssa.Raw, ssa.W, "IABS", x), l.MakeAux(ssa.Raw, ssa.W, "IABS", y)
	q, r := l.approximate(a, b)
	q, _ = l.corrected(q, r, b)
	negative := l.MakeAux(ssa.Cmp, ssa.Pred, "LT", l.Make(ssa.Xor, ssa.W, x, y), l.Const(0))
	q = l.Make(ssa.Select, ssa.W, negative, l.Make(ssa.Sub, ssa.W, l.Const(0), q), q)
	zero := l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", y, l.Const(0))
	return l.Make(ssa.Select, ssa.W, zero, l.Const(-1), q)
}

// longQuotient divides 64-bit integers: by a power of two by shifts, and else by a quotient of the high half and what remains, in double precision.
func (l *lowering) longQuotient(t expr.DType, x, y *ssa.Value) *ssa.Value {
	if y.Op == ssa.Const && y.Int > 0 && y.Int&(y.Int-1) == 0 {
		k := int64(bits.TrailingZeros64(uint64(y.Int)))
		if !t.IsSigned() {
			return l.Make(ssa.ShrU, ssa.D, x, l.Const(k))
		}
		if k == 0 {
			return x
		}
		bias := l.Make(ssa.ShrU, ssa.D, l.Make(ssa.ShrS, ssa.D, x, l.Const(63)), l.Const(64-k))
		return l.Make(ssa.ShrS, ssa.D, l.Make(ssa.Add, ssa.D, x, bias), l.Const(k))
	}
	if !t.IsSigned() {
		return l.unsignedLong(x, y)
	}
	zero := l.Const64(0)
	size := func(v *ssa.Value) *ssa.Value {
		return l.Make(ssa.Select, ssa.D, l.MakeAux(ssa.Cmp, ssa.Pred, "LT", v, zero), l.Make(ssa.Sub, ssa.D, zero, v), v)
	}
	q := l.unsignedLong(size(x), size(y))
	negative := l.MakeAux(ssa.Cmp, ssa.Pred, "LT", l.Make(ssa.Xor, ssa.D, x, y), zero)
	return l.Make(ssa.Select, ssa.D, negative, l.Make(ssa.Sub, ssa.D, zero, q), q)
}

// unsignedLong divides numbers without sign. Those that fit in words are divided as words, by a branch as compilers have it.
func (l *lowering) unsignedLong(x, y *ssa.Value) *ssa.Value {
	t := l.hold(x.Type)
	short := l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", l.Make(ssa.Or, ssa.W, l.Word(x, 1), l.Word(y, 1)), l.Const(0))
	l.split2(short, func() {
		l.setHeld(t, l.Make(ssa.Zext, ssa.D, l.unsignedQuotient(l.Word(x, 0), l.Word(y, 0))))
	}, func() { l.setHeld(t, l.wideQuotient(x, y)) })
	return l.getHeld(t)
}

// wideQuotient adds up quotients in single precision of what remains, each from below, and corrects their sum.
func (l *lowering) wideQuotient(x, y *ssa.Value) *ssa.Value {
	inverse := l.MakeAux(ssa.Raw, ssa.W, "MUFU.RCP", l.MakeAux(ssa.Raw, ssa.W, "I2F.U64.RP", y))
	q, r := l.Const64(0), x
	const rounds = 4   // of 20 bits each: the last one is of a number below 16
	for range rounds { // each quotient is too small by up to some 2 to the power of -20 of itself, and 1
		f := l.MakeAux(ssa.Raw, ssa.W, "I2F.U64.RM", r)
		below := l.Const(0x3f7ffff8) // what errors of the reciprocal are at most
		part := l.MakeAux(ssa.Raw, ssa.D, "F2I.U64.TRUNC", l.Make(ssa.FMul, ssa.W, l.Make(ssa.FMul, ssa.W, f, inverse), below))
		q = l.Make(ssa.Add, ssa.D, q, part)
		r = l.Make(ssa.Sub, ssa.D, r, l.Make(ssa.Mul, ssa.D, part, y))
	}
	more := l.MakeAux(ssa.Cmp, ssa.Pred, "GEU", r, y)
	return l.Make(ssa.Select, ssa.D, more, l.Make(ssa.Add, ssa.D, q, l.Const64(1)), q)
}

// divideFloats is a quotient to the last place, as code of NVIDIA's compiler computes it: a reciprocal, Newton's method, and a way of its own for what that
// does not serve.
func (l *lowering) divideFloats(x, y *ssa.Value) *ssa.Value {
	if y.Op == ssa.Const {
		if x.Op == ssa.Const {
			return l.Float(floatOf(x) / floatOf(y))
		}
		if f := floatOf(y); f != 0 && bits.OnesCount32(uint32(y.Int)&0x7fffff) == 0 && y.Int&0x7f800000 != 0 && y.Int&0x7f800000 < 0x7e800000 {
			return l.Make(ssa.FMul, ssa.W, x, l.Float(1/f))
		}
	}
	switch {
	case l.Fast:
		return l.Make(ssa.FMul, ssa.W, x, l.MakeAux(ssa.Raw, ssa.W, "MUFU.RCP", y))
	case l.Cheap:
		return l.cheapQuotient(x, y)
	}
	return expanded(l.Builder, []*ssa.Value{x, y}, func() *ssa.Value { return l.floatQuotient(x, y) })
}

// expanded makes the instructions of an operation of some operands, which the assembler writes in place of it.
func expanded(b *ssa.Builder, operands []*ssa.Value, make func() *ssa.Value) *ssa.Value {
	if b.Within != nil { // a part of another one
		return make()
	}
	b.Within = operands
	defer func() { b.Within = nil }()
	return make()
}

func (l *lowering) floatQuotient(x, y *ssa.Value) *ssa.Value {
	r := l.MakeAux(ssa.Raw, ssa.W, "MUFU.RCP", y)
	minus := l.Make(ssa.FNeg, ssa.W, y)
	one := l.Float(1)
	slow := l.MakeAux(ssa.Raw, ssa.Pred, "FCHK", x, y)
	r1 := l.Make(ssa.FFma, ssa.W, r, l.Make(ssa.FFma, ssa.W, minus, r, one), r)
	q := l.Make(ssa.FFma, ssa.W, x, r1, l.Const(0))
	q = l.Make(ssa.FFma, ssa.W, r1, l.Make(ssa.FFma, ssa.W, minus, q, x), q)
	return l.rarely(slow, q, func() *ssa.Value { return l.ofLibrary(&cfront.Call{}, "quotient", expr.Float32, []*ssa.Value{x, y}) })
}

// cheapQuotient is a quotient within 2 units in the last place: by a reciprocal of a divisor that is brought into the range where that is exact enough.
func (l *lowering) cheapQuotient(x, y *ssa.Value) *ssa.Value {
	const great, small, up = 0x7e800000, 0x00800000, 1 << 24 // bits of 2^126 and of the least normal number; what makes small divisors normal
	size := l.Make(ssa.FAbs, ssa.W, y)
	scaled := func(v *ssa.Value) *ssa.Value {
		one := l.Float(1)
		s := l.Make(ssa.Select, ssa.W, l.MakeAux(ssa.FCmp, ssa.Pred, "GT", size, l.Const(great)), l.Float(1.0/4), one)
		return l.Make(ssa.FMul, ssa.W, v, l.Make(ssa.Select, ssa.W, l.MakeAux(ssa.FCmp, ssa.Pred, "LT", size, l.Const(small)), l.Float(up), s))
	}
	return l.Make(ssa.FMul, ssa.W, scaled(x), l.MakeAux(ssa.Raw, ssa.W, "MUFU.RCP", scaled(y)))
}

// rarely is a value, or where a predicate holds, which it hardly does, another one.
func (l *lowering) rarely(when, usual *ssa.Value, other func() *ssa.Value) *ssa.Value {
	t := l.hold(usual.Type)
	l.setHeld(t, usual)
	l.when(when, func() {
		l.Block.Rare = true
		l.setHeld(t, other())
	})
	return l.getHeld(t)
}

// hold is a variable of the compiler's own.
func (l *lowering) hold(t ssa.Type) key {
	v := &cfront.Var{Name: "held", DType: expr.Uint32}
	if t == ssa.D {
		v.DType = expr.Uint64
	}
	l.know(v)
	return key{v, 0}
}

func (l *lowering) setHeld(k key, x *ssa.Value) { l.env[k] = slot{x: x, t: k.v.DType} }
func (l *lowering) getHeld(k key) *ssa.Value    { return l.env[k].x }

func (l *lowering) divideDoubles(x, y *ssa.Value) *ssa.Value {
	if y.Op == ssa.Const {
		if x.Op == ssa.Const {
			return l.Double(doubleOf(x) / doubleOf(y))
		}
		const mantissa = 1<<52 - 1 // of a double: 0 of a power of two
		if f := doubleOf(y); f != 0 && y.Int&mantissa == 0 {
			return l.Make(ssa.DMul, ssa.D, x, l.Double(1/f))
		}
	}
	return expanded(l.Builder, []*ssa.Value{x, y}, func() *ssa.Value {
		q := l.doubleQuotient(x, y)
		// out of range: the high word of the quotient tells
		const least = 0x00100000
		high := l.Make(ssa.And, ssa.W, l.Word(q, 1), l.Const(0x7fffffff))
		slow := l.MakeAux(ssa.Cmp, ssa.Pred, "LTU", high, l.Const(least))
		return l.rarely(slow, q, func() *ssa.Value {
			return l.Make(ssa.DMul, ssa.D, x, l.doubleQuotient(l.Double(1), y))
		})
	})
}

// doubleQuotient is a reciprocal of the high word, two steps of Newton's method, and a correction.
func (l *lowering) doubleQuotient(x, y *ssa.Value) *ssa.Value {
	one := l.Double(1)
	minus := l.Make(ssa.DNeg, ssa.D, y)
	r := l.Make(ssa.Pack, ssa.D, l.Const(1), l.MakeAux(ssa.Raw, ssa.W, "MUFU.RCP64H", l.Word(y, 1)))
	e := l.Make(ssa.DFma, ssa.D, minus, r, one)
	e = l.Make(ssa.DFma, ssa.D, e, e, e)
	r = l.Make(ssa.DFma, ssa.D, r, e, r)
	r = l.Make(ssa.DFma, ssa.D, r, l.Make(ssa.DFma, ssa.D, minus, r, one), r)
	q := l.Make(ssa.DMul, ssa.D, x, r)
	return l.Make(ssa.DFma, ssa.D, r, l.Make(ssa.DFma, ssa.D, minus, q, x), q)
}
