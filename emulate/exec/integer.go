package exec

import (
	"math/bits"
	"slices"
	"strings"
)

// integerForms are the opcodes of integer arithmetic and comparison.
var integerForms = map[string]form{
	"IADD3":     {compute: add3},
	"IADD":      {compute: add3},
	"IADD32I":   {compute: add3},
	"VIADD":     {compute: add3},
	"IMAD":      {compute: multiplyAdd},
	"IMUL":      {compute: multiplyAdd},
	"LEA":       {compute: shiftAdd},
	"IABS":      {compute: plain(func(x *item) { v := int32(x.v[0]); x.d = uint64(uint32(max(v, -v))) })},
	"VABSDIFF":  {compute: difference},
	"VABSDIFF4": {compute: differenceOfBytes},
	"IDP":       {compute: dot},
	"IMNMX":     {compute: extreme, chooses: choosesOne},
	"VIMNMX":    {compute: extreme, chooses: choosesOne},
	"VIMNMX3":   {compute: extremeOfThree},
	"VIADDMNMX": {compute: extremeOfSum},
	"ISETP":     {compute: compareIntegers, chooses: choosesCompared},
	"SEL":       {compute: plain(selects), chooses: choosesOne},
}

func uint64Of(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// add3 adds up to three numbers and carries. The first predicate is a carry of one, the second of two.
func add3(d *decoder) semantics {
	if t, ok := d.halvesOf(); ok {
		return both(func(x *item) { x.d = x.v[0] + x.v[1] + x.v[2] }, t)
	}
	if !d.only("X", "U32", "S32") {
		if d.only("64") {
			return func(x *item) { x.d = x.v[0] + x.v[1] + x.v[2] }
		}
		return nil
	}
	extended := d.has("X")
	return func(x *item) {
		sum := x.v[0] + x.v[1] + x.v[2]
		if extended {
			sum += uint64Of(x.p[0]) + uint64Of(x.p[1])
		}
		carry := sum >> 32
		x.d, x.q[0], x.q[1] = sum&0xffffffff, carry > 0, carry > 1
	}
}

// multiplyAdd is a * b + c: of 32 bits, of 64 (WIDE), or the high half of 64 (HI).
func multiplyAdd(d *decoder) semantics {
	if !d.only("X", "U32", "S32", "WIDE", "HI", "MOV", "IADD", "SHL") {
		return nil
	}
	wide, high, unsigned, carries := d.has("WIDE"), d.has("HI"), d.has("U32"), d.has("X")
	if !wide && !high {
		return func(x *item) {
			x.d = uint64(uint32(x.v[0])*uint32(x.v[1]) + uint32(x.v[2]))
			if carries && x.p[0] {
				x.d = uint64(uint32(x.d) + 1)
			}
		}
	}
	return func(x *item) {
		var p uint64
		if unsigned {
			p = uint64(uint32(x.v[0])) * uint64(uint32(x.v[1]))
		} else {
			p = uint64(int64(int32(x.v[0])) * int64(int32(x.v[1])))
		}
		sum, carry := bits.Add64(p, x.v[2], uint64Of(carries && x.p[0]))
		x.d, x.q[0] = sum, carry != 0
		if high {
			x.d = sum >> 32
		}
	}
}

// shiftAdd is (a << s) + b, or b - (a << s), which carries where b is no less. With HI, a is the low half and c the high half of what is shifted, and the high half of
// it is added.
func shiftAdd(d *decoder) semantics {
	if !d.only("X", "HI", "SX32") {
		return nil
	}
	extended := d.has("X")
	if !d.has("HI") {
		negated := strings.HasPrefix(d.in.Operands[d.in.Written()].Text, "-")
		return func(x *item) {
			shifted := uint64(uint32(x.v[0]) << (x.v[2] & 31))
			if negated && shifted == 0 {
				shifted = 1 << 32
			}
			sum := shifted + x.v[1]
			if extended && x.p[0] {
				sum++
			}
			x.d, x.q[0] = sum&0xffffffff, sum>>32 != 0
		}
	}
	signed := d.has("SX32")
	return func(x *item) {
		top, s := x.v[2], x.v[3]
		if signed {
			top, s = uint64(uint32(int32(x.v[0])>>31)), x.v[2]
		}
		whole := (x.v[0]&0xffffffff | top<<32) << (s & 63)
		sum := whole>>32 + x.v[1]
		if extended && x.p[0] {
			sum++
		}
		x.d, x.q[0] = sum&0xffffffff, sum>>32 != 0
	}
}

// difference is |a - b| + c.
func difference(d *decoder) semantics {
	if !d.only("U32", "S32") {
		return nil
	}
	t := integerType{32, !d.has("U32")}
	return func(x *item) {
		a, b := t.value(x.v[0]), t.value(x.v[1])
		x.d = uint64(uint32(max(a, b)-min(a, b)) + uint32(x.v[2]))
	}
}

// differenceOfBytes is the sum of |a - b| for each byte, and c (ACC), or each of them in its byte.
func differenceOfBytes(d *decoder) semantics {
	m := d.in.Modifiers
	if len(m) == 0 || integerTypes[m[0]].bits != 8 || !d.only(m[0], "ACC") {
		return nil
	}
	t, sums := integerTypes[m[0]], d.has("ACC")
	return func(x *item) {
		sum, each := uint32(x.v[2]), uint32(0)
		for i := range 4 {
			a, b := t.value(x.v[0]>>(8*i)), t.value(x.v[1]>>(8*i))
			v := uint32(max(a, b) - min(a, b))
			sum += v
			each |= v & 255 << (8 * i)
		}
		if x.d = uint64(each); sums {
			x.d = uint64(sum)
		}
	}
}

// dot is c and a sum of products: of all bytes (4A), or of the halves of a with the low or high bytes of b (2A.LO, 2A.HI). The modifiers
// name the types of a and b.
func dot(d *decoder) semantics {
	m := d.in.Modifiers
	if len(m) < 3 {
		return nil
	}
	a, b := integerTypes[m[len(m)-2]], integerTypes[m[len(m)-1]]
	n, from := 32/max(1, a.bits), 0
	switch {
	case b.bits != 8 || a.bits == 0:
		return nil
	case m[0] == "2A" && m[1] == "HI":
		from = 16
	case m[0] != "4A" && m[0] != "2A":
		return nil
	}
	return func(x *item) {
		sum := int64(x.v[2])
		for i := range n {
			sum += a.value(x.v[0]>>(a.bits*i)) * b.value(x.v[1]>>(8*i+from))
		}
		x.d = uint64(uint32(sum))
	}
}

// both applies an operation to both halves of its operands.
func both(compute semantics, t integerType) semantics {
	return func(x *item) {
		v, r := x.v, uint64(0)
		for shift := uint64(0); shift < 32; shift += 16 {
			for i := range v {
				x.v[i] = uint64(uint32(t.value(v[i] >> shift)))
			}
			compute(x)
			r |= x.d & 0xffff << shift
		}
		x.v, x.d = v, r
	}
}

// halvesOf is the type of the halves that a modifier such as S16x2 names.
func (d *decoder) halvesOf() (integerType, bool) {
	for _, m := range d.in.Modifiers {
		switch m {
		case "S16x2":
			return integerType{16, true}, true
		case "U16x2", "16x2":
			return integerType{16, false}, true
		}
	}
	return integerType{}, false
}

// less compares two words.
func less(unsigned bool) func(a, b uint64) bool {
	if unsigned {
		return func(a, b uint64) bool { return uint32(a) < uint32(b) }
	}
	return func(a, b uint64) bool { return int32(a) < int32(b) }
}

// extreme is the minimum where the predicate holds, else the maximum.
func extreme(d *decoder) semantics {
	if t, ok := d.halvesOf(); ok {
		return both(extreme(d.without("S16x2", "U16x2")), t)
	}
	if !d.only("U32", "S32", "RELU") {
		return nil
	}
	under, relu := less(d.has("U32")), d.has("RELU")
	return func(x *item) {
		x.d = x.v[0]
		if under(x.v[1], x.v[0]) == x.p[0] {
			x.d = x.v[1]
		}
		x.d &= 0xffffffff
		if relu && int32(x.d) < 0 {
			x.d = 0
		}
	}
}

// extremeOfThree is the minimum of three numbers where the predicate holds, else their maximum.
func extremeOfThree(d *decoder) semantics {
	of := extreme(d)
	if of == nil {
		return nil
	}
	return func(x *item) {
		of(x)
		y := item{v: [4]uint64{x.d, x.v[2]}, p: x.p}
		of(&y)
		x.d = y.d
	}
}

// extremeOfSum is the minimum or maximum of a + b and c.
func extremeOfSum(d *decoder) semantics {
	t, halves := d.halvesOf()
	if !halves {
		t = integerType{32, true}
	}
	d = d.without("S16x2", "U16x2")
	if !d.only("U32", "S32", "RELU") {
		return nil
	}
	under, relu := less(d.has("U32")), d.has("RELU")
	compute := func(x *item) {
		x.d = uint64(uint32(t.value(x.v[0] + x.v[1])))
		if under(x.v[2], x.d) == x.p[0] {
			x.d = x.v[2] & 0xffffffff
		}
		if relu && int32(x.d) < 0 {
			x.d = 0
		}
	}
	if halves {
		return both(compute, t)
	}
	return compute
}

// selects is a where the predicate holds, else b.
func selects(x *item) {
	x.d = x.v[1]
	if x.p[0] {
		x.d = x.v[0]
	}
}

// choosesOne knows a selection where the predicate is known and so is what it selects, or where both are the same. That which of two
// numbers is greater depends on both.
func choosesOne(o *op, x *item, unknown, doubtful uint8) (bool, [2]bool) {
	if o.in.Name[len(o.in.Name)-1] == 'X' { // a minimum or maximum
		return false, [2]bool{}
	}
	switch {
	case doubtful == 0 && x.p[0]:
		x.d = x.v[0]
		return unknown&1 == 0, [2]bool{}
	case doubtful == 0:
		x.d = x.v[1]
		return unknown&2 == 0, [2]bool{}
	}
	x.d = x.v[0]
	return unknown == 0 && x.v[0] == x.v[1], [2]bool{}
}

// comparisons of two values by name: whether it holds where the first is less, equal, greater.
var comparisons = map[string][3]bool{
	"F": {}, "LT": {true, false, false}, "EQ": {false, true, false}, "LE": {true, true, false},
	"GT": {false, false, true}, "NE": {true, false, true}, "GE": {false, true, true}, "T": {true, true, true},
}

// combinations of a comparison with a predicate, by name.
var combinations = map[string]func(a, b bool) bool{
	"AND": func(a, b bool) bool { return a && b },
	"OR":  func(a, b bool) bool { return a || b },
	"XOR": func(a, b bool) bool { return a != b },
}

// combination finds the one that the modifiers name.
func (d *decoder) combination() func(a, b bool) bool {
	for _, m := range d.in.Modifiers {
		if c, ok := combinations[m]; ok {
			return c
		}
	}
	return combinations["AND"]
}

// compareIntegers compares two numbers and combines what comes out with a predicate, the opposite for the second result. With EX the
// numbers are the high halves of others, whose low halves a predicate has compared.
func compareIntegers(d *decoder) semantics {
	if len(d.in.Modifiers) == 0 {
		return nil
	}
	holds, ok := comparisons[d.in.Modifiers[0]]
	if !ok || !d.only(d.in.Modifiers[0], "U32", "AND", "OR", "XOR", "EX", "64") {
		return nil
	}
	under, combine, extended := less(d.has("U32")), d.combination(), d.has("EX")
	if slices.Contains(d.in.Modifiers, "64") {
		unsigned := d.has("U64")
		under = func(a, b uint64) bool { return unsigned && a < b || !unsigned && int64(a) < int64(b) }
	}
	mask := uint64(0xffffffff)
	if d.has("64") {
		mask = ^uint64(0)
	}
	name := d.in.Modifiers[0]
	return func(x *item) {
		order := 1
		switch {
		case under(x.v[0], x.v[1]):
			order = 0
		case under(x.v[1], x.v[0]):
			order = 2
		}
		r := holds[order]
		if extended && order == 1 && x.v[0]&mask == x.v[1]&mask && name != "T" && name != "F" {
			r = x.p[1]
		}
		x.q[0], x.q[1] = combine(r, x.p[0]), combine(!r, x.p[0])
	}
}

// choosesCompared knows a comparison with something unknown where the predicate that it is combined with decides.
func choosesCompared(o *op, x *item, unknown, doubtful uint8) (bool, [2]bool) {
	if doubtful&1 != 0 {
		return false, [2]bool{}
	}
	switch {
	case o.in.Has("AND") && !x.p[0]:
		x.q = [2]bool{}
	case o.in.Has("OR") && x.p[0]:
		x.q = [2]bool{true, true}
	case unknown == 0 && doubtful == 2: // the low halves are unknown, and matter where the high ones are equal
		o.compute(x)
		first := x.q
		x.p[1] = !x.p[1]
		o.compute(x)
		return false, [2]bool{first[0] == x.q[0], first[1] == x.q[1]}
	default:
		return false, [2]bool{}
	}
	return false, [2]bool{true, true}
}
