package expr

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
