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
