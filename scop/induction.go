package scop

import (
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/internal/lists"
	"gpuperf/polycount"
)

// Values that loops carry in integers are affine in two cases: an induction, as k += 2 in each iteration, and a value of the iteration before,
// as in last = i, which is another one in the first iteration.

// counter is a loop whose body is about to be followed.
type counter struct {
	iterator *cfront.Var
	name     string  // of it
	start    []piece // over the loops around
	step     int64   // what it changes by
	trips    []piece // how often the body runs, over the loops around; nil if that is not known
	init     env     // before the loop
	assigned []*cfront.Var
	by       map[*cfront.Var]polycount.Affine // what an iteration adds to inductions
}

// enter sets what integers are at the beginning of an iteration. The loop is open.
func (b *builder) enter(body cfront.Stmt, c *counter) {
	c.init, c.assigned = maps.Clone(b.env), assignedIn(body)
	c.by = map[*cfront.Var]polycount.Affine{}
	if counts := countersIn(body); !slices.ContainsFunc(c.assigned, func(v *cfront.Var) bool { return !slices.Contains(counts, v) }) {
		for _, v := range c.assigned {
			b.env[v] = nil
		}
		return
	}
	at := b.env
	heads := map[*cfront.Var]string{}
	for _, v := range c.assigned {
		name := b.fresh(v.Name + "_head")
		heads[v], b.heads[name] = name, true
		at[v] = []piece{{nil, polycount.Name(name)}}
	}
	domain, iters := b.domain, slices.Clone(b.iters)
	b.env = maps.Clone(at)
	b.flow(body)
	b.domain, b.iters = domain, iters
	end := b.env
	b.env = at
	for _, v := range c.assigned {
		b.env[v] = nil
	}
	if len(c.start) != 1 || c.start[0].when != nil {
		return
	}
	b.inductions(c, heads, end)
	for range c.assigned { // a value of the iteration before may be one of another variable's
		again := false
		for _, v := range c.assigned {
			if b.env[v] == nil {
				b.env[v] = b.carried(c, v, heads, end[v])
				again = again || b.env[v] != nil
			}
		}
		if !again {
			break
		}
	}
}

func (b *builder) isHead(name string) bool { return b.heads[name] }

// countersIn lists the iterators of the loops in a statement.
func countersIn(s cfront.Stmt) (out []*cfront.Var) {
	for s := range cfront.Statements(s) {
		if x, ok := s.(*cfront.For); ok {
			if h, ok := headOf(x); ok {
				out = append(out, h.iterator)
			}
		}
	}
	return out
}

// inductions are the variables to which an iteration adds the same.
func (b *builder) inductions(c *counter, heads map[*cfront.Var]string, end env) {
	trip := polycount.Name(c.name).Sub(c.start[0].value)
	if c.step < 0 {
		trip = trip.Neg()
	}
	if s := max(c.step, -c.step); s > 1 {
		trip = trip.FloorDiv(s)
	}
	for _, v := range c.assigned {
		if len(end[v]) != 1 || end[v][0].when != nil {
			continue
		}
		by := end[v][0].value.Sub(polycount.Name(heads[v]))
		if by.Has(c.name) || slices.ContainsFunc(by.Names(), b.isHead) {
			continue
		}
		init, ok := b.outside(c, v)
		if !ok || !by.IsConstant() {
			continue
		}
		c.by[v] = by
		for _, p := range init {
			b.env[v] = append(b.env[v], piece{p.when, p.value.Add(trip.Scale(by.Constant()))})
		}
	}
}

// outside is what a variable was before a loop, over the loops that are open now.
func (b *builder) outside(c *counter, v *cfront.Var) ([]piece, bool) {
	at := b.env
	b.env = c.init
	list, ok := b.valueOf(v)
	b.env = at
	return list, ok
}

// carried is the value that a variable has from the iteration before, and in the first iteration from before the loop; nil if it is not affine.
func (b *builder) carried(c *counter, v *cfront.Var, heads map[*cfront.Var]string, end []piece) (out []piece) {
	init, ok := b.outside(c, v)
	if !ok || len(end) != 1 || end[0].when != nil || len(init) > maxKnown {
		return nil
	}
	values := end
	for w, name := range heads {
		if !end[0].value.Has(name) {
			continue
		}
		if w == v || b.env[w] == nil || len(values) != 1 {
			return nil
		}
		values = nil
		for _, p := range b.env[w] {
			values = append(values, piece{p.when, end[0].value.Subst(map[string]polycount.Affine{name: p.value})})
		}
	}
	if len(values) > maxKnown || slices.ContainsFunc(values, func(p piece) bool { return slices.ContainsFunc(p.value.Names(), b.isHead) }) {
		return nil
	}
	i, start := polycount.Name(c.name), c.start[0].value
	first := polycount.EQ(i, start)
	later := polycount.GE(i, start.AddInt(1))
	if c.step < 0 {
		later = polycount.GE(start, i.AddInt(1))
	}
	for _, p := range init {
		out = append(out, piece{b.narrowed(p.when, first), p.value})
	}
	earlier := map[string]polycount.Affine{c.name: i.AddInt(-c.step)}
	for _, p := range values {
		when, err := Substitute(p.when, earlier)
		if err != nil {
			return nil
		}
		out = append(out, piece{b.narrowed(when, later), p.value.Subst(earlier)})
	}
	return out
}

