package ssa

import (
	"slices"
	"strings"
)

// Passes are done one after the other. Each leaves what the function computes as it was.
var Passes = []struct {
	Name string
	Do   func(*Func)
}{
	{"trivial phis", TrivialPhis},
	{"dead code", Dead},
	{"join", Join},
	{"predicate", Predicate},
	{"trivial phis", TrivialPhis},
	{"long products", LongProducts},
	{"hoist", Hoist},
	{"unify", Unify},
	{"chain", Chain},
	{"reduce", Reduce},
	{"widen", Widen},
	{"fuse", Fuse},
	{"logic", Logic},
	{"dead code", Dead},
}

// Join makes one block of two of which the second is only come to from the first, and always.
func Join(f *Func) {
	for i := 0; i < len(f.Blocks); i++ {
		b := f.Blocks[i]
		for b.End == Jump && b.Meet == nil && len(b.Breaks) == 0 {
			next := b.To[0]
			if len(next.Preds) != 1 || next.Meets || next.Loop != b.Loop || next == b || len(next.Values) > 0 && next.Values[0].Op == Phi {
				break
			}
			f.join(b, next)
		}
	}
}

// TrivialPhis takes away phis of which all arguments are the same, or the phi itself.
func TrivialPhis(f *Func) {
	for {
		by := map[*Value]*Value{}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.Op != Phi {
					continue
				}
				if only := onlyArgument(v); only != nil && by[only] == nil {
					by[v] = only
				}
			}
		}
		if len(by) == 0 {
			return
		}
		f.Replace(by)
		for _, b := range f.Blocks {
			kept := b.Values[:0]
			for _, v := range b.Values {
				if by[v] == nil {
					kept = append(kept, v)
				}
			}
			b.Values = kept
		}
	}
}

func onlyArgument(v *Value) (only *Value) {
	for _, a := range v.Args {
		if a == v || a == only {
			continue
		}
		if only != nil {
			return nil
		}
		only = a
	}
	return only
}

// Dead takes away values that nobody uses.
func Dead(f *Func) {
	live := map[*Value]bool{}
	var list []*Value
	need := func(v *Value) {
		if v != nil && !live[v] {
			live[v] = true
			list = append(list, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op > Load || v.Op == Load && v.Access.Volatile {
				need(v)
			}
		}
		if b.End == Branch || b.End == Leave {
			need(b.Cond)
		}
	}
	for len(list) > 0 {
		v := list[len(list)-1]
		list = list[:len(list)-1]
		v.Reads(func(p **Value) { need(*p) })
	}
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if live[v] {
				kept = append(kept, v)
			}
		}
		b.Values = kept
	}
}

// As many predicates, of which there are seven in all, and other values are hoisted out of a loop: those have registers as long as it runs.
const (
	mostHoisted = 2
	mostKept    = 96
)

// Hoist computes what does not change in a loop before it, if it has no effect, and no memory that it reads changes.
func Hoist(f *Func) {
	predicates, others := map[*Loop]int{}, map[*Loop]int{} // by the loop that they are hoisted out of
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			to := b
			for to.Loop != nil && (v.Pure() || loadedOnce(v, to)) && !variesIn(v, to.Loop) {
				if v.Type == Pred {
					if predicates[to.Loop] >= mostHoisted {
						break
					}
					predicates[to.Loop]++
				} else if others[to.Loop]++; others[to.Loop] > mostKept {
					break
				}
				to = to.Loop.Before
			}
			if to == b {
				kept = append(kept, v)
				continue
			}
			v.Block = to
			to.Values = append(to.Values, v)
		}
		b.Values = kept
	}
}

// loadedOnce reports whether what a value loads is the same in all iterations of the loop that a block begins: nobody writes it. Other memory may be written by
// other work-items, for which a loop may wait.
func loadedOnce(v *Value, b *Block) bool {
	return v.Op == Load && v.Guard == nil && v.Access.ReadOnly && !v.Access.Volatile && b == b.Loop.Header
}

