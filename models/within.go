package models

import (
	"math"
	"slices"
)

// Range has the least and the greatest of values that are not known exactly; both are the value where it is.
type Range [2]float64

// Exactly is the range of one value.
func Exactly(v float64) Range { return Range{v, v} }

// anything is the range of a value of which nothing is known.
var anything = Range{math.Inf(-1), math.Inf(1)}

// Within returns a range that holds the model's value for all features in the given ranges, but for rounding errors. It is exact where each feature
// stands once and costs only grow with it; otherwise it may be wider (Moore, Interval Analysis, 1966).
func (c *Compiled) Within(features []Range, params []float64) Range {
	return c.value.within(features, params)[0]
}

func (t *tape) within(features []Range, params []float64) (out []Range) {
	r := make([]Range, len(t.regs))
	for i, v := range t.regs { // constants among them
		r[i] = Exactly(v)
	}
	copy(r, features)
	for i, v := range params {
		r[t.features+i] = Exactly(v)
	}
	for _, code := range [][]instruction{t.first, t.code} {
		for _, in := range code {
			r[in.dst] = rangeOf(in.op, r[in.a], r[in.b], r[in.c])
		}
	}
	for _, at := range t.out {
		out = append(out, r[at])
	}
	return out
}

// rangeOf is the range of an operation on ranges.
func rangeOf(op Op, a, b, c Range) Range {
	eval := ops[op].eval
	exact := true
	for _, x := range []Range{a, b, c}[:ops[op].arity] {
		exact = exact && x[0] == x[1]
	}
	if exact {
		return known(eval(a[0], b[0], c[0]), eval(a[0], b[0], c[0]))
	}
	switch op {
	case Add, Min, Max, Exp, Tanh, Atan, Sign, Ceil, Floor, Round, And, Or: // they grow with each argument
		return known(eval(a[0], b[0], 0), eval(a[1], b[1], 0))
	case Log, Sqrt:
		return known(eval(max(a[0], 0), 0, 0), eval(a[1], 0, 0))
	case Sub:
		return opposed(op, a, b)
	case Choose:
		if a[0] == a[1] {
			return Range{choice(a[0], b[0], c[0]), choice(a[0], b[1], c[1])}
		}
		return Range{min(b[0], c[0]), max(b[1], c[1])}
	case Equals, Differs:
		if a[1] < b[0] || b[1] < a[0] {
			return Exactly(eval(a[0], b[0], 0))
		}
		return Range{0, 1}
	case Not:
		return Range{eval(a[1], 0, 0), eval(a[0], 0, 0)}
	case Below, Less, AtMost:
		return known(eval(a[1], b[0], 0), eval(a[0], b[1], 0))
	case Neg:
		return Range{-a[1], -a[0]}
	case Mul:
		return corners(a, b, times)
	case Div:
		if b[0] <= 0 && b[1] >= 0 {
			return anything
		}
		return corners(a, b, func(x, y float64) float64 { return times(x, 1/y) })
	case Pow:
		if a[0] >= 0 && b[0] == b[1] { // the power grows, or falls, with its base
			return corners(a, b, math.Pow)
		}
	case Step:
		x := corners(a, b, times)
		return Range{step(x[0], 1), step(x[1], 1)}
	case Abs:
		if a[0] >= 0 {
			return a
		}
		return Range{0, max(-a[0], a[1])}
	case Contrast:
		if a[0] >= 0 && b[0] >= 0 {
			out := opposed(op, a, b)
			return Range{max(out[0], -1), min(out[1], 1)}
		}
		return anything
	case Overlap: // between the two
		return Range{min(a[0], b[0]), max(a[1], b[1])}
	case PNorm:
		if a[0] >= 0 && b[0] >= 0 && c[0] == c[1] && c[0] > 0 {
			return known(eval(a[0], b[0], c[0]), eval(a[1], b[1], c[0]))
		}
	}
	return anything
}

// known is a range with ends that are not known where they are not numbers, as infinity less infinity.
func known(lo, hi float64) Range {
	if math.IsNaN(lo) {
		lo = anything[0]
	}
	if math.IsNaN(hi) {
		hi = anything[1]
	}
	return Range{lo, hi}
}

// opposed is the range of an operation that grows with its first argument and falls with its second.
func opposed(op Op, a, b Range) Range {
	return known(ops[op].eval(a[0], b[1], 0), ops[op].eval(a[1], b[0], 0))
}

// corners is the range of an operation that has its least and greatest values at ends of its arguments.
func corners(a, b Range, f func(x, y float64) float64) Range {
	all := [...]float64{f(a[0], b[0]), f(a[0], b[1]), f(a[1], b[0]), f(a[1], b[1])}
	return known(slices.Min(all[:]), slices.Max(all[:])) // of which one that is NaN makes both so
}

// times is a product that is 0 where a factor is, as infinity stands for large numbers.
func times(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}
