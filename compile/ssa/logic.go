package ssa

import "slices"

// One instruction combines three words bit by bit, by a table of what is to become of each three bits. The text may say the same by more operations, as in
// (a & b) ^ (a & c) ^ (b & c).

// leaves adds the words that an expression combines bit by bit, and counts its operations; ok is false where they are more than three.
func leaves(v *Value, all []*Value) (_ []*Value, operations int, ok bool) {
	switch {
	case v.Op == Const && (uint32(v.Int) == 0 || uint32(v.Int) == ^uint32(0)):
		return all, 0, true
	case v.Type == W && logic(v), isTable(v):
		inner := v.Args
		if operations = 1; isTable(v) {
			inner, operations = v.Args[:3], 2
		}
		for _, a := range inner {
			n := 0
			if all, n, ok = leaves(a, all); !ok {
				return all, 0, false
			}
			operations += n
		}
		return all, operations, true
	case slices.Contains(all, v):
		return all, 0, true
	}
	return append(all, v), 0, len(all) < 3
}

func isTable(v *Value) bool { return v.Op == Raw && v.Aux == "LOP3.LUT" && v.Args[3].Op == Const }

// bitOf is the bit that an expression has for a bit of each of its words.
func bitOf(v *Value, words []*Value, bits []bool) bool {
	if i := slices.Index(words, v); i >= 0 {
		return bits[i]
	}
	bit := func(i int) bool { return bitOf(v.Args[i], words, bits) }
	switch v.Op {
	case Const:
		return v.Int != 0
	case And:
		return bit(0) && bit(1)
	case Or:
		return bit(0) || bit(1)
	case Xor:
		return bit(0) != bit(1)
	}
	n := 0
	for i := range 3 {
		if n *= 2; bit(i) {
			n++
		}
	}
	return v.Args[3].Int>>n&1 == 1
}

// combined is the one instruction for an expression of three words and more than two operations; nil for others.
func combined(b *Builder, v *Value) *Value {
	if v.Type != W || !logic(v) {
		return nil
	}
	words, operations, ok := leaves(v, nil)
	if !ok || len(words) != 3 || operations < 3 {
		return nil
	}
	table := int64(0)
	for i := range 8 {
		if bitOf(v, words, []bool{i&4 != 0, i&2 != 0, i&1 != 0}) {
			table |= 1 << i
		}
	}
	return b.MakeAux(Raw, W, "LOP3.LUT", words[0], words[1], words[2], b.Const(table))
}
