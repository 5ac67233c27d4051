package ckernel

import (
	"fmt"
	"maps"
	"math"
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
	return expr.Any(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Access:
			return true
		case *expr.Op:
			return !isFor && !x.Kind.IsComparison() && x.Kind != expr.And && x.Kind != expr.Or && x.Kind != expr.Not
		case *expr.Call:
			return !isFor
		}
		return false
	})
}

// readBounds follows a loop from a first value to an end of which one is read from memory before the loop.
func (b *builder) readBounds(x *loopText, steps map[*builderVar]*expr.Poly, average expr.Expr) bool {
	v, end, op := b.towards(x, steps)
	if v == nil {
		return false
	}
	step, _ := steps[v].Constant()
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
			b.assignTemp(x.cond.(*cfront.Binary).Pos, b.scratch(v.Name+"_end", expr.Int32), b.freeValue(end))
		}
	}
	inclusive := bit(op == "<=" || op == ">=")
	from, startAffine := b.affine(start)
	to, endAffine := b.affineExpr(last)
	if leaves(x.body) && startAffine && endAffine && !b.fromMemory(from) && !b.fromMemory(to) {
		return false // where it ends is known, but not how often something in its body ends it before: that is what the average says
	}
	if p, ok := b.partOf(start, last, step, average); ok {
		b.parts = append(b.parts, p)
	}
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

// towards is the variable of a loop that goes in steps to an end which stays as it is, that end, and how both are compared; nil for other loops.
func (b *builder) towards(x *loopText, steps map[*builderVar]*expr.Poly) (v *builderVar, end cfront.Expr, op string) {
	cond, ok := x.cond.(*cfront.Binary)
	if !ok || x.do {
		return nil, nil, ""
	}
	v, end, op = b.counter(x, steps), cond.Y, cond.Op
	if v == nil {
		return nil, nil, ""
	}
	if isRef(cond.Y, v) {
		end, op = cond.X, mirrored[op]
	} else if !isRef(cond.X, v) {
		return nil, nil, ""
	}
	step, ok := steps[v].Constant()
	upward := ok && step > 0 && (op == "<" || op == "<=" || op == "!=" && step == 1)
	downward := ok && step < 0 && (op == ">" || op == ">=" || op == "!=" && step == -1)
	if !upward && !downward || b.namesAny(end, x.assigned) {
		return nil, nil, ""
	}
	return v, end, op
}

// fromMemory reports whether a bound of a loop comes from memory.
func (b *terms) fromMemory(bound polycount.Affine) bool {
	return slices.ContainsFunc(bound.Names(), func(n string) bool { return b.bounds[n] })
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

// first is the first value of a variable: a number, or a temporary that holds what depends on data of it, and what does not.
func (b *builder) first(l *loopText, v *builderVar, e cfront.Expr) *expr.Poly {
	if n, ok := b.tracked(v, e); ok {
		return n
	}
	if sum, ok := e.(*cfront.Binary); ok && sum.Op == "+" && v.DType.IsSigned() && sum.Type() == v.DType {
		for _, sides := range [][2]cfront.Expr{{sum.X, sum.Y}, {sum.Y, sum.X}} {
			if n, ok := b.tracked(v, sides[1]); ok {
				return b.first(l, v, sides[0]).Add(n)
			}
		}
	}
	return name(b.boundTemp(l.pos, v.Name+"_start", converting(b.freeValue(e), e.Type(), v.DType)))
}

// An array may hold where the parts of another one begin, as the row pointers of a sparse matrix: a loop goes through one part, from an element to the next.
// What such an array holds is supposed to be the same step from each element to the next, as often as the loop runs on average.

// part is a loop from one number that is read from memory to another.
type part struct {
	from, to expr.Expr // scalars, or elements
	elements expr.Expr // from one to the other on average
}

// partOf is a loop that goes by steps from a first value, a scalar and what does not depend on data, to a last one.
func (b *terms) partOf(start *expr.Poly, last expr.Expr, step int64, average expr.Expr) (p part, ok bool) {
	from := ""
	for c, vars := range start.All() {
		if len(vars) != 1 || !b.temporary(vars[0]) {
			continue
		}
		if from != "" || !c.IsInt64() || c.Int64() != 1 {
			return p, false
		}
		from = vars[0]
	}
	if from == "" || step < 0 {
		return p, false
	}
	return part{from: expr.Var{Name: from}, to: last, elements: elements(average, step)}, true
}

// elements are those of so many steps, rounded down where sizes decide.
func elements(steps expr.Expr, step int64) expr.Expr {
	if n, err := expr.EvalFloat(steps, nil); err == nil {
		return expr.Int{Value: int64(math.Round(n * float64(step)))}
	}
	op, ok := steps.(*expr.Op)
	switch {
	case ok && op.Kind == expr.Div:
		return expr.Binary(expr.FloorDiv, elements(op.Args[0], step), op.Args[1])
	case step == 1:
		return steps
	}
	return expr.Binary(expr.Mul, expr.Int{Value: step}, steps)
}

// partitions gives the kernel what arrays are supposed to hold that its loops go through from one element to the next.
func partitions(k *kernel.Kernel, list []part) {
	for _, p := range list {
		from, to := elementIn(k, p.from), elementIn(k, p.to)
		if from == nil || to == nil || from.Array != to.Array || len(from.Index) != 1 || len(to.Index) != 1 || len(k.Writers(from.Array)) > 0 {
			continue
		}
		anything := func(string) bool { return true }
		i, err := expr.ToAffine(from.Index[0], anything)
		j, err2 := expr.ToAffine(to.Index[0], anything)
		if d := j.Sub(i); err != nil || err2 != nil || !d.IsConstant() || d.Constant() != 1 {
			continue
		}
		if a := k.Array(from.Array); !a.DType.IsInteger() || slices.ContainsFunc(k.Values, func(v kernel.Values) bool { return v.Array == from.Array }) {
			continue
		}
		index := kernel.Fresh("i", k.IsParam)
		k.Values = append(k.Values, kernel.Values{Array: from.Array, Index: index, Value: expr.Binary(expr.Mul, p.elements, expr.Var{Name: index}), Supposed: true})
	}
}

// elementIn is the element that a scalar holds in all of a kernel; nil where it is not one.
func elementIn(k *kernel.Kernel, e expr.Expr) *expr.Access {
	for range len(k.Statements) {
		switch x := e.(type) {
		case *expr.Access:
			return x
		case *expr.Cast:
			e = x.Arg
			continue
		case expr.Var:
			sets := k.Writers(x.Name)
			if len(sets) != 1 || len(sets[0].Predicates) > 0 {
				return nil
			}
			e = sets[0].RHS
			continue
		}
		return nil
	}
	return nil
}
