package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// code is a piece of C with the strength of its outermost operator.
type code struct {
	text string
	prec int
}

// Strengths of C's operators, weakest first.
const (
	precCond = iota
	precOr
	precAnd
	precBitOr
	precBitXor
	precBitAnd
	precEqual
	precLess
	precShift
	precSum
	precProduct
	precUnary
	precAtom
)

// at gives the text for a place that needs an operator of at least this strength.
func (c code) at(prec int) string {
	if c.prec < prec {
		return "(" + c.text + ")"
	}
	return c.text
}

// term is coefficient·text.
type term struct {
	coeff int64
	of    code
}

// inIteration replaces names that are constant at the current place by their values.
func (w *writer) inIteration(a polycount.Affine) polycount.Affine { return a.Subst(w.fixed) }

// terms splits an affine expression into printed terms, the larger coefficients first, and the constant.
func (w *writer) terms(a polycount.Affine) ([]term, int64) {
	if err := a.Err(); err != nil {
		w.check(err)
		return nil, 0
	}
	a, mods := modulos(a)
	out := lists.Map(mods, func(m modulo) term { return term{m.coeff, w.divided("floor_mod", "%", m.num, m.den)} })
	for _, t := range a.All() {
		c := code{w.name(t.Name), precAtom}
		if a := w.k.Array(t.Name); a != nil && !a.IsValue && a.DType != w.index { // a temporary that bounds a loop
			c = code{fmt.Sprintf("(%s) %s", w.types[w.index], c.text), precUnary}
		}
		if t.Floor != nil {
			c = w.divided("floor_div", "/", t.Floor.Num, t.Floor.Den)
		}
		out = append(out, term{t.Coeff, c})
	}
	slices.SortStableFunc(out, func(x, y term) int {
		return cmp.Compare(max(y.coeff, -y.coeff), max(x.coeff, -x.coeff))
	})
	return out, a.Constant()
}

// modulo is coeff·(num mod den).
type modulo struct {
	coeff int64
	num   polycount.Affine
	den   int64
}

// modulos takes the pairs coeff·num − coeff·den·⌊num/den⌋ out of an expression where that leaves fewer names.
func modulos(a polycount.Affine) (rest polycount.Affine, mods []modulo) {
	for _, t := range a.All() {
		if t.Floor == nil || t.Coeff%t.Floor.Den != 0 {
			continue
		}
		c := -t.Coeff / t.Floor.Den
		left := a.Sub(t.Floor.Num.Mod(t.Floor.Den).Scale(c))
		if left.Err() == nil && left.Len() < a.Len()-1 {
			a = left
			mods = append(mods, modulo{c, t.Floor.Num, t.Floor.Den})
		}
	}
	return a, mods
}

// divided writes num/den or num%den: as C does it where num is not negative, by a helper function otherwise.
func (w *writer) divided(helper, op string, num polycount.Affine, den int64) code {
	n := w.affine(num)
	if w.implied(polycount.Constraint{Affine: num}) {
		return code{fmt.Sprintf("%s %s %d", n.at(precProduct), op, den), precProduct}
	}
	return code{fmt.Sprintf("%s(%s, %d)", w.help(helper, w.index), n.text, den), precAtom}
}

// implied decides whether c holds at the current place.
func (w *writer) implied(c polycount.Constraint) bool {
	if c.Affine.IsConstant() {
		return c.Affine.Constant() >= 0 && (!c.Equality || c.Affine.Constant() == 0)
	}
	if w.known == nil {
		var err error
		if w.known, err = polycount.NewSet(nil, nil).Constrain(w.context...); err != nil {
			w.check(err)
			return false
		}
	}
	ok, err := w.known.Implies(c)
	w.check(err)
	return ok && err == nil
}

// assume calls f with more conditions known.
func (w *writer) assume(cs []polycount.Constraint, f func()) {
	context, known := w.context, w.known
	w.context, w.known = append(slices.Clip(context), cs...), nil
	f()
	w.context, w.known = context, known
}

