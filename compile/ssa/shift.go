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
	case v.Op == Shl && v.Type == W && x.Op == ShrU && isConst(x.Args[1], n) && n < 32:
		return b.Make(And, W, x.Args[0], b.Const(int64(uint32(1<<32-1)<<n)))
	case v.Type == W && n < 32 && x.Op == Select && x.Args[1].Op == Const && x.Args[2].Op == Const: // as of what a comparison says
		return b.Make(Select, W, x.Args[0], b.Make(v.Op, W, x.Args[1], v.Args[1]), b.Make(v.Op, W, x.Args[2], v.Args[1]))
	case v.Op == Shl && x.Op == Shl && x.Args[1].Op == Const && x.Args[1].Int+n < int64(32*v.Type.Words()):
		return b.Make(Shl, v.Type, x.Args[0], b.Const(x.Args[1].Int+n))
	case v.Op == Shl && x.Op == Add && x.Args[1].Op == Const && n < int64(32*v.Type.Words()):
		return b.Make(Add, v.Type, b.Make(Shl, v.Type, x.Args[0], b.Const(n)), b.like(v.Type, x.Args[1].Int<<n))
	}
	return nil
}

// foldFunnel makes one shift of the two of words whose bits lie beside each other: x << n | y >> (32 - n).
func foldFunnel(b *Builder, v, x, y *Value) *Value {
	if v.Type != W || v.Op != Or && v.Op != Xor && v.Op != Add {
		return nil
	}
	if x.Op == ShrU {
		x, y = y, x
	}
	if x.Op != Shl || y.Op != ShrU {
		return nil
	}
	high, low, n, rest := x.Args[0], y.Args[0], x.Args[1], y.Args[1]
	if n.Op != Const || rest.Op != Const || n.Int <= 0 || rest.Int <= 0 || n.Int+rest.Int != 32 {
		return nil
	}
	return b.MakeAux(Raw, W, "SHF.L.W.U32.HI", low, n, high)
}
