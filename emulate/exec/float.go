package exec

import (
	"math"
	"slices"
	"strings"

	"gpuperf/internal/round"
)

// floatForms are the opcodes of single precision.
var floatForms = map[string]form{
	"FADD":    {number: float, compute: addFloats},
	"FADD32I": {number: float, compute: addFloats},
	"FMUL":    {number: float, compute: multiplyFloats},
	"FMUL32I": {number: float, compute: multiplyFloats},
	"FFMA":    {number: float, compute: multiplyAddFloats},
	"FFMA32I": {number: float, compute: multiplyAddFloats},
	"FMNMX":   {number: float, compute: extremeFloat, chooses: choosesOne},
	"FSEL":    {number: float, compute: plain(selects), chooses: choosesOne},
	"FSETP":   {number: float, compute: compareFloats, chooses: choosesCompared},
	"FSET":    {number: float, compute: setFloat},
	"FCHK":    {number: float, compute: checkDivision},
	"MUFU":    {number: float, compute: special},
	"HMMA":    {run: (*Warp).product},
	"IMMA":    {run: (*Warp).product},
	"DMMA":    {run: (*Warp).product},
	"HGMMA":   {run: (*Warp).product},
	"IGMMA":   {run: (*Warp).product},
	"QGMMA":   {run: (*Warp).product},
}

// product is a product of matrices. Its values are not followed: programs do not compute addresses or conditions by it.
func (w *Warp) product(o *op, lanes uint32) { w.blur(o, lanes) }

// directions are the modifiers that name a rounding.
var directions = map[string]round.Mode{
	"RN": round.Nearest, "RZ": round.ToZero, "RM": round.Down, "RP": round.Up, "TRUNC": round.ToZero, "FLOOR": round.Down, "CEIL": round.Up,
}

// direction is the rounding that the modifiers name.
func (d *decoder) direction() round.Mode {
	for _, m := range d.in.Modifiers {
		if r, ok := directions[m]; ok {
			return r
		}
	}
	return round.Nearest
}

// floats is the value of a word; flush takes subnormal numbers as zero.
func floats(v uint64, flush bool) float64 {
	b := uint32(v)
	if flush && b&0x7f800000 == 0 {
		b &= 0x80000000
	}
	return float64(math.Float32frombits(b))
}

// single finishes a computation of single precision.
type single struct {
	flush, saturate bool
	mode            round.Mode
}

// single reads the modifiers of single precision; false if there are others.
func (d *decoder) single() (single, bool) {
	return single{d.has("FTZ"), d.has("SAT"), d.direction()}, d.only("FTZ", "SAT", "RN", "RZ", "RM", "RP")
}

// word rounds a value that a second rounding does not harm.
func (s single) word(v float64) uint64 {
	if s.saturate {
		if v != v {
			return 0
		}
		v = min(max(v, 0), 1)
	}
	b := round.Single(v, s.mode)
	if s.flush && b&0x7f800000 == 0 {
		b &= 0x80000000
	}
	return uint64(b)
}

func addFloats(d *decoder) semantics {
	s, ok := d.single()
	if !ok {
		return nil
	}
	return func(x *item) {
		a, b := floats(x.v[0], s.flush), floats(x.v[1], s.flush)
		x.d = s.word(s.zero(round.Odd(a, b), a, b))
	}
}

// zero gives a sum that is exactly zero the sign of its direction.
func (s single) zero(sum, a, b float64) float64 {
	if sum == 0 && s.mode == round.Down && (a != 0 || math.Signbit(a) != math.Signbit(b)) {
		return math.Copysign(0, -1)
	}
	return sum
}

// scales are what a product is multiplied by before it is rounded.
var scales = map[string]float64{"D8": 1. / 8, "D4": 1. / 4, "D2": 1. / 2, "M2": 2, "M4": 4, "M8": 8}

func multiplyFloats(d *decoder) semantics {
	scale := 1.0
	for _, m := range d.in.Modifiers {
		if f, ok := scales[m]; ok {
			scale, d = f, d.without(m)
		}
	}
	s, ok := d.single()
	if !ok {
		return nil
	}
	return func(x *item) { x.d = s.word(floats(x.v[0], s.flush) * floats(x.v[1], s.flush) * scale) }
}

