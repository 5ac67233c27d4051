package lower

import (
	"math"

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
		if s, ok := l.env[key{x.Var, 0}]; ok && s.x != nil && s.x.Op == ssa.Special && len(s.x.Aux) > 6 && s.x.Aux[:6] == "SR_TID" {
			return span{0, mostPlace - 1}, true
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
