package exec

import (
	"math/bits"
	"strings"

	"gpuperf/sass"
)

// logicForms are the opcodes that work on bits.
var logicForms = map[string]form{
	"LOP3":  {number: logical, compute: lookup, chooses: choosesBits},
	"PLOP3": {number: logical, compute: lookupPredicates, chooses: choosesPredicates},
	"SHF":   {compute: funnel},
	"PRMT":  {compute: permute},
	"SGXT":  {compute: extend},
	"BMSK":  {compute: maskBits},
	"POPC":  {number: logical, compute: plain(func(x *item) { x.d = uint64(bits.OnesCount32(uint32(x.v[0]))) })},
	"BREV":  {number: logical, compute: plain(func(x *item) { x.d = uint64(bits.Reverse32(uint32(x.v[0]))) })},
	"FLO":   {number: logical, compute: leading},
}

// bitwise is a function of three bits applied to words: bit 4a+2b+c of the table is its value.
func bitwise(table uint32, a, b, c uint32) (r uint32) {
	for i := range 8 {
		if table>>i&1 != 0 {
			r |= (a ^ -uint32(^i>>2&1)) & (b ^ -uint32(^i>>1&1)) & (c ^ -uint32(^i&1))
		}
	}
	return r
}

// lookup is LOP3.LUT. Its predicate tells whether the result has a bit set, or else what another predicate says.
func lookup(d *decoder) semantics {
	if !d.only("LUT", "PAND") || len(d.numbers) == 0 {
		return nil
	}
	table, and := uint32(d.numbers[len(d.numbers)-1]), d.has("PAND")
	f := func(a, b, c uint32) uint32 { return bitwise(table, a, b, c) }
	switch table {
	case 0xc0:
		f = func(a, b, _ uint32) uint32 { return a & b }
	case 0xfc:
		f = func(a, b, _ uint32) uint32 { return a | b }
	case 0x3c:
		f = func(a, b, _ uint32) uint32 { return a ^ b }
	case 0x96:
		f = func(a, b, c uint32) uint32 { return a ^ b ^ c }
	}
	return func(x *item) {
		r := f(uint32(x.v[0]), uint32(x.v[1]), uint32(x.v[2]))
		x.d, x.q[0] = uint64(r), r != 0 || x.p[0]
		if and {
			x.q[0] = r != 0 && x.p[0]
		}
	}
}

// choosesBits knows the result where it is the same whether the unknown words have all bits set or none: the function is bitwise.
func choosesBits(o *op, x *item, unknown, doubtful uint8) (bool, [2]bool) {
	known := [2]bool{doubtful == 0, false}
	words := x.v
	var low, high uint64 = ^uint64(0), 0
	for set := range uint8(8) {
		if set&^unknown != 0 {
			continue
		}
		for i := range 3 {
			x.v[i] = words[i]
			if unknown>>i&1 != 0 {
				x.v[i] = uint64(uint32(-int32(set >> i & 1)))
			}
		}
		o.compute(x)
		low &= x.d
		high |= x.d
	}
	same := low == high
	known[0] = known[0] && (same || low != 0)
	return same, known
}

// lookupPredicates is PLOP3.LUT: two functions of three predicates, or of the signs of registers: R2.SIGN.
func lookupPredicates(d *decoder) semantics {
	if !d.only("LUT") || len(d.numbers) < 2 {
		return nil
	}
	first, second := uint32(d.numbers[0]), uint32(d.numbers[1])
	if len(d.o.guards) == 3 {
		return func(x *item) {
			i := uint64Of(x.p[0])<<2 | uint64Of(x.p[1])<<1 | uint64Of(x.p[2])
			x.q[0], x.q[1] = first>>i&1 != 0, second>>i&1 != 0
		}
	}
	var signs []bool // of the three, in order
	for _, o := range d.in.Operands[d.in.Written():] {
		if o.Kind == sass.RegisterOperand {
			signs = append(signs, strings.HasSuffix(o.Text, ".SIGN"))
		}
	}
	return func(x *item) {
		i, value, predicate := uint64(0), 0, 0
		for _, sign := range signs {
			i <<= 1
			if sign {
				i |= x.v[value] >> 31 & 1
				value++
			} else {
				i |= uint64Of(x.p[predicate])
				predicate++
			}
		}
		x.q[0], x.q[1] = first>>i&1 != 0, second>>i&1 != 0
	}
}