// variesIn reports whether an argument of a value, or an operand of the operation that it is part of, is computed in a loop.
func variesIn(v *Value, l *Loop) bool {
	in := func(a *Value) bool { return a.Block != nil && a.Block.Loop.In(l) }
	return slices.ContainsFunc(v.Args, in) || slices.ContainsFunc(v.Within, in)
}

// Fuse makes a product and a sum one operation, where nobody else needs the product.
func Fuse(f *Func) {
	f.CountUses()
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			sum, product, negate, fused := FAdd, FMul, FNeg, FFma
			if v.Op == Raw && strings.HasPrefix(v.Aux, "HADD2") {
				fuseHalves(v)
				continue
			}
			if v.Op == DAdd {
				sum, product, negate, fused = DAdd, DMul, DNeg, DFma
			}
			if v.Op != sum {
				continue
			}
			for i, a := range v.Args {
				minus := a.Op == negate && a.Uses == 1
				m := a
				if minus {
					m = a.Args[0]
				}
				if m.Op != product || m.Uses != 1 {
					continue
				}
				x, y, c := m.Args[0], m.Args[1], v.Args[1-i]
				if minus { // -(x y) + c
					n := &Value{ID: f.Next(), Op: negate, Type: v.Type, Args: []*Value{x}, Block: b, Line: v.Line, Uses: 1}
					insertBefore(b, v, n)
					x = n
				}
				v.Op, v.Args = fused, []*Value{x, y, c}
				break
			}
		}
	}
}

// fuseHalves is Fuse of a sum of numbers of half precision.
func fuseHalves(v *Value) {
	_, format, _ := strings.Cut(v.Aux, ".")
	for i, m := range v.Args {
		if name, of, _ := strings.Cut(m.Aux, "."); m.Op == Raw && name == "HMUL2" && of == format && m.Uses == 1 {
			v.Aux, v.Args = strings.Replace(v.Aux, "HADD2", "HFMA2", 1), []*Value{m.Args[0], m.Args[1], v.Args[1-i]}
			return
		}
	}
}

func insertBefore(b *Block, before, v *Value) {
	for i, w := range b.Values {
		if w == before {
			b.Values = append(b.Values[:i:i], append([]*Value{v}, b.Values[i:]...)...)
			return
		}
	}
}

// LongProducts makes one product of 64 bits of the two that give the low and the high word of it.
func LongProducts(f *Func) {
	by := map[*Value]*Value{}
	for _, b := range f.Blocks {
		low := map[[2]*Value]*Value{}
		key := func(v *Value) [2]*Value {
			if v.Args[0].ID > v.Args[1].ID {
				return [2]*Value{v.Args[1], v.Args[0]}
			}
			return [2]*Value{v.Args[0], v.Args[1]}
		}
		for _, v := range b.Values {
			if v.Op == Mul && v.Type == W {
				low[key(v)] = v
			}
		}
		for _, v := range slices.Clone(b.Values) {
			if v.Op != MulHiU && v.Op != MulHiS {
				continue
			}
			other := low[key(v)]
			if other == nil || by[other] != nil {
				continue
			}
			first := v
			if slices.Index(b.Values, other) < slices.Index(b.Values, v) {
				first = other
			}
			op := MulWideU
			if v.Op == MulHiS {
				op = MulWideS
			}
			wide := &Value{ID: f.Next(), Op: op, Type: D, Args: slices.Clone(v.Args), Block: b, Line: v.Line}
			insertBefore(b, first, wide)
			for i, part := range []*Value{other, v} {
				word := &Value{ID: f.Next(), Op: Extract, Type: W, Int: int64(i), Args: []*Value{wide}, Block: b, Line: part.Line}
				insertBefore(b, first, word)
				by[part] = word
			}
		}
	}
	f.Replace(by)
}
