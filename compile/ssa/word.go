package ssa

func (b *Builder) foldExtract(v *Value) *Value {
	switch a := v.Args[0]; {
	case a.Type == W && v.Int == 0:
		return a
	case a.Op == Const:
		return b.Const(a.Int >> (32 * v.Int))
	case a.Op == Pack:
		return a.Args[v.Int]
	case a.Op == Zext && v.Int == 1:
		return b.Const(0)
	case (a.Op == Zext || a.Op == Sext) && v.Int == 0:
		return a.Args[0]
	case a.Type == D && (a.Op == And || a.Op == Or || a.Op == Xor):
		return b.Make(a.Op, W, b.Word(a.Args[0], int(v.Int)), b.Word(a.Args[1], int(v.Int)))
	case a.Type == D && (a.Op == Shl || a.Op == ShrU || a.Op == ShrS) && a.Args[1].Op == Const:
		return shiftedWord(b, a, int(v.Int))
	case a.Type == D && v.Int == 0 && (a.Op == Add || a.Op == Sub || a.Op == Mul):
		return b.Make(a.Op, W, b.Word(a.Args[0], 0), b.Word(a.Args[1], 0))
	case a.Op == Param:
		return b.MakeInt(Param, W, a.Int+4*v.Int)
	case a.Op == Bank:
		return b.make(&Value{Op: Bank, Type: W, Int: a.Int + 4*v.Int, Aux: a.Aux})
	}
	return nil
}

// byWord is a logical operation of 64 bits as one of each word, where it is joined with others.
func byWord(b *Builder, v, x, y *Value) *Value {
	if v.Type != D || v.Op != And && v.Op != Or && v.Op != Xor {
		return nil
	}
	of := func(i int) *Value { return b.Make(v.Op, W, b.Word(x, i), b.Word(y, i)) }
	return b.Make(Pack, D, of(0), of(1))
}

// shiftedWord is a word of a shift of 64 bits by a number.
func shiftedWord(b *Builder, v *Value, i int) *Value {
	const most = 31 // as far as a word is shifted
	n := v.Args[1].Int & 63
	low, high := b.Word(v.Args[0], 0), b.Word(v.Args[0], 1)
	word := func(x *Value, n int64) *Value { return b.Make(v.Op, W, x, b.Const(n)) }
	switch left := v.Op == Shl; {
	case n == 0:
		return b.Word(v.Args[0], i)
	case left && n > most && i == 1:
		return word(low, n-most-1)
	case left && n > most:
		return b.Const(0)
	case left && i == 0:
		return word(low, n)
	case left:
		return b.MakeAux(Raw, W, "SHF.L.W.U32.HI", low, b.Const(n), high)
	case n > most && i == 0:
		return word(high, n-most-1)
	case n > most && v.Op == ShrS:
		return word(high, most)
	case n > most:
		return b.Const(0)
	case i == 1:
		return word(high, n)
	}
	return b.MakeAux(Raw, W, "SHF.L.W.U32.HI", low, b.Const(most+1-n), high)
}
