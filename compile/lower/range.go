package lower

import (
	"math"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// span is what an integer may be.
type span struct{ least, most int64 }

// mostPlace is the greatest number of a work-item or the extent of a work-group along an axis (CUDA C++ Programming Guide, technical specifications).
const mostPlace = 1024

// span bounds an integer expression; false where nothing is known of it. Signed numbers do not run over.
func (l *lowering) span(e cfront.Expr) (span, bool) {
	if n, ok := l.constant(e); ok {
		return span{n, n}, true
	}
	switch x := e.(type) {
	case *cfront.Cast:
		if x.DType == expr.Int32 || x.DType == expr.Int64 {
			return l.span(x.X)
		}
	case *cfront.Ref:
		if s, ok := l.env[key{x.Var, 0}]; ok && s.x != nil && s.t.IsInteger() {
			return l.valueSpan(s.x, deepSpan)
		}
	case *cfront.Member:
		if r, ok := x.X.(*cfront.Ref); ok && r.Var.Class == cfront.Builtin && r.Var.Name == "threadIdx" {
			return span{0, mostPlace - 1}, true
		}
	case *cfront.Call:
		if x.Func == "get_local_id" {
			return span{0, mostPlace - 1}, true
		}
	case *cfront.Binary:
		a, first := l.span(x.X)
		b, second := l.span(x.Y)
		if x.Op == "&" && second || first && second {
			return spanOf(x.Op, a, b)
		}
	}
	return span{}, false
}

// operators are those of values as span knows them.
var operators = map[ssa.Op]string{ssa.Add: "+", ssa.Sub: "-", ssa.And: "&", ssa.Mul: "*"}

// deepSpan is how many operations on each other are followed, at most.
const deepSpan = 6

// valueSpan bounds a value; false where nothing is known of it.
func (l *lowering) valueSpan(v *ssa.Value, deep int) (span, bool) {
	switch {
	case deep == 0:
		return span{}, false
	case v.Op == ssa.Const:
		return span{v.Int, v.Int}, true
	case v.Op == ssa.Special && strings.HasPrefix(v.Aux, "SR_TID"):
		return span{0, mostPlace - 1}, true
	case v.Op == ssa.Phi:
		s, ok := l.counters[v]
		return s, ok
	}
	if op := operators[v.Op]; op != "" && len(v.Args) == 2 {
		a, first := l.valueSpan(v.Args[0], deep-1)
		b, second := l.valueSpan(v.Args[1], deep-1)
		if v.Op == ssa.And && second || first && second {
			return spanOf(op, a, b)
		}
	}
	return span{}, false
}

// bounds is to be done at the beginning of the iterations of a loop, whose counter is then known to be within the first value and the end.
func (l *lowering) bounds(c *counter) func() {
	if c == nil || c.late || c.once || c.step != "+" || c.op != "<" && c.op != "<=" {
		return func() {}
	}
	first, known := l.span(&cfront.Ref{Var: c.v})
	end, bounded := l.span(c.end)
	by, _ := l.constant(c.by)
	return func() {
		if phi := l.env[key{c.v, 0}].x; known && bounded && by > 0 && phi != nil && phi.Op == ssa.Phi {
			l.counters[phi] = span{first.least, max(end.most, first.least)}
		}
	}
}

func spanOf(op string, a, b span) (span, bool) {
	const far = math.MaxInt32
	for _, n := range []int64{a.least, a.most, b.least, b.most} {
		if n > far || n < -far {
			return span{}, false
		}
	}
	switch {
	case op == "+":
		return span{a.least + b.least, a.most + b.most}, true
	case op == "-":
		return span{a.least - b.most, a.most - b.least}, true
	case op == "&" && b.least >= 0:
		return span{0, b.most}, true
	case op == "*" && b.least >= 0 && b.least == b.most:
		return span{a.least * b.least, a.most * b.most}, true
	case op == "/" && b.least > 0 && b.least == b.most:
		return span{a.least / b.least, a.most / b.least}, true
	}
	return span{}, false
}

// mostTrips is how often a loop turns at most; false where that is not known.
func (l *lowering) mostTrips(c *counter) (int64, bool) {
	first, ok := l.span(&cfront.Ref{Var: c.v})
	by, known := l.constant(c.by)
	end, bounded := l.span(c.end)
	if !ok || !known || by <= 0 || c.step != "+" || !bounded || c.op != "<" && c.op != "<=" {
		return 0, false
	}
	most := end.most - first.least
	if c.op == "<" {
		most--
	}
	return max(most/by+1, 0), true
}
