package lift

import (
	"math"
	"math/big"
	"strconv"

	"gpuperf/kernel/expr"
)

// Constructors. Each returns a term whose Err reports an ill-typed one, and passes on an operand that has an Err.

// FunOf is a user function as a term: the function of a pattern.
func FunOf(f *UserFun) *Term { return Make(Fun, Attr{User: f}) }

// Number is a literal of an element type. The text is a decimal number.
func Number(d expr.DType, text string) *Term {
	if len(text) > 100 {
		return badf("a number of %d digits", len(text))
	}
	// Before the exact value is built: 1e999999999 has none that fits.
	if v, err := strconv.ParseFloat(text, 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return badf("%q is no number", text)
	}
	r, ok := new(big.Rat).SetString(text)
	switch {
	case !ok:
		return badf("%q is no number", text)
	case d.IsInteger() || d == expr.Bool:
		if !r.IsInt() {
			return badf("%s is no %s", text, d)
		}
		if wrap(r.Num(), d).Cmp(r.Num()) != 0 {
			return badf("%s does not fit %s", text, d)
		}
		text = r.Num().String()
	default:
		bits := 64
		if d == expr.Float32 {
			bits = 32
		}
		v, err := strconv.ParseFloat(text, bits)
		if err != nil {
			return badf("%s is no %s", text, d)
		}
		text = strconv.FormatFloat(v, 'g', -1, bits)
		if text == "-0" {
			text = "0"
		}
	}
	return Make(Literal, Attr{Lit: Lit{DType: d, Text: text}})
}

// Splat is the vector of width lanes that all have the value of the scalar literal x.
func Splat(width int, x *Term) *Term {
	if x.err != nil {
		return x
	}
	if x.Op != Literal || x.Lit.Width != 0 {
		return badf("%s is no scalar literal", x)
	}
	lit := x.Lit
	lit.Width = width
	return Make(Literal, Attr{Lit: lit})
}

// LetOf is f(x) where x is computed once: f is a lambda of one parameter.
func LetOf(f, x *Term) *Term { return Make(Let, Attr{}, f, x) }

// MapOf is the pattern op, one of Map, MapSeq and MapSeqUnroll.
func MapOf(op Op, f, xs *Term) *Term { return Make(op, Attr{}, f, xs) }

// MapDim is the pattern op, one of MapGlb, MapWrg and MapLcl, over dimension dim.
func MapDim(op Op, dim int, f, xs *Term) *Term { return Make(op, Attr{Ints: []int{dim}}, f, xs) }

// MapVecOf applies a function on scalars to the lanes of vectors.
func MapVecOf(f *Term, vs ...*Term) *Term {
	return Make(MapVec, Attr{}, append([]*Term{f}, vs...)...)
}

// ReduceOf is the pattern op, one of Reduce, ReduceSeq and ReduceSeqUnroll.
func ReduceOf(op Op, f, z, xs *Term) *Term { return Make(op, Attr{}, f, z, xs) }

// ZipOf is the array of tuples of the elements of arrays of one length.
func ZipOf(xs ...*Term) *Term { return Make(Zip, Attr{}, xs...) }

// TupleTerm is the tuple of values.
func TupleTerm(xs ...*Term) *Term { return Make(Tuple, Attr{}, xs...) }

// GetOf is the component i of a tuple.
func GetOf(i int, x *Term) *Term { return Make(Get, Attr{Ints: []int{i}}, x) }

// SplitOf cuts xs in chunks of m.
func SplitOf(m Size, xs *Term) *Term { return Make(Split, Attr{Sizes: []Size{m}}, xs) }

// JoinOf concatenates the arrays in xs.
func JoinOf(xs *Term) *Term { return Make(Join, Attr{}, xs) }

// TransposeOf exchanges the two outer dimensions of xs.
func TransposeOf(xs *Term) *Term { return Make(Transpose, Attr{}, xs) }

// IterateOf applies f k times.
func IterateOf(k int, f, xs *Term) *Term { return Make(Iterate, Attr{Ints: []int{k}}, f, xs) }

// GatherOf gives out[i] = xs[f(i)].
func GatherOf(f *IndexFun, xs *Term) *Term { return Make(Gather, Attr{Index: f}, xs) }

// ScatterOf gives out[f(i)] = xs[i].
func ScatterOf(f *IndexFun, xs *Term) *Term { return Make(Scatter, Attr{Index: f}, xs) }

// SlideOf is the array of windows of width elements, each step elements after the one before.
func SlideOf(width, step Size, xs *Term) *Term {
	return Make(Slide, Attr{Sizes: []Size{width, step}}, xs)
}

// PadOf is xs with left elements added before it and right elements after it.
func PadOf(left, right Size, mode PadMode, xs *Term) *Term {
	return Make(Pad, Attr{Sizes: []Size{left, right}, Ints: []int{int(mode)}}, xs)
}

// AtTerm is the element i of xs, where i is an integer term.
func AtTerm(i, xs *Term) *Term { return Make(At, Attr{}, i, xs) }

// AtOf is the element i of xs.
func AtOf(i int64, xs *Term) *Term {
	return AtTerm(Number(expr.Int32, strconv.FormatInt(i, 10)), xs)
}

// GenerateOf is the array f(0), …, f(n-1).
func GenerateOf(n Size, f *Term) *Term { return Make(Generate, Attr{Sizes: []Size{n}}, f) }

// MoveTo is the pattern op, one of ToGlobal, ToLocal and ToPrivate.
func MoveTo(op Op, x *Term) *Term { return Make(op, Attr{}, x) }

// AsVectorOf is xs, an array of scalars, as an array of vectors of width.
func AsVectorOf(width int, xs *Term) *Term { return Make(AsVector, Attr{Ints: []int{width}}, xs) }

// AsScalarOf is xs, an array of vectors, as an array of scalars.
func AsScalarOf(xs *Term) *Term { return Make(AsScalar, Attr{}, xs) }