func multiplyAddFloats(d *decoder) semantics {
	s, ok := d.single()
	if !ok {
		return nil
	}
	return func(x *item) {
		p, c := floats(x.v[0], s.flush)*floats(x.v[1], s.flush), floats(x.v[2], s.flush)
		x.d = s.word(s.zero(round.Odd(p, c), p, c))
	}
}

// extremeFloat is the minimum where the predicate holds, else the maximum. What is no number gives way to a number.
func extremeFloat(d *decoder) semantics {
	if !d.only("FTZ", "NAN") {
		return nil
	}
	flush, spreads := d.has("FTZ"), d.has("NAN")
	return func(x *item) {
		a, b := floats(x.v[0], flush), floats(x.v[1], flush)
		x.d = uint64(round.Single(extremeOf(a, b, x.p[0], spreads), round.Nearest))
	}
}

// extremeOf is the lesser or the greater of two numbers; -0 is less than 0.
func extremeOf(a, b float64, least, spreads bool) float64 {
	switch {
	case spreads && (a != a || b != b):
		return math.NaN()
	case a != a:
		return b
	case b != b:
		return a
	case least:
		return min(a, b)
	}
	return max(a, b)
}

// ordered finds a comparison of floating-point numbers by name: those that end with U hold too where one of the two is no number.
func ordered(name string) (holds [3]bool, unordered, ok bool) {
	switch name {
	case "NUM":
		return [3]bool{true, true, true}, false, true
	case "NAN":
		return holds, true, true
	}
	if holds, ok = comparisons[name]; ok {
		return holds, name == "T", true
	}
	base, found := strings.CutSuffix(name, "U")
	holds, ok = comparisons[base]
	return holds, true, ok && found
}

// comparing compares two numbers and combines what comes out with a predicate, the opposite for the second result.
func (d *decoder) comparing(value func(uint64) float64) semantics {
	if d.has("MIN") || d.has("MAX") {
		return d.picking(value)
	}
	for i, m := range d.in.Modifiers {
		holds, unordered, ok := ordered(m)
		if !ok {
			continue
		}
		if rest := d.in.Modifiers[i+1:]; len(rest) == 0 || combinations[rest[0]] == nil {
			continue
		}
		combine := d.combination()
		return func(x *item) {
			a, b := value(x.v[0]), value(x.v[1])
			r := unordered
			switch {
			case a < b:
				r = holds[0]
			case a == b:
				r = holds[1]
			case a > b:
				r = holds[2]
			}
			x.q[0], x.q[1] = combine(r, x.p[0]), combine(!r, x.p[0])
		}
	}
	return nil
}

// without is the decoder of the instruction without some modifiers.
func (d *decoder) without(modifiers ...string) *decoder {
	in := *d.in
	in.Modifiers = slices.DeleteFunc(slices.Clone(d.in.Modifiers), func(m string) bool { return slices.Contains(modifiers, m) })
	plain := *d
	plain.in = &in
	return &plain
}

// picking tells whether the first of two numbers is their minimum or maximum; the second result is whether neither is a number.
func (d *decoder) picking(value func(uint64) float64) semantics {
	least := d.has("MIN")
	return func(x *item) {
		a, b := value(x.v[0]), value(x.v[1])
		x.q[0] = a == a && math.Float64bits(extremeOf(a, b, least, false)) == math.Float64bits(a)
		x.q[1] = a != a && b != b
	}
}

func compareFloats(d *decoder) semantics {
	flush := d.has("FTZ")
	return d.without("FTZ").comparing(func(v uint64) float64 { return floats(v, flush) })
}

// setFloat is a comparison whose result is a word: 1.0 (BF) or all bits, or 0.
func setFloat(d *decoder) semantics {
	yes, flush := uint64(0xffffffff), d.has("FTZ")
	if d.has("BF") {
		yes = uint64(math.Float32bits(1))
	}
	compute := d.without("FTZ", "BF").comparing(func(v uint64) float64 { return floats(v, flush) })
	if compute == nil {
		return nil
	}
	return func(x *item) {
		compute(x)
		x.d = 0
		if x.q[0] {
			x.d = yes
		}
	}
}

