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
		return vectors{l}.lanewise(x)
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
	return l.called("divide"+endings[t], x, y)
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
	return l.called("divideu", x, l.Const(int64(d)))
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

// longQuotient divides 64-bit integers: by a power of two by shifts.
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
	if y.Op == ssa.Const && y.Int != 0 {
		return l.longByConstant(t, x, y.Int)
	}
	return l.called("divide"+endings[t], x, y)
}

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
		return l.called("cheap_dividef", x, y)
	}
	return l.called("dividef", x, y)
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
	return l.called("divide", x, y)
}
