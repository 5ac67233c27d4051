package exec

import (
	"math"
	"strings"

	"gpuperf/internal/round"
)

// conversionForms are the opcodes that convert between kinds of numbers.
var conversionForms = map[string]form{
	"I2F":  {compute: fromInteger},
	"I2FP": {compute: fromInteger},
	"F2I":  {number: float, compute: toInteger},
	"F2F":  {number: float, compute: convertFloat},
	"FRND": {number: float, compute: roundFloat},
	"F2FP": {number: float, compute: packFloats},
	"I2I":  {compute: narrowInteger},
	"I2IP": {compute: packIntegers},
}

// integerType is a type by its modifier.
type integerType struct {
	bits   int
	signed bool
}

// integerType is the type that the modifiers name, S32 if none.
func (d *decoder) integerType() integerType {
	for _, m := range d.in.Modifiers {
		if t, ok := integerTypes[m]; ok {
			return t
		}
	}
	return integerType{32, true}
}

var integerTypes = map[string]integerType{
	"U8": {8, false}, "S8": {8, true}, "U16": {16, false}, "S16": {16, true}, "U32": {32, false}, "S32": {32, true}, "U64": {64, false}, "S64": {64, true},
}

// floatTypes lists the floating-point types that the modifiers name.
func (d *decoder) floatTypes() (all []string) {
	for _, m := range d.in.Modifiers {
		switch m {
		case "F16", "F32", "F64", "BF16":
			all = append(all, m)
		}
	}
	return all
}

// fromInteger converts an integer to a floating-point number.
func fromInteger(d *decoder) semantics {
	t, mode, to := d.integerType(), d.direction(), "F32"
	if all := d.floatTypes(); len(all) > 0 {
		to = all[0]
	}
	return func(x *item) {
		v, negative := x.v[0]&(1<<(t.bits-1)*2-1), false
		if t.signed && v>>(t.bits-1)&1 != 0 {
			v, negative = -(v | ^uint64(0)<<(t.bits-1)), true
		}
		// rounded to odd, of which every format takes fewer bits
		high := float64(v >> 32 << 32)
		f := round.Odd(high, float64(v&0xffffffff))
		if to == "F64" {
			f = wholeNumber(v, mode, negative)
		}
		if negative {
			f = -f
		}
		switch to {
		case "F64":
			x.d = math.Float64bits(f)
		case "F16":
			x.d = uint64(round.ToHalf(f, mode))
		case "BF16":
			x.d = uint64(round.ToBfloat(f, mode))
		default:
			x.d = uint64(round.Single(f, mode))
		}
	}
}

// wholeNumber rounds the size of an integer to double precision.
func wholeNumber(v uint64, mode round.Mode, negative bool) float64 {
	if mode == round.Down && negative || mode == round.Up && !negative {
		return round.Sum(float64(v>>32), 1<<32, float64(v&0xffffffff), round.Up)
	}
	if mode != round.Nearest {
		return round.Sum(float64(v>>32), 1<<32, float64(v&0xffffffff), round.ToZero)
	}
	return float64(v)
}

// floatSource reads the operand of a conversion.
func floatSource(kind string, flush bool) func(uint64) float64 {
	switch kind {
	case "F64":
		return math.Float64frombits
	case "F16":
		return func(v uint64) float64 { return round.FromHalf(uint16(v)) }
	case "BF16":
		return func(v uint64) float64 { return round.FromBfloat(uint16(v)) }
	}
	return func(v uint64) float64 { return floats(v, flush) }
}

// whole rounds to a whole number.
func whole(v float64, mode round.Mode) float64 {
	switch mode {
	case round.ToZero:
		return math.Trunc(v)
	case round.Down:
		return math.Floor(v)
	case round.Up:
		return math.Ceil(v)
	}
	return math.RoundToEven(v)
}

// toInteger converts to an integer, the nearest that there is. What is no number becomes 0 (NTZ), or the highest bit.
func toInteger(d *decoder) semantics {
	t, mode, kind := d.integerType(), d.direction(), "F32"
	if all := d.floatTypes(); len(all) > 0 {
		kind = all[0]
	}
	value, zero := floatSource(kind, d.has("FTZ")), d.has("NTZ")
	low, high := 0.0, math.Ldexp(1, t.bits)
	if t.signed {
		low, high = -math.Ldexp(1, t.bits-1), math.Ldexp(1, t.bits-1)
	}
	top := uint64(1)<<(t.bits-1)*2 - 1
	if t.signed {
		top >>= 1
	}
	mask := uint64(1)<<(t.bits-1)*2 - 1
	if t.bits < 32 {
		mask = 0xffffffff
	}
	return func(x *item) {
		v := whole(value(x.v[0]), mode)
		switch {
		case v != v && zero:
			x.d = 0
		case v != v:
			x.d = uint64(1) << (t.bits - 1)
		case v <= low:
			x.d = uint64(int64(low)) & mask
		case v >= high:
			x.d = top
		case v >= 1<<63:
			x.d = uint64(v)
		default:
			x.d = uint64(int64(v)) & mask
		}
	}
}