// narrowed is a set over the open loops with one more condition.
func (b *builder) narrowed(when *polycount.Set, c polycount.Constraint) *polycount.Set {
	if when == nil {
		when = b.everywhere()
	}
	out, err := when.AddDims(b.iters...).Constrain(c)
	if err != nil {
		panic(fault{err: err})
	}
	return out
}

// leave sets what integers are after a loop, which is closed again.
func (b *builder) leave(at cfront.Pos, c *counter) {
	end := b.env
	b.env = c.init
	for _, v := range c.assigned {
		if list := b.after(at, c, v, end[v]); list != nil {
			b.env[v] = list
		} else {
			b.env[v] = nil
		}
	}
	b.env[c.iterator] = nil
	if c.trips == nil || len(c.start) != 1 || c.start[0].when != nil {
		return
	}
	out := lists.Map(c.trips, func(t piece) piece { return piece{t.when, c.start[0].value.Add(t.value.Scale(c.step))} })
	b.env[c.iterator] = out
}

// after is the value of a variable that a loop assigns after it; nil if it is not affine.
func (b *builder) after(at cfront.Pos, c *counter, v *cfront.Var, end []piece) (out []piece) {
	init, ok := b.valueOf(v)
	if !ok || c.trips == nil || len(init)*len(c.trips) > maxKnown {
		return nil
	}
	if by, ok := c.by[v]; ok {
		for _, p := range init {
			for _, t := range c.trips {
				out = append(out, piece{b.and(cfront.Zero(at), p.when, t.when), p.value.Add(t.value.Scale(by.Constant()))})
			}
		}
		return out
	}
	if len(end) != 1 || end[0].when != nil || len(c.start) != 1 || c.start[0].when != nil {
		return nil
	}
	for _, t := range c.trips {
		ran := polycount.GE(t.value, polycount.Int(1))
		if !t.value.IsConstant() || t.value.Constant() > 0 {
			last := c.start[0].value.Add(t.value.AddInt(-1).Scale(c.step))
			value := end[0].value.Subst(map[string]polycount.Affine{c.name: last})
			if slices.ContainsFunc(value.Names(), b.isHead) {
				return nil
			}
			out = append(out, piece{b.narrowed(t.when, ran), value})
		}
		if !t.value.IsConstant() || t.value.Constant() <= 0 {
			for _, p := range init {
				out = append(out, piece{b.narrowed(b.and(cfront.Zero(at), p.when, t.when), ran.Negate()[0]), p.value})
			}
		}
	}
	return out
}

// tripsOf is how often a loop runs that ends where its iterator reaches a value which does not change in it: over the loops around. The loop is open, and a value
// of it has no iterator of it.
func (b *builder) tripsOf(x *cfront.For, c *counter, around *polycount.Set) (out []piece) {
	cond, ok := x.Cond.(*cfront.Binary)
	if !ok || x.Broken || len(c.start) != 1 || c.start[0].when != nil {
		return nil
	}
	op, bound := cond.Op, cond.Y
	if cfront.IsVar(cond.Y, c.iterator) {
		op, bound = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}[op], cond.X
	} else if !cfront.IsVar(cond.X, c.iterator) {
		return nil
	}
	if !slices.Contains(map[bool][]string{true: {"<", "<="}, false: {">", ">="}}[c.step > 0], op) {
		return nil
	}
	var ends []piece
	if !b.attempt(func() { ends = b.operand(bound, c.iterator.DType) }) {
		return nil
	}
	for _, e := range ends {
		if e.when != nil || e.value.Has(c.name) {
			return nil
		}
		span := e.value.Sub(c.start[0].value)
		if c.step < 0 {
			span = span.Neg()
		}
		if op == "<=" || op == ">=" {
			span = span.AddInt(1)
		}
		s := max(c.step, -c.step)
		trips := span
		if s > 1 {
			trips = span.AddInt(s - 1).FloorDiv(s)
		}
		some := polycount.GE(span, polycount.Int(1))
		if always, err := around.Implies(polycount.GE(span, polycount.Int(0))); err == nil && always {
			return []piece{{nil, trips}}
		}
		n := len(b.iters) - 1
		out = append(out, piece{polycount.NewSet(nil, b.iters[:n], some), trips},
			piece{polycount.NewSet(nil, b.iters[:n], some.Negate()[0]), polycount.Int(0)})
	}
	return out
}

// flowLoop follows what a loop does to integer variables.
func (b *builder) flowLoop(x *cfront.For) {
	h, ok := headOf(x)
	c := &counter{iterator: h.iterator}
	domain := b.domain
	if !ok || slices.Contains(b.at, h.iterator) || !b.attempt(func() { c.step = b.step(x, h.iterator) }) ||
		!b.probe(func() { c.start = b.operand(h.start, h.iterator.DType) }) {
		b.forget(x)
		return
	}
	c.name = b.iterator(h.iterator)
	b.iters, b.at = append(b.iters, c.name), append(b.at, h.iterator)
	b.domain = b.and(h.start, domain.AddDims(c.name), b.from(x, c.start, polycount.Name(c.name), c.step))
	b.enter(x.Body, c)
	c.trips = b.tripsOf(x, c, domain)
	b.flow(x.Body)
	n := len(b.iters) - 1
	b.iters, b.at, b.domain = b.iters[:n], b.at[:n], domain
	b.leave(x.Pos, c)
}
