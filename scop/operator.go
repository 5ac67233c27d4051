package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/cfront/inline"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

func (b *builder) unary(x *cfront.Unary) expr.Expr {
	switch x.Op {
	case "+":
		return b.value(x.X)
	case "-":
		return &expr.Op{Kind: expr.Neg, Args: []expr.Expr{b.promoted(x.X, x.DType)}}
	case "~":
		return &expr.Op{Kind: expr.BitNot, Args: []expr.Expr{b.promoted(x.X, x.DType)}}
	}
	return cexpr.Number(b.truth(x))
}

// promoted is an operand in the type in which C computes.
func (b *builder) promoted(e cfront.Expr, t expr.DType) expr.Expr {
	b.observed(e, t, false)
	return cexpr.Promoted(b.value(e), e.Type(), t)
}

func (b *builder) binary(x *cfront.Binary) expr.Expr {
	if _, ok := cexpr.Tests[x.Op]; ok {
		return cexpr.Number(b.truth(x))
	}
	if x.DType.IsInteger() && (x.Op == "/" || x.Op == "%") {
		return b.division(x)
	}
	op, ok := cexpr.Operators[x.Op]
	if !ok || x.DType == "" {
		b.fail(x, "", "the operator %s has no place in a loop nest", x.Op)
	}
	left := b.promoted(x.X, x.DType)
	if op == expr.Shr {
		b.observed(x.X, x.DType, !x.DType.IsSigned())
	}
	if op == expr.Shl || op == expr.Shr {
		return cexpr.Shift(op, left, b.value(x.Y), x.DType, x.Y.Type())
	}
	return expr.Binary(op, left, b.promoted(x.Y, x.DType))
}

// division is a quotient or remainder of integers, rounded towards zero. Where both operands are known not to be negative
// it is the operator of kernels, which rounds down.
func (b *builder) division(x *cfront.Binary) expr.Expr {
	var pieces []piece
	floor := b.probe(func() { pieces = b.affine(x.X) }) && len(pieces) == 1 && b.holds(x, polycount.GE(pieces[0].value, polycount.Int(0)))
	if d, ok := x.Y.(*cfront.Int); !ok || d.Value <= 0 {
		floor = false
	}
	b.observed(x.X, x.DType, !x.DType.IsSigned())
	b.observed(x.Y, x.DType, !x.DType.IsSigned())
	left, right := b.promoted(x.X, x.DType), b.promoted(x.Y, x.DType)
	if floor || !x.DType.IsSigned() {
		op := expr.FloorDiv
		if x.Op == "%" {
			op = expr.Mod
		}
		return expr.Binary(op, left, right)
	}
	return &expr.Call{Func: b.rounding(x.Op, x.DType), Args: []expr.Expr{left, right}}
}

// rounding is the name of the function that divides as C does.
func (b *builder) rounding(op string, t expr.DType) string {
	divide := cexpr.Division(op, t)
	if !slices.ContainsFunc(b.nest.Functions, func(f *kernel.Function) bool { return f.Name == divide.Name }) {
		b.nest.Functions = append(b.nest.Functions, divide)
	}
	return divide.Name
}

// truth reads a condition that may depend on data. One that is affine is written by its constraints.
func (b *builder) truth(e cfront.Expr) expr.Expr {
	var holds *polycount.Set
	if b.probe(func() { holds = b.condition(e) }) {
		guard, err := holds.Gist(b.domain)
		b.try(e.Place(), err)
		return cexpr.Disjunction(guard)
	}
	switch x := e.(type) {
	case *cfront.Unary:
		if x.Op == "!" {
			return expr.Negate(b.truth(x.X))
		}
	case *cfront.Binary:
		op, ok := cexpr.Tests[x.Op]
		switch {
		case op == expr.And || op == expr.Or:
			left := b.truth(x.X)
			var right expr.Expr
			b.under(x.X, op == expr.And, func() { right = b.truth(x.Y) })
			return &expr.Op{Kind: op, Args: []expr.Expr{left, right}}
		case ok:
			t := commonType(x)
			if !t.IsInteger() || t.IsSigned() {
				b.observed(x.X, t, false)
				b.observed(x.Y, t, false)
				return expr.Binary(op, b.value(x.X), b.value(x.Y))
			}
			b.observed(x.X, t, true)
			b.observed(x.Y, t, true)
			return expr.Binary(op, b.promoted(x.X, t), b.promoted(x.Y, t))
		}
	}
	return expr.Binary(expr.Ne, b.value(e), expr.Int{Value: 0})
}

// under reads a part of an expression that is evaluated only if the condition holds, or does not. Where that depends on data, the part is
// taken to be evaluated.
func (b *builder) under(condition cfront.Expr, holds bool, read func()) {
	domain, narrow := b.domain, b.narrow
	b.probe(func() {
		c := b.condition(condition)
		var err error
		if holds {
			c, err = domain.Intersect(c)
		} else {
			c, err = domain.Subtract(c)
		}
		b.try(condition.Place(), err)
		b.domain, b.narrow = c, true
	})
	read()
	b.domain, b.narrow = domain, narrow
}

func (b *builder) choice(x *cfront.Select) expr.Expr {
	out := &expr.Cond{If: b.truth(x.If)}
	b.under(x.If, true, func() { out.Then = b.promoted(x.Then, x.DType) })
	b.under(x.If, false, func() { out.Else = b.promoted(x.Else, x.DType) })
	return out
}

func (b *builder) cast(x *cfront.Cast) expr.Expr {
	if x.DType == "" || x.DType == expr.Bool {
		b.fail(x, "", "a conversion to another type than a number has no place in a loop nest")
	}
	if x.X.Type() == x.DType {
		return b.value(x.X)
	}
	b.observed(x.X, x.DType, false)
	return &expr.Cast{DType: x.DType, Arg: b.value(x.X)}
}

// pure reports that a call has no effect.
func (b *builder) pure(x *cfront.Call) bool { _, _, ok := b.library(x); return ok }

// library is the function of the mathematical library that is called, unless the file has a function of that name.
func (b *builder) library(x *cfront.Call) (name string, t expr.DType, ok bool) {
	if b.file.Function(x.Func) != nil || slices.Contains(notC, x.Func) {
		return "", "", false
	}
	return cexpr.LibraryFunction(x)
}

// notC are functions of kernels that C's library does not have.
var notC = []string{"min", "max", "minf", "maxf", "mad", "madf"}

// maxCalls bounds the functions that call each other.
const maxCalls = 20

func (b *builder) call(x *cfront.Call) expr.Expr {
	if f := b.file.Function(x.Func); f != nil {
		value, ok := cfront.Inlined(f, x)
		if !ok {
			b.fail(x, "", "the call of %s, which does more than return an expression", x.Func)
		}
		if b.calls++; b.calls > maxCalls {
			b.fail(x, "", "functions call each other more than %d deep", maxCalls)
		}
		defer func() { b.calls-- }()
		return b.value(value)
	}
	name, t, ok := b.library(x)
	if of, whole, summarized := inline.Summarized(b.file, x); summarized && !ok {
		return b.summarized(x, of, whole)
	}
	if !ok {
		b.fail(x, "give it a body, or a summary of its accesses (perf help c)", "the call of %s may have effects that are not seen here", x.Func)
	}
	var args []expr.Expr
	for _, a := range x.Args {
		b.observed(a, t, false)
		args = append(args, cexpr.Converted(b.value(a), a.Type(), t))
	}
	if name == "pow" {
		return expr.Binary(expr.Pow, args[0], args[1])
	}
	return &expr.Call{Func: name, Args: args}
}
