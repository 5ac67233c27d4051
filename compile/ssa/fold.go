package ssa

import (
	"math"
	"math/bits"
)

// fold is what a value comes to where that is known, or a simpler one; nil for none.
func (b *Builder) fold(v *Value) *Value {
	switch v.Op {
	case Extract:
		return b.foldExtract(v)
	case Pack:
		return b.foldPack(v)
	case Select:
		return b.foldSelect(v)
	case PAnd, POr, PXor, PNot:
		return b.foldPredicate(v)
	case Cmp, FCmp, DCmp:
		return b.foldCompare(v)
	case Raw:
		if v.Aux == "MUFU.RCP" && v.Args[0].Op == Const { // of a divisor that is known; it is as exact as the unit's
			return b.Float(1 / f32(v.Args[0]))
		}
		return nil
	case FAdd, FMul, FMin, FMax, FNeg, FAbs, FFma:
		return b.foldFloat(v)
	case DAdd, DMul, DNeg, DAbs, DFma:
		return b.foldDouble(v)
	case Sext, Zext:
		if a := v.Args[0]; a.Op == Const {
			if v.Op == Sext {
				return b.Const64(int64(int32(a.Int)))
			}
			return b.Const64(int64(uint32(a.Int)))
		} else if v.Op == Sext && a.withoutSign() {
			return b.Make(Zext, D, a)
		}
		return nil
	}
	if v.Op >= Add && v.Op <= MaxS {
		return b.foldInteger(v)
	}
	return nil
}

// withoutSign reports whether a word is known to be no negative number.
func (v *Value) withoutSign() bool {
	switch v.Op {
	case Const:
		return int32(v.Int) >= 0
	case Select:
		return v.Args[1].withoutSign() && v.Args[2].withoutSign()
	case And:
		return v.Args[1].withoutSign()
	case ShrU:
		return v.Args[1].Op == Const && v.Args[1].Int&31 > 0
	case Load:
		return v.Access.Bytes < 4 && !v.Access.Signed
	}
	return false
}

func isConst(v *Value, n int64) bool { return v.Op == Const && v.Int == n }

func (b *Builder) like(t Type, n int64) *Value {
	if t == D {
		return b.Const64(n)
	}
	return b.Const(n)
}

func (b *Builder) foldPack(v *Value) *Value {
	if v.Type == D && v.Args[0].Op == Const && v.Args[1].Op == Const {
		return b.Const64(v.Args[0].Int&0xffffffff | v.Args[1].Int<<32)
	}
	from := v.Args[0]
	if from.Op == Extract && from.Int == 0 && from.Args[0].Type == v.Type {
		for i, a := range v.Args {
			if a.Op != Extract || a.Args[0] != from.Args[0] || a.Int != int64(i) {
				return nil
			}
		}
		return from.Args[0]
	}
	return nil
}

func (b *Builder) foldSelect(v *Value) *Value {
	p, yes, no := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case p.Op == Const && p.Int != 0, yes == no:
		return yes
	case p.Op == Const:
		return no
	case p.Op == PNot:
		return b.Make(Select, v.Type, p.Args[0], no, yes)
	case v.Type == Pred && isConst(yes, 1) && isConst(no, 0):
		return p
	case v.Type == Pred && isConst(yes, 0) && isConst(no, 1):
		return b.Make(PNot, Pred, p)
	case v.Type == Pred:
		return b.Make(POr, Pred, b.Make(PAnd, Pred, p, yes), b.Make(PAnd, Pred, b.Make(PNot, Pred, p), no))
	}
	return nil
}

func (b *Builder) foldPredicate(v *Value) *Value {
	x := v.Args[0]
	if v.Op == PNot {
		switch {
		case x.Op == Const:
			return b.Bool(x.Int == 0)
		case x.Op == PNot:
			return x.Args[0]
		case x.Op == Cmp:
			return b.MakeAux(Cmp, Pred, opposite[x.Aux], x.Args...)
		}
		return nil
	}
	y := v.Args[1]
	if x.Op == Const {
		x, y = y, x
	}
	if y.Op == Const {
		switch is := y.Int != 0; {
		case v.Op == PAnd && is, v.Op == POr && !is, v.Op == PXor && !is:
			return x
		case v.Op == PAnd, v.Op == POr:
			return y
		default:
			return b.Make(PNot, Pred, x)
		}
	}
	switch {
	case x == y && v.Op != PXor:
		return x
	case x == y:
		return b.Bool(false)
	case v.Op == PXor && x.Op == PNot:
		return b.Make(PNot, Pred, b.Make(PXor, Pred, x.Args[0], y))
	case v.Op == PXor && y.Op == PNot:
		return b.Make(PNot, Pred, b.Make(PXor, Pred, x, y.Args[0]))
	}
	return nil
}

