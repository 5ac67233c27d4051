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
		return bad(wrong("write it with an exponent, such as 1e30", "a number of %d digits", len(text)))
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
			return bad(wrong("write a whole number, or float32("+text+")", "%s is no %s", text, d))
		}
		if wrap(r.Num(), d).Cmp(r.Num()) != 0 {
			return bad(wrong("write a wider type, such as int64("+text+")", "%s does not fit %s", text, d))
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

// Of is the pattern op, one with nothing but kids, applied to them.
func Of(op Op, kids ...*Term) *Term { return Make(op, Attr{}, kids...) }

// MapDim is the pattern op, one of MapGlb, MapWrg and MapLcl, over dimension dim.
func MapDim(op Op, dim int, f, xs *Term) *Term { return Make(op, Attr{Ints: []int{dim}}, f, xs) }

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

// AtOf is the element i of xs.
func AtOf(i int64, xs *Term) *Term {
	return Of(At, Number(expr.Int32, strconv.FormatInt(i, 10)), xs)
}

// GenerateOf is the array f(0), …, f(n-1).
func GenerateOf(n Size, f *Term) *Term { return Make(Generate, Attr{Sizes: []Size{n}}, f) }

// AsVectorOf is xs, an array of scalars, as an array of vectors of width.
func AsVectorOf(width int, xs *Term) *Term { return Make(AsVector, Attr{Ints: []int{width}}, xs) }
