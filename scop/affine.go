package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/polycount"
)

// piece is an affine value where a set over the open iterators holds; nil is everywhere.
type piece struct {
	when  *polycount.Set
	value polycount.Affine
}

// everywhere is the set of all points of the open iterators.
func (b *builder) everywhere() *polycount.Set { return polycount.NewSet(nil, b.iters) }

func (b *builder) and(at cfront.Expr, x, y *polycount.Set) *polycount.Set {
	if x == nil {
		return y
	}
	if y == nil {
		return x
	}
	out, err := x.Intersect(y)
	b.try(at.Place(), err)
	return out
}

// affine reads an integer expression: its pieces are disjoint and cover all values of the iterators and parameters. What the region does not change is a
// parameter. Anything else is a fault.
func (b *builder) affine(e cfront.Expr) (list []piece) {
	why := b.fault(func() { list = b.linear(e) })
	if why == nil {
		return list
	}
	if value, ok := b.given(e); ok {
		return []piece{{nil, value}}
	}
	panic(*why)
}

func (b *builder) linear(e cfront.Expr) []piece {
	t := e.Type()
	if t.IsFloat() {
		b.fail(e, "", "a floating-point number is not affine in iterators and parameters")
	}
	switch x := e.(type) {
	case *cfront.Int:
		return []piece{{nil, polycount.Int(x.Value)}}
	case *cfront.Ref:
		if v := x.Var; !slices.Contains(b.at, v) && (b.uses.iterators[v] || b.uses.written[v]) {
			if list, ok := b.valueOf(v); ok {
				return b.use(list)
			}
		}
		return []piece{{nil, polycount.Name(b.integer(x))}}
	case *cfront.Cast:
		if t.IsInteger() && x.X.Type().IsInteger() {
			return b.operand(x.X, t)
		}
	case *cfront.Unary:
		switch x.Op {
		case "+":
			return b.operand(x.X, t)
		case "-":
			return b.each(x, b.operand(x.X, t), polycount.Affine.Neg)
		}
	case *cfront.Select:
		return b.alternatives(x)
	case *cfront.Binary:
		return b.arithmetic(x)
	case *cfront.Index:
		b.fail(e, "", "%s is data, which is not affine in iterators and parameters", describe(e))
	case *cfront.Call:
		b.fail(e, "", "the value of a call of %s is not affine in iterators and parameters", x.Func)
	}
	b.fail(e, "", "%s is not affine in iterators and parameters", foreign(e))
	return nil
}

// each applies a function to the values.
func (b *builder) each(at cfront.Expr, list []piece, f func(polycount.Affine) polycount.Affine) []piece {
	out := make([]piece, len(list))
	for i, p := range list {
		out[i] = piece{p.when, f(p.value)}
		b.try(at.Place(), out[i].value.Err())
	}
	return out
}

// pairs applies a function to the values of two expressions where both are.
func (b *builder) pairs(at cfront.Expr, xs, ys []piece, f func(x, y polycount.Affine) polycount.Affine) []piece {
	var out []piece
	for _, x := range xs {
		for _, y := range ys {
			p := piece{b.and(at, x.when, y.when), f(x.value, y.value)}
			b.try(at.Place(), p.value.Err())
			if x.when != nil && y.when != nil {
				empty, err := p.when.IsEmpty()
				b.try(at.Place(), err)
				if empty {
					continue
				}
			}
			if out = append(out, p); len(out) > maxPieces {
				b.fail(at, "", "this has more than %d alternatives", maxPieces)
			}
		}
	}
	return out
}

// maxPieces bounds the alternatives of one expression.
const maxPieces = 64

func (b *builder) alternatives(x *cfront.Select) []piece {
	holds := b.condition(x.If)
	not, err := b.everywhere().Subtract(holds)
	b.try(x.Pos, err)
	var out []piece
	for i, side := range []cfront.Expr{x.Then, x.Else} {
		when := []*polycount.Set{holds, not}[i]
		b.readUnder(x, when, func() {
			for _, p := range b.operand(side, x.DType) {
				out = append(out, piece{b.and(x, when, p.when), p.value})
			}
		})
	}
	if len(out) > maxPieces {
		b.fail(x, "", "this has more than %d alternatives", maxPieces)
	}
	return out
}