// opposite comparisons of integers, and those with the operands exchanged.
var (
	opposite = map[string]string{
		"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT", "LTU": "GEU", "GEU": "LTU", "GTU": "LEU", "LEU": "GTU", "EQU": "NEU", "NEU": "EQU",
	}
	exchanged = map[string]string{
		"EQ": "EQ", "NE": "NE", "LT": "GT", "GE": "LE", "GT": "LT", "LE": "GE", "LTU": "GTU", "GEU": "LEU", "GTU": "LTU", "LEU": "GEU", "EQU": "EQU", "NEU": "NEU",
	}
)

func (b *Builder) foldCompare(v *Value) *Value {
	x, y := v.Args[0], v.Args[1]
	if x.Op != Const && y.Op == Const && v.Op == Cmp && x.Op == Select && x.Args[1].Op == Const && x.Args[2].Op == Const {
		yes, no := b.MakeAux(Cmp, Pred, v.Aux, x.Args[1], y), b.MakeAux(Cmp, Pred, v.Aux, x.Args[2], y)
		return b.Make(Select, Pred, x.Args[0], yes, no)
	}
	if x.Op == Const && y.Op != Const {
		return b.MakeAux(v.Op, Pred, exchanged[v.Aux], y, x)
	}
	if p, q := truth(b, x), truth(b, y); v.Op == Cmp && p != nil && q != nil {
		switch different := b.Make(PXor, Pred, p, q); v.Aux {
		case "NE":
			return different
		case "EQ":
			return b.Make(PNot, Pred, different)
		}
	}
	if x == y && v.Op == Cmp {
		return b.Bool(holds(v.Aux, 0, 0))
	}
	if x.Op != Const || y.Op != Const {
		if v.Op == Cmp && isConst(y, 0) && v.Aux == "LTU" {
			return b.Bool(false)
		}
		if v.Op == Cmp && isConst(y, 0) && v.Aux == "GEU" {
			return b.Bool(true)
		}
		return b.foldCompareExtended(v, x, y)
	}
	switch {
	case v.Op == FCmp:
		return b.Bool(holdsFloat(v.Aux, float64(f32(x)), float64(f32(y))))
	case v.Op == DCmp:
		return b.Bool(holdsFloat(v.Aux, f64(x), f64(y)))
	case x.Type == D:
		return b.Bool(holds(v.Aux, x.Int, y.Int))
	}
	if len(v.Aux) == 3 && v.Aux[2] == 'U' {
		return b.Bool(holds(v.Aux, int64(uint32(x.Int)), int64(uint32(y.Int))))
	}
	return b.Bool(holds(v.Aux, int64(int32(x.Int)), int64(int32(y.Int))))
}

// truth is the predicate that a value of 0 or 1 says; nil for others.
func truth(b *Builder, v *Value) *Value {
	switch {
	case v.Op != Select || v.Type != W:
		return nil
	case isConst(v.Args[1], 1) && isConst(v.Args[2], 0):
		return v.Args[0]
	case isConst(v.Args[1], 0) && isConst(v.Args[2], 1):
		return b.Make(PNot, Pred, v.Args[0])
	}
	return nil
}

func holds(name string, x, y int64) bool {
	order := 0
	switch {
	case len(name) == 3 && uint64(x) < uint64(y), len(name) == 2 && x < y:
		order = -1
	case x != y:
		order = 1
	}
	return in(name[:2], order)
}

func in(name string, order int) bool {
	switch name {
	case "EQ":
		return order == 0
	case "NE":
		return order != 0
	case "LT":
		return order < 0
	case "LE":
		return order <= 0
	case "GT":
		return order > 0
	}
	return order >= 0
}

func holdsFloat(name string, x, y float64) bool {
	switch {
	case x != x || y != y:
		return len(name) == 3 || name == "NE"
	case x < y:
		return in(name[:2], -1)
	case x > y:
		return in(name[:2], 1)
	}
	return in(name[:2], 0)
}

