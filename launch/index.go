package launch

import (
	"fmt"

	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// indexKind is an operation on integers or truth values.
type indexKind uint8

const (
	indexAffine indexKind = iota
	indexSum
	indexProduct
	indexQuotient
	indexRemainder
	indexMin
	indexMax
	indexSelect
	indexCompare
	indexAnd
	indexOr
	indexNot
	indexOpaque // depends on data
)

// index is an expression over variables and sizes.
type index struct {
	kind  indexKind
	op    expr.OpKind // of comparisons
	c     int64
	terms []indexPart // of indexAffine
	args  []*index
}

// indexPart is coeff times a variable, a size, or floor(num/den).
type indexPart struct {
	coeff int64
	slot  int // of the variable, or of the size where it is negative: -1-size
	num   *index
	den   int64
}

// indexer compiles expressions.
type indexer struct {
	slots map[string]int // names of variables and sizes; inames on hardware axes by their own names
}

func (x *indexer) known(name string) bool { _, ok := x.slots[name]; return ok }

func (x *indexer) affine(a polycount.Affine) (*index, error) {
	out := &index{kind: indexAffine, c: a.Constant()}
	for _, t := range a.All() {
		p := indexPart{coeff: t.Coeff}
		if t.Floor != nil {
			num, err := x.affine(t.Floor.Num)
			if err != nil {
				return nil, err
			}
			p.num, p.den = num, t.Floor.Den
		} else {
			slot, ok := x.slots[t.Name]
			if !ok {
				return nil, fmt.Errorf("%s in %s depends on data", t.Name, a)
			}
			p.slot = slot
		}
		out.terms = append(out.terms, p)
	}
	return out, nil
}

var opaqueIndex = &index{kind: indexOpaque}

// indexOperators are those on integers; comparisons and logic apart.
var indexOperators = map[expr.OpKind]indexKind{
	expr.Add: indexSum, expr.Sub: indexSum, expr.Neg: indexSum, expr.Mul: indexProduct,
	expr.FloorDiv: indexQuotient, expr.Mod: indexRemainder, expr.Min: indexMin, expr.Max: indexMax,
	expr.And: indexAnd, expr.Or: indexOr, expr.Not: indexNot,
}

// affineOperators are those that affine expressions are made of.
var affineOperators = map[expr.OpKind]bool{
	expr.Add: true, expr.Sub: true, expr.Neg: true, expr.Mul: true, expr.FloorDiv: true, expr.Mod: true,
}

// mayBeAffine spares the attempt to make an affine expression of what has other operators in it.
func mayBeAffine(e expr.Expr) bool {
	may := true
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Op:
			may = may && affineOperators[x.Kind]
		case *expr.Cond, *expr.Call, *expr.Access:
			may = false
		}
		return may
	})
	return may
}

// expr compiles an expression; what depends on data is opaque.
func (x *indexer) expr(e expr.Expr) *index {
	if mayBeAffine(e) {
		if a, err := expr.ToAffine(e, x.known); err == nil {
			if out, err := x.affine(a); err == nil {
				return out
			}
		}
	}
	args := func(list ...expr.Expr) []*index {
		out := make([]*index, len(list))
		for i, e := range list {
			if out[i] = x.expr(e); out[i].kind == indexOpaque {
				return nil
			}
		}
		return out
	}
	switch e := e.(type) {
	case *expr.Cast:
		if e.DType.IsInteger() {
			return x.expr(e.Arg)
		}
	case *expr.Cond:
		if list := args(e.If, e.Then, e.Else); list != nil {
			return &index{kind: indexSelect, args: list}
		}
	case *expr.Op:
		kind, ok := indexOperators[e.Kind]
		if !ok && e.Kind.IsComparison() {
			kind, ok = indexCompare, true
		}
		list := args(e.Args...)
		if !ok || list == nil {
			return opaqueIndex
		}
		switch e.Kind {
		case expr.Neg:
			list = []*index{{kind: indexAffine}, list[0]}
			fallthrough
		case expr.Sub:
			minus := &index{kind: indexProduct, args: []*index{{kind: indexAffine, c: -1}, list[1]}}
			list = []*index{list[0], minus}
		}
		return &index{kind: kind, op: e.Kind, args: list}
	}
	return opaqueIndex
}

// condition compiles what must hold: of the terms of a conjunction those that depend on data are left out.
func (x *indexer) condition(e expr.Expr) *index {
	and, ok := e.(*expr.Op)
	if !ok || and.Kind != expr.And {
		return x.expr(e)
	}
	out := &index{kind: indexAnd}
	for _, arg := range and.Args {
		if c := x.condition(arg); c.kind != indexOpaque {
			out.args = append(out.args, c)
		}
	}
	if len(out.args) == 0 {
		return opaqueIndex
	}
	return out
}

