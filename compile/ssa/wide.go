package ssa

import "slices"

// Widen makes loads of words that follow each other in shared or private memory one load, where it is known that their place is aligned for that.
func Widen(f *Func) {
	for _, b := range f.Blocks {
		for b.widen(f) {
		}
	}
}

// run is a place in memory whose words are loaded.
type run struct {
	base  *Value
	space Space
}

// widen makes one load of several in a block.
func (b *Block) widen(f *Func) bool {
	groups := map[run][]*Value{}
	flush := func(s Space) {
		for k := range groups {
			if k.space == s || s == NoSpace {
				delete(groups, k)
			}
		}
	}
	for _, v := range b.Values {
		switch {
		case v.Op == Store, v.Op == Atomic:
			flush(v.Access.Space)
		case v.Op == Effect:
			flush(NoSpace)
		case v.Op == Load && v.Guard == nil && v.Type == W && v.Access.Bytes == 4 && !v.Access.Volatile && (v.Access.Space == Shared || v.Access.Space == Private):
			k := run{space: v.Access.Space}
			if len(v.Args) > 0 {
				k.base = v.Args[0]
			}
			groups[k] = append(groups[k], v)
			for _, n := range []int{4, 2} {
				if list := follow(groups[k], v, n, alignment(k.base)); list != nil {
					b.together(f, list)
					return true
				}
			}
		}
	}
	return false
}

// follow are loads of n words beside each other, of which one is a load, at an aligned place; nil where not all are there.
func follow(all []*Value, v *Value, n int, align int64) []*Value {
	size := int64(4 * n)
	if align%size != 0 {
		return nil
	}
	first := v.Access.Offset &^ (size - 1)
	list := make([]*Value, n)
	for _, x := range all {
		if i := (x.Access.Offset - first) / 4; x.Access.Offset >= first && i < int64(n) && (x.Access.Offset-first)%4 == 0 {
			list[i] = x
		}
	}
	if slices.Contains(list, nil) {
		return nil
	}
	return list
}

// mostAlign is as far as an alignment is of use.
const mostAlign = 16

// alignment is a power of two that an address is a multiple of.
func alignment(v *Value) int64 { return aligned(v, nil) }

// aligned is alignment where counters of loops are open, which are taken for multiples of all that the others allow: what each iteration adds to
// them may follow from themselves.
func aligned(v *Value, open []*Value) int64 {
	if v == nil || slices.Contains(open, v) {
		return mostAlign
	}
	low := func(n int64) int64 {
		if n == 0 {
			return mostAlign
		}
		return min(n&-n, mostAlign)
	}
	switch v.Op {
	case Const:
		return low(v.Int)
	case Shl:
		if v.Args[1].Op == Const {
			return min(aligned(v.Args[0], open)<<min(v.Args[1].Int, 4), mostAlign)
		}
	case Mul:
		if v.Args[1].Op == Const {
			return min(aligned(v.Args[0], open)*low(v.Args[1].Int), mostAlign)
		}
	case Add, Sub, Or, Xor:
		return min(aligned(v.Args[0], open), aligned(v.Args[1], open))
	case And:
		return max(aligned(v.Args[0], open), aligned(v.Args[1], open))
	case Special:
		if v.Aux == "stack" {
			return mostAlign
		}
	case Phi:
		if v.Type == W && len(v.Args) == 2 && v.Args[1].Op == Add && v.Args[1].Args[0] == v {
			return min(aligned(v.Args[0], open), aligned(v.Args[1].Args[1], append(slices.Clip(open), v)))
		}
	}
	return 1
}

// together makes one load of a list, in the place of the first of them.
func (b *Block) together(f *Func, list []*Value) {
	at := len(b.Values)
	for i, v := range b.Values {
		if slices.Contains(list, v) {
			at = min(at, i)
		}
	}
	a := *list[0].Access
	a.Bytes = 4 * len(list)
	wide := &Value{ID: f.Next(), Op: Load, Type: D, Access: &a, Args: list[0].Args, Block: b, Line: list[0].Line}
	if len(list) == 4 {
		wide.Type = V4
	}
	new := []*Value{wide}
	by := map[*Value]*Value{}
	for i, v := range list {
		part := &Value{ID: f.Next(), Op: Extract, Type: W, Int: int64(i), Args: []*Value{wide}, Block: b, Line: v.Line}
		new = append(new, part)
		by[v] = part
	}
	b.Values = slices.Insert(b.Values, at, new...)
	b.Values = slices.DeleteFunc(b.Values, func(v *Value) bool { return by[v] != nil })
	f.Replace(by)
}
