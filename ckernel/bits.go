package ckernel

import (
	"math"
	ones "math/bits"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/cfront/cpp"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// maxRuns bounds the runs of ones in a number whose bits an operator takes: each is a quotient and a remainder.
const maxRuns = 4

// bitwise is &, | or ^ of a number and a constant, in two's complement. All are made of &, which takes runs of bits out of a number:
// x | w is x + w - (x & w), and x ^ w is x + w - 2*(x & w).
func (b *position) bitwise(op string, p *expr.Poly, w int64) (*expr.Poly, bool) {
	mask := w
	if w < 0 {
		mask = ^w
	}
	if ones.OnesCount64(uint64(mask&^(mask<<1))) > maxRuns || mask >= 1<<40 {
		return nil, false
	}
	both, ok := b.inPieces(p, func(_ *expr.Poly, a polycount.Affine) (*expr.Poly, bool) { return b.numberOf(b.masked(a, mask)) })
	if !ok {
		return nil, false
	}
	if w < 0 {
		both = minus(p, both)
	}
	switch op {
	case "|":
		return minus(p.Add(constant(w)), both), true
	case "^":
		return minus(p.Add(constant(w)), both.Scale(2)), true
	}
	return both, true
}

// masked is a & mask, for a mask that is not negative.
func (b *position) masked(a polycount.Affine, mask int64) (out polycount.Affine) {
	for mask != 0 {
		from := ones.TrailingZeros64(uint64(mask))
		length := ones.TrailingZeros64(^uint64(mask >> from))
		part := a
		if from > 0 {
			part = b.floorDiv(a, 1<<from)
		}
		out = out.AddScaled(1<<from, part).AddScaled(-1<<(from+length), b.floorDiv(part, 1<<length))
		mask &^= (1<<length - 1) << from
	}
	return out
}

// Integers of 32 bits with a sign overflow, which is undefined behaviour (C11, 6.5 (5)); those without a sign wrap around. Numbers here have no
// end, and so what may be beyond its type is noted, to be judged once sizes are given.

// fits notes a number that the source computes in 32 bits.
func (b *builder) fits(x *cfront.Binary, n *expr.Poly) {
	r := &kernel.Range{Place: kernel.Place{File: x.Pos.File, Pos: x.Pos.Pos}, Points: b.live.domain}
	switch {
	case x.Op != "+" && x.Op != "-" && x.Op != "*" && x.Op != "<<", len(b.live.preds) > 0, b.live.dead, b.inTrial(n):
		return
	case x.DType == expr.Int32:
		r.Type, r.Least, r.Most = "int", math.MinInt32, math.MaxInt32
	case x.DType == expr.Uint32: // numbers below 0 stand for those that they are modulo 2^32
		r.Type, r.Least, r.Most, r.Wraps = "unsigned int", -1<<32, math.MaxUint32, true
	default:
		return
	}
	if _, ok := n.Constant(); ok {
		return
	}
	r.Value = b.express(n)
	b.ranges = append(b.ranges, r)
}

// rangesOf are the ranges, each once.
func (b *flow) rangesOf() (out []*kernel.Range) {
	type key struct {
		place kernel.Place
		value string
		at    *polycount.Set
	}
	seen := map[key]bool{}
	for _, r := range b.ranges {
		k := key{r.Place, r.Value.String(), r.Points}
		if seen[k] {
			continue
		}
		seen[k] = true
		r.Inames = slices.DeleteFunc(r.Points.Params(), func(n string) bool { return b.sizes[n] != nil })
		out = append(out, r)
	}
	return out
}

// wrapped is the number of an expression converted to another integer type: to bool, from one without sign to a wider one, or between widths and
// signs in which it stays what it is. Numbers without sign that are below 0 stand for those that they are modulo 2^32, until one of these matters.
func (b *position) wrapped(e cfront.Expr, n *expr.Poly, t expr.DType) *expr.Poly {
	if t.Size() > 4 && e.Type().Size() <= 4 {
		return b.unwrapped(e, n)
	}
	v, known := n.Constant()
	switch {
	case t == expr.Bool && known:
		return constant(bit(v != 0))
	case t.Size() == 4 && known:
		return constant(int64(int32(v)))
	case t != expr.Bool || e.Type() == expr.Bool:
		return n
	}
	return b.either(b.set(e, n, true), constant(0), constant(1))
}

// wraps reports whether an expression converted to another integer type is a number: where one without sign may be below 0 it is known where that is so.
func (b *position) wraps(e cfront.Expr, n *expr.Poly, t expr.DType) bool {
	if t.Size() > 4 && e.Type().Size() <= 4 {
		return b.natural(e, n)
	}
	if t == expr.Bool && e.Type() != expr.Bool {
		_, ok := b.where(n, true)
		return ok || b.hasSize(n)
	}
	return true
}

// hasSize reports whether a number depends on a size, so that more is known where that is given.
func (b *grid) hasSize(n *expr.Poly) bool {
	return slices.ContainsFunc(b.variables(n), func(v string) bool { return b.sizes[v] != nil })
}

// natural reports whether unwrapped is a number.
func (b *position) natural(e cfront.Expr, n *expr.Poly) bool {
	if t := e.Type(); t.IsSigned() || t == expr.Bool || b.inTrial(n) || b.nonNegative(n) {
		return true
	} else if t.Size() > 4 {
		return b.hasSize(n)
	}
	_, ok := b.where(n, false)
	return ok || b.hasSize(n)
}

// unwrapped is the number of an expression, plus 2^32 where that is without sign and the number below 0.
func (b *position) unwrapped(e cfront.Expr, n *expr.Poly) *expr.Poly {
	t := e.Type()
	switch {
	case t.IsSigned() || t == expr.Bool || b.inTrial(n) || b.nonNegative(n):
		return n
	case t.Size() > 4:
		b.fail(e, "convert it to long", "a number without sign that may be below 0, where it is very large")
	}
	if v, ok := n.Constant(); ok {
		return constant(v + 1<<32)
	}
	return b.either(b.set(e, n, false), n, n.Add(constant(1<<32)))
}

// inTrial reports whether a number is in terms of the values at the beginning of an iteration, of which nothing is known.
func (b *terms) inTrial(n *expr.Poly) bool {
	return slices.ContainsFunc(b.variables(n), func(v string) bool { return strings.HasPrefix(v, symbol) })
}

// isConversion reports whether a function is convert_float4(x), __float2int_rn(x) and the like.
func isConversion(x *cfront.Call) bool {
	f, ok := cfront.IntrinsicOf(x.Func)
	return ok && f.Kind == cfront.Convert && f.IR == "" && len(x.Args) == 1
}

// conversion is a call of such a function.
func (b *builder) conversion(x *cfront.Call) expr.Expr {
	b.checkVector(x, x.DType)
	v, from := b.value(x.Args[0]), x.Args[0].Type()
	if from == x.DType {
		return v
	}
	if x.DType.Base().IsInteger() {
		v = b.rounded(x.Func, v, from, x.DType)
	}
	return &expr.Cast{DType: x.DType, Arg: v}
}

// roundings are functions that round as the ends of the names of conversions say; others round towards zero.
var roundings = map[string]string{
	"_rte": "rint", "_rtp": "ceil", "_rtn": "floor", "_rn": "rint", "_ru": "ceil", "_rd": "floor", "rint": "rint", "rintf": "rint", "round": "round", "roundf": "round",
}

// rounded is a number as it is before a conversion to integers, which rounds it and keeps it within the type that names with _sat say. All of that is one
// instruction: the function declares no operations.
func (b *builder) rounded(name string, v expr.Expr, from, to expr.DType) expr.Expr {
	var def expr.Expr = expr.Var{Name: "x"}
	for end, f := range roundings {
		if from.Base().IsFloat() && strings.HasSuffix(name, end) {
			def = &expr.Call{Func: f, Args: []expr.Expr{def}}
		}
	}
	if low, high, ok := to.Base().Range(); ok && strings.Contains(name, "_sat") {
		limit := func(n int64) expr.Expr {
			if from.Base().IsFloat() {
				return cexpr.Float(float64(n), from.Base())
			}
			return expr.Int{Value: n}
		}
		def = expr.Binary(expr.Min, expr.Binary(expr.Max, def, limit(low)), limit(high))
	}
	if _, same := def.(expr.Var); same {
		return v
	}
	f := &kernel.Function{Params: []kernel.FunctionParam{{Name: "x", DType: from}}, Result: from, Def: def, Counts: map[expr.DType]map[string]int64{}}
	return &expr.Call{Func: b.functionNamed("rounded", f), Args: []expr.Expr{v}}
}

// integers computes with numbers that are known, of a type. Those without sign that are below 0 stand for what they are modulo 2^32, or 2^64.
func integers(op string, v, w int64, t expr.DType) (n int64, ok bool) {
	switch op {
	case "&", "|", "^":
		return cpp.Computed(op, v, w, false)
	case "<<":
		if w < 0 || w >= 63 {
			return 0, false
		}
		n = v << w
		return n, n>>w == v
	case "/", "%", ">>":
		wraps := noSign(t) && t.Size() <= 4
		if wraps {
			v, w = int64(uint32(v)), int64(uint32(w))
		}
		if op == ">>" && w > 63 {
			return 0, false
		}
		if n, ok = cpp.Computed(op, v, w, noSign(t)); wraps {
			n = int64(int32(n))
		}
		return n, ok
	}
	return 0, false
}