// scene is what expressions are evaluated in: a box, the values of variables as forms over it, and those of the sizes.
type scene struct {
	box
	env   [maxVars]form // by slot
	sizes []int64
	// centre, where it is set, decides selects, least and greatest values, and remainders that leave their period only at a
	// border, by the values that the variables have in the middle of the launch.
	centre *centre
	why    cut // of the last evaluation that was not decided
}

// centre is a point, by slot, and how far the variables reach.
type centre struct {
	at     [maxVars]int64
	lo, hi [maxVars]int64
	// unrolled marks the counters of unrolled loops.
	unrolled [maxVars]bool
}

// eval is the value as a form over the box; ok is false where the box must be divided first, as why says.
func (s *scene) eval(x *index) (f form, ok bool) {
	switch x.kind {
	case indexAffine:
		f.c = x.c
		for i := range x.terms {
			t := &x.terms[i]
			switch {
			case t.num != nil:
				num, ok := s.eval(t.num)
				if !ok {
					return f, false
				}
				q, ok := s.quotient(&num, t.den, t.num)
				if !ok {
					return f, false
				}
				f.addScaled(&q, t.coeff)
			case t.slot < 0:
				f.c += t.coeff * s.sizes[-1-t.slot]
			default:
				f.addScaled(&s.env[t.slot], t.coeff)
			}
		}
		return f, true
	case indexSum:
		for _, a := range x.args {
			g, ok := s.eval(a)
			if !ok {
				return f, false
			}
			f.addScaled(&g, 1)
		}
		return f, true
	case indexSelect:
		holds, ok := s.decide(x.args[0])
		if !ok {
			return f, false
		}
		if holds {
			return s.eval(x.args[1])
		}
		return s.eval(x.args[2])
	case indexCompare, indexAnd, indexOr, indexNot:
		holds, ok := s.decide(x)
		if holds {
			f.c = 1
		}
		return f, ok
	}
	f, ok = s.eval(x.args[0])
	for i, a := range x.args[1:] {
		if !ok {
			return f, false
		}
		var g form
		if g, ok = s.eval(a); !ok {
			return f, false
		}
		f, ok = s.combine(x, &f, &g, i)
	}
	return f, ok
}

// combine applies a binary operator to f, the value of the first arguments, and g, that of argument n+1.
func (s *scene) combine(x *index, f, g *form, n int) (out form, ok bool) {
	switch x.kind {
	case indexProduct:
		if !s.constant(f) {
			f, g = g, f
		}
		if !s.constant(f) {
			return out, s.narrow(f)
		}
		out.addScaled(g, f.c)
		return out, true
	case indexMin, indexMax:
		d := *f
		d.addScaled(g, -1)
		var positive bool
		if s.centre != nil {
			best, second := s.point(x.args[0]), s.point(x.args[n+1])
			for _, a := range x.args[1 : n+1] {
				if v := s.point(a); v < best == (x.kind == indexMin) {
					best = v
				}
			}
			positive = best >= second
		} else {
			lo, hi := s.interval(&d, 0)
			if lo < 0 && hi > 0 {
				s.why = s.cutAt(&d, 0)
				return out, false
			}
			positive = lo >= 0
		}
		if positive == (x.kind == indexMax) {
			return *f, true
		}
		return *g, true
	case indexQuotient, indexRemainder:
		if !s.constant(g) {
			return out, s.narrow(g)
		}
		if g.c <= 0 {
			return out, true // no value; kernels that run do not come here
		}
		q, ok := s.quotient(f, g.c, x.args[0])
		if !ok || x.kind == indexQuotient {
			return q, ok
		}
		out = *f
		out.addScaled(&q, -g.c)
		return out, true
	}
	return out, true
}

// narrow asks for a box on which f is constant.
func (s *scene) narrow(f *form) bool {
	s.why = cut{v: -1}
	for v := s.nv - 1; v >= 0; v-- {
		if f.k[v] != 0 && s.n[v] > 1 {
			s.why = cut{v: v, at: s.n[v] / 2}
		}
	}
	return false
}

// quotient is floor(f/den), f the value of num.
func (s *scene) quotient(f *form, den int64, num *index) (form, bool) {
	if s.centre != nil {
		if at, ok := s.usual(num, den); ok {
			return form{c: at}, true
		}
	}
	q, why, ok := s.box.quotient(f, den)
	s.why = why
	return q, ok
}

