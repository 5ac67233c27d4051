package expr

import (
	"maps"
	"math"
	"slices"
)

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