// choosesPredicates knows what is the same for all values of the unknown predicates.
func choosesPredicates(o *op, x *item, unknown, doubtful uint8) (bool, [2]bool) {
	if unknown != 0 {
		return false, [2]bool{}
	}
	given := x.p
	var seen [2][2]bool
	for set := range uint8(8) {
		if set&^doubtful != 0 {
			continue
		}
		for i := range x.p {
			x.p[i] = given[i] != (set>>i&1 != 0)
		}
		o.compute(x)
		for k, q := range x.q {
			seen[k][uint64Of(q)] = true
		}
	}
	return false, [2]bool{!seen[0][0] || !seen[0][1], !seen[1][0] || !seen[1][1]}
}

// funnel shifts the pair of words c and a: left or right, and gives the low half or (HI) the high one.
func funnel(d *decoder) semantics {
	if !d.only("L", "R", "W", "U32", "S32", "U64", "S64", "HI") {
		return nil
	}
	left, wraps, high := d.has("L"), d.has("W"), d.has("HI")
	signed := d.has("S32") || d.has("S64")
	width := uint64(32)
	if d.has("U64") || d.has("S64") {
		width = 64
	}
	return func(x *item) {
		whole, s := x.v[0]&0xffffffff|x.v[2]<<32, x.v[1]&0xffffffff
		if wraps {
			s &= width - 1
		} else {
			s = min(s, width)
		}
		switch {
		case left:
			whole <<= s
		case signed:
			whole = uint64(int64(whole) >> s)
		default:
			whole >>= s
		}
		if high {
			whole >>= 32
		}
		x.d = whole & 0xffffffff
	}
}

// permutations are the bytes that PRMT picks by a mode and the low bits of its selector: PTX ISA, prmt.
var permutations = map[string]func(selector, i uint64) uint64{
	"F4E":  func(s, i uint64) uint64 { return s&3 + i },
	"B4E":  func(s, i uint64) uint64 { return (s&3 - i) & 7 },
	"RC8":  func(s, _ uint64) uint64 { return s & 3 },
	"ECL":  func(s, i uint64) uint64 { return max(s&3, i) },
	"ECR":  func(s, i uint64) uint64 { return min(s&3, i) },
	"RC16": func(s, i uint64) uint64 { return s&1*2 + i&1 },
}

// permute picks bytes of b and a.
func permute(d *decoder) semantics {
	pick := func(selector, i uint64) uint64 { return selector >> (4 * i) & 15 }
	if len(d.in.Modifiers) > 0 {
		if pick = permutations[d.in.Modifiers[0]]; pick == nil {
			return nil
		}
	}
	return func(x *item) {
		all := x.v[0]&0xffffffff | x.v[2]<<32
		x.d = 0
		for i := range uint64(4) {
			p := pick(x.v[1], i)
			v := uint64(uint8(all >> (8 * (p & 7))))
			if p&8 != 0 {
				v = uint64(uint8(int8(v) >> 7))
			}
			x.d |= v << (8 * i)
		}
	}
}

// extend keeps the low bits of a and repeats the sign, or zero, above them.
func extend(d *decoder) semantics {
	unsigned, wraps := d.has("U32"), d.has("W")
	return func(x *item) {
		n := x.v[1] & 0xffffffff
		if wraps {
			n &= 31
		}
		switch n = min(n, 32); {
		case n == 0:
			x.d = 0
		case unsigned:
			x.d = x.v[0] & (1<<n - 1)
		default:
			x.d = uint64(uint32(int32(x.v[0]<<(32-n)) >> (32 - n)))
		}
	}
}

// maskBits sets b bits from bit a on.
func maskBits(d *decoder) semantics {
	wraps := d.has("W")
	return func(x *item) {
		at, n := x.v[0]&0xffffffff, x.v[1]&0xffffffff
		if wraps {
			at, n = at&31, n&31
		}
		at, n = min(at, 32), min(n, 32)
		x.d = (1<<n - 1) << at & 0xffffffff
	}
}

// leading is the number of the highest bit that is set; of negative numbers, that is clear. With SH it is how far it is from the top.
func leading(d *decoder) semantics {
	signed, shift := !strings.HasPrefix(d.in.Mnemonic(), d.in.Name+".U32"), d.has("SH")
	return func(x *item) {
		v := uint32(x.v[0])
		if signed && int32(v) < 0 {
			v = ^v
		}
		n := uint32(bits.Len32(v) - 1)
		if shift && v != 0 {
			n = 31 - n
		}
		x.d, x.q[0] = uint64(n), v != 0
	}
}