func f32(v *Value) float32 { return math.Float32frombits(uint32(v.Int)) }
func f64(v *Value) float64 { return math.Float64frombits(uint64(v.Int)) }

// Float is a number of single precision.
func (b *Builder) Float(x float32) *Value { return b.Const(int64(math.Float32bits(x))) }

// Double is a number of double precision.
func (b *Builder) Double(x float64) *Value { return b.Const64(int64(math.Float64bits(x))) }

func (b *Builder) foldFloat(v *Value) *Value {
	x := v.Args[0]
	if v.Op == FNeg && x.Op == FNeg {
		return x.Args[0]
	}
	constant := true
	for _, a := range v.Args {
		constant = constant && a.Op == Const
	}
	if !constant {
		if v.Op == FMul || v.Op == FAdd {
			if y := v.Args[1]; x.Op == Const && y.Op != Const {
				return b.Make(v.Op, W, y, x)
			} else if v.Op == FMul && y.Op == Const && f32(y) == 1 {
				return x
			}
		}
		return nil
	}
	a := f32(x)
	switch v.Op {
	case FNeg:
		return b.Float(-a)
	case FAbs:
		return b.Const(x.Int & 0x7fffffff)
	case FFma:
		return nil
	}
	c := f32(v.Args[1])
	switch v.Op {
	case FAdd:
		return b.Float(a + c)
	case FMul:
		return b.Float(a * c)
	case FMin:
		if a == a && c == c {
			return b.Float(min(a, c))
		}
	case FMax:
		if a == a && c == c {
			return b.Float(max(a, c))
		}
	}
	return nil
}

func (b *Builder) foldDouble(v *Value) *Value {
	x := v.Args[0]
	if v.Op == DNeg && x.Op == DNeg {
		return x.Args[0]
	}
	for _, a := range v.Args {
		if a.Op != Const {
			if v.Op == DMul || v.Op == DAdd {
				if y := v.Args[1]; x.Op == Const {
					return b.Make(v.Op, D, y, x)
				} else if v.Op == DMul && y.Op == Const && f64(y) == 1 {
					return x
				}
			}
			return nil
		}
	}
	switch v.Op {
	case DNeg:
		return b.Double(-f64(x))
	case DAbs:
		return b.Double(math.Abs(f64(x)))
	case DAdd:
		return b.Double(f64(x) + f64(v.Args[1]))
	case DMul:
		return b.Double(f64(x) * f64(v.Args[1]))
	}
	return nil
}

func (b *Builder) foldInteger(v *Value) *Value {
	x, y := v.Args[0], v.Args[1]
	if x.Op == Const && y.Op == Const {
		return b.computed(v, x, y)
	}
	commutes := v.Op == Add || v.Op == Mul || v.Op == And || v.Op == Or || v.Op == Xor || v.Op >= MinU && v.Op <= MaxS || v.Op >= MulHiU && v.Op <= MulWideS
	if commutes && (x.Op == Const || y.Op != Const && x.ID > y.ID) {
		x, y = y, x
		if v.Args[0] != x {
			v.Args = []*Value{x, y}
		}
	}
	if v.Op == Add && y.Op != Const {
		for i, a := range v.Args {
			if other := v.Args[1-i]; a.Op == Add && a.Args[1].Op == Const && other.Op != Const {
				return b.Make(Add, v.Type, b.Make(Add, v.Type, a.Args[0], other), a.Args[1])
			}
		}
	}
	if v.Op == Sub && x.Op != Const && y.Op != Const {
		if x.Op == Add && x.Args[1].Op == Const {
			return b.Make(Add, v.Type, b.Make(Sub, v.Type, x.Args[0], y), x.Args[1])
		}
		if y.Op == Add && y.Args[1].Op == Const {
			return b.Make(Add, v.Type, b.Make(Sub, v.Type, x, y.Args[0]), b.like(v.Type, -y.Args[1].Int))
		}
	}
	if r := b.foldExtended(v, x, y); r != nil {
		return r
	}
	if r := foldFunnel(b, v, x, y); r != nil {
		return r
	}
	if v.Op == Sub && x == y || v.Op == Xor && x == y {
		return b.like(v.Type, 0)
	}
	if (v.Op == And || v.Op == Or || v.Op >= MinU && v.Op <= MaxS) && x == y {
		return x
	}
	if y.Op == Const {
		if r := b.foldSecond(v, x, y.Int); r != nil {
			return r
		}
		return byWord(b, v, x, y)
	}
	if x.Op == Const && x.Int == 0 && (v.Op == Shl || v.Op == ShrU || v.Op == ShrS) {
		return x
	}
	return byWord(b, v, x, y)
}

