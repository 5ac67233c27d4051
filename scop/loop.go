package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/polycount"
)

// head is what the head of a for loop says of its iterator.
type head struct {
	iterator *cfront.Var
	start    cfront.Expr
}

// headOf reads for (i = start; …) and for (int i = start; …).
func headOf(x *cfront.For) (h head, ok bool) {
	switch init := x.Init.(type) {
	case *cfront.Declare:
		if len(init.Vars) == 1 && init.Vars[0].Init != nil {
			return head{init.Vars[0], init.Vars[0].Init}, true
		}
	case *cfront.Do:
		if a, ok := init.X.(*cfront.Assign); ok && a.Op == "" && !a.Step {
			if r, ok := a.To.(*cfront.Ref); ok {
				return head{r.Var, a.Value}, true
			}
		}
	}
	return head{}, false
}

// loop follows a for loop.
func (b *builder) loop(x *cfront.For, at scope) {
	h, ok := headOf(x)
	switch {
	case !ok:
		b.failAt(x.Pos, "write for (i = …; …; …)", "the loop does not begin with an assignment to its iterator")
	case !h.iterator.DType.IsInteger() || len(h.iterator.Dims) > 0:
		b.failAt(x.Pos, "", "the iterator %s is not an integer", h.iterator.Name)
	case x.Cond == nil:
		b.failAt(x.Pos, "", "the loop has no condition")
	case slices.Contains(assignedIn(x.Body), h.iterator) && !slices.Contains(countersIn(x.Body), h.iterator):
		b.failAt(x.Pos, "", "%s is assigned in the loop, other than in its head", h.iterator.Name)
	case slices.Contains(b.at, h.iterator), slices.Contains(countersIn(x.Body), h.iterator):
		b.failAt(x.Pos, "", "%s is also the iterator of a loop in or around this one", h.iterator.Name)
	}
	step := b.step(x, h.iterator)
	if step < 0 && !h.iterator.DType.IsSigned() {
		b.failAt(x.Pos, "declare it as int", "the loop decreases %s, which has no sign", h.iterator.Name)
	}
	b.domain = at.domain
	var start []piece
	b.atHead(func() {
		if start = b.operand(h.start, h.iterator.DType); !h.iterator.DType.IsSigned() {
			b.wraps(h.start, start)
		}
	})
	name := b.iterator(h.iterator)
	l := &Loop{Iterator: h.iterator.Name, DType: h.iterator.DType, Pos: x.Pos, Step: step, Outer: slices.Clone(b.open)}
	b.nest.Loops = append(b.nest.Loops, l)
	i := polycount.Name(name)

	b.open, b.iters, b.at = append(b.open, l), append(b.iters, name), append(b.at, h.iterator)
	lower := b.from(x, start, i, step)
	entered, err := at.domain.AddDims(name).Intersect(lower)
	b.try(x.Pos, err)
	b.domain = entered
	c := &counter{iterator: h.iterator, name: name, start: start, step: step}
	b.enter(x.Body, c)
	b.domain = entered
	var holds *polycount.Set
	if c, ok := x.Cond.(*cfront.Binary); ok && comparisons[c.Op] != nil {
		b.atHead(func() { holds = b.condition(x.Cond) })
	} else {
		holds = b.condition(x.Cond)
	}
	b.monotone(x, holds, entered, name, step)
	c.trips = b.tripsOf(x, c, at.domain)
	bounds, err := lower.Intersect(holds)
	b.try(x.Pos, err)
	l.Bounds = b.simple(x.Pos, bounds)
	domain, err := at.domain.AddDims(name).Intersect(l.Bounds)
	b.try(x.Pos, err)
	sign := int64(1)
	if step < 0 {
		sign = -1
	}
	b.statement(x.Body, scope{b.simple(x.Pos, domain), appended(at.order, i.Scale(sign))}, 0)
	n := len(b.open) - 1
	b.open, b.iters, b.at = b.open[:n], b.iters[:n], b.at[:n]
	b.leave(x.Pos, c)
}

// from are the values that an iterator takes, from its start on.
func (b *builder) from(x *cfront.For, start []piece, i polycount.Affine, step int64) *polycount.Set {
	var all *polycount.Set
	for _, p := range start {
		ahead := i.Sub(p.value)
		if step < 0 {
			ahead = ahead.Neg()
		}
		cs := []polycount.Constraint{polycount.GE(ahead, polycount.Int(0))}
		if s := max(step, -step); s > 1 {
			cs = append(cs, polycount.EQ(ahead.Mod(s), polycount.Int(0)))
		}
		part := b.everywhere()
		if p.when != nil {
			part = p.when.AddDims(b.iters[len(b.iters)-1])
		}
		part, err := part.Constrain(cs...)
		if err == nil && all != nil {
			part, err = all.Union(part)
		}
		b.try(x.Pos, err)
		all = part
	}
	return all
}

// iterator is the name of an iterator: that of the text, unless a loop around has it or something else.
func (b *builder) iterator(v *cfront.Var) string {
	name := v.Name
	if !b.reserved[name] || slices.Contains(b.iters, name) {
		name = b.fresh(name)
		b.reserved[name] = true
	}
	b.names[v] = name
	return name
}

// step is what a loop adds to its iterator: ++i, i -= 2, i = i + 1.
func (b *builder) step(x *cfront.For, v *cfront.Var) int64 {
	op, by := increment(x, v)
	if by == nil {
		b.failAt(x.Pos, "", "the loop does not end each iteration by adding a constant to %s", v.Name)
	}
	n, ok := by.(*cfront.Int)
	if !ok || op == "" || n.Value == 0 || n.Value > 1<<30 || n.Value < -1<<30 {
		b.fail(x.Step, "", "the loop does not add a constant to %s", v.Name)
	}
	if op == "-" {
		return -n.Value
	}
	return n.Value
}

// increment is what a loop adds to its iterator, or subtracts from it: the operator is + or -, and "" where it does something else.
func increment(x *cfront.For, v *cfront.Var) (op string, by cfront.Expr) {
	a, ok := x.Step.(*cfront.Assign)
	if !ok || cfront.Whole(a.To) != v {
		return "", nil
	}
	op, by = a.Op, a.Value
	if sum, ok := a.Value.(*cfront.Binary); ok && op == "" {
		op = sum.Op
		switch {
		case cfront.IsVar(sum.X, v):
			by = sum.Y
		case op == "+" && cfront.IsVar(sum.Y, v):
			by = sum.X
		default:
			op = ""
		}
	}
	if op != "+" && op != "-" {
		op = ""
	}
	return op, by
}

// monotone refuses a condition that could hold again after it did not, as loops end when their condition does not hold for the
// first time.
func (b *builder) monotone(x *cfront.For, holds, entered *polycount.Set, name string, step int64) {
	for _, part := range holds.Disjuncts() {
		list, _ := part.Constraints()
		for _, c := range list {
			k := c.Affine.Coeff(name)
			if !c.Affine.Has(name) || !c.Equality && k*step < 0 && !c.Affine.InFloor(name) {
				continue
			}
			implied, err := entered.Implies(c)
			b.try(x.Pos, err)
			if !implied {
				b.fail(x.Cond, "compare it by < or <= (> or >= for decreasing loops) with the end", "the condition is no bound of %s in the direction of the loop", name)
			}
		}
	}
}
