package ckernel

import (
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

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
