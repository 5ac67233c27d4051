package expr

import (
	"maps"
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

var mathFuncs = func() map[string]mathFunc {
	table := map[string]mathFunc{}
	for _, name := range []string{
		"sqrt", "rsqrt", "cbrt", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p",
		"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
		"fabs", "floor", "ceil", "round", "trunc", "rint", "erf", "erfc", "tgamma", "lgamma",
	} {
		table[name] = mathFunc{1, floating}
	}
	for _, name := range []string{"pow", "atan2", "fmin", "fmax", "fmod", "hypot", "fdim", "copysign"} {
		table[name] = mathFunc{2, floating}
	}
	for _, name := range []string{"fma", "mad"} {
		table[name] = mathFunc{3, floating}
	}
	table["abs"] = mathFunc{1, same}
	table["min"] = mathFunc{2, same}
	table["max"] = mathFunc{2, same}
	for _, name := range []string{"isnan", "isinf", "isfinite"} {
		table[name] = mathFunc{1, predicate}
	}
	return table
}()

// IsFunction reports whether expressions may call a function of that name.
func IsFunction(name string) bool { _, ok := mathFuncs[name]; return ok }

// Arity is the number of arguments of a function that expressions may call; ok is false where there is no such function.
func Arity(name string) (n int, ok bool) {
	f, ok := mathFuncs[name]
	return f.args, ok
}

// ResultType is the type of a call of a function with operands of common type t; ok is false where there is no such function.
func ResultType(name string, t DType) (result DType, ok bool) {
	f, ok := mathFuncs[name]
	if !ok {
		return "", false
	}
	return f.result(t.Base()).Vector(t.Lanes()), true
}

// Functions lists the functions that expressions may call, sorted.
func Functions() []string { return slices.Sorted(maps.Keys(mathFuncs)) }
