package device

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"gpuperf/internal/intmath"
	"gpuperf/internal/parallel"
)

// dtypes lists the element types of a kernel's arguments.
var dtypes = map[string]struct {
	size     int64
	float    bool
	min, max int64 // of integers; uint64's bits are taken as they are
}{
	"int8":    {1, false, math.MinInt8, math.MaxInt8},
	"int16":   {2, false, math.MinInt16, math.MaxInt16},
	"int32":   {4, false, math.MinInt32, math.MaxInt32},
	"int64":   {8, false, math.MinInt64, math.MaxInt64},
	"uint8":   {1, false, 0, math.MaxUint8},
	"uint16":  {2, false, 0, math.MaxUint16},
	"uint32":  {4, false, 0, math.MaxUint32},
	"uint64":  {8, false, math.MinInt64, math.MaxInt64},
	"float16": {2, true, 0, 0},
	"float32": {4, true, 0, 0},
	"float64": {8, true, 0, 0},
}

// DTypeSize returns the bytes of an element, 0 for an unknown dtype. The dtypes are int8 to int64, uint8 to
// uint64, float16, float32 and float64.
func DTypeSize(dtype string) int64 { return dtypes[dtype].size }

// DTypeIsFloat reports whether the dtype is a floating-point type.
func DTypeIsFloat(dtype string) bool { return dtypes[dtype].float }

// ScalarBytes returns a scalar argument's value, little-endian. A value that its dtype cannot hold is an error.
func (a Arg) ScalarBytes() ([]byte, error) {
	t, ok := dtypes[a.DType]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown dtype %q", a.DType)
	case !t.float && (a.Int < t.min || a.Int > t.max):
		return nil, fmt.Errorf("%d does not fit %s", a.Int, a.DType)
	case a.DType == "float64":
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(a.Float)), nil
	case a.DType == "float32":
		if f := float32(a.Float); math.IsInf(float64(f), 0) && !math.IsInf(a.Float, 0) {
			return nil, fmt.Errorf("%g does not fit float32", a.Float)
		}
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(a.Float))), nil
	case a.DType == "float16":
		// OpenCL C allows no half as a kernel's parameter.
		return nil, fmt.Errorf("a float16 cannot be passed by value")
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(a.Int))[:t.size], nil
}

// Fill writes the data that a buffer starts from: dst holds elements of the dtype, little-endian. Element i depends only
// on the seed and on i, so that every holder of the seed has the same data:
//
//	floating point  1/2 + k/2^m, uniform in [1/2, 3/2) and exact; m is 10, 23, 32 for 16, 32, 64 bits
//	integers        1 to 16, uniform
//
// Such data is never zero: devices draw less power on zeros and then run faster, and products of zeros hide errors.
// An unknown dtype, or a dst that is no whole number of elements, is a programmer's error and panics.
func Fill(dtype string, dst []byte, seed uint64) { Arg{DType: dtype, Seed: seed}.Fill(dst, 0) }

// Fill writes the data that the buffer of the argument starts from into dst, which holds its elements from first on.
func (a Arg) Fill(dst []byte, first int64) {
	t := dtypes[a.DType]
	if t.size == 0 || int64(len(dst))%t.size != 0 {
		panic(fmt.Sprintf("device.Fill: %d bytes of dtype %q", len(dst), a.DType))
	}
	const chunk = 1 << 20 // bytes; a multiple of every size
	parallel.For((len(dst)+chunk-1)/chunk, func(n int) {
		at := n * chunk
		a.fillChunk(dst[at:min(at+chunk, len(dst))], t.size, t.float, uint64(first)+uint64(at)/uint64(t.size))
	})
}