// usual is the quotient in the middle of the launch where num leaves that period only at a border.
func (s *scene) usual(num *index, den int64) (int64, bool) {
	if num.kind != indexAffine {
		return 0, false
	}
	lo, hi := num.c, num.c
	for _, t := range num.terms {
		switch {
		case t.num != nil:
			return 0, false
		case t.slot < 0:
			lo, hi = lo+t.coeff*s.sizes[-1-t.slot], hi+t.coeff*s.sizes[-1-t.slot]
		case t.coeff > 0:
			lo, hi = lo+t.coeff*s.centre.lo[t.slot], hi+t.coeff*s.centre.hi[t.slot]
		default:
			lo, hi = lo+t.coeff*s.centre.hi[t.slot], hi+t.coeff*s.centre.lo[t.slot]
		}
	}
	at := intmath.FloorDiv(s.point(num), den)
	inside := min(hi, at*den+den-1) - max(lo, at*den) + 1
	return at, intmath.FloorDiv(hi, den)-intmath.FloorDiv(lo, den) <= 2 && 4*inside >= 3*(hi-lo+1)
}

// decide evaluates a condition; what depends on data holds.
func (s *scene) decide(x *index) (holds, ok bool) {
	if s.centre != nil {
		return s.point(x) != 0, true
	}
	switch x.kind {
	case indexOpaque:
		return true, true
	case indexNot:
		holds, ok = s.decide(x.args[0])
		return !holds, ok
	case indexAnd, indexOr:
		for _, a := range x.args {
			if holds, ok = s.decide(a); !ok || holds == (x.kind == indexOr) {
				return holds, ok
			}
		}
		return x.kind == indexAnd, true
	case indexCompare:
		f, ok := s.difference(x)
		if !ok {
			return false, false
		}
		return s.sign(&f, x.op, 0)
	}
	f, ok := s.eval(x)
	if !ok {
		return false, false
	}
	return s.sign(&f, expr.Ne, 0)
}

// difference is the left side less the right one.
func (s *scene) difference(x *index) (form, bool) {
	f, ok := s.eval(x.args[0])
	if !ok {
		return f, false
	}
	g, ok := s.eval(x.args[1])
	if !ok {
		return f, false
	}
	f.addScaled(&g, -1)
	return f, true
}

// sign compares f with 0 over the variables from v on.
func (s *scene) sign(f *form, op expr.OpKind, from int) (holds, ok bool) {
	lo, hi := s.interval(f, from)
	g := *f
	switch op {
	case expr.Ge, expr.Lt:
		if lo >= 0 || hi < 0 {
			return (lo >= 0) == (op == expr.Ge), true
		}
	case expr.Gt, expr.Le:
		if lo > 0 || hi <= 0 {
			return (lo > 0) == (op == expr.Gt), true
		}
		g.c--
	default:
		if lo > 0 || hi < 0 || lo == 0 && hi == 0 {
			return (lo == 0 && hi == 0) == (op == expr.Eq), true
		}
		if lo == 0 {
			g.c--
		}
	}
	s.why = s.cutAt(&g, from)
	return false, false
}

// point is the value in the middle of the launch.
func (s *scene) point(x *index) int64 {
	truth := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	switch x.kind {
	case indexAffine:
		sum := x.c
		for i := range x.terms {
			t := &x.terms[i]
			switch {
			case t.num != nil:
				sum += t.coeff * intmath.FloorDiv(s.point(t.num), t.den)
			case t.slot < 0:
				sum += t.coeff * s.sizes[-1-t.slot]
			default:
				sum += t.coeff * s.centre.at[t.slot]
			}
		}
		return sum
	case indexOpaque:
		return 1
	case indexNot:
		return 1 - s.point(x.args[0])
	case indexSelect:
		if s.point(x.args[0]) != 0 {
			return s.point(x.args[1])
		}
		return s.point(x.args[2])
	case indexCompare:
		d := s.point(x.args[0]) - s.point(x.args[1])
		switch x.op {
		case expr.Ge:
			return truth(d >= 0)
		case expr.Gt:
			return truth(d > 0)
		case expr.Le:
			return truth(d <= 0)
		case expr.Lt:
			return truth(d < 0)
		case expr.Ne:
			return truth(d != 0)
		}
		return truth(d == 0)
	}
	v := s.point(x.args[0])
	for _, a := range x.args[1:] {
		w := s.point(a)
		switch x.kind {
		case indexSum:
			v += w
		case indexProduct:
			v *= w
		case indexMin:
			v = min(v, w)
		case indexMax:
			v = max(v, w)
		case indexAnd:
			v = truth(v != 0 && w != 0)
		case indexOr:
			v = truth(v != 0 || w != 0)
		case indexQuotient:
			if w > 0 {
				v = intmath.FloorDiv(v, w)
			}
		case indexRemainder:
			if w > 0 {
				v = intmath.Mod(v, w)
			}
		}
	}
	return v
}
