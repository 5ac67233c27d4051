package exec

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"gpuperf/sass"
)

// number is how the bits of operands are read, which says what a sign before them does.
type number uint8

// The kinds of numbers.
const (
	integer number = iota
	logical        // bits
	float          // of 32 bits, or of 64 where an operand has two registers
	half           // two of 16 bits
)

// source is a value that an operation reads.
type source struct {
	row    int                 // of the register file, or that of the first of two registers
	fixed  *row                // of a number or a constant, in place of a register
	known  uint32              // of fixed
	high   *row                // of fixed, where it has 64 bits
	wide   bool                // two registers
	change func(uint64) uint64 // what signs and suffixes do; nil for nothing
}

// guard is a predicate that an operation reads.
type guard struct {
	index   int
	negated bool
}

// read returns the value of a predicate.
func (g guard) read(f *file) truth {
	b := f.preds[g.index]
	if g.negated {
		return b.not()
	}
	return b
}

func fixedRows(v uint64) (low, high *row) {
	low, high = &row{}, &row{}
	for i := range low {
		low[i], high[i] = uint32(v), uint32(v>>32)
	}
	return low, high
}

// fixed is a source with the same value in all lanes.
func fixed(v uint64, wide, known bool) source {
	s := source{wide: wide}
	s.fixed, s.high = fixedRows(v)
	if known {
		s.known = all
	}
	return s
}

// constantOperand is an operand such as c[0x0][0x210], perhaps with signs.
var constantOperand = regexp.MustCompile(`c\[(0x[0-9a-f]+|UR\d+)\]\[(0x[0-9a-f]+)\]`)

// source decodes an operand that an operation reads; constants have their value here.
func (d *decoder) source(o *sass.Operand, width int, n number) source {
	s := source{wide: width == 2}
	text := o.Text
	switch o.Kind {
	case sass.RegisterOperand:
		s.row = reads(o.Registers[0].Register)
		if o.Registers[0].Register.Index == sass.Constant {
			s.wide = false
		}
	case sass.ConstantOperand:
		m := constantOperand.FindStringSubmatch(text)
		if m == nil || m[1][0] == 'U' {
			return fixed(0, s.wide, false)
		}
		bank, _ := strconv.ParseUint(m[1], 0, 8)
		at, _ := strconv.ParseUint(m[2], 0, 32)
		v, known := d.constants.word(int(bank), at, 4*max(1, min(width, 2)))
		s = fixed(v, s.wide, known)
	default:
		v, ok := immediate(text, n, s.wide)
		return fixed(v, s.wide, ok)
	}
	s.change = change(text, n, width == 2)
	return s
}

// immediate reads a number as listings have it.
func immediate(text string, n number, wide bool) (uint64, bool) {
	bits, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		var v int64
		v, err = strconv.ParseInt(text, 0, 64)
		bits = uint64(v)
	}
	if err == nil && (n == integer || n == logical || strings.HasPrefix(text, "0x")) {
		if !wide {
			bits &= 0xffffffff
		}
		return bits, true
	}
	v, ok := decimal(text)
	switch {
	case !ok:
		return 0, false
	case n == half:
		return uint64(halfBits(v)), true
	case wide:
		return math.Float64bits(v), true
	}
	return uint64(math.Float32bits(float32(v))), true
}

// decimal reads a floating-point number. Those that are none are quiet and have all bits set.
func decimal(text string) (float64, bool) {
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "+QNAN", "QNAN", "+SNAN", "-QNAN", "-SNAN":
		return math.NaN(), true
	}
	v, err := strconv.ParseFloat(strings.ToLower(text), 64)
	return v, err == nil || math.IsInf(v, 0)
}

// part picks bytes or halves of a register, by the suffix of an operand.
var part = regexp.MustCompile(`\.(B[0-3]|H0_H0|H1_H1|H0_NH1|H0|H1)\b`)

// change is what the signs and suffixes of an operand do to its value.
func change(text string, n number, wide bool) func(uint64) uint64 {
	negated, inverted, absolute := strings.HasPrefix(text, "-"), strings.HasPrefix(text, "~"), strings.Contains(text, "|")
	var steps []func(uint64) uint64
	if m := part.FindStringSubmatch(text); m != nil {
		steps = append(steps, parts(m[1], n))
	}
	sign := uint64(1) << 31
	switch {
	case n == half:
		sign = 1<<31 | 1<<15
	case wide:
		sign = 1 << 63
	}
	width := uint64(0xffffffff)
	if wide {
		width = math.MaxUint64
	}
	arithmetic := n == integer || n == logical
	switch {
	case absolute && !arithmetic:
		steps = append(steps, func(v uint64) uint64 { return v &^ sign })
	case absolute:
		steps = append(steps, func(v uint64) uint64 { return uint64(uint32(max(int32(v), -int32(v)))) })
	}
	switch {
	case negated && !arithmetic:
		steps = append(steps, func(v uint64) uint64 { return v ^ sign })
	case negated:
		steps = append(steps, func(v uint64) uint64 { return v ^ width + 1 }) // of 32 bits, -0 has a carry, as differences need it
	case inverted:
		steps = append(steps, func(v uint64) uint64 { return v ^ width })
	}
	switch {
	case len(steps) == 0:
		return nil
	case wide && n == float:
		return func(v uint64) uint64 {
			if f := math.Float64frombits(v); f != f { // what is no number has no sign to change
				return v
			}
			for _, step := range steps {
				v = step(v)
			}
			return v
		}
	case len(steps) == 1:
		return steps[0]
	}
	return func(v uint64) uint64 {
		for _, step := range steps {
			v = step(v)
		}
		return v
	}
}

// parts picks a part of a register. Of halves both become the one that is named.
func parts(name string, n number) func(uint64) uint64 {
	switch {
	case name == "H0_NH1":
		return func(v uint64) uint64 { return v ^ 1<<31 }
	case n == half && name[:2] == "H0":
		return func(v uint64) uint64 { return v&0xffff | v&0xffff<<16 }
	case n == half:
		return func(v uint64) uint64 { return v>>16&0xffff | v&0xffff0000 }
	case name[0] == 'B':
		shift := 8 * uint(name[1]-'0')
		return func(v uint64) uint64 { return v >> shift & 0xff }
	case name[:2] == "H1":
		return func(v uint64) uint64 { return v >> 16 & 0xffff }
	}
	return func(v uint64) uint64 { return v & 0xffff }
}
