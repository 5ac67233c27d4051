package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Affine values are mathematical integers, while C computes modulo 2^32 or 2^64 where an operand has no sign. Sums, differences and products are
// the same modulo that, so that only the result matters where something depends on more than that: comparisons, quotients and conversions to wider
// types. There, a value that may be below 0 is refused. That sums grow beyond the range of their type is left out of account, as for signed ones.

// operand reads an operand of an operation that C computes in a type.
func (b *builder) operand(e cfront.Expr, t expr.DType) []piece {
	list := b.affine(e)
	b.convert(e, list, t)
	return list
}

// convert refuses the conversion of a value to a type if that depends on whether it wrapped around.
func (b *builder) convert(e cfront.Expr, list []piece, t expr.DType) {
	if widens(e.Type(), t) {
		b.wraps(e, list)
	}
}

// widens reports that a conversion from a type without a sign changes the value modulo what the type holds.
func widens(from, to expr.DType) bool {
	return from.IsInteger() && !from.IsSigned() && (!to.IsInteger() || to.Size() > from.Size())
}

// compared reads both sides of a comparison. C converts both to one type: one below 0 is a large number if that has no sign.
func (b *builder) compared(x *cfront.Binary) (left, right []piece) {
	t := commonType(x)
	left, right = b.operand(x.X, t), b.operand(x.Y, t)
	if !t.IsSigned() {
		b.wraps(x.X, left)
		b.wraps(x.Y, right)
	}
	return left, right
}

// commonType is the type in which C compares.
func commonType(x *cfront.Binary) expr.DType {
	return cfront.Operation(x.Pos, "+", x.X, x.Y).DType
}

// wraps refuses a value that C takes to have no sign if it may be below 0 where it is evaluated. In the head of a loop one of parameters alone
// is assumed not to be: a loop with the end n - 1 has more than 2^31 iterations for n = 0.
func (b *builder) wraps(at cfront.Expr, list []piece) {
	for _, p := range list {
		negative := polycount.GE(polycount.Int(-1), p.value)
		where := b.domain
		if p.when != nil {
			where = b.and(at, where, p.when)
		}
		bad, err := where.Constrain(appended(b.context, negative)...)
		b.try(at.Place(), err)
		empty, err := bad.IsEmpty()
		b.try(at.Place(), err)
		if empty {
			continue
		}
		ofParams := !p.value.IsConstant() && !slices.ContainsFunc(p.value.Names(), func(name string) bool { return slices.Contains(b.iters, name) })
		if b.head && p.when == nil && ofParams {
			b.context = append(b.context, polycount.GE(p.value, polycount.Int(0)))
			continue
		}
		condition := ""
		if !p.value.IsConstant() {
			condition = " where " + negative.String()
		}
		e := b.file.Errorf(at.Place(), "`%s` has no sign in C and wraps around below 0%s", p.value, condition)
		panic(fault{e.WithHint("use int, or write the sum on the other side"), true})
	}
}

// atHead reads a part of the head of a loop.
func (b *builder) atHead(read func()) {
	b.head = true
	read()
	b.head = false
}

// observed refuses a value that is converted to a type, or taken as one without a sign, if it is affine and may have wrapped around. Scalars that
// only values use keep their type in kernels, which then wrap as C does: that is known when all is read.
func (b *builder) observed(e cfront.Expr, t expr.DType, signless bool) {
	if !e.Type().IsInteger() || !signless && !widens(e.Type(), t) {
		return
	}
	if x, ok := e.(*cfront.Select); ok {
		b.under(x.If, true, func() { b.observed(x.Then, t, signless) })
		b.under(x.If, false, func() { b.observed(x.Else, t, signless) })
		return
	}
	var list []piece
	params, context := len(b.nest.Params), len(b.context)
	ok := b.probe(func() { list = b.affine(e) })
	var names []*cfront.Var
	for e := range cfront.All(e) {
		if r, isRef := e.(*cfront.Ref); isRef && !slices.Contains(b.at, r.Var) && !r.Var.DType.IsSigned() {
			names = append(names, r.Var)
		}
	}
	b.nest.Params, b.context = b.nest.Params[:params], b.context[:context]
	if !ok {
		return
	}
	domain, iters := b.domain, b.iters
	b.later = append(b.later, func() {
		if slices.ContainsFunc(names, func(v *cfront.Var) bool { return !slices.Contains(b.nest.Params, b.names[v]) }) {
			return
		}
		b.domain, b.iters = domain, iters
		b.wraps(e, list)
	})
}
