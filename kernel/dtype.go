package kernel

// DType names an element type, in numpy's notation: "float32", "int64", "complex64". The zero DType is "not known yet".
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
	Float32    DType = "float32"
	Float64    DType = "float64"
	Complex64  DType = "complex64"
	Complex128 DType = "complex128"
)

type dtypeClass uint8

const (
	classBool dtypeClass = iota
	classInt
	classUint
	classFloat
	classComplex
)

var dtypes = map[DType]struct {
	size  int64
	class dtypeClass
}{
	Bool:       {1, classBool},
	Int8:       {1, classInt},
	Int16:      {2, classInt},
	Int32:      {4, classInt},
	Int64:      {8, classInt},
	Uint8:      {1, classUint},
	Uint16:     {2, classUint},
	Uint32:     {4, classUint},
	Uint64:     {8, classUint},
	Float16:    {2, classFloat},
	Float32:    {4, classFloat},
	Float64:    {8, classFloat},
	Complex64:  {8, classComplex},
	Complex128: {16, classComplex},
}

// Known reports whether t names a type of the IR.
func (t DType) Known() bool { _, ok := dtypes[t]; return ok }

// Size is the size of an element in bytes; 0 for an unknown type.
func (t DType) Size() int64 { return dtypes[t].size }

// IsInteger reports whether t is a signed or unsigned integer type (bool is not).
func (t DType) IsInteger() bool {
	c, ok := dtypes[t]
	return ok && (c.class == classInt || c.class == classUint)
}

// IsFloat reports whether t is a real floating-point type.
func (t DType) IsFloat() bool { return dtypes[t].class == classFloat && t.Known() }

// IsComplex reports whether t is a complex type.
func (t DType) IsComplex() bool { return dtypes[t].class == classComplex && t.Known() }
