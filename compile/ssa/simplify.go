package ssa

import (
	"slices"
	"strings"
)

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

// As many predicates, of which there are seven in all, and other values are hoisted out of a loop: those have registers as long as it runs. Junctions of predicates that are needed
// in the loop anyway take their places.
const (
	mostHoisted   = 2
	mostJunctions = 4
	mostKept      = 96
)

// Hoist computes what does not change in a loop before it, if it has no effect, and no memory that it reads changes.
func Hoist(f *Func) {
	predicates, others, junctions := map[*Loop]int{}, map[*Loop]int{}, map[*Loop]*joined{} // by the loop that they are hoisted out of
	written := writtenIn(f)
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			to := b
			for to.Loop != nil && (v.Pure() || loadedOnce(v, to, written[to.Loop])) && !variesIn(v, to.Loop) {
				if v.Type == Pred {
					if junctions[to.Loop] == nil {
						junctions[to.Loop] = &joined{of: map[*Value]bool{}}
					}
					if junctions[to.Loop].replace(v) {
						to = to.Loop.Before
						continue
					}
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

// joined are predicates whose junctions are hoisted out of a loop.
type joined struct {
	of map[*Value]bool
	n  int // junctions
}

// replace reports whether a value is a junction that is hoisted, as there are no more of these than of the predicates that they join.
func (j *joined) replace(v *Value) bool {
	if v.Op != PAnd && v.Op != POr || j.n >= mostJunctions {
		return false
	}
	more := 0
	for _, a := range v.Args {
		if !j.of[a] {
			more++
		}
	}
	if j.n+1 > len(j.of)+more {
		return false
	}
	for _, a := range v.Args {
		j.of[a] = true
	}
	j.n++
	return true
}

// loadedOnce reports whether what a value loads is the same in all iterations of the loop that a block begins, which writes what is accessed so: nobody writes it, or
// only this work-group may, which then would have to wait for itself. A loop in which nothing else changes waits for others.
func loadedOnce(v *Value, b *Block, written []*Access) bool {
	if v.Op != Load || v.Guard != nil || v.Access.Volatile || b != b.Loop.Header {
		return false
	}
	if v.Access.ReadOnly {
		return true
	}
	return v.Access.Space == Shared && b.Values[0].Op == Phi && !slices.ContainsFunc(written, func(w *Access) bool { return w == nil || v.Access.mayBe(w) })
}

// mayBe reports whether two accesses may be of the same place.
func (a *Access) mayBe(b *Access) bool {
	if a.Space != b.Space && a.Space != Generic && b.Space != Generic {
		return false
	}
	return a.Object == nil || b.Object == nil || a.Object == b.Object
}

// writtenIn are the accesses by which each loop writes; nil is one to anything.
func writtenIn(f *Func) map[*Loop][]*Access {
	written := map[*Loop][]*Access{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op <= Load || v.Op == Effect && amongLanes(v.Aux) {
				continue
			}
			access := v.Access
			if v.Op != Store {
				access = nil
			}
			for l := b.Loop; l != nil; l = l.Outer {
				written[l] = append(written[l], access)
			}
		}
	}
	return written
}

// amongLanes reports whether an instruction exchanges values of the lanes of a sub-group and nothing else.
func amongLanes(mnemonic string) bool {
	name, _, _ := strings.Cut(mnemonic, ".")
	return name == "SHFL" || name == "VOTE" || name == "REDUX" || name == "MATCH"
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

// LowWords takes the low word of a sum of 64 bits that is computed anyway, where that is a sum of low words.
func LowWords(f *Func) {
	type key struct {
		op   Op
		x, y *Value
	}
	for _, b := range f.Blocks {
		sums := map[key]*Value{}
		for _, v := range b.Values {
			if v.Op != Add && v.Op != Sub {
				continue
			}
			k := key{v.Op, lowWord(v.Args[0]), lowWord(v.Args[1])}
			if v.Type == D {
				sums[k] = v
				continue
			}
			long := sums[k]
			if long == nil && v.Op == Add {
				long = sums[key{v.Op, k.y, k.x}]
			}
			if long != nil {
				v.Op, v.Int, v.Args = Extract, 0, []*Value{long}
			}
		}
	}
	Dead(f)
}

// lowWord is what the low word of a value is made of: the value itself, or a longer one that it is the low word of.
func lowWord(v *Value) *Value {
	for {
		switch {
		case v.Op == Extract && v.Int == 0, v.Op == Pack, v.Op == Zext, v.Op == Sext:
			v = v.Args[0]
		default:
			return v
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
