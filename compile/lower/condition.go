package lower

import (
	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

func (l *lowering) choose(x *cfront.Select) value {
	if x.If.Type().IsVector() {
		return vectors{l}.chosen(x, l.expression(x.If), l.expression(x.Then), l.expression(x.Else))
	}
	cond := l.condition(x.If)
	if cond.Op == ssa.Const {
		if cond.Int != 0 {
			return l.as(x, l.expression(x.Then))
		}
		return l.as(x, l.expression(x.Else))
	}
	if l.simple(x.Then) && l.simple(x.Else) {
		yes, no := l.as(x, l.expression(x.Then)), l.as(x, l.expression(x.Else))
		if yes.p == nil && yes.at == nil && no.p == nil && no.at == nil {
			out := value{t: yes.t}
			for i := range yes.x {
				out.x = append(out.x, l.Make(ssa.Select, yes.x[i].Type, cond, yes.x[i], no.x[i]))
			}
			return out
		}
	}
	t := l.temporary(x)
	l.split2(cond, func() { l.write(x.Pos, t, l.expression(x.Then)) }, func() { l.write(x.Pos, t, l.expression(x.Else)) })
	return l.read(x.Pos, t)
}

func (l *lowering) as(e cfront.Expr, v value) value {
	if e.Type() == "" || v.p != nil || v.at != nil {
		return v
	}
	return l.convert(e.Place(), v, e.Type())
}

// cheap reports whether an expression has at most so many nodes, has no effect and loads nothing, and has only binary operators that allowed accepts.
func (l *lowering) cheap(e cfront.Expr, most int, allowed func(op string) bool) bool {
	nodes := 0
	dear := func(e cfront.Expr) bool {
		nodes++
		switch x := e.(type) {
		case *cfront.List:
			return true
		case *cfront.Ref:
			return x.Var.Class == cfront.Global || x.Var.Space == cfront.LocalSpace || l.learnt.memory[x.Var]
		case *cfront.Binary:
			return !allowed(x.Op)
		}
		return false
	}
	return l.pure(e) && !cfront.Any(e, dear) && nodes <= most
}

func (l *lowering) simple(e cfront.Expr) bool {
	const most = 8 // operations, above which a jump is cheaper than doing them always
	return l.cheap(e, most, func(op string) bool { return op != "/" && op != "%" && op != "&&" && op != "||" })
}

func (l *lowering) condition(e cfront.Expr) *ssa.Value {
	l.at(e.Place())
	switch x := e.(type) {
	case *cfront.Unary:
		if x.Op == "!" {
			return l.Make(ssa.PNot, ssa.Pred, l.condition(x.X))
		}
	case *cfront.Binary:
		switch x.Op {
		case "&&", "||":
			return l.both(x)
		case "==", "!=", "<", "<=", ">", ">=":
			if !x.X.Type().IsVector() && !x.Y.Type().IsVector() {
				return l.compare(x)
			}
		}
	case *cfront.Cast:
		if x.DType == expr.Bool || x.DType.IsInteger() && isTruth(x.X) {
			return l.condition(x.X)
		}
	}
	v := l.expression(e)
	if v.p != nil {
		if v.p.space == ssa.NoSpace {
			return l.Bool(true)
		}
		a := l.address(v.p)
		return l.nonzero(a, expr.Uint64)
	}
	if len(v.x) != 1 {
		l.fail(e.Place(), "no number stands where a condition should be")
	}
	return l.nonzero(v.x[0], v.t)
}

func isTruth(e cfront.Expr) bool {
	switch x := e.(type) {
	case *cfront.Unary:
		return x.Op == "!"
	case *cfront.Binary:
		switch x.Op {
		case "&&", "||", "==", "!=", "<", "<=", ">", ">=":
			return true
		}
	}
	return false
}

func (l *lowering) both(x *cfront.Binary) *ssa.Value {
	op := ssa.PAnd
	if x.Op == "||" {
		op = ssa.POr
	}
	first := l.condition(x.X)
	if first.Op == ssa.Const {
		if (first.Int != 0) == (op == ssa.POr) {
			return first
		}
		return l.condition(x.Y)
	}
	if l.harmless(x.Y) {
		return l.Make(op, ssa.Pred, first, l.condition(x.Y))
	}
	t := l.hold(ssa.Pred)
	second := func() { l.setHeld(t, l.condition(x.Y)) }
	known := func() { l.setHeld(t, l.Bool(op == ssa.POr)) }
	if op == ssa.POr {
		l.split2(first, known, second)
	} else {
		l.split2(first, second, known)
	}
	return l.getHeld(t)
}

func (l *lowering) harmless(e cfront.Expr) bool {
	if b, ok := e.(*cfront.Binary); ok && (b.Op == "&&" || b.Op == "||") {
		return l.harmless(b.X) && l.harmless(b.Y)
	}
	const most = 12 // the same, where both sides are computed
	return l.cheap(e, most, func(string) bool { return true })
}

// comparisons are operators as machine code names them.
var comparisons = map[string]string{"==": "EQ", "!=": "NE", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}

func (l *lowering) compare(x *cfront.Binary) *ssa.Value {
	a, b := l.expression(x.X), l.expression(x.Y)
	name := comparisons[x.Op]
	if a.p != nil || b.p != nil {
		a, b = l.convert(x.Pos, a, expr.Uint64), l.convert(x.Pos, b, expr.Uint64)
	}
	t := common(a.t, b.t)
	a, b = l.convert(x.Pos, a, t), l.convert(x.Pos, b, t)
	return l.compared(name, t, a.x[0], b.x[0])
}

func (l *lowering) compared(name string, t expr.DType, a, b *ssa.Value) *ssa.Value {
	switch {
	case isHalf(t):
		if name == "NE" {
			name = "NEU"
		}
		return l.MakeAux(ssa.Raw, ssa.Pred, halfName("HSETP2", t)+"."+name+".AND", a, b, l.Const(0))
	case t == expr.Float32 || t == expr.Float64:
		if name == "NE" {
			name = "NEU"
		}
		if t == expr.Float64 {
			return l.MakeAux(ssa.DCmp, ssa.Pred, name, a, b)
		}
		return l.MakeAux(ssa.FCmp, ssa.Pred, name, a, b)
	case !t.IsSigned() && name != "EQ" && name != "NE":
		name += "U"
	}
	return l.MakeAux(ssa.Cmp, ssa.Pred, name, a, b)
}
