package ckernel

import (
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// counted follows a loop whose condition is a bound of its iterations.
func (b *builder) counted(x *loopText, steps map[*builderVar]*expr.Poly) (done bool, why error) {
	before := b.live
	first := maps.Clone(b.env)
	iname, iteration := b.iterationName(x, steps)
	var runs *polycount.Set
	why = b.attempt(func() {
		if x.cond == nil {
			b.failAt(x.pos, "give it a condition", "the loop has no condition")
		}
		entered := b.set(nil, iteration, false)
		b.live = b.narrowed(b.both(b.live.domain, entered))
		b.at(x, first, steps, iteration)
		c := b.truth(x.cond)
		if c.pred != nil {
			b.fail(x.cond, "declare the average, as in "+x.example(), "how many iterations the loop makes depends on data")
		}
		runs = b.entering(x, c.points(), entered, iteration)
		b.monotone(x, runs, b.live.domain, iname)
	})
	if why != nil {
		b.live, b.env = before, first
		return false, why
	}
	parts, err := inhabited(b.both(b.live.domain, runs))
	b.try(err)
	if len(parts) == 0 { // no iteration
		b.live, b.env = before, first
		return true, nil
	}
	bounds, err := commonBounds(parts, iname)
	b.try(err)
	if !b.averaged(bounds, iname) {
		b.live, b.env = before, first
		return false, b.attempt(func() {
			b.fail(x.cond, "declare the average, as in "+x.example(), "how many iterations the loop makes depends on data")
		})
	}
	l := &loop{name: iname, pos: x.pos, bounds: bounds}
	l.unroll = x.unroll != 0 && x.unroll != 1 && l.constantTrips()
	l.rolled, l.kept = x.unroll == 1 || b.mayWrap(x, steps), !l.constantTrips() && b.assembled(x.body)
	domain := b.both(b.live.domain, runs)
	b.live = before
	b.openLoop(l)
	b.live = b.narrowed(b.both(b.live.domain, domain))
	b.at(x, first, steps, iteration)
	b.iteration(x, nil)
	b.live, b.open = before, b.open[:len(b.open)-1]
	b.env = b.ended(x, first, steps, l, iteration)
	return true, nil
}

// mayWrap reports whether the counter of a loop may wrap around before the loop ends, for all that compilers know: it changes in arithmetic without signs by what is known
// when the kernel runs alone, as in i += blockDim.x, of whatever type i is. Compilers do not know how often such a loop runs, and do not unroll it; of numbers with signs,
// which do not wrap in C, they do.
func (b *bindings) mayWrap(x *loopText, steps map[*builderVar]*expr.Poly) (wraps bool) {
	v := b.counter(x, steps)
	by := func(e cfront.Expr) {
		a, ok := e.(*cfront.Assign)
		if !ok || v == nil || !isRef(a.To, v) {
			return
		}
		step := a.Value.Type()
		unsigned := noSign(v.DType) && v.DType.Size() >= step.Size() || noSign(step) && step.Size() >= v.DType.Size()
		wraps = wraps || unsigned && knownLate(a.Value, 0)
	}
	for e := range cfront.All(x.step) {
		by(e)
	}
	if body, ok := x.body.(*cfront.Block); ok {
		for _, s := range body.Items {
			if do, ok := s.(*cfront.Do); ok {
				by(do.X)
			}
		}
	}
	return wraps
}

// assembled reports whether a statement has inline assembly, or arithmetic of half precision, which is that in CUDA's headers. Compilers keep it from running under
// conditions that the text does not have, as the rest of iterations does which an unrolled loop of unknown length leaves.
func (b *builder) assembled(s cfront.Stmt) bool {
	if b.file.Language != cfront.CUDA {
		return false
	}
	for one := range cfront.Statements(s) {
		if b.file.Assembly(one) != nil {
			return true
		}
	}
	half := func(e cfront.Expr) bool {
		t := e.Type().Base()
		return e.PointsTo() == "" && (t == expr.Float16 || t == expr.BFloat16)
	}
	for e := range cfront.Everywhere(s) {
		switch e.(type) {
		case *cfront.Call, *cfront.Binary, *cfront.Unary, *cfront.Cast:
			if half(e) != slices.ContainsFunc(cfront.Operands(e), half) || half(e) {
				return true
			}
		}
	}
	return false
}

func noSign(t expr.DType) bool { return t.IsInteger() && !t.IsSigned() }

// knownLate reports whether something in an expression is known when the kernel runs alone: what it asks for where it is, and its arguments.
func knownLate(e cfront.Expr, depth int) bool {
	const followed = 8 // variables that are made of others
	return cfront.Any(e, func(e cfront.Expr) bool {
		switch x := e.(type) {
		case *cfront.Ref:
			return x.Var.Class == cfront.Builtin || x.Var.Init == nil || depth < followed && knownLate(x.Var.Init, depth+1)
		case *cfront.Call:
			return isWorkItem(x.Func)
		}
		return false
	})
}

// iterationName is the iname of a loop, and the number of iterations before one in terms of it. The iname is the variable itself where that
// counts upwards by one from a value that all work-items of a group begin with: they make their iterations in lock step, the first ones together.
func (b *bindings) iterationName(x *loopText, steps map[*builderVar]*expr.Poly) (iname string, iteration *expr.Poly) {
	v := b.counter(x, steps)
	if v == nil {
		iname = b.fresh("iteration")
		return iname, name(iname)
	}
	iname = b.inameOf(v)
	if start := b.env[v].num; same(steps[v], constant(1)) && !b.variesInGroup(start) {
		if a, ok := b.affine(start); ok {
			start = b.fromAffine(a)
		}
		iteration = minus(name(iname), start)
		if _, ok := b.where(iteration, false); ok {
			return iname, iteration
		}
	}
	return iname, name(iname)
}

// variesInGroup reports whether a number may differ between work-items of a group.
func (b *grid) variesInGroup(p *expr.Poly) bool {
	names := b.variables(p)
	return slices.ContainsFunc(b.axes[:], func(a axis) bool { return a.item != "" && slices.Contains(names, a.item) })
}

// inameOf is a new iname for a variable that counts: its name, unless that is taken.
func (b *bindings) inameOf(v *builderVar) string {
	iname := b.name(v)
	if b.counters[iname] || b.copies[v] != "" || slices.Contains(b.params, v) {
		iname = b.fresh(v.Name)
	}
	b.counters[iname] = true
	return iname
}

// counter is the variable that the condition of a loop is about.
func (b *bindings) counter(x *loopText, steps map[*builderVar]*expr.Poly) (counter *builderVar) {
	if x.head != nil && steps[x.head] != nil && b.env[x.head].isNum {
		return x.head
	}
	for e := range cfront.All(x.cond) {
		if ref, ok := e.(*cfront.Ref); ok && steps[ref.Var] != nil && b.env[ref.Var].isNum {
			return ref.Var
		}
	}
	return nil
}

// entering is the set of iterations that run: those for which the condition holds; of a loop that tests it at its end also the first.
func (b *position) entering(x *loopText, holds, entered *polycount.Set, iteration *expr.Poly) *polycount.Set {
	if isInequality(x.cond) {
		holds = b.reached(holds, iteration)
	}
	if !x.do {
		return holds
	}
	first := b.set(nil, iteration, true)
	if b.inside(b.both(b.live.domain, first), holds) {
		return holds
	}
	return b.simple(b.union(first, holds))
}

// isInequality reports whether a condition is that a number differs from another one: so does one without sign from 0 that is above it.
func isInequality(e cfront.Expr) bool {
	switch x := e.(type) {
	case *cfront.Ref:
		return true
	case *cfront.Binary:
		zero, ok := x.Y.(*cfront.Int)
		return x.Op == "!=" || x.Op == ">" && ok && zero.Value == 0 && !x.X.Type().IsSigned()
	}
	return false
}

// reached are the parts of a set that the first iteration is in, at positive sizes: a loop that counts to an end and tests for != does not go
// beyond it.
func (b *position) reached(holds *polycount.Set, iteration *expr.Poly) *polycount.Set {
	first := b.both(b.live.domain, b.set(nil, iteration, true))
	for n := range b.sizes {
		positive, err := first.Constrain(polycount.GE(polycount.Name(n), polycount.Int(1)))
		b.try(err)
		first = positive
	}
	var out *polycount.Set
	for _, part := range holds.Disjuncts() {
		if b.isEmpty(b.both(first, part)) {
			continue
		}
		if out == nil {
			out = part
		} else {
			out = b.union(out, part)
		}
	}
	if out == nil {
		return holds
	}
	return out
}

// monotone refuses a condition that could hold again after it did not.
func (b *faults) monotone(x *loopText, holds, entered *polycount.Set, iname string) {
	for _, part := range holds.Disjuncts() {
		list, _ := part.Constraints()
		for _, c := range list {
			if !c.Affine.Has(iname) || !c.Equality && c.Affine.Coeff(iname) < 0 && !c.Affine.InFloor(iname) {
				continue
			}
			if implied, err := entered.Implies(c); err != nil || !implied {
				b.try(err)
				b.fail(x.cond, "compare a variable that each iteration changes by the same amount with the end", "the condition is no bound of the iterations of the loop")
			}
		}
	}
}

// inhabited lists the disjuncts of a set that have points.
func inhabited(s *polycount.Set) ([]*polycount.Set, error) { return kernel.Inhabited(s) }

// commonBounds are the constraints on an iname that hold in all parts.
func commonBounds(parts []*polycount.Set, iname string) (out []polycount.Constraint, err error) {
	if len(parts) == 1 {
		list, _ := parts[0].Constraints()
		for _, c := range list {
			if c.Affine.Has(iname) {
				out = append(out, c)
			}
		}
		return out, nil
	}
	for i := range parts {
		parts[i] = parts[i].ToDims(iname)
	}
	lower, upper, err := kernel.CommonBounds(parts, iname)
	for _, l := range lower {
		out = append(out, kernel.AtLeast(iname, l))
	}
	for _, u := range upper {
		out = append(out, kernel.AtMost(iname, u))
	}
	return out, err
}

// constantTrips reports whether a loop has constant bounds.
func (l *loop) constantTrips() bool {
	lo, hi, ok := polycount.Between(l.bounds, l.name)
	return ok && hi-lo < 1<<16
}

// ended is what is known after a loop: variables have made as many steps as there are iterations, others are not known.
func (b *bindings) ended(x *loopText, first map[*builderVar]value, steps map[*builderVar]*expr.Poly, l *loop, iteration *expr.Poly) map[*builderVar]value {
	return b.after(x, first, steps, b.tripsOf(l, iteration))
}

// after is what is known after a loop that makes a number of iterations, which is nil if it is not known.
func (b *bindings) after(x *loopText, first map[*builderVar]value, steps map[*builderVar]*expr.Poly, trips *number) map[*builderVar]value {
	out := maps.Clone(b.env)
	for v := range x.assigned {
		last := out[v]
		if b.stays(v) {
			continue
		}
		if !last.isNum && last.at == nil && last.either == nil {
			continue
		}
		out[v] = value{}
		d, changes := steps[v]
		switch {
		case !changes || trips == nil:
		case first[v].at != nil:
			out[v] = value{at: &address{array: first[v].at.array, offset: first[v].at.offset.Add(d.Mul(trips.p))}}
		default:
			out[v] = value{isNum: true, num: first[v].num.Add(d.Mul(trips.p)), from: united(first[v].from, last.from), plain: len(last.from) == 0}
		}
	}
	return out
}

// number is a polynomial that may be missing: that of 0 is nil.
type number struct{ p *expr.Poly }

// tripsOf is the number of iterations of a loop, nil where it is no number.
func (b *position) tripsOf(l *loop, iteration *expr.Poly) *number {
	set, err := everywhere().Constrain(l.bounds...)
	b.try(err)
	lower, upper, err := set.ToDims(l.name).Bounds(l.name)
	b.try(err)
	if len(upper) != 1 || len(lower) == 0 {
		return nil
	}
	last := b.fromAffine(upper[0].Num.FloorDiv(upper[0].Den))
	from := minus(name(l.name), iteration)
	trips := minus(last, from).Add(constant(1))
	if a, ok := b.affine(trips); ok && upper[0].Den == 1 {
		trips = b.fromAffine(a)
	}
	return &number{b.extremeOf(expr.Max, trips, constant(0))}
}

// averaged reports whether the number of iterations between bounds is known on average: it does not depend on what is loaded, or is that of a loop with a declared
// average, and more by what does not.
func (b *builder) averaged(bounds []polycount.Constraint, iname string) bool {
	var trips polycount.Affine
	data, ends := false, 0
	for _, c := range bounds {
		rest := c.Affine.AddScaled(-c.Affine.Coeff(iname), polycount.Name(iname))
		trips, ends = trips.Add(rest), ends+1
		data = data || b.fromMemory(rest)
	}
	return !data || ends == 2 && slices.ContainsFunc(b.averages, func(a kernel.Average) bool {
		of, ok := b.affineExpr(a.Of)
		return ok && !b.fromMemory(trips.Sub(of))
	})
}
