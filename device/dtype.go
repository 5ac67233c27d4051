package device

import (
	"encoding/binary"
	"fmt"
	"math"
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
	"float16": {2, true, 0, 0}, "bfloat16": {2, true, 0, 0},
	"float32": {4, true, 0, 0},
	"float64": {8, true, 0, 0},
}

// DTypeSize returns the bytes of an element, 0 for an unknown dtype. The dtypes are int8 to int64, uint8 to
// uint64, float16, bfloat16, float32 and float64.
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
	case t.float:
		// OpenCL C allows no half as a kernel's parameter.
		return nil, fmt.Errorf("a %s cannot be passed by value", a.DType)
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(a.Int))[:t.size], nil
}
