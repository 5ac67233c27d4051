package ckernel

import (
	"maps"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// condition holds at the points of a set at which a predicate holds. Without a set it is everywhere; without a predicate it does not depend
// on data.
type condition struct {
	set  *polycount.Set
	pred expr.Expr
}

// answer is what is known of a condition where the current statement runs.
type answer uint8

const (
	unknown answer = iota
	yes
	no
)

func (b *position) decided(c condition) answer {
	switch {
	case c.set == nil && c.pred == nil:
		return yes
	case c.set == nil:
		return unknown
	case b.isEmpty(b.both(b.live.domain, c.set)):
		return no
	case c.pred == nil && b.inside(b.live.domain, c.set):
		return yes
	}
	return unknown
}

func (b *builder) truth(e cfront.Expr) condition {
	switch x := e.(type) {
	case *cfront.Int:
		if x.Value != 0 {
			return condition{}
		}
		return condition{set: nowhere()}
	case *cfront.Unary:
		if x.Op == "!" {
			return b.negated(b.truth(x.X))
		}
	case *cfront.Cast:
		if x.DType == expr.Bool {
			return b.truth(x.X)
		}
	case *cfront.Binary:
		switch x.Op {
		case "&&":
			return b.conjunction(x)
		case "||":
			return b.disjunction(x)
		}
		if cexpr.Tests[x.Op] != "" {
			return b.comparison(x)
		}
	case *cfront.Select:
		return b.choiceTruth(x)
	}
	if n, ok := b.number(e); ok {
		return b.negated(condition{set: b.set(e, n, true)})
	}
	if b.isAddress(e) {
		if b.addressOf(e).isNull() {
			return condition{set: nowhere()}
		}
		return condition{} // it points to something
	}
	v := b.value(e)
	if e.Type().IsVector() { // conditions are free, and those of its lanes are as one
		v = &expr.Cast{DType: e.Type().Base(), Arg: v}
	}
	return condition{pred: expr.Binary(expr.Ne, v, expr.Int{})}
}

func nowhere() *polycount.Set {
	return polycount.NewSet(nil, nil, polycount.GE(polycount.Int(-1), polycount.Int(0)))
}

func (b *faults) negated(c condition) condition {
	switch {
	case c.pred == nil && c.set == nil:
		return condition{set: nowhere()}
	case c.pred == nil:
		return condition{set: b.simple(b.not(c.set))}
	case c.set == nil:
		return condition{pred: expr.Negate(c.pred)}
	}
	return condition{pred: expr.Negate(c.whole())}
}

// whole is a condition as one predicate.
func (c condition) whole() expr.Expr {
	switch {
	case c.pred == nil:
		return cexpr.Disjunction(c.points())
	case c.set == nil:
		return c.pred
	}
	args := []expr.Expr{cexpr.Disjunction(c.set), c.pred}
	return &expr.Op{Kind: expr.And, Args: args}
}

// conjunction reads &&, whose right side is evaluated where the left one holds.
func (b *builder) conjunction(x *cfront.Binary) condition {
	left := b.truth(x.X)
	var right condition
	b.evaluated(&left, true, x.Y, func() { right = b.truth(x.Y) })
	if right.pred == nil {
		return condition{b.both(left.set, right.set), left.pred}
	}
	if left.pred == nil {
		return condition{b.both(left.set, right.set), right.pred}
	}
	return condition{left.set, &expr.Op{Kind: expr.And, Args: []expr.Expr{left.pred, right.whole()}}}
}

func (b *builder) disjunction(x *cfront.Binary) condition {
	left := b.truth(x.X)
	var right condition
	b.evaluated(&left, false, x.Y, func() { right = b.truth(x.Y) })
	switch {
	case left.pred == nil && left.set == nil:
		return left
	case left.pred == nil && right.pred == nil && right.set == nil:
		return right
	case left.pred == nil && right.pred == nil:
		return condition{set: b.simple(b.union(left.set, right.set))}
	}
	return condition{pred: &expr.Op{Kind: expr.Or, Args: []expr.Expr{left.whole(), right.whole()}}}
}

// choiceTruth reads c ? x : y as a condition.
func (b *builder) choiceTruth(x *cfront.Select) condition {
	c := b.truth(x.If)
	switch b.decided(c) {
	case yes:
		return b.truth(x.Then)
	case no:
		return b.truth(x.Else)
	}
	var then, other condition
	b.evaluated(&c, true, x.Then, func() { then = b.truth(x.Then) })
	b.evaluated(&c, false, x.Else, func() { other = b.truth(x.Else) })
	if c.pred == nil && then.pred == nil && other.pred == nil {
		return condition{set: b.simple(b.union(b.both(c.set, then.set), b.both(b.not(c.set), other.set)))}
	}
	return condition{pred: &expr.Cond{If: c.whole(), Then: then.whole(), Else: other.whole()}}
}

// evaluated reads an expression that is evaluated only where a condition holds, or does not. What it changes is changed only there. A condition on
// data that statements depend on becomes a flag.
func (b *bindings) evaluated(c *condition, holds bool, e cfront.Expr, read func()) {
	if b.decided(*c) != unknown || !b.hasStatements(e) {
		b.under(*c, holds, read)
		return
	}
	before, env, when := b.live, maps.Clone(b.env), c.set
	if c.pred == nil {
		b.under(*c, holds, read)
	} else {
		then, other := b.onData(e.Place(), c)
		if b.live, when = then, nil; !holds {
			b.live = other
		}
		read()
	}
	b.live = before
	if !b.changesVariables(e) {
		return
	}
	if holds {
		b.env = b.merge(decision{set: when}, b.env, env)
	} else {
		b.env = b.merge(decision{set: when}, env, b.env)
	}
}

// under reads a part that is evaluated only where a condition holds, or does not.
func (b *position) under(c condition, holds bool, read func()) {
	before := b.live
	switch {
	case c.set == nil:
	case holds:
		b.live = b.narrowed(b.both(b.live.domain, c.set))
	case c.pred == nil:
		rest, err := b.live.domain.Subtract(c.set)
		b.try(err)
		b.live = b.narrowed(rest)
	}
	read()
	b.live.domain, b.live.preds = before.domain, before.preds
}

func (b *builder) comparison(x *cfront.Binary) condition {
	t := cfront.Operation(x.Pos, "+", x.X, x.Y).DType
	p, ok := b.number(x.X)
	var q *expr.Poly
	if ok {
		q, ok = b.number(x.Y)
	}
	if ok && !(b.wraps(x.X, p, t) && b.wraps(x.Y, q, t) && b.comparable(x, p, q, t)) {
		ok = false
	}
	if !ok {
		if b.isAddress(x.X) || b.isAddress(x.Y) {
			return b.addressComparison(x)
		}
		return condition{pred: expr.Binary(cexpr.Tests[x.Op], b.operand(x.X, t), b.operand(x.Y, t))}
	}
	p, q = b.wrapped(x.X, p, t), b.wrapped(x.Y, q, t)
	if !t.IsSigned() && t != expr.Bool {
		left, right := b.nonNegative(p), b.nonNegative(q)
		switch {
		case !left && !right:
			b.fail(x, "convert them to int", "numbers without sign are compared that may be below 0, where they are very large")
		case !left:
			return b.unsigned(x, x.Op, p, q)
		case !right:
			return b.unsigned(x, mirrored[x.Op], q, p)
		}
	}
	return condition{set: b.compared(x, x.Op, p, q)}
}

// comparable reports whether it is known where a comparison of two numbers holds: not of two without sign that may both be below 0, where they are very large.
func (b *builder) comparable(x *cfront.Binary, p, q *expr.Poly, t expr.DType) bool {
	if b.inTrial(p) || b.inTrial(q) || b.hasSize(p) || b.hasSize(q) {
		return true
	}
	p, q = b.wrapped(x.X, p, t), b.wrapped(x.Y, q, t)
	if !t.IsSigned() && t != expr.Bool && !b.nonNegative(p) && !b.nonNegative(q) {
		return false
	}
	_, linear := b.where(minus(p, q), x.Op == "==" || x.Op == "!=")
	return linear
}

// mirrored are the comparisons with their sides exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

// unsigned compares a number without sign that may be below 0, where it is greater than all that are not.
func (b *terms) unsigned(at *cfront.Binary, op string, p, q *expr.Poly) condition {
	natural := b.set(at, p, false)
	set := b.compared(at, op, p, q)
	switch op {
	case "<", "<=", "==":
		return condition{set: b.both(natural, set)}
	}
	return condition{set: b.simple(b.union(b.not(natural), set))}
}

// compared is where a comparison of two numbers holds.
func (b *terms) compared(at *cfront.Binary, op string, p, q *expr.Poly) *polycount.Set {
	switch op {
	case "<":
		return b.set(at, minus(minus(q, p), constant(1)), false)
	case "<=":
		return b.set(at, minus(q, p), false)
	case ">":
		return b.set(at, minus(minus(p, q), constant(1)), false)
	case ">=":
		return b.set(at, minus(p, q), false)
	case "==":
		return b.set(at, minus(p, q), true)
	}
	return b.not(b.set(at, minus(p, q), true))
}

// isAddress reports whether the value of an expression is an address.
func (b *builder) isAddress(e cfront.Expr) bool {
	return e.PointsTo() != "" || isNull(e) && e.Type() == "" || e.Type() == "" && isPointer(e)
}

// addressComparison compares addresses. Those of arrays and variables are not null, and of different arrays they are not equal.
func (b *builder) addressComparison(x *cfront.Binary) condition {
	never := condition{set: nowhere()}
	equal := map[string]condition{"==": {}, "!=": never}
	apart := map[string]condition{"==": never, "!=": {}}
	if isNull(x.X) || isNull(x.Y) {
		of := x.X
		if isNull(of) {
			of = x.Y
		}
		if isNull(of) {
			return equal[x.Op]
		}
		at := b.addressOf(of)
		if x.Op != "==" && x.Op != "!=" {
			b.fail(x, "compare indices", "an address is compared with that of nothing")
		}
		if at.isNull() {
			return equal[x.Op]
		}
		return apart[x.Op]
	}
	p, q := b.addressOf(x.X), b.addressOf(x.Y)
	switch {
	case p.array != nil && p.array == q.array && !b.isData(p.offset) && !b.isData(q.offset):
		return condition{set: b.compared(x, x.Op, p.offset, q.offset)}
	case p.array != nil && p.array == q.array:
		return condition{pred: expr.Binary(cexpr.Tests[x.Op], b.free(b.express(p.offset)), b.free(b.express(q.offset)))}
	case (x.Op == "==" || x.Op == "!=") && (p.array != q.array || p.alias != q.alias) && !b.mayMeet(p, q):
		return apart[x.Op]
	}
	if x.Op != "==" && x.Op != "!=" {
		b.fail(x, "compare indices", "pointers are compared")
	}
	same := &kernel.Function{Name: "one_array", Result: expr.Int32, Counts: map[expr.DType]map[string]int64{}, Body: "return whether_arguments_are_equal;"}
	return condition{pred: expr.Binary(cexpr.Tests[x.Op], &expr.Call{Func: b.function(same)}, expr.Int{Value: 1})}
}

// mayMeet reports whether two addresses may be the same: arguments of a kernel may point to one array.
func (b *builder) mayMeet(p, q *address) bool {
	argument := func(a *address) bool { return a.array != nil && a.array.v.Class == cfront.Param }
	return argument(p) && argument(q)
}
