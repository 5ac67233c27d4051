package ckernel

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// example is an assumption that declares the average trips of a loop.
func (x *loopText) example() string {
	return fmt.Sprintf("--assume 'trips(%d) = 8'", x.pos.Line)
}

// declaredTrips follows a loop whose number of iterations depends on data, by the average that the user declares.
func (b *builder) declaredTrips(x *loopText, steps map[*builderVar]*expr.Poly) (bool, error) {
	average, ok := b.trips[x.pos.Line]
	if !ok {
		return false, nil
	}
	b.tripsUsed[x.pos.Line] = true
	if b.readBounds(x, steps, average) {
		return true, nil
	}
	first := maps.Clone(b.env)
	outside, inside := b.evaluations(x)
	if outside {
		b.evaluate(x)
	}
	trips := b.boundTemp(x.pos, "trips", b.unknownTrips(x))
	iname := b.fresh("iteration")
	b.declareAverage(expr.Var{Name: trips}, average)
	b.overIterations(x, first, steps, iname, name(iname), []polycount.Constraint{
		polycount.GE(polycount.Name(iname), polycount.Int(0)), polycount.GE(polycount.Name(trips), polycount.Name(iname).AddInt(1)),
	}, func() {
		if inside {
			b.evaluate(x)
		}
	}, name(trips))
	return true, nil
}

// unknownAverage follows a loop by an average that is a size of its own, where parts that are not read may be left out: trips_12 for that of line 12.
func (b *builder) unknownAverage(x *loopText, steps map[*builderVar]*expr.Poly) bool {
	if !b.opt.Opaque || b.trips[x.pos.Line] != nil {
		return false
	}
	b.trips[x.pos.Line] = b.express(b.sizeNamed(fmt.Sprint(kernel.TripsPrefix, x.pos.Line)))
	done, _ := b.declaredTrips(x, steps)
	return done
}

// overIterations follows the body of a loop over an iname.
func (b *builder) overIterations(x *loopText, first map[*builderVar]value, steps map[*builderVar]*expr.Poly, iname string, iteration *expr.Poly, bounds []polycount.Constraint, again func(), trips *expr.Poly) {
	before, f := b.live, &frame{text: x, declared: true}
	if f.before = before; jumpsBy(x.body, []string{"return"}, nil) || leavesFor(x.body, x.body) {
		f.left = b.scratch("left", expr.Int32)
		b.assignTemp(x.pos, f.left, expr.Int{})
	}
	b.openLoop(&loop{name: iname, pos: x.pos, bounds: bounds})
	b.at(x, first, steps, iteration)
	b.iteration(x, f)
	if again != nil {
		again()
	}
	if b.live, b.open = before, b.open[:len(b.open)-1]; f.left != "" {
		b.live.preds = append(slices.Clip(b.live.preds), expr.Binary(expr.Eq, expr.Var{Name: f.left}, expr.Int{}))
	}
	b.env = b.after(x, first, steps, &number{trips})
}

// declareAverage states an average, once for equal expressions.
func (b *flow) declareAverage(of, average expr.Expr) {
	b.averages = append(b.averages, kernel.Average{Of: of, Value: average})
}

// unknownTrips is the number of iterations of a loop that only a run tells.
func (b *flow) unknownTrips(x *loopText) expr.Expr {
	f := &kernel.Function{
		Name: fmt.Sprintf("trips_of_line_%d", x.pos.Line), Result: expr.Int32, Counts: map[expr.DType]map[string]int64{},
		Body: fmt.Sprintf("return the_number_of_iterations_of_line_%d;", x.pos.Line),
	}
	return &expr.Call{Func: b.function(f)}
}

// evaluations tells where the condition of a loop is evaluated, if that is work: before the loop, and in each iteration. That is once more than there
// are iterations; but where a number bounds the iterations as well, which may end the loop before the rest is evaluated, once for each.
func (b *builder) evaluations(x *loopText) (before, inside bool) {
	if x.cond == nil {
		return false, false
	}
	c := b.truth(x.cond)
	work := c.pred != nil && works(c.pred, x.isFor)
	return work && c.set == nil && !x.do, work
}

// evaluate evaluates the condition of a loop as far as it depends on data. In a for loop only its loads count.
func (b *builder) evaluate(x *loopText) {
	if x.isFor {
		b.index++
		defer func() { b.index-- }()
	}
	c := b.truth(x.cond)
	if c.pred == nil {
		return
	}
	v := cexpr.Number(c.pred)
	if x.isFor {
		v = b.free(v)
	}
	b.assignTemp(x.cond.Place(), b.scratch("holds", expr.Int32), v)
}