// affine writes an affine expression.
func (w *writer) affine(a polycount.Affine) code {
	return sum(w.terms(w.inIteration(a)))
}

// sum writes Σ coeff·text + constant, a positive term first where there is one.
func sum(terms []term, constant int64) code {
	terms = slices.Clone(terms)
	if i := slices.IndexFunc(terms, func(t term) bool { return t.coeff > 0 }); i > 0 && constant <= 0 {
		first := terms[i]
		terms = slices.Insert(slices.Delete(terms, i, i+1), 0, first)
	}
	if constant > 0 && len(terms) > 0 && !slices.ContainsFunc(terms, func(t term) bool { return t.coeff > 0 }) {
		terms = slices.Insert(terms, 0, term{constant, code{"", precAtom}})
		constant = 0
	}
	var b strings.Builder
	prec := precAtom
	put := func(negative bool, text string, p int) {
		switch {
		case b.Len() == 0 && negative:
			b.WriteString("-" + text)
			prec = min(p, precUnary)
		case b.Len() == 0:
			b.WriteString(text)
			prec = p
		case negative:
			b.WriteString(" - " + text)
			prec = precSum
		default:
			b.WriteString(" + " + text)
			prec = precSum
		}
	}
	for _, t := range terms {
		c := max(t.coeff, -t.coeff)
		switch {
		case t.of.text == "":
			put(t.coeff < 0, strconv.FormatInt(c, 10), precAtom)
		case c == 1 && t.coeff > 0:
			put(false, t.of.at(precProduct), max(t.of.prec, precProduct))
		case c == 1:
			put(true, t.of.at(precUnary), max(t.of.prec, precUnary))
		default:
			put(t.coeff < 0, fmt.Sprintf("%d*%s", c, t.of.at(precUnary)), precProduct)
		}
	}
	if constant != 0 || b.Len() == 0 {
		put(constant < 0, strconv.FormatInt(max(constant, -constant), 10), precAtom)
	}
	return code{b.String(), prec}
}

// condition writes a constraint as a comparison with positive terms on both sides.
func (w *writer) condition(c polycount.Constraint) code {
	terms, constant := w.terms(w.inIteration(c.Affine))
	var small, large []term // small <= large + constant
	for _, t := range terms {
		if t.coeff < 0 {
			small = append(small, term{-t.coeff, t.of})
		} else {
			large = append(large, t)
		}
	}
	l, r := int64(0), constant
	op, prec := "<=", precLess
	switch {
	case c.Equality:
		op, prec = "==", precEqual
		if len(small) == 0 {
			small, large = large, nil
			r = -r
		}
	case len(small) == 0: // large >= -constant
		small, large, op, r = large, nil, ">=", -constant
	case constant == -1 && len(large) > 0:
		op, r = "<", 0
	}
	if r < 0 && len(large) > 0 {
		l, r = -r, 0
	}
	return code{fmt.Sprintf("%s %s %s", sum(small, l).at(prec+1), op, sum(large, r).at(prec+1)), prec}
}

// element writes an access: a name for a scalar, otherwise the flattened index, grouped by the strides that are not
// constant, as in a[n*(16*gid(1) + lid(1)) + 16*k_outer + lid(0)].
func (w *writer) element(name string, index []expr.Expr) code {
	a := w.k.Array(name)
	if a == nil || a.IsValue || len(index) == 0 && a.Space != kernel.Global && a.Offset == nil {
		return code{w.name(name), precAtom}
	}
	return code{w.name(name) + "[" + w.flat(a, index) + "]", precAtom}
}

// place lists the indices of an access and the strides along its axes, the offset of the array last.
func (w *writer) place(a *kernel.Array, index []expr.Expr) (at, strides []*linear.Index) {
	if len(index) != len(a.Shape) {
		w.fail("%s has %d axes, and is indexed by %d", a.Name, len(a.Shape), len(index))
		return nil, nil
	}
	layout, err := w.nest.Layout(a)
	if err != nil {
		w.check(err)
		return nil, nil
	}
	for _, e := range index {
		at = append(at, w.nest.Index(e))
	}
	strides = layout.Strides
	if layout.Offset != nil {
		at, strides = append(at, layout.Offset), append(slices.Clip(strides), w.nest.Index(expr.Int{Value: 1}))
	}
	return at, strides
}

