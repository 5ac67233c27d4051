package machine

import "gpuperf/compile/ssa"

// fold decides which values become part of the instructions that use them.
func (f *function) fold() {
	f.CountUses()
	signed := map[*ssa.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.FNeg || v.Op == ssa.FAbs || v.Op == ssa.DNeg || v.Op == ssa.DAbs {
				signed[v] = true
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.PNot {
				f.folded[v] = true
			}
			v.Reads(func(p **ssa.Value) {
				if signed[*p] && !takesSign(v, *p) {
					delete(signed, *p)
				}
			})
		}
	}
	for v := range signed {
		f.folded[v] = true
	}
	f.foldProducts()
	for _, b := range f.Blocks {
		for i := len(b.Values) - 1; i >= 0; i-- {
			if v := b.Values[i]; !f.folded[v] {
				f.foldInto(v)
			}
		}
	}
}

// foldProducts makes wide products part of all sums that they are in, where they are in nothing else: such a sum takes one instruction, and one of
// pairs takes two.
func (f *function) foldProducts() {
	other := map[*ssa.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			v.Reads(func(p **ssa.Value) {
				a := *p
				if (a.Op == ssa.MulWideS || a.Op == ssa.MulWideU) && (v.Op != ssa.Add || v.Args[0] == v.Args[1] || wideProduct(v.Args[0]) && wideProduct(v.Args[1])) {
					other[a] = true
				}
			})
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if wideProduct(v) && !other[v] {
				f.folded[v] = true
			}
		}
	}
}

func wideProduct(v *ssa.Value) bool { return v.Op == ssa.MulWideS || v.Op == ssa.MulWideU }

// takesSign reports whether a sign of an argument is part of the instruction of a value.
func takesSign(v, a *ssa.Value) bool {
	double := a.Op == ssa.DNeg || a.Op == ssa.DAbs
	switch {
	case v.Op >= ssa.FAdd && v.Op <= ssa.FAbs, v.Op == ssa.FCmp, v.Op == ssa.Select && v.Type == ssa.W && v.Aux != ssa.InPlace:
		return !double
	case v.Op >= ssa.DAdd && v.Op <= ssa.DAbs, v.Op == ssa.DCmp:
		return double
	}
	return false
}

// foldInto marks an argument that becomes part of the instruction of a value.
func (f *function) foldInto(v *ssa.Value) {
	if v.Op == ssa.Select {
		for i, one := range v.Args[1:] {
			if v.Type == ssa.W && one.Uses == 1 && one.Block == v.Block && !f.folded[one] && changes(v, one, v.Args[2-i]) && v.Args[0].Op != ssa.Const {
				f.folded[one] = true
				f.foldInto(one)
				break
			}
		}
		return
	}
	if len(v.Args) != 2 {
		return
	}
	first := 0 // a mask is folded rather than what it is joined with, which may have another one, and a product rather than a sum, which may have another one too
	if v.Type == ssa.W && (isLogic(v.Args[1]) && fixedCount(v.Args[1].Args...) == 1 || v.Op == ssa.Add && v.Args[1].Op == ssa.Mul && v.Args[0].Op != ssa.Mul) {
		first = 1
	}
	for k := range v.Args {
		i := k ^ first
		a := v.Args[i]
		if a.Uses != 1 || a.Block != v.Block || f.folded[a] {
			continue
		}
		other := v.Args[1-i]
		ok := false
		switch {
		case v.Op == ssa.Add && v.Type == ssa.W:
			switch a.Op {
			case ssa.Mul:
				ok = true
			case ssa.Shl, ssa.ShrU, ssa.ShrS:
				ok = a.Args[1].Op == ssa.Const && a.Args[1].Int < 32 && a.Args[1].Int > 0
			case ssa.Add, ssa.Sub:
				ok = fixedCount(a.Args[0], a.Args[1], other) <= 1
			}
		case v.Op == ssa.Add && v.Type == ssa.D:
			ok = wideProduct(a) || a.Op == ssa.Shl && !f.folded[other] && a.Args[1].Op == ssa.Const && a.Args[1].Int < 32 && other.Op != ssa.Const
		case v.Type == ssa.W && isLogic(v):
			ok = isLogic(a) && fixedCount(a.Args[0], a.Args[1], other) <= 1
		case v.Op == ssa.PAnd || v.Op == ssa.POr || v.Op == ssa.PXor:
			ok = a.Op == ssa.Cmp || a.Op == ssa.FCmp || a.Op == ssa.DCmp
		}
		if ok {
			f.folded[a] = true
			return
		}
	}
}

func isLogic(v *ssa.Value) bool { return v.Op == ssa.And || v.Op == ssa.Or || v.Op == ssa.Xor }

func isFixed(v *ssa.Value) bool { return v.Op == ssa.Const || v.Op == ssa.Param || v.Op == ssa.Bank }

// fixedCount is how many values are numbers or in constant banks.
func fixedCount(list ...*ssa.Value) (n int) {
	for _, v := range list {
		if isFixed(v) {
			n++
		}
	}
	return n
}
