package interp

import (
	"math"

	"gpuperf/kernel/expr"
)

// Every float comes with a bound of its rounding error (running error analysis: Wilkinson 1986; Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.3). What a device computes in the same order, contracting products and sums
// or not, differs from the exact result by no more than the bound, and from the interpreter's by no more than twice that.
// state.err is the bound of the float that was computed last.

// units are the relative errors of one rounding: half a unit in the last place.
var units = map[expr.DType]float64{expr.Float16: 0x1p-11, expr.BFloat16: 0x1p-8, expr.Float32: 0x1p-24, expr.Float64: 0x1p-53}

// smallest are the smallest normal numbers: devices may flush what is smaller to zero.
var smallest = map[expr.DType]float64{expr.Float16: 0x1p-14, expr.BFloat16: 0x1p-126, expr.Float32: 0x1p-126, expr.Float64: 0x1p-1022}

// Smallest is the smallest normal number of a type.
func Smallest(t expr.DType) float64 { return smallest[t] }

// functionError is the error of a function in units, where OpenCL allows more than that of its result's rounding (OpenCL C
// 3.0, section 7.4, single precision): twice the units in the last place of its table.
var functionError = map[string]float64{
	"fabs": 0, "floor": 0, "ceil": 0, "round": 0, "trunc": 0, "rint": 0, "fmin": 0, "fmax": 0, "fmod": 0, "copysign": 0, "fdim": 1,
	"tan": 10, "atan2": 12, "tanh": 10, "erf": 32, "erfc": 32, "tgamma": 32, "pow": 32, "lgamma": 64,
}

// usualError is that of the functions that functionError does not list: 4 units in the last place.
const usualError = 8

// noted keeps the bound of a result, whose operands bring an error of e, and which is computed to that many units.
func (st *state) noted(t expr.DType, r, e, many float64) float64 {
	return st.note(t, r, e, many*units[t]*math.Abs(r))
}

// note keeps the bound of a result: what its operands bring, and its own error. Infinities and NaN are exact: they are compared as such.
func (st *state) note(t expr.DType, r, e, own float64) float64 {
	if st.random != nil && own <= math.MaxFloat64 {
		r = rounded(t, r+2*own*(2*st.random.Float64()-1))
	}
	e += own
	switch {
	case math.IsInf(r, 0) || math.IsNaN(r):
		e = 0
	case math.IsNaN(e):
		e = math.Inf(1)
	}
	st.err = e
	return r
}

// spread is how far a function of two floats is from r where these are off by their errors.
func spread(f func(a, b float64) float64, a, b, r, ea, eb float64) float64 {
	e := 0.0
	for _, x := range [...]float64{a - ea, a + ea} {
		for _, y := range [...]float64{b - eb, b + eb} {
			if ea+eb > 0 {
				e = math.Max(e, math.Abs(f(x, y)-r)) // NaN where one is
			}
		}
	}
	return e
}