// convertFloat converts between floating-point formats, or rounds to a whole number in one.
func convertFloat(d *decoder) semantics {
	all, mode := d.floatTypes(), d.direction()
	if len(all) != 2 {
		return nil
	}
	value, flush := floatSource(all[1], d.has("FTZ")), d.has("FTZ")
	return func(x *item) {
		v := value(x.v[0])
		switch all[0] {
		case "F64":
			x.d = bits64(v, x)
		case "F16":
			x.d = uint64(round.ToHalf(v, mode))
		case "BF16":
			x.d = uint64(round.ToBfloat(v, mode))
		default:
			x.d = single{flush: flush, mode: mode}.word(v)
		}
		if convert := noNumbers[all[0]+all[1]]; v != v && convert != nil {
			x.d = convert(x.v[0])
		}
	}
}

// noNumbers convert what is no number between formats: the sign and the highest bits of the fraction stay, and it is made quiet.
var noNumbers = map[string]func(uint64) uint64{
	"F64F32": func(v uint64) uint64 { return v&(1<<31)<<32 | 0x7ff<<52 | v&(1<<23-1)<<29 | quiet64 },
	"F32F64": func(v uint64) uint64 { return v>>32&(1<<31) | 0xff<<23 | v>>29&(1<<23-1) | 1<<22 },
}

// roundFloat rounds to a whole number.
func roundFloat(d *decoder) semantics {
	mode, kind := d.direction(), "F32"
	if all := d.floatTypes(); len(all) > 0 {
		kind = all[0]
	}
	value := floatSource(kind, d.has("FTZ"))
	return func(x *item) {
		v := whole(value(x.v[0]), mode)
		switch kind {
		case "F64":
			x.d = bits64(v, x, 0)
		case "F16":
			x.d = uint64(round.ToHalf(v, round.Nearest))
		default:
			x.d = uint64(round.Single(v, round.Nearest))
		}
	}
}

// packFloats rounds two numbers to 16 bits each: the first is the high half.
func packFloats(d *decoder) semantics {
	if !d.only("F16", "BF16", "F32", "PACK_AB", "RELU", "RZ", "RN", "MERGE_C") || d.has("MERGE_C") {
		return nil
	}
	k, mode, relu := d.format(), d.direction(), d.has("RELU")
	return func(x *item) {
		a, b := floats(x.v[0], false), floats(x.v[1], false)
		if relu {
			a, b = max(a, 0), max(b, 0)
		}
		x.d = uint64(k.to(a, mode))<<16 | uint64(k.to(b, mode))
	}
}

// bounded is the number of a type that is nearest to an integer.
func (t integerType) bounded(v int64) int64 {
	if t.signed {
		return min(max(v, -1<<(t.bits-1)), 1<<(t.bits-1)-1)
	}
	return min(max(v, 0), 1<<t.bits-1)
}

// pairOfTypes reads the modifiers TO.FROM.
func (d *decoder) pairOfTypes() (to, from integerType, ok bool) {
	var all []integerType
	for _, m := range d.in.Modifiers {
		if t, is := integerTypes[m]; is {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return to, from, false
	}
	from = integerType{32, true}
	if len(all) > 1 {
		from = all[1]
	}
	return all[0], from, all[0].bits < 64 && from.bits < 64
}

// narrowInteger converts between types of integers.
func narrowInteger(d *decoder) semantics {
	to, from, ok := d.pairOfTypes()
	if !ok {
		return nil
	}
	saturate := strings.Contains(d.in.Mnemonic(), ".SAT")
	return func(x *item) {
		v := from.value(x.v[0])
		if saturate {
			v = to.bounded(v)
		}
		x.d = uint64(uint32(to.value(uint64(v))))
	}
}

// value reads a number of the type.
func (t integerType) value(v uint64) int64 {
	v <<= 64 - t.bits
	if t.signed {
		return int64(v) >> (64 - t.bits)
	}
	return int64(v >> (64 - t.bits))
}

// packIntegers puts two saturated numbers below those of c: the second operand is the lowest.
func packIntegers(d *decoder) semantics {
	to, from, ok := d.pairOfTypes()
	if !ok || to.bits > 16 || !d.has("SAT") {
		return nil
	}
	return func(x *item) {
		a, b := to.bounded(from.value(x.v[0])), to.bounded(from.value(x.v[1]))
		mask := uint64(1)<<to.bits - 1
		x.d = (x.v[2]<<(2*to.bits) | uint64(a)&mask<<to.bits | uint64(b)&mask) & 0xffffffff
	}
}