// flat writes the flattened index.
func (w *writer) flat(a *kernel.Array, index []expr.Expr) string {
	at, strides := w.place(a, index)
	var flat polycount.Affine // what has constant strides
	var parts []term
	for i, x := range at {
		isAffine := x.Kind == linear.AffineIndex
		if s, ok := strides[i].Constant(); ok && isAffine {
			flat = flat.Add(x.Affine.Scale(s))
			continue
		}
		if v := w.inIteration(x.Affine); isAffine && v.IsConstant() && v.Constant() == 0 {
			continue
		}
		parts = append(parts, w.scaled(strides[i], w.integer(x)))
	}
	rest, constant := w.terms(w.inIteration(flat))
	return sum(append(parts, rest...), constant).text
}

// scaled is stride·c.
func (w *writer) scaled(stride *linear.Index, c code) term {
	if s, ok := stride.Constant(); ok {
		return term{s, c}
	}
	s := w.integer(stride)
	if c.text == "1" {
		return term{1, s}
	}
	return term{1, code{s.at(precProduct) + "*" + c.at(precUnary), precProduct}}
}

// integer writes an index expression: all of its arithmetic is in the index type, which holds what an exact index needs.
func (w *writer) integer(x *linear.Index) code {
	switch x.Kind {
	case linear.AffineIndex:
		return w.affine(x.Affine)
	case linear.ArithmeticIndex:
		args := lists.Map(x.Args, w.integer)
		return indexOps[x.Op](w, args)
	case linear.SelectIndex:
		return choice(w.truth(x.Args[0].Of), w.integer(x.Args[1]), w.integer(x.Args[2]))
	}
	c, t := w.expr(x.Of)
	if !t.IsInteger() {
		w.fail("index %s is not an integer", x.Of)
	}
	if w.index == expr.Int64 && t != expr.Int64 {
		return w.cast(c, expr.Int64)
	}
	return c
}

// choice writes a select.
func choice(test, then, other code) code {
	return code{fmt.Sprintf("%s ? %s : %s", test.at(precOr), then.at(precOr), other.at(precOr)), precCond}
}

// indexOps write the operators of index expressions.
var indexOps = map[expr.OpKind]func(w *writer, args []code) code{
	expr.Add:      func(_ *writer, args []code) code { return joined(args, " + ", precSum, precSum) },
	expr.Sub:      func(_ *writer, args []code) code { return joined(args, " - ", precSum, precProduct) },
	expr.Mul:      func(_ *writer, args []code) code { return joined(args, "*", precProduct, precUnary) },
	expr.FloorDiv: func(w *writer, args []code) code { return nested(w.help("floor_div", w.index), args) },
	expr.Mod:      func(w *writer, args []code) code { return nested(w.help("floor_mod", w.index), args) },
	expr.Min:      func(w *writer, args []code) code { return nested("min", w.indexTyped(args)) },
	expr.Max:      func(w *writer, args []code) code { return nested("max", w.indexTyped(args)) },
	expr.Neg:      func(_ *writer, args []code) code { return code{"-" + args[0].at(precAtom), precUnary} },
}

// indexTyped gives literals the index type, for functions that take operands of one type.
func (w *writer) indexTyped(args []code) []code {
	typed := slices.Clone(args)
	for i, a := range args {
		if _, err := strconv.ParseInt(a.text, 10, 64); err == nil && w.index != expr.Int32 {
			typed[i] = w.cast(a, w.index)
		}
	}
	return typed
}

// joined writes operands between operators: the first at the strength of the operator, the others at the given one.
func joined(args []code, operator string, prec, others int) code {
	text := args[0].at(prec)
	for _, a := range args[1:] {
		text += operator + a.at(others)
	}
	return code{text, prec}
}