func (b *builder) arithmetic(x *cfront.Binary) []piece {
	switch x.Op {
	case "+":
		return b.pairs(x, b.operand(x.X, x.DType), b.operand(x.Y, x.DType), polycount.Affine.Add)
	case "-":
		return b.pairs(x, b.operand(x.X, x.DType), b.operand(x.Y, x.DType), polycount.Affine.Sub)
	case "*":
		xs, ys := b.operand(x.X, x.DType), b.operand(x.Y, x.DType)
		if !constant(ys) {
			xs, ys = ys, xs
		}
		if !constant(ys) {
			b.fail(x, "", "a product of iterators or parameters is not affine")
		}
		return b.pairs(x, xs, ys, func(x, y polycount.Affine) polycount.Affine { return x.Scale(y.Constant()) })
	case "<<":
		ys := b.affine(x.Y)
		if constant(ys) && len(ys) == 1 && ys[0].value.Constant() >= 0 && ys[0].value.Constant() < 31 {
			return b.each(x, b.operand(x.X, x.DType), func(a polycount.Affine) polycount.Affine { return a.Scale(1 << ys[0].value.Constant()) })
		}
	case "/", "%":
		return b.quotient(x)
	}
	b.fail(x, "", "the operator %s is not affine in iterators and parameters", x.Op)
	return nil
}

// quotient reads / and % by a positive constant. C rounds towards zero, so that where the sign of the dividend is not known there are
// alternatives.
func (b *builder) quotient(x *cfront.Binary) []piece {
	ys := b.affine(x.Y)
	if !constant(ys) || len(ys) != 1 || ys[0].value.Constant() <= 0 {
		b.fail(x, "", "%s is affine for positive constants on the right alone", x.Op)
	}
	d := ys[0].value.Constant()
	divide := func(a polycount.Affine) polycount.Affine {
		if x.Op == "%" {
			return a.Mod(d)
		}
		return a.FloorDiv(d)
	}
	xs := b.operand(x.X, x.DType)
	if !x.DType.IsSigned() {
		b.wraps(x.X, xs)
	}
	var out []piece
	for _, p := range xs {
		a, zero := p.value, polycount.Int(0)
		up, down := piece{p.when, divide(a)}, piece{p.when, divide(a.Neg()).Neg()}
		switch {
		case !x.DType.IsSigned() || b.holds(x, polycount.GE(a, zero)):
			out = append(out, up)
		case b.holds(x, polycount.GE(zero, a)):
			out = append(out, down)
		default:
			up.when = b.and(x, p.when, polycount.NewSet(nil, b.iters, polycount.GE(a, zero)))
			down.when = b.and(x, p.when, polycount.NewSet(nil, b.iters, polycount.GE(polycount.Int(-1), a)))
			out = append(out, up, down)
		}
	}
	return out
}

// holds reports whether a constraint holds wherever the current expression is evaluated.
func (b *builder) holds(at cfront.Expr, c polycount.Constraint) bool {
	ok, err := b.domain.Implies(c)
	b.try(at.Place(), err)
	return ok
}

// readUnder reads a part of an expression that is evaluated only at the points of a set.
func (b *builder) readUnder(at cfront.Expr, when *polycount.Set, read func()) {
	domain := b.domain
	b.domain = b.and(at, domain, when)
	read()
	b.domain = domain
}

func constant(list []piece) bool {
	return !slices.ContainsFunc(list, func(p piece) bool { return !p.value.IsConstant() })
}

// integer is the name of an iterator or a parameter.
func (b *builder) integer(x *cfront.Ref) string {
	v := x.Var
	switch {
	case slices.Contains(b.at, v):
		return b.names[v]
	case !v.DType.IsInteger() || len(v.Dims) > 0:
		b.fail(x, "", "%s is not an integer", v.Name)
	case b.uses.iterators[v]:
		b.fail(x, "", "%s is used outside of its loop", v.Name)
	case b.uses.written[v]:
		b.fail(x, "", "the region assigns to %s, so that it is no parameter", v.Name)
	}
	name := b.name(v)
	b.signless[name] = !v.DType.IsSigned()
	b.parameter(name)
	return name
}

