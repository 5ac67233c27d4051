package ssa

import "math"

// foldExtended is an operation of 64 bits on what has 32, where that suffices.
func (b *Builder) foldExtended(v, x, y *Value) *Value {
	if v.Type != D {
		return nil
	}
	low := func(a *Value) bool { return a.Op == Zext || a.Op == Const && uint64(a.Int)>>32 == 0 }
	switch v.Op {
	case Add: // two words are added first, and their sum with the product
		for i, sum := range v.Args {
			if word := v.Args[1-i]; word.Op == Zext && sum.Op == Add && sum.Args[0] != sum.Args[1] {
				for k, m := range sum.Args {
					if m.Op == MulWideU && sum.Args[1-k].Op == Zext {
						return b.Make(Add, D, m, b.Make(Add, D, sum.Args[1-k], word))
					}
				}
			}
		}
	case And:
		if low(x) || low(y) {
			return b.Make(Zext, D, b.Make(And, W, b.Word(x, 0), b.Word(y, 0)))
		}
	case Mul:
		signed := func(a *Value) bool { return a.Op == Sext || a.Op == Const && a.Int == int64(int32(a.Int)) }
		switch {
		case signed(x) && signed(y):
			return b.Make(MulWideS, D, b.Word(x, 0), b.Word(y, 0))
		case low(x) && low(y):
			return b.Make(MulWideU, D, b.Word(x, 0), b.Word(y, 0))
		}
	case Or, Xor:
		if low(x) && low(y) {
			return b.Make(Zext, D, b.Make(v.Op, W, b.Word(x, 0), b.Word(y, 0)))
		}
	case ShrU, ShrS:
		if v.Op == ShrU && y.Op == Const && y.Int >= 32 && y.Int < 64 {
			return b.Make(Zext, D, b.Make(ShrU, W, b.Word(x, 1), b.Const(y.Int-32)))
		}
		if x.Op != Zext || y.Op != Const {
			break
		}
		if y.Int >= 32 {
			return b.Const64(0)
		}
		return b.Make(Zext, D, b.Make(ShrU, W, x.Args[0], b.Const(y.Int)))
	}
	return nil
}

// foldCompareExtended is a comparison of 64 bits of what has 32.
func (b *Builder) foldCompareExtended(v, x, y *Value) *Value {
	if v.Op != Cmp || x.Type != D {
		return nil
	}
	number := func(a *Value, least, most int64) bool { return a.Op == Const && a.Int >= least && a.Int <= most }
	switch {
	case x.Op == Zext && (y.Op == Zext || number(y, 0, math.MaxUint32)):
		name := v.Aux
		if len(name) == 2 && name != "EQ" && name != "NE" {
			name += "U"
		}
		return b.MakeAux(Cmp, Pred, name, x.Args[0], b.Word(y, 0))
	case x.Op == Sext && (y.Op == Sext || number(y, math.MinInt32, math.MaxInt32)):
		return b.MakeAux(Cmp, Pred, v.Aux, x.Args[0], b.Word(y, 0))
	}
	return nil
}
