package expr

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// DType names an element type, in numpy's notation: "float32", "int64", "complex64". The empty DType is not known yet.
type DType string

// The element types of the IR. Complex types are counted, not generated.
const (
	Bool       DType = "bool"
	Int8       DType = "int8"
	Int16      DType = "int16"
	Int32      DType = "int32"
	Int64      DType = "int64"
	Uint8      DType = "uint8"
	Uint16     DType = "uint16"
	Uint32     DType = "uint32"
	Uint64     DType = "uint64"
	Float16    DType = "float16"
	BFloat16   DType = "bfloat16" // of CUDA C: the upper half of a float32
	Float32    DType = "float32"
	Float64    DType = "float64"
	Complex64  DType = "complex64"
	Complex128 DType = "complex128"
)

// Scalars are the element types of one lane.
var Scalars = []DType{
	Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Float32, Float64, Complex64, Complex128,
}

type dtypeClass uint8

const (
	classBool dtypeClass = iota // also of unknown types
	classInt
	classUint
	classFloat
	classComplex
	classVector
)

type dtypeRow struct {
	size  int64 // of an element, in all lanes
	class dtypeClass
	base  DType // of vectors: the type of a lane
	lanes int64
}

// Lanes are the numbers of lanes that vector types have: those of OpenCL C whose size is a power of two.
var Lanes = []int64{2, 4, 8, 16}

var dtypes = withVectors(map[DType]dtypeRow{
	Bool:       {size: 1, class: classBool},
	Int8:       {size: 1, class: classInt},
	Int16:      {size: 2, class: classInt},
	Int32:      {size: 4, class: classInt},
	Int64:      {size: 8, class: classInt},
	Uint8:      {size: 1, class: classUint},
	Uint16:     {size: 2, class: classUint},
	Uint32:     {size: 4, class: classUint},
	Uint64:     {size: 8, class: classUint},
	Float16:    {size: 2, class: classFloat},
	BFloat16:   {size: 2, class: classFloat},
	Float32:    {size: 4, class: classFloat},
	Float64:    {size: 8, class: classFloat},
	Complex64:  {size: 8, class: classComplex},
	Complex128: {size: 16, class: classComplex},
})

// withVectors adds the vector types: "float32x4" is four lanes of float32.
func withVectors(scalars map[DType]dtypeRow) map[DType]dtypeRow {
	all := map[DType]dtypeRow{}
	for t, row := range scalars {
		all[t] = row
		if row.class == classBool || row.class == classComplex {
			continue
		}
		for _, n := range Lanes {
			all[vectorName(t, n)] = dtypeRow{n * row.size, classVector, t, n}
		}
	}
	return all
}

func vectorName(t DType, lanes int64) DType { return DType(fmt.Sprintf("%sx%d", t, lanes)) }

// Known reports whether t names a type of the IR.
func (t DType) Known() bool { _, ok := dtypes[t]; return ok }

// Size is the size of an element in bytes; 0 for an unknown type.
func (t DType) Size() int64 { return dtypes[t].size }

// IsInteger reports whether t is a signed or unsigned integer type (bool is not).
func (t DType) IsInteger() bool { return t.IsSigned() || dtypes[t].class == classUint }

// IsSigned reports whether t is a signed integer type.
func (t DType) IsSigned() bool { return dtypes[t].class == classInt }

// Wrap is a number as the type holds it, by two's complement: an integer of less than 64 bits modulo their number, and 0 or 1 of truth values. Others keep it.
func (t DType) Wrap(v int64) int64 {
	switch t {
	case Bool:
		if v != 0 {
			return 1
		}
		return 0
	case Int8:
		return int64(int8(v))
	case Int16:
		return int64(int16(v))
	case Int32:
		return int64(int32(v))
	case Uint8:
		return int64(uint8(v))
	case Uint16:
		return int64(uint16(v))
	case Uint32:
		return int64(uint32(v))
	}
	return v
}

// IsFloat reports whether t is a real floating-point type.
func (t DType) IsFloat() bool { return dtypes[t].class == classFloat }

// IsComplex reports whether t is a complex type.
func (t DType) IsComplex() bool { return dtypes[t].class == classComplex }

// IsVector reports whether t is a vector type.
func (t DType) IsVector() bool { return dtypes[t].class == classVector }

// Base is the type of a lane: that of a vector's elements, t itself for a scalar type.
func (t DType) Base() DType { return cmp.Or(dtypes[t].base, t) }

// Lanes is the number of lanes, 1 for a scalar type.
func (t DType) Lanes() int64 { return max(dtypes[t].lanes, 1) }

// Vector is the type of vectors of t with that many lanes; t itself for one lane. It is not Known for numbers of lanes
// that are not in [Lanes] and for types that have no vectors.
func (t DType) Vector(lanes int64) DType {
	if lanes <= 1 {
		return t
	}
	return vectorName(t, lanes)
}