// foldSecond folds an operation whose second operand is a number.
func (b *Builder) foldSecond(v, x *Value, n int64) *Value {
	ones := int64(-1)
	if v.Type == W {
		ones = 0xffffffff
	}
	switch v.Op {
	case Add:
		switch {
		case n == 0:
			return x
		case x.Op == Add && x.Args[1].Op == Const:
			return b.Make(Add, v.Type, x.Args[0], b.like(v.Type, x.Args[1].Int+n))
		}
	case Sub:
		return b.Make(Add, v.Type, x, b.like(v.Type, -n))
	case Mul:
		switch {
		case n == 0:
			return b.like(v.Type, 0)
		case n == 1:
			return x
		case n&(n-1) == 0 && n > 0:
			return b.Make(Shl, v.Type, x, b.Const(int64(bits.TrailingZeros64(uint64(n)))))
		case x.Op == Mul && x.Args[1].Op == Const:
			return b.Make(Mul, v.Type, x.Args[0], b.like(v.Type, x.Args[1].Int*n))
		case x.Op == Add && x.Args[1].Op == Const: // the constant goes outwards, where addresses have it
			return b.Make(Add, v.Type, b.Make(Mul, v.Type, x.Args[0], b.like(v.Type, n)), b.like(v.Type, x.Args[1].Int*n))
		}
	case MulWideU, MulWideS:
		if n == 0 {
			return b.Const64(0)
		}
	case Shl, ShrU, ShrS:
		return foldShift(b, v, x, n)
	case And:
		switch {
		case n == 0:
			return b.like(v.Type, 0)
		case n == ones:
			return x
		case x.Op == And && x.Args[1].Op == Const:
			return b.Make(And, v.Type, x.Args[0], b.like(v.Type, x.Args[1].Int&n))
		}
	case Or, Xor:
		if n == 0 {
			return x
		}
		if v.Op == Xor && x.Op == Xor && x.Args[1].Op == Const {
			return b.Make(Xor, v.Type, x.Args[0], b.like(v.Type, x.Args[1].Int^n))
		}
	}
	return nil
}

func logic(v *Value) bool { return v.Op == And || v.Op == Or || v.Op == Xor }

// computed is an operation on two numbers.
func (b *Builder) computed(v, x, y *Value) *Value {
	width := uint(32 * v.Type.Words())
	m, n := x.Int, y.Int
	s := uint(uint32(n))
	signed := func(n int64) int64 {
		if width == 32 {
			return int64(int32(n))
		}
		return n
	}
	switch v.Op {
	case Add:
		return b.like(v.Type, m+n)
	case Sub:
		return b.like(v.Type, m-n)
	case Mul:
		return b.like(v.Type, m*n)
	case And:
		return b.like(v.Type, m&n)
	case Or:
		return b.like(v.Type, m|n)
	case Xor:
		return b.like(v.Type, m^n)
	case Shl:
		if s >= width {
			return b.like(v.Type, 0)
		}
		return b.like(v.Type, m<<s)
	case ShrU:
		if s >= width {
			return b.like(v.Type, 0)
		}
		return b.like(v.Type, int64(uint64(m)>>s))
	case ShrS:
		return b.like(v.Type, signed(m)>>min(s, width-1))
	case MulWideU:
		return b.Const64(int64(uint64(uint32(m)) * uint64(uint32(n))))
	case MulWideS:
		return b.Const64(int64(int32(m)) * int64(int32(n)))
	case MulHiU:
		return b.Const(int64(uint64(uint32(m)) * uint64(uint32(n)) >> 32))
	case MulHiS:
		return b.Const(int64(int32(m)) * int64(int32(n)) >> 32)
	case MinU:
		return b.like(v.Type, int64(min(uint64(m), uint64(n))))
	case MaxU:
		return b.like(v.Type, int64(max(uint64(m), uint64(n))))
	case MinS:
		return b.like(v.Type, min(signed(m), signed(n)))
	case MaxS:
		return b.like(v.Type, max(signed(m), signed(n)))
	}
	return nil
}