// comparisons are the constraints of comparisons; two where one of them suffices.
var comparisons = map[string]func(x, y polycount.Affine) []polycount.Constraint{
	"<": func(x, y polycount.Affine) []polycount.Constraint {
		return []polycount.Constraint{polycount.GE(y, x.AddInt(1))}
	},
	"<=": func(x, y polycount.Affine) []polycount.Constraint { return []polycount.Constraint{polycount.GE(y, x)} },
	">": func(x, y polycount.Affine) []polycount.Constraint {
		return []polycount.Constraint{polycount.GE(x, y.AddInt(1))}
	},
	">=": func(x, y polycount.Affine) []polycount.Constraint { return []polycount.Constraint{polycount.GE(x, y)} },
	"==": func(x, y polycount.Affine) []polycount.Constraint { return []polycount.Constraint{polycount.EQ(x, y)} },
	"!=": func(x, y polycount.Affine) []polycount.Constraint { return polycount.EQ(x, y).Negate() },
}

// condition reads a condition as the set of the points where it holds, over the open iterators. Anything that is not affine is a fault.
func (b *builder) condition(e cfront.Expr) *polycount.Set {
	switch x := e.(type) {
	case *cfront.Unary:
		if x.Op == "!" {
			out, err := b.everywhere().Subtract(b.condition(x.X))
			b.try(x.Pos, err)
			return out
		}
	case *cfront.Binary:
		switch x.Op {
		case "&&":
			left := b.condition(x.X)
			b.readUnder(x, left, func() { left = b.and(x, left, b.condition(x.Y)) })
			return left
		case "||":
			left := b.condition(x.X)
			other, err := b.everywhere().Subtract(left)
			b.try(x.Pos, err)
			var out *polycount.Set
			b.readUnder(x, other, func() { out, err = left.Union(b.condition(x.Y)) })
			b.try(x.Pos, err)
			return out
		}
		if constraints := comparisons[x.Op]; constraints != nil {
			left, right := b.compared(x)
			return b.comparison(x, left, right, constraints)
		}
	}
	return b.comparison(e, b.affine(e), []piece{{nil, polycount.Int(0)}}, comparisons["!="])
}

func (b *builder) comparison(at cfront.Expr, xs, ys []piece, constraints func(x, y polycount.Affine) []polycount.Constraint) *polycount.Set {
	var out *polycount.Set
	for _, x := range xs {
		for _, y := range ys {
			when := b.and(at, x.when, y.when)
			if when == nil {
				when = b.everywhere()
			}
			for _, c := range constraints(x.value, y.value) {
				b.try(at.Place(), c.Affine.Err())
				part, err := when.Constrain(c)
				if err == nil && out != nil {
					part, err = out.Union(part)
				}
				b.try(at.Place(), err)
				out = part
			}
		}
	}
	return b.simple(at.Place(), out)
}

// attempt runs a reading that may end in a fault; ok is false if it did, and then nothing has changed.
func (b *builder) attempt(read func()) (ok bool) { return b.fault(read) == nil }

// probe is attempt for what is only to be known: nothing becomes a parameter for it.
func (b *builder) probe(read func()) (ok bool) {
	probing := b.probing
	b.probing = true
	ok = b.attempt(read)
	b.probing = probing
	return ok
}

// fault is attempt with what it ended in.
func (b *builder) fault(read func()) (why *fault) {
	params, context, domain, head := len(b.nest.Params), len(b.context), b.domain, b.head
	defer func() {
		if e := recover(); e != nil {
			f, isFault := e.(fault)
			if !isFault {
				panic(e)
			}
			b.nest.Params, b.context, b.domain, b.head = b.nest.Params[:params], b.context[:context], domain, head
			why = &f
		}
	}()
	read()
	return nil
}

func describe(e cfront.Expr) string {
	if v := cfront.Whole(e); v != nil {
		return v.Name
	}
	return "this"
}
