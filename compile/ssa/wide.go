package ssa

import (
	"maps"
	"slices"
	"strings"
)

// Widen makes loads of words, or halves of words, that follow each other in shared or private memory one load, where it is known that their place is aligned
// for that.
func Widen(f *Func) {
	users := usersOf(f)
	for _, b := range f.Blocks {
		for _, list := range b.runs() {
			b.widen(f, list, users)
		}
	}
}

// run is a place in memory whose elements are loaded, of how many bytes each.
type run struct {
	base  *Value
	space Space
	bytes int
}

// runs are the loads of a block between which nothing changes the memory that they read.
func (b *Block) runs() (all [][]*Value) {
	at := map[run]int{}
	for _, v := range b.Values {
		switch {
		case v.Op == Store, v.Op == Atomic:
			maps.DeleteFunc(at, func(r run, _ int) bool { return r.space == v.Access.Space })
		case v.Op == Effect:
			clear(at)
		case v.Op == Load && v.Guard == nil && v.Type == W && (v.Access.Bytes == 4 || v.Access.Bytes == 2 && !v.Access.Signed) && !v.Access.Volatile &&
			(v.Access.Space == Shared || v.Access.Space == Private):
			r := run{space: v.Access.Space, bytes: v.Access.Bytes}
			if len(v.Args) > 0 {
				r.base = v.Args[0]
			}
			i, ok := at[r]
			if !ok {
				i = len(all)
				at[r], all = i, append(all, nil)
			}
			all[i] = append(all[i], v)
		}
	}
	return all
}

// widen makes loads of a run one load, as wide as can be.
func (b *Block) widen(f *Func, list []*Value, users map[*Value][]*Value) {
	var base *Value
	if len(list[0].Args) > 0 {
		base = list[0].Args[0]
	}
	align := alignment(base)
	for bytes := int64(mostAlign); bytes >= 4; bytes /= 2 {
		for i := 0; i < len(list); i++ {
			if beside := follow(list, list[i], bytes, align); len(beside) > 1 {
				b.together(f, beside, users)
				list = slices.DeleteFunc(list, func(v *Value) bool { return slices.Contains(beside, v) })
				i = -1
			}
		}
	}
}

// follow are loads of so many bytes beside each other, of which one is a load, at an aligned place; nil where not all are there.
func follow(all []*Value, v *Value, bytes, align int64) []*Value {
	if align%bytes != 0 {
		return nil
	}
	each := int64(v.Access.Bytes)
	first := v.Access.Offset &^ (bytes - 1)
	list := make([]*Value, bytes/each)
	for _, x := range all {
		if d := x.Access.Offset - first; d >= 0 && d < bytes && d%each == 0 {
			list[d/each] = x
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
func (b *Block) together(f *Func, list []*Value, users map[*Value][]*Value) {
	at := slices.IndexFunc(b.Values, func(v *Value) bool { return slices.Contains(list, v) })
	a := *list[0].Access
	each := a.Bytes
	a.Bytes = each * len(list)
	wide := &Value{ID: f.Next(), Op: Load, Type: map[int]Type{4: W, 8: D, 16: V4}[a.Bytes], Access: &a, Args: list[0].Args, Block: b, Line: list[0].Line}
	new := []*Value{wide}
	add := func(v Value) *Value {
		v.ID, v.Block, v.Type = f.Next(), b, W
		new = append(new, &v)
		return &v
	}
	by := map[*Value]*Value{}
	word := wide
	for i, v := range list {
		at := i * each
		if at%4 == 0 && wide.Type != W {
			word = add(Value{Op: Extract, Int: int64(at / 4), Args: []*Value{wide}, Line: v.Line})
		}
		switch by[v] = word; {
		case at%4 != 0:
			by[v] = add(Value{Op: ShrU, Args: []*Value{word, f.word(16)}, Line: v.Line})
		case each < 4 && !ofHalf(users[v]):
			by[v] = add(Value{Op: And, Args: []*Value{word, f.word(1<<16 - 1)}, Line: v.Line})
		}
	}
	b.Values = slices.Insert(b.Values, at, new...)
	b.Values = slices.DeleteFunc(b.Values, func(v *Value) bool { return by[v] != nil })
	f.Replace(by)
}

// ofHalf reports whether all users take a word for a number of half precision, in its lower half.
func ofHalf(users []*Value) bool {
	return !slices.ContainsFunc(users, func(u *Value) bool {
		return u.Op != Raw || !strings.HasPrefix(u.Aux, "HFMA2") && !strings.HasPrefix(u.Aux, "HADD2") && !strings.HasPrefix(u.Aux, "HMUL2")
	})
}
