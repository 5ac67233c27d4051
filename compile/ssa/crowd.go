package ssa

import "strings"

// together are the operations that the lanes of a sub-group combine before one of them does what is left, by the instruction that does so.
var together = map[string]string{
	"ADD": "REDUX.SUM", "MIN": "REDUX.MIN", "MAX": "REDUX.MAX", "MIN.S32": "REDUX.MIN.S32", "MAX.S32": "REDUX.MAX.S32", "AND": "REDUX", "OR": "REDUX.OR", "XOR": "REDUX.XOR",
}

// Crowd lets one lane of a sub-group do atomic operations on a word of global memory that is the same for all lanes, and whose results nobody needs, with what the lanes have
// together: NVIDIA's compiler does so for integers.
func Crowd(f *Func) {
	f.CountUses()
	for _, b := range f.Blocks {
		var values []*Value
		for _, v := range b.Values {
			if v.Op == Atomic && v.Uses == 0 && v.Type == W && v.Access.Space == Global && v.Guard == nil && len(v.Args) == 2 && together[v.Access.Suffix] != "" && sameInAll(v.Args[0]) {
				values = append(values, f.combined(b, v)...)
			}
			values = append(values, v)
		}
		b.Values = values
	}
}

// combined are the values by which the first lane of those that do an atomic operation has what it is to do; the operation gets them.
func (f *Func) combined(b *Block, v *Value) (list []*Value) {
	add := func(op Op, t Type, aux string, args ...*Value) *Value {
		x := &Value{ID: f.Next(), Op: op, Type: t, Aux: aux, Args: args, Block: b, Line: v.Line}
		list = append(list, x)
		return x
	}
	all := &Value{ID: f.Next(), Op: Const, Type: Pred, Int: 1}
	who := add(Effect, W, "VOTE.ANY", all)
	one := add(Cmp, Pred, "EQ", add(Raw, W, "FLO.U32", who), add(Special, W, "SR_LANEID"))
	if what := v.Args[1]; what.Op == Const && v.Access.Suffix == "ADD" {
		v.Args[1] = add(Raw, W, "POPC", who)
		if what.Int != 1 {
			v.Args[1] = add(Mul, W, "", v.Args[1], what)
		}
	} else {
		v.Args[1] = add(Effect, W, together[v.Access.Suffix], what)
	}
	v.Guard = one
	return list
}

// sameInAll reports whether a value is sure to be the same in all lanes of a sub-group, wherever it is computed.
func sameInAll(v *Value) bool {
	switch v.Op {
	case Const, Param:
		return true
	case Special:
		return strings.HasPrefix(v.Aux, "SR_CTAID")
	case Phi, Load, Atomic, Effect, Raw:
		return false
	}
	for _, a := range v.Args {
		if !sameInAll(a) {
			return false
		}
	}
	return true
}
