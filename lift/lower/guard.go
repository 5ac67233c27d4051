package lower

import (
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/lift"
	"gpuperf/polycount"
)

// guard is the condition that an index is below a bound. Elements that pad(…, any) adds have no value, and those that take leaves
// out have no place: what would compute one of these does not run, and the guards are predicates of its statements.
type guard struct {
	at   index
	less int64
}

// rangeGuards are the guards that keep an index in 0 .. n-1, as far as it may leave them.
func (c *lowering) rangeGuards(i index, n int64) (list []guard) {
	if i.hi >= n {
		list = append(list, guard{i, n})
	}
	if i.lo < 0 {
		list = append(list, guard{c.scale(i, -1), 1})
	}
	return list
}

// condition writes the guard over the inames.
func (c *lowering) condition(g guard) expr.Expr {
	return operation(expr.Lt, c.final(g.at), expr.Int{Value: g.less})
}

// unspecified marks the condition under which a loaded value is specified: see guarded and specified.
var unspecified = operation(expr.Eq, expr.Int{}, expr.Int{})

// guarded is a value that may be read and written where the guards hold alone.
func (c *lowering) guarded(list []guard, x *val) *val {
	if len(list) == 0 {
		return x
	}
	v := &val{typ: x.typ, space: x.space, bufs: x.bufs, guards: append(slices.Clip(x.guards), list...)}
	switch x.typ.Kind {
	case lift.ArrayType:
		v.at = func(i index) *val { return c.guarded(list, x.at(i)) }
	case lift.TupleType:
		v.get = func(k int) *val { return c.guarded(list, x.get(k)) }
	default:
		v.load = func() expr.Expr {
			e := x.load()
			conditions := []expr.Expr{unspecified}
			for _, g := range list {
				conditions = append(conditions, c.condition(g))
			}
			return &expr.Cond{If: operation(expr.And, conditions...), Then: e, Else: e}
		}
		if x.loc != nil {
			v.loc = func() place {
				at := x.loc()
				at.guards = append(slices.Clip(at.guards), list...)
				return at
			}
		}
	}
	return v
}

// specified takes the values that guarded loads out of an expression under predicates. It returns the conditions under which they have
// one, as far as the predicates do not imply them. Such a value in private or local memory may be used before what depends on it is
// found to have no place: with otherwise it is 0 where it has none, and there are no conditions.
func (c *lowering) specified(e expr.Expr, predicates []expr.Expr, otherwise bool) (out expr.Expr, conditions []expr.Expr) {
	out = expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		x, ok := e.(*expr.Cond)
		if !ok {
			return e
		}
		op, ok := x.If.(*expr.Op)
		if !ok || op.Kind != expr.And || op.Args[0] != unspecified {
			return e
		}
		left := slices.DeleteFunc(slices.Clone(op.Args[1:]), func(q expr.Expr) bool {
			return slices.ContainsFunc(predicates, func(p expr.Expr) bool { return c.implies(p, q) })
		})
		switch {
		case len(left) == 0:
			return x.Then
		case !otherwise:
			conditions = append(conditions, left...)
			return x.Then
		}
		t := c.typeOf(x.Then)
		if len(left) > 1 {
			left = []expr.Expr{operation(expr.And, left...)}
		}
		return &expr.Cond{If: left[0], Then: x.Then, Else: &expr.Cast{DType: t, Arg: expr.Int{}}}
	})
	return out, conditions
}

// inside generates what writes d, which is all that it is for: under the guards of d.
func (c *lowering) inside(d *val, body func()) {
	before := c.context
	for _, g := range d.guards {
		c.context = append(slices.Clip(c.context), c.condition(g))
	}
	body()
	c.context = before
}

// predicates are the conditions without those that others of the list imply.
func (c *lowering) predicates(list []expr.Expr) (out []expr.Expr) {
	for _, p := range list {
		if slices.ContainsFunc(out, func(q expr.Expr) bool { return c.implies(q, p) }) {
			continue
		}
		out = append(slices.DeleteFunc(out, func(q expr.Expr) bool { return c.implies(p, q) }), p)
	}
	return out
}

// implies reports whether x < a for affine expressions over inames provably implies y < b, because y - x is small enough.
func (c *lowering) implies(p, q expr.Expr) bool {
	if expr.Equal(p, q) {
		return true
	}
	x, a, ok := c.bound(p)
	y, b, okay := c.bound(q)
	if !ok || !okay {
		return false
	}
	_, most := c.span(y.Sub(x))
	return a-1+most < b
}

// bound takes a condition x < a apart.
func (c *lowering) bound(e expr.Expr) (x polycount.Affine, a int64, ok bool) {
	op := e.(*expr.Op)
	x, err := expr.ToAffine(op.Args[0], func(name string) bool { _, known := c.spans[name]; return known })
	return x, op.Args[1].(expr.Int).Value, err == nil && x.Err() == nil
}

// uniform reports whether the guards hold for all of the w elements of a vector or for none, by those of its first and its last element.
func uniform(first, last []guard, w int64) bool {
	if len(first) != len(last) { // one of the two is always inside where the other may not be
		return false
	}
	for i, g := range first {
		if !g.uniform(last[i], w) {
			return false
		}
	}
	return true
}

// uniform reports whether a guard of the first of w elements that follow each other, and that of the last, hold for all of these or for none.
func (g guard) uniform(last guard, w int64) bool {
	if g.at.e != nil || last.at.e != nil || g.less != last.less {
		return false
	}
	step := last.at.a.Sub(g.at.a)
	if !step.IsConstant() {
		return false
	}
	less := g.less
	switch step.Constant() {
	case 0:
		return true
	case w - 1: // a bound from above
	case 1 - w: // from below: the last element is the first that is inside
		less--
	default:
		return false
	}
	whole := less%w == 0 && g.at.a.Constant()%w == 0
	for _, t := range g.at.a.All() {
		whole = whole && t.Coeff%w == 0
	}
	return whole || max(g.at.hi, last.at.hi) < g.less
}

// otherwise is the condition that a guard does not hold.
func (c *lowering) otherwise(g guard) guard { return guard{c.scale(g.at, -1), 1 - g.less} }

// excludes reports whether a guard provably does not hold where another one does not.
func (c *lowering) excludes(g, other guard) bool {
	if g.at.e != nil || other.at.e != nil {
		return false
	}
	least, _ := c.span(g.at.a.Sub(other.at.a))
	return least+other.less >= g.less
}

// storeParts writes a vector whose elements have places of their own: as a whole where all are inside, and else those that are.
func (c *lowering) storeParts(d *val, lanes []place, value expr.Expr) {
	of, ok := value.(*expr.Access)
	if !ok || of.Lanes != int64(len(lanes)) {
		fail("a part of the %d elements of a vector in %s is padding", len(lanes), lanes[0].buf.name)
	}
	whole := append(slices.Clone(lanes[0].guards), lanes[len(lanes)-1].guards...)
	c.storeAt(place{lanes[0].buf, lanes[0].index, whole, nil}, d.typ, value)
	for j, g := range whole {
		for k, at := range lanes {
			if slices.ContainsFunc(at.guards, func(own guard) bool { return c.excludes(own, g) }) {
				continue
			}
			at.guards = append(append(slices.Clone(at.guards), whole[:j]...), c.otherwise(g))
			lane := *of
			last := len(of.Index) - 1
			lane.Index, lane.Lanes = slices.Clone(of.Index), 0
			if k > 0 {
				lane.Index[last] = operation(expr.Add, of.Index[last], expr.Int{Value: int64(k)})
			}
			c.storeAt(at, lift.Scalar(d.typ.DType), &lane)
		}
	}
}
