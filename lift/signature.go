package lift

import (
	"errors"
	"fmt"

	"gpuperf/internal/source"
)

// signatures are the types of patterns, from arguments to result. T and U are any types, d and e element types; small letters that
// arguments consist of are sizes and whole numbers. What follows "where" has to hold of them.
var signatures = map[string]string{
	"map":             "(T => U, [T]n) => [U]n",
	"reduce":          "((T, T) => T, T, [T]n) => [T]1",
	"partRed":         "((T, T) => T, T, m, [T]n) => [T]m, where m divides n",
	"scan":            "((T, T) => T, T, [T]n) => [T]n",
	"scanBefore":      "((T, T) => T, T, [T]n) => [T]n",
	"zip":             "([T]n, [U]n, ...) => [(T, U, ...)]n",
	"unzip":           "([(T, U, ...)]n) => ([T]n, [U]n, ...)",
	"tuple":           "(T, U, ...) => (T, U, ...)",
	"get":             "(k, (T, U, ...)) => component k of the tuple, from 0",
	"split":           "(m, [T]n) => [[T]m](n/m), where m divides n",
	"join":            "([[T]m]n) => [T](m*n)",
	"transpose":       "([[T]m]n) => [[T]n]m",
	"iterate":         "(k, [T]n => [T]m, [T]n) => the array after k steps, where k <= 4096",
	"reorder":         "([T]n) => [T]n",
	"gather":          "(index, [T]n) => [T]n",
	"scatter":         "(index, [T]n) => [T]n",
	"reorderStride":   "(s, [T]n) => [T]n, where s divides n",
	"slide":           "(w, s, [T]n) => [[T]w]((n - w)/s + 1), where s divides n - w and w <= n",
	"pad":             "(l, r, mode, [T]n) => [T](l + n + r)",
	"padConst":        "(l, r, T, [T]n) => [T](l + n + r)",
	"at":              "(int32, [T]n) => T, where the index is below n",
	"generate":        "(n, int32 => T) => [T]n",
	"take":            "(m, [T]n) => [T]m, where m <= n",
	"drop":            "(m, [T]n) => [T](n - m), where m <= n",
	"append":          "([T]m, [T]n) => [T](n + m)",
	"filter":          "(T => int32, [T]n) => ([T]n, [int32]1), where T has no arrays",
	"put":             "([T]n, [(int32, T)]m) => [T]n",
	"reduceSegments":  "((T, T) => T, T, [int32](m + 1), [T]n) => [T]m",
	"inset":           "(l, r, [T]n) => [T](l + n + r)",
	"nat":             "(n) => int32",
	"asVector":        "(k, [d]n) => [<d>k](n/k), where k is 2, 4, 8 or 16 and divides n",
	"asScalar":        "([<d>k]n) => [d](k*n)",
	"mapGlb":          "(axis, T => U, [T]n) => [U]n, where axis is 0, 1 or 2",
	"mapWrg":          "(axis, T => U, [T]n) => [U]n, where axis is 0, 1 or 2",
	"mapLcl":          "(axis, T => U, [T]n) => [U]n, where axis is 0, 1 or 2",
	"mapSeq":          "(T => U, [T]n) => [U]n",
	"mapSeqUnroll":    "(T => U, [T]n) => [U]n",
	"mapSeqSlide":     "(w, s, [T]w => U, [T]n) => [U]((n - w)/s + 1), where s divides n - w and w <= n",
	"mapVec":          "((d, ...) => e, <d>k, ...) => <e>k",
	"reduceSeq":       "((U, T) => U, U, [T]n) => [U]1",
	"reduceSeqUnroll": "((U, T) => U, U, [T]n) => [U]1",
	"reduceBetween":   "((U, T) => U, U, int32, int32, s, [T]n) => [U]1",
	"scanSeq":         "((U, T) => U, U, [T]n) => [U]n",
	"scanBeforeSeq":   "((U, T) => U, U, [T]n) => [U]n",
	"toGlobal":        "(T) => T",
	"toLocal":         "(T) => T",
	"toPrivate":       "(T) => T",

	"+": "(d, d) => d", "-": "(d, d) => d", "*": "(d, d) => d", "min": "(d, d) => d", "max": "(d, d) => d",
	"/":   "(d, d) => d, where d is float16, float32 or float64; a def divides integers by // and %",
	"neg": "(d) => d", "abs": "(d) => d",
	"sqrt": "(d) => d, where d is float16, float32 or float64; a def converts integers by cast(float32, x)",
	"exp":  "(d) => d, where d is float16, float32 or float64; a def converts integers by cast(float32, x)",
	"log":  "(d) => d, where d is float16, float32 or float64; a def converts integers by cast(float32, x)",
	"id":   "(T) => T, where T is a number, a vector or a tuple of these: map(id) copies an array",
}

// mistake is an error of a program, with what would be right.
type mistake struct {
	error
	hint string
	op   Op // where there is no hint: the operator that is used wrongly
}

func (m *mistake) Unwrap() error { return m.error }

// wrong is an error with what would be right.
func wrong(hint, format string, args ...any) error {
	return &mistake{error: fmt.Errorf(format, args...), hint: hint}
}

// hintOf is what would be right, as the error says; "" where it does not.
func hintOf(err error) string {
	var m *mistake
	var place *source.Error
	switch {
	case errors.As(err, &m) && m.hint == "":
		return Usage(m.op.String())
	case m != nil:
		return m.hint
	case errors.As(err, &place):
		return place.Hint
	}
	return ""
}

// rejected fails at a place of the text, for a reason that may know what would be right.
func (e *elaborator) rejected(at int, err error) { e.FailHint(at, hintOf(err), "%v", err) }

// typeForms are examples of types, for hints.
const typeForms = "types are written float32, int32, [float32]n, [[float32]m](n + 2), <float32>4, (float32, int32)"

// tooLong is the hint for programs that exceed a limit.
const tooLong = "name what stands there several times: let(y = …, …), or a def"

// sizeForms are what sizes consist of, for hints.
const sizeForms = "sizes are made of whole numbers, size symbols, + - * / ^, such as n, 16 or (n + 2)/4"