// checkDivision tells whether a / b needs the slow path: where an operand, the quotient or what comes in between may be out of range.
// The exact limits are not published; these are those within which the fast path is right.
func checkDivision(d *decoder) semantics {
	return func(x *item) {
		a, b := int(x.v[0]>>23&255), int(x.v[1]>>23&255)
		x.q[0] = a == 255 || b == 255 || b == 0 || a <= 23 || b >= 253 || a-b >= 126 || a-b <= -126
		x.q[1] = !x.q[0]
	}
}

// specials are the functions of MUFU. The hardware's results differ from these in the last bits: its tables are not published.
var specials = map[string]func(float64) float64{
	"RCP":  func(v float64) float64 { return 1 / v },
	"RSQ":  func(v float64) float64 { return 1 / math.Sqrt(v) },
	"SQRT": math.Sqrt,
	"EX2":  math.Exp2,
	"LG2":  math.Log2,
	"SIN":  func(v float64) float64 { return math.Sin(2 * math.Pi * v) }, // of turns
	"COS":  func(v float64) float64 { return math.Cos(2 * math.Pi * v) },
	"TANH": math.Tanh,
}

func special(d *decoder) semantics {
	if len(d.in.Modifiers) == 0 {
		return nil
	}
	name := d.in.Modifiers[0]
	if base, ok := strings.CutSuffix(name, "64H"); ok {
		f := specials[base]
		if f == nil {
			return nil
		}
		return func(x *item) { // of the high word of a number of double precision
			v := f(math.Float64frombits(x.v[0] << 32))
			x.d = math.Float64bits(v) >> 32
			if v != v {
				x.d = 0x7fffffff
			}
		}
	}
	f := specials[name]
	if f == nil || len(d.in.Modifiers) > 1 {
		return nil
	}
	flush := name != "TANH"
	return func(x *item) { x.d = uint64(round.Single(f(floats(x.v[0], flush)), round.Nearest)) }
}

// doubleForms are the opcodes of double precision.
var doubleForms = map[string]form{
	"DADD":  {number: float, compute: doubles(func(x *item) (a, b, c float64) { return real64(x, 0), 1, real64(x, 1) }, 1, 0)},
	"DMUL":  {number: float, compute: multiplyDoubles},
	"DFMA":  {number: float, compute: doubles(func(x *item) (a, b, c float64) { return real64(x, 0), real64(x, 1), real64(x, 2) }, 2, 0, 1)},
	"DMNMX": {number: float, compute: extremeDouble, chooses: choosesOne},
	"DSETP": {number: float, compute: func(d *decoder) semantics { return d.comparing(math.Float64frombits) }, chooses: choosesCompared},
}

func real64(x *item, i int) float64 { return math.Float64frombits(x.v[i]) }

// doubles is a * b + c. Where it is no number, it is the first of the operands, in the order of numbers, that is none.
func doubles(operands func(x *item) (a, b, c float64), order ...int) func(d *decoder) semantics {
	return func(d *decoder) semantics {
		if !d.only("RN", "RZ", "RM", "RP") {
			return nil
		}
		mode := d.direction()
		return func(x *item) {
			a, b, c := operands(x)
			x.d = bits64(round.Sum(a, b, c, mode), x, order...)
		}
	}
}

// bits64 are the bits of a number that was computed from operands. What is no number is the first of them that is none, made quiet; the canonical
// one if all are numbers.
func bits64(v float64, x *item, order ...int) uint64 {
	if v == v {
		return math.Float64bits(v)
	}
	for _, i := range order {
		if a := real64(x, i); a != a {
			return x.v[i] | quiet64
		}
	}
	return round.Canonical64
}

const quiet64 = 1 << 51 // the bit of a double that makes a NaN quiet

func multiplyDoubles(d *decoder) semantics {
	if !d.only("RN", "RZ", "RM", "RP") {
		return nil
	}
	mode := d.direction()
	return func(x *item) {
		a, b := real64(x, 0), real64(x, 1)
		if mode == round.Nearest {
			x.d = bits64(a*b, x, 0, 1)
			return
		}
		x.d = bits64(round.Sum(a, b, math.Copysign(0, a*b), mode), x, 0, 1)
	}
}

func extremeDouble(d *decoder) semantics {
	if !d.only("NAN") {
		return nil
	}
	return func(x *item) { x.d = bits64(extremeOf(real64(x, 0), real64(x, 1), x.p[0], d.has("NAN")), x) }
}
