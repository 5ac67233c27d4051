package ssa

// foldShift folds a shift by a number.
func foldShift(b *Builder, v, x *Value, n int64) *Value {
	switch {
	case n == 0:
		return x
	case v.Type == W && n < 32 && v.Op != ShrS && x.Op == And && x.Args[1].Op == Const && !logic(x.Args[0]): // a mask goes outwards, where it is joined with others
		mask := x.Args[1].Int << n
		if v.Op == ShrU {
			mask = int64(uint32(x.Args[1].Int) >> n)
		}
		return b.Make(And, W, b.Make(v.Op, W, x.Args[0], v.Args[1]), b.Const(mask))
	case v.Op == Shl && x.Op == Shl && x.Args[1].Op == Const && x.Args[1].Int+n < int64(32*v.Type.Words()):
		return b.Make(Shl, v.Type, x.Args[0], b.Const(x.Args[1].Int+n))
	case v.Op == Shl && x.Op == Add && x.Args[1].Op == Const && n < int64(32*v.Type.Words()):
		return b.Make(Add, v.Type, b.Make(Shl, v.Type, x.Args[0], b.Const(n)), b.like(v.Type, x.Args[1].Int<<n))
	}
	return nil
}

// rotation is the one instruction that rotates a word, which the text says as two shifts of it that are joined; nil for other operations.
func rotation(b *Builder, v, x, y *Value) *Value {
	if x.Op == ShrU {
		x, y = y, x
	}
	if v.Type != W || v.Op != Or && v.Op != Xor || y.Op != ShrU || y.Args[1].Op != Const {
		return nil
	}
	word, n := y.Args[0], 32-y.Args[1].Int
	if n <= 0 || n >= 32 || !isShifted(x, word, n) {
		return nil
	}
	return b.MakeAux(Raw, W, "SHF.L.W.U32.HI", word, b.Const(n), word)
}

// isShifted reports whether v is a word shifted to the left, the number of a sum by itself.
func isShifted(v, word *Value, n int64) bool {
	if v.Op == Add && word.Op == Add && v.Args[1].Op == Const && word.Args[1].Op == Const && uint32(word.Args[1].Int<<n) == uint32(v.Args[1].Int) {
		v, word = v.Args[0], word.Args[0]
	}
	return v.Op == Shl && v.Args[0] == word && v.Args[1].Op == Const && v.Args[1].Int == n
}
