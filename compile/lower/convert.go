package lower

import (
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// roundings are the ends of the names of conversions as machine code names them; "" is to the nearest.
var roundings = []rounding{
	{"_rte", ""}, {"_rtz", ".TRUNC"}, {"_rtp", ".CEIL"}, {"_rtn", ".FLOOR"}, {"_rn", ""}, {"_rz", ".TRUNC"}, {"_ru", ".CEIL"}, {"_rd", ".FLOOR"},
}

type rounding struct{ end, name string }

// conversion is a function that converts: to whole numbers as its name says, and where it asks for that kept within their range.
func (l *lowering) conversion(x *cfront.Call, f cfront.Intrinsic) value {
	switch {
	case f.IR == "pack":
		return l.picked(x, "xx")
	case strings.Trim(f.IR, "xy,") == "" && f.IR != "":
		return l.picked(x, f.IR)
	}
	if f.IR != "" && f.IR != "splat" {
		l.fail(x.Pos, "%s is not compiled here", x.Func)
	}
	v := l.expression(x.Args[0])
	from, to := v.t.Base(), x.DType.Base()
	saturated := strings.Contains(x.Func, "_sat") && to.IsInteger() && to.Size() < 4
	wide := to
	if saturated {
		wide = expr.Int32
	}
	i := slices.IndexFunc(roundings, func(r rounding) bool { return strings.HasSuffix(x.Func, r.end) })
	if i >= 0 && from.IsFloat() && to.IsInteger() {
		for n, w := range v.x {
			v.x[n] = l.floatToInt(w, from, wide, roundings[i].name)
		}
		v.t = wide.Vector(v.t.Lanes())
	}
	if saturated {
		return l.saturated(x, v)
	}
	return l.convert(x.Pos, v, x.DType)
}

// picked are lanes of arguments by their letters, of two arguments one of each. A number has one lane.
func (l *lowering) picked(x *cfront.Call, letters string) value {
	out := value{t: x.DType}
	letters = strings.ReplaceAll(letters, ",", "")
	for i, letter := range letters {
		v := l.expression(x.Args[min(i, len(x.Args)-1)])
		lane := min(strings.IndexRune("xy", letter), len(v.x)-1)
		out.x = append(out.x, l.converted(v.x[lane], v.t.Base(), x.DType.Base()))
	}
	return out
}

// saturated converts to short whole numbers, within their range.
func (l *lowering) saturated(x *cfront.Call, v value) value {
	to := x.DType.Base()
	wide := expr.DType(expr.Int32)
	_, highest, _ := to.Range()
	unsigned := v.t.Base().IsInteger() && !v.t.Base().IsSigned()
	v = l.convert(x.Pos, v, wide.Vector(v.t.Lanes()))
	out := value{t: x.DType}
	for _, w := range v.x {
		if unsigned {
			w = l.Make(ssa.MinU, ssa.W, w, l.Const(highest))
		} else {
			w = l.within(to, w)
		}
		out.x = append(out.x, w)
	}
	return out
}

// reinterpreted are the same bits as those of another type.
func (l *lowering) reinterpreted(x *cfront.Call) value {
	v := l.expression(x.Args[0])
	from, to := v.t.Base().Size(), x.DType.Base().Size()
	if from == to && v.t.Lanes() == x.DType.Lanes() {
		out := value{t: x.DType}
		for _, w := range v.x {
			out.x = append(out.x, l.narrow(w, x.DType.Base()))
		}
		return out
	}
	whole := l.packed(v.x, from)
	n := x.DType.Lanes()
	if whole.Type == ssa.V4 && n*to != 16 || n*to > 16 {
		l.fail(x.Pos, "%s of %s is not compiled here", x.Func, v.t)
	}
	return value{t: x.DType, x: l.lanesOf(whole, x.DType.Base(), n)}
}
