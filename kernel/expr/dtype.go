package expr

import (
	"cmp"
	"fmt"
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

// three lanes are those of vectors that kernel functions have, and programs that are generated have not.
const three = 3

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
		for _, n := range append([]int64{three}, Lanes...) {
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

// Distance is that of the elements of arrays in bytes: their size, but of vectors of three lanes that of four (OpenCL C 3.0, 6.3.5).
func (t DType) Distance() int64 {
	if row := dtypes[t]; row.lanes == three {
		return row.size / three * 4
	}
	return t.Size()
}

// Range is the least and the greatest number of an integer type of up to 32 bits; ok is false for others.
func (t DType) Range() (low, high int64, ok bool) {
	bits := 8 * t.Size()
	if !t.IsInteger() || t.IsVector() || bits > 32 {
		return 0, 0, false
	}
	if t.IsSigned() {
		return -1 << (bits - 1), 1<<(bits-1) - 1, true
	}
	return 0, 1<<bits - 1, true
}

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
// that are neither three nor in [Lanes], and for types that have no vectors.
func (t DType) Vector(lanes int64) DType {
	if lanes <= 1 {
		return t
	}
	return vectorName(t, lanes)
}

// IsLanes reports whether accesses of generated programs may have that many lanes.
func IsLanes(n int64) bool { return slices.Contains(Lanes, n) }

// AreLanes reports whether vectors may have that many lanes.
func AreLanes(n int64) bool { return n == three || IsLanes(n) }