// IsLanes reports whether accesses may have that many lanes.
func IsLanes(n int64) bool { return slices.Contains(Lanes, n) }

// Promote is the type that holds the values of both: as in numpy, except that int32 with float32 is float32.
// The empty type is neutral. A scalar combined with a vector applies to all lanes; of two vectors, the first gives the
// number of lanes.
func Promote(a, b DType) DType {
	if a == b || b == "" {
		return a
	}
	if a == "" {
		return b
	}
	if lanes := a.Lanes(); a.IsVector() || b.IsVector() {
		if lanes == 1 {
			lanes = b.Lanes()
		}
		return Promote(a.Base(), b.Base()).Vector(lanes)
	}
	x, y := dtypes[a], dtypes[b]
	if x.class > y.class {
		a, b, x, y = b, a, y, x
	}
	// the class of a is not above that of b
	switch {
	case x.class == y.class:
		if x.size > y.size {
			return a
		}
		return b
	case x.class == classBool:
		return b
	case x.class == classInt && y.class == classUint:
		for _, t := range []DType{Int16, Int32, Int64} {
			if t.Size() >= x.size && t.Size() > y.size {
				return t
			}
		}
		return Float64
	case x.class == classInt || x.class == classUint:
		// the smallest float whose significand holds the integers, except for int32 with float32
		need := map[int64]int64{1: 2, 2: 4, 4: 8, 8: 8}[x.size]
		if a == Int32 && (b == Float32 || b == Complex64) {
			return b
		}
		if y.class == classComplex {
			need *= 2
		}
		return ofSize(y.class, max(need, y.size))
	default: // float with complex
		return ofSize(classComplex, max(2*x.size, y.size))
	}
}

func ofSize(class dtypeClass, size int64) DType {
	if class == classComplex {
		if size <= 8 {
			return Complex64
		}
		return Complex128
	}
	return map[int64]DType{2: Float16, 4: Float32, 8: Float64}[size]
}

// mathFunc describes a function that expressions may call: its number of operands, and how its result type follows from
// their common type. Names are those of OpenCL C.
type mathFunc struct {
	args   int
	result func(args DType) DType
}

// floating is for functions on floats: integers are taken as float32.
func floating(t DType) DType {
	if t.IsInteger() || t == Bool {
		return Float32
	}
	return t
}

func same(t DType) DType      { return t }
func predicate(_ DType) DType { return Int32 }

// Math1 are the functions of one float, in double precision. Devices may differ in the last places: OpenCL allows errors
// of several units.
var Math1 = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "cbrt": math.Cbrt,
	"exp": math.Exp, "exp2": math.Exp2, "exp10": func(x float64) float64 { return math.Pow(10, x) }, "expm1": math.Expm1,
	"log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"fabs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc,
	"rint": math.RoundToEven, "erf": math.Erf, "erfc": math.Erfc, "tgamma": math.Gamma,
	"lgamma": func(x float64) float64 { v, _ := math.Lgamma(x); return v },
}

// Math2 are those of two floats.
var Math2 = map[string]func(a, b float64) float64{
	"pow": math.Pow, "atan2": math.Atan2, "fmin": fmin, "fmax": fmax, "fmod": math.Mod,
	"hypot": math.Hypot, "fdim": math.Dim, "copysign": math.Copysign,
}

// fmin and fmax ignore NaN.
func fmin(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

func fmax(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

var mathFuncs = func() map[string]mathFunc {
	table := map[string]mathFunc{
		"abs": {1, same}, "min": {2, same}, "max": {2, same},
		"isnan": {1, predicate}, "isinf": {1, predicate}, "isfinite": {1, predicate},
		"fma": {3, floating}, "mad": {3, floating},
	}
	for name := range Math1 {
		table[name] = mathFunc{1, floating}
	}
	for name := range Math2 {
		table[name] = mathFunc{2, floating}
	}
	return table
}()

// IsFunction reports whether expressions may call a function of that name.
func IsFunction(name string) bool { _, ok := mathFuncs[name]; return ok }

// Arity is the number of arguments of a function that expressions may call; ok is false if there is no such function.
func Arity(name string) (n int, ok bool) {
	f, ok := mathFuncs[name]
	return f.args, ok
}

// ResultType is the type of a call of a function with operands of common type t; ok is false if there is no such function.
func ResultType(name string, t DType) (result DType, ok bool) {
	f, ok := mathFuncs[name]
	if !ok {
		return "", false
	}
	return f.result(t.Base()).Vector(t.Lanes()), true
}

// Functions lists the functions that expressions may call, sorted.
func Functions() []string { return slices.Sorted(maps.Keys(mathFuncs)) }