// Load is Fill, for a buffer whose data may lie in a file.
func (a Arg) Load(dst []byte, first int64) error {
	if a.File == nil {
		a.Fill(dst, first)
		return nil
	}
	f, err := os.Open(a.File.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.ReadAt(dst, a.File.Offset+first*DTypeSize(a.DType))
	if err == io.EOF {
		err = fmt.Errorf("%s has fewer elements than when it was opened", a.File.Path)
	}
	return err
}

// fillChunk writes the elements from number i on.
func (a Arg) fillChunk(dst []byte, size int64, float bool, i uint64) {
	if a.DType == "float32" && a.Sequence == nil && a.Formula == nil && !a.Signed { // most buffers are: a loop of their own takes two thirds of the time
		for ; len(dst) > 0; dst, i = dst[4:], i+1 {
			v := 0.5 + float32(mix(a.Seed, i)>>41)*(1.0/(1<<23))
			binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
		}
	}
	var formula []step
	if a.Formula != nil {
		var err error
		if formula, err = a.Formula.parsed(); err != nil {
			panic(err) // the job was checked
		}
	}
	stack := make([]float64, 0, len(formula))
	for ; len(dst) > 0; dst, i = dst[size:], i+1 {
		v := mix(a.Seed, i)
		switch {
		case formula != nil:
			v = valueBits(at(formula, float64(i), stack), size, float)
		case a.Sequence != nil:
			v = numberBits(a.Sequence.At(int64(i)), size, float)
		case a.Signed:
			v = signedBits(v, a.DType)
		case !float:
			v = 1 + v>>60
		case size == 2:
			v = half(v >> 54)
		default:
			v = math.Float64bits(0.5 + float64(v>>32)*(1.0/(1<<32)))
		}
		switch size {
		case 1:
			dst[0] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(dst, uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(dst, uint32(v))
		default:
			binary.LittleEndian.PutUint64(dst, v)
		}
	}
}

// mix gives element i of the random sequence of a seed: SplitMix64 (Steele, Lea and Flood, Fast splittable
// pseudorandom number generators, 2014) with the counter as state.
func mix(seed, i uint64) uint64 {
	z := seed*0xd1342543de82ef95 + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// numberBits returns the bits of an integer as an element of a size; of float16 there is 0 alone.
func numberBits(v, size int64, float bool) uint64 {
	switch {
	case float && size == 8:
		return math.Float64bits(float64(v))
	case float && size == 4:
		return uint64(math.Float32bits(float32(v)))
	}
	return uint64(v)
}

// valueBits returns the bits of a number as an element of a size: integers are rounded down, and wrap around.
func valueBits(v float64, size int64, float bool) uint64 {
	switch {
	case !float:
		return uint64(int64(math.Floor(v)))
	case size == 8:
		return math.Float64bits(v)
	}
	return uint64(math.Float32bits(float32(v)))
}

// signedBits are random numbers of both signs: of floating point, one of 16 is 0 and one denormal, and the magnitude of others
// is in [1/2, 2); integers are from -16 to 16, those without a sign from 0.
func signedBits(random uint64, dtype string) uint64 {
	t := dtypes[dtype]
	if !t.float {
		if t.min == 0 || dtype == "uint64" {
			return random % 17
		}
		return uint64(int64(random%33) - 16)
	}
	// The bits of the significand, and of the sign.
	m, sign := map[int64]uint{2: 10, 4: 23, 8: 52}[t.size], uint(8*t.size-1)
	bits := random >> 8 & (1<<m - 1)
	switch random & 15 {
	case 0:
		bits = 0
	case 1: // denormal: the exponent is 0
	default:
		bias := uint64(1)<<(sign-m-1) - 1
		bits |= (bias - random>>4&1) << m // in [1/2, 2)
	}
	return bits | random>>5&1<<sign
}

// half returns the bits of the binary16 number 1/2 + k/1024, for k under 1024.
func half(k uint64) uint64 {
	if k < 512 {
		return 14<<10 | 2*k // exponent -1: steps of 1/2048
	}
	return 15<<10 | (k - 512) // exponent 0: steps of 1/1024
}

// Formula gives element i of a buffer the value of an expression in i, in double precision: its tokens in reverse Polish notation, which are "i", numbers,
// and the operators and functions of formula1, formula2 and "if", which takes a condition and two values. False is 0.
type Formula []string

var formula1 = map[string]func(a float64) float64{
	"neg": func(a float64) float64 { return -a }, "not": func(a float64) float64 { return truth(a == 0) },
	"abs": math.Abs, "sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "tanh": math.Tanh,
	"floor": math.Floor, "ceil": math.Ceil,
}

var formula2 = map[string]func(a, b float64) float64{
	"+": func(a, b float64) float64 { return a + b }, "-": func(a, b float64) float64 { return a - b },
	"*": func(a, b float64) float64 { return a * b }, "/": func(a, b float64) float64 { return a / b },
	"//": func(a, b float64) float64 { return math.Floor(a / b) }, "%": func(a, b float64) float64 { return a - b*math.Floor(a/b) },
	"**": math.Pow, "pow": math.Pow, "min": math.Min, "max": math.Max,
	"<": func(a, b float64) float64 { return truth(a < b) }, "<=": func(a, b float64) float64 { return truth(a <= b) },
	">": func(a, b float64) float64 { return truth(a > b) }, ">=": func(a, b float64) float64 { return truth(a >= b) },
	"==": func(a, b float64) float64 { return truth(a == b) }, "!=": func(a, b float64) float64 { return truth(a != b) },
	"and": func(a, b float64) float64 { return truth(a != 0 && b != 0) }, "or": func(a, b float64) float64 { return truth(a != 0 || b != 0) },
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// step is a token that is understood: it takes so many values off the stack.
type step struct {
	takes int
	value float64
	one   func(a float64) float64
	two   func(a, b float64) float64
}

// index is the number of values that the token "i" takes, which no other has.
const index = -1

// parsed reads the tokens.
func (f Formula) parsed() ([]step, error) {
	var list []step
	depth := 0
	for _, token := range f {
		var s step
		switch v, err := strconv.ParseFloat(token, 64); {
		case token == "i":
			s.takes = index
		case formula1[token] != nil:
			s = step{takes: 1, one: formula1[token]}
		case formula2[token] != nil:
			s = step{takes: 2, two: formula2[token]}
		case token == "if":
			s.takes = 3
		case err != nil:
			return nil, fmt.Errorf("a formula has no %q", token)
		default:
			s.value = v
		}
		if depth -= max(s.takes, 0); depth < 0 {
			return nil, fmt.Errorf("a formula lacks an operand of %q", token)
		}
		depth++
		list = append(list, s)
	}
	if depth != 1 {
		return nil, fmt.Errorf("a formula leaves %d values", depth)
	}
	return list, nil
}

// at is the value for an element. The stack is memory for it.
func at(list []step, i float64, stack []float64) float64 {
	stack = stack[:0]
	for k := range list {
		s := &list[k]
		n := len(stack)
		switch s.takes {
		case index:
			stack = append(stack, i)
		case 0:
			stack = append(stack, s.value)
		case 1:
			stack[n-1] = s.one(stack[n-1])
		case 2:
			stack = append(stack[:n-2], s.two(stack[n-2], stack[n-1]))
		default:
			chosen := stack[n-1]
			if stack[n-3] != 0 {
				chosen = stack[n-2]
			}
			stack = append(stack[:n-3], chosen)
		}
	}
	return stack[0]
}

// At is element i. The formula must be one that Check accepts.
func (f Formula) At(i int64) float64 {
	list, err := f.parsed()
	if err != nil {
		panic(err)
	}
	return at(list, float64(i), nil)
}

// Check reports what is wrong with the formula for elements of a dtype.
func (f Formula) Check(dtype string) error {
	if dtype == "float16" {
		return fmt.Errorf("a formula in a buffer of %s", dtype)
	}
	_, err := f.parsed()
	return err
}

// Sequence gives element i of a buffer the value floor((Mul*i + Add)/Div) mod Mod, in place of random numbers:
// what indices and bounds of loops are read from. Div and Mod are positive, or 0 for none. Terms are added to Mul*i + Add.
type Sequence struct {
	Mul   int64  `json:"mul,omitempty"`
	Add   int64  `json:"add,omitempty"`
	Div   int64  `json:"div,omitempty"`
	Mod   int64  `json:"mod,omitempty"`
	Terms []Term `json:"terms,omitempty"`
}

// Term is a multiple of another sequence.
type Term struct {
	Times int64    `json:"times"`
	Of    Sequence `json:"of"`
}

// At is element i.
func (s Sequence) At(i int64) int64 {
	v := s.Mul*i + s.Add
	for _, t := range s.Terms {
		v += t.Times * t.Of.At(i)
	}
	if s.Div > 1 {
		v = intmath.FloorDiv(v, s.Div)
	}
	if s.Mod > 0 {
		v = intmath.Mod(v, s.Mod)
	}
	return v
}

// check reports what is wrong with the sequence for n elements of the dtype.
func (s Sequence) check(dtype string, n int64) error {
	most, err := s.most(n)
	switch {
	case err != nil:
		return err
	case most > 1<<62:
		return fmt.Errorf("a sequence that leaves the range of 64 bits")
	case most > 0 && dtype == "float16":
		return fmt.Errorf("a sequence of integers in a buffer of %s", dtype)
	}
	return nil
}

// most is a bound of the magnitude of what n elements are computed from.
func (s Sequence) most(n int64) (float64, error) {
	if s.Div < 0 || s.Mod < 0 {
		return 0, fmt.Errorf("a sequence with a negative divisor")
	}
	sum := math.Abs(float64(s.Mul))*float64(n) + math.Abs(float64(s.Add))
	for _, t := range s.Terms {
		m, err := t.Of.most(n)
		if err != nil {
			return 0, err
		}
		sum += math.Abs(float64(t.Times)) * m
	}
	return sum, nil
}