// works reports whether a condition has loads or, unless it is that of a for loop, operations.
func works(e expr.Expr, isFor bool) bool {
	work := false
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Access:
			work = true
		case *expr.Op:
			work = work || !isFor && !x.Kind.IsComparison() && x.Kind != expr.And && x.Kind != expr.Or && x.Kind != expr.Not
		case *expr.Call:
			work = work || !isFor
		}
		return !work
	})
	return work
}

// readBounds follows a loop from a first value to an end of which one is read from memory before the loop.
func (b *builder) readBounds(x *loopText, steps map[*builderVar]*expr.Poly, average expr.Expr) bool {
	cond, ok := x.cond.(*cfront.Binary)
	if !ok || x.do {
		return false
	}
	v, end, op := b.counter(x, steps), cond.Y, cond.Op
	if v == nil {
		return false
	}
	if isRef(cond.Y, v) {
		end, op = cond.X, mirrored[op]
	} else if !isRef(cond.X, v) {
		return false
	}
	step, ok := steps[v].Constant()
	upward := ok && step > 0 && (op == "<" || op == "<=" || op == "!=" && step == 1)
	downward := ok && step < 0 && (op == ">" || op == ">=" || op == "!=" && step == -1)
	if !upward && !downward || b.namesAny(end, x.assigned) {
		return false
	}
	first := maps.Clone(b.env)
	start := first[v].num
	var last expr.Expr
	if n, ok := b.number(end); ok {
		last = b.express(n)
	} else {
		last = expr.Var{Name: b.boundTemp(x.pos, v.Name+"_end", b.freeValue(end))}
		b.nextStatement()
	}
	reload := func() {
		if _, ok := b.number(end); !ok && works(b.freeValue(end), true) {
			b.nextStatement()
			b.assignTemp(cond.Pos, b.scratch(v.Name+"_end", expr.Int32), b.freeValue(end))
		}
	}
	inclusive := bit(op == "<=" || op == ">=")
	from, startAffine := b.affine(start)
	to, endAffine := b.affineExpr(last)
	if step == 1 && startAffine && endAffine {
		iname := b.inameOf(v)
		to = to.AddInt(inclusive)
		b.declareAverage(expr.FromAffine(to.Sub(from)), average)
		b.overIterations(x, first, steps, iname, minus(name(iname), start), []polycount.Constraint{
			polycount.GE(polycount.Name(iname), from), polycount.GE(to, polycount.Name(iname).AddInt(1)),
		}, reload, b.extremeOf(expr.Max, minus(b.fromAffine(to), start), constant(0)))
		return true
	}
	distance := expr.Binary(expr.Sub, last, b.express(start))
	if step < 0 {
		distance = expr.Binary(expr.Sub, b.express(start), last)
		step = -step
	}
	n := expr.Binary(expr.FloorDiv, expr.Binary(expr.Add, distance, expr.Int{Value: inclusive + step - 1}), expr.Int{Value: step})
	trips := b.boundTemp(x.pos, "trips", b.free(expr.Binary(expr.Max, n, expr.Int{})))
	iname := b.inameOf(v)
	b.declareAverage(expr.Var{Name: trips}, average)
	b.overIterations(x, first, steps, iname, name(iname), []polycount.Constraint{
		polycount.GE(polycount.Name(iname), polycount.Int(0)), polycount.GE(polycount.Name(trips), polycount.Name(iname).AddInt(1)),
	}, reload, name(trips))
	return true
}

// affineExpr is a bound of a loop as an affine expression.
func (b *terms) affineExpr(e expr.Expr) (polycount.Affine, bool) {
	a, err := expr.ToAffine(e, func(n string) bool { return !b.temporary(n) || b.bounds[n] })
	return a, err == nil
}

func isRef(e cfront.Expr, v *builderVar) bool {
	ref, ok := e.(*cfront.Ref)
	return ok && ref.Var == v
}

// leave follows a break.
func (b *builder) leave(x *cfront.Jump, f *frame) {
	switch {
	case f.copies || f.declared:
		f.broke = append(f.broke, exit{maps.Clone(b.env), b.live})
	case slices.Contains(b.frames, f) && b.trial > 0:
	default:
		b.failAt(x.Pos, "declare the average number of iterations, as in "+f.text.example()+", or put the condition into the head of the loop", "a loop that ends in its middle")
	}
}
