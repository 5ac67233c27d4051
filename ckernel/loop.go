package ckernel

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// A loop is followed in one of these ways, the first that applies: as an iname, where variables that each iteration changes by the same amount
// decide how many iterations there are (counted); as a branch, where there is at most one (once); iteration by iteration, where
// numbers decide (unrolled). Where the user declares the average number of iterations, as for bounds that are read from memory, it is an iname
// with bounds that only a run tells (trips.go).

// loop is an iname with its bounds.
type loop struct {
	name   string
	pos    cfront.Pos
	unroll bool
	rolled bool // compilers do not unroll it
	kept   bool // whatever types its counter has
	outer  []*loop
	bounds []polycount.Constraint
	guard  *guard
}

// loopText is a loop of the text whose variables have their first values.
type loopText struct {
	pos        cfront.Pos
	cond, step cfront.Expr
	body       cfront.Stmt
	do         bool
	isFor      bool
	unroll     int
	head       *builderVar // that the head of a for loop gives its first value
	behind     cfront.Expr // what is evaluated once more when the condition does not hold
	broke      []exit      // where breaks have left it for good
	// assigned are the variables that an iteration changes.
	assigned map[*builderVar]bool
}

// forLoop follows a for loop.
func (b *builder) forLoop(x *cfront.For) {
	l := &loopText{pos: x.Pos, cond: x.Cond, step: x.Step, body: x.Body, isFor: true, unroll: x.Unroll}
	switch init := x.Init.(type) {
	case nil:
	case *cfront.Declare:
		for _, v := range init.Vars {
			b.begin(l, v, v.Init)
		}
	case *cfront.Do:
		b.beginAll(l, init.X)
	default:
		b.statement(x.Init)
	}
	b.loop(l)
}

func (b *builder) beginAll(l *loopText, e cfront.Expr) {
	switch x := e.(type) {
	case nil:
	case *cfront.List:
		for _, item := range x.Items {
			b.beginAll(l, item)
		}
	case *cfront.Assign:
		if ref, ok := x.To.(*cfront.Ref); ok && x.Op == "" {
			b.begin(l, ref.Var, x.Value)
			return
		}
		b.effect(e)
	default:
		b.effect(e)
	}
}

// begin gives a variable of the head of a loop its first value, whose arithmetic is free. One that depends on data is kept in a temporary,
// which may bound the loop.
func (b *builder) begin(l *loopText, v *builderVar, e cfront.Expr) {
	switch {
	case e == nil || v.Pointer || !b.follows(v):
		if e != nil {
			b.assign(l.pos, v, e)
		}
	default:
		b.env[v] = value{isNum: true, num: b.first(l, v, e), plain: b.plain(e)}
		if l.head == nil {
			l.head = v
		}
	}
	b.nextStatement()
}

// boundTemp is a new temporary that may bound loops, with its value.
func (b *position) boundTemp(at cfront.Pos, base string, v expr.Expr) string {
	n := b.fresh(base)
	b.addTemp(&kernel.Array{Name: n, DType: expr.Int32, Space: kernel.Private, Shape: []expr.Expr{}})
	b.bounds[n] = true
	b.assignTemp(at, n, v)
	return n
}

// loop follows a loop whose variables have their first values. What its condition steps after it is compared, as in i-- > 0, is stepped where an
// iteration begins, and once more behind the loop.
func (b *builder) loop(x *loopText) {
	x.behind = x.stepped()
	b.follow(x)
}

// end goes on behind a loop: where its condition does not hold, and where breaks have left it.
func (b *builder) end(x *loopText, before live) {
	if x.behind != nil && !b.live.dead {
		b.effect(x.behind)
	}
	if len(x.broke) > 0 {
		b.rejoin(before, x.broke)
	}
}

// stepped moves a step from the condition of a loop into its body, and returns it; nil where the condition has none.
func (x *loopText) stepped() cfront.Expr {
	if x.do {
		return nil
	}
	compared, _ := x.cond.(*cfront.Binary)
	left := x.cond
	if compared != nil {
		left = compared.X
	}
	step, ok := left.(*cfront.Assign)
	if !ok || !step.Step || !step.After {
		return nil
	}
	if x.cond = step.To; compared != nil {
		x.cond = cfront.Operation(compared.Pos, compared.Op, step.To, compared.Y)
	}
	x.body = &cfront.Block{Pos: x.pos, Items: []cfront.Stmt{&cfront.Do{Pos: step.Pos, X: step}, x.body}, Last: x.pos.Line}
	return step
}

func (b *builder) follow(x *loopText) {
	before := b.live
	x.assigned = b.changedBy(x.body, x.step, x.cond)
	for v := range x.assigned {
		if b.env[v].either != nil && v.Pointer {
			panic(split{v})
		}
	}
	steps, fault := b.changes(x)
	if fault != nil && b.trial > 0 && !b.opt.Opaque {
		panic(asFault(fault))
	}
	var why error
	ways := []func(*loopText, map[*builderVar]*expr.Poly) (bool, error){b.declaredTrips, b.counted, b.once, b.unrolledHere}
	if b.changesVariables(x.cond) { // each evaluation of the condition does
		ways = ways[3:]
	} else if b.trips[x.pos.Line] == nil && leaves(x.body) {
		if ways = []func(*loopText, map[*builderVar]*expr.Poly) (bool, error){b.unrolledHere}; !b.opt.Opaque || b.trial > 0 {
			ways = append(ways, b.counted, b.once)
		}
	} else if b.trips[x.pos.Line] == nil && x.places() {
		ways = append([]func(*loopText, map[*builderVar]*expr.Poly) (bool, error){b.unrolledHere}, ways[:3]...)
	}
	for _, way := range ways {
		done, err := way(x, steps)
		if done {
			b.end(x, before)
			return
		}
		if why == nil {
			why = err
		}
	}
	if b.changesVariables(x.cond) && (b.opt.Opaque || b.trips[x.pos.Line] != nil) && b.conditionInBody(x) {
		b.follow(x)
		return
	}
	if b.unknownAverage(x, steps) {
		b.end(x, before)
		return
	}
	switch {
	case fault != nil:
		panic(asFault(x.hinted(fault)))
	case why != nil:
		panic(asFault(x.hinted(why)))
	}
	b.failAt(x.pos, "declare the average number of iterations, as in "+x.example()+"; or step it in the body, or behind the body", "a loop whose condition changes a variable, and does not hold for all work-items alike")
}

// conditionInBody moves what the condition of a loop does to the end of its body, and of one that tests first also before the loop. It is false where a
// continue would pass it.
func (b *builder) conditionInBody(x *loopText) bool {
	if x.cond == nil || x.step != nil || jumpsBy(x.body, nil, []string{"continue"}) {
		return false
	}
	key := site{x.cond.Place(), b.path + "?"}
	v := b.learnt.results[key]
	if v == nil {
		v = &builderVar{Name: "again", Pos: x.cond.Place(), Class: cfront.Local, DType: expr.Bool}
		b.learnt.results[key] = v
	}
	test := &cfront.Do{Pos: x.cond.Place(), X: cfront.Assignment(cfront.Use(v), x.cond)}
	if !x.do {
		b.statement(test)
	}
	x.body = &cfront.Block{Pos: x.pos, Items: []cfront.Stmt{x.body, test}, Last: x.pos.Line}
	x.cond = cfront.Use(v)
	return true
}

// hinted is why a loop is not followed, with the declaration by which it is.
func (x *loopText) hinted(err error) error {
	at := (*source.Error)(nil)
	if !errors.As(err, &at) || strings.Contains(at.Hint, "trips(") {
		return err
	}
	out := *at
	return out.WithHint("%s", strings.TrimSuffix("declare the average number of iterations, as in "+x.example()+"; "+at.Hint, "; "))
}

func asFault(err error) fault { return fault{err: err} }

// symbol marks the names of values at the beginning of an iteration.
const symbol = "$"

// changes finds by how much an iteration changes the numbers and addresses that it assigns to, where that is the same in all iterations. It reads
// the body once, with names for the values at its beginning, and forgets it again. Where it may assign to variables that keep their values all the same, such as
// the members of an object that it calls a function of, it reads it once more, with these values.
func (b *builder) changes(x *loopText) (map[*builderVar]*expr.Poly, error) {
	out, err := b.changesBut(x, nil)
	kept := map[*builderVar]*expr.Poly{}
	for v, d := range out {
		if n, ok := d.Constant(); ok && n == 0 {
			kept[v] = d
		}
	}
	if err != nil || len(kept) == 0 || len(out) == len(b.candidates(x, nil)) {
		return out, err
	}
	out, err = b.changesBut(x, kept)
	maps.Copy(out, kept)
	return out, err
}

// changesBut is changes, with the values before the loop of some variables that keep them.
func (b *builder) changesBut(x *loopText, kept map[*builderVar]*expr.Poly) (map[*builderVar]*expr.Poly, error) {
	candidates := b.candidates(x, kept)
	out := map[*builderVar]*expr.Poly{}
	if len(candidates) == 0 {
		return out, nil
	}
	if d, ok := b.plainStep(x, candidates[0]); ok && len(candidates) == 1 {
		out[candidates[0]] = constant(d)
		return out, nil
	}
	undo := b.snapshot()
	domain := b.live.domain
	before := map[string]bool{}
	for n := range b.taken {
		before[n] = true
	}
	err := b.attempt(func() {
		first := maps.Clone(b.env)
		for v := range x.assigned {
			if _, keeps := kept[v]; !keeps {
				b.unknown(v)
			}
		}
		names := map[*builderVar]*expr.Poly{}
		for _, v := range candidates {
			names[v] = name(symbol + b.name(v))
			if at := first[v].at; at != nil {
				b.env[v] = value{at: &address{array: at.array, offset: names[v]}}
				continue
			}
			b.env[v] = value{isNum: true, num: names[v]}
		}
		b.iteration(x, nil)
		for _, v := range candidates {
			after := b.env[v]
			if at := after.at; at != nil && at.array == first[v].at.array {
				after.num, after.isNum = at.offset, true
			}
			if !after.isNum {
				continue
			}
			d := minus(after.num, names[v])
			own := func(n string) bool { // it differs between iterations
				return slices.ContainsFunc(candidates, func(v *builderVar) bool { return n == symbol+b.name(v) }) || !before[n] && !strings.HasPrefix(n, symbol)
			}
			fixed := !b.isData(d) && !slices.ContainsFunc(b.variables(d), own)
			if fixed {
				out[v] = d
			}
		}
	})
	undo()
	b.live.domain = domain
	return out, err
}

// plainStep is what the head of a loop adds to a variable that its body does not change, where that is a number. The body need not be read then.
func (b *bindings) plainStep(x *loopText, v *builderVar) (int64, bool) {
	a, ok := x.step.(*cfront.Assign)
	if !ok || !isRef(a.To, v) || b.changedBy(x.body, x.cond)[v] {
		return 0, false
	}
	n, ok := a.Value.(*cfront.Int)
	switch {
	case ok && a.Op == "+":
		return n.Value, true
	case ok && a.Op == "-":
		return -n.Value, true
	}
	return 0, false
}

// unknown takes what is known of a variable.
func (b *bindings) unknown(v *builderVar) {
	if b.stays(v) {
		return
	}
	if val := b.env[v]; val.isNum || val.at != nil || val.either != nil {
		b.env[v] = value{}
	}
}

// iteration follows the body and the step. breaks is told whether a break leaves the loop.
func (b *builder) iteration(x *loopText, copies *frame) {
	f := &frame{text: x}
	if copies != nil {
		f = copies
	}
	depth := len(b.frames)
	b.frames = append(b.frames, f)
	before, arrays := b.live, b.pointedTo(x)
	b.statement(x.body)
	b.joinKnown(before, f.exits)
	f.exits = nil
	b.frames = b.frames[:depth]
	b.live = before
	if x.step != nil {
		b.inHead = true
		b.effect(x.step)
		b.inHead = false
	}
	b.sameArrays(arrays, b.env)
	for _, e := range f.broke {
		b.sameArrays(arrays, e.env)
	}
}

// at gives the variables that iterations change their values in one iteration: the first value and as many steps as iterations before it.
func (b *bindings) at(x *loopText, first map[*builderVar]value, steps map[*builderVar]*expr.Poly, iteration *expr.Poly) {
	for v := range x.assigned {
		b.unknown(v)
	}
	for v, d := range steps {
		moved := d.Mul(iteration)
		if at := first[v].at; at != nil {
			b.env[v] = value{at: &address{array: at.array, offset: at.offset.Add(moved)}}
			continue
		}
		b.env[v] = value{isNum: true, num: first[v].num.Add(moved), plain: true}
	}
}

// openLoop enters a loop with its bounds, and narrows what is live to them.
func (b *position) openLoop(l *loop) {
	l.outer = slices.Clone(b.open)
	if len(b.open) > 0 { // that of the outermost loop counts
		l.guard = b.guardFor(b.base)
	} else {
		l.guard = b.guardOf(b.live)
	}
	if len(b.open) > 0 {
		l.guard = b.open[0].guard
	}
	b.loops = append(b.loops, l)
	b.open = append(b.open[:len(b.open):len(b.open)], l)
	b.constrain(l.bounds...)
}

// once follows a loop that makes at most one iteration, as one over all work-items does where their number is that of the elements.
func (b *builder) once(x *loopText, steps map[*builderVar]*expr.Poly) (done bool, why error) {
	if x.cond == nil || x.do {
		return false, nil
	}
	before, first := b.live, maps.Clone(b.env)
	var c condition
	why = b.attempt(func() {
		b.at(x, first, steps, constant(1))
		if again := b.truth(x.cond); again.pred != nil || b.decided(again) != no {
			b.fail(x.cond, "give the number of work-groups as a number, or assume more of the sizes", "how far an iteration moves depends on sizes")
		}
		b.env = maps.Clone(first)
		if c = b.truth(x.cond); c.pred != nil {
			b.fail(x.cond, "", "the condition depends on data")
		}
	})
	b.live, b.env = before, maps.Clone(first)
	if why != nil {
		return false, why
	}
	switch b.decided(c) {
	case no:
		return true, nil
	case unknown:
		b.live = b.narrowed(b.both(before.domain, c.set))
	}
	b.iteration(x, nil)
	after := b.env
	b.live, b.env = before, first
	if c.set != nil {
		after = b.merge(decision{set: c.set}, after, first)
	}
	b.env = after
	return true, nil
}

// maxCopies bounds the iterations of loops that are unrolled here, copiedSteps the statements of all of them, and maxConditions the constraints by which
// it is told where one of them runs: deciding more takes longer and longer.
const (
	maxCopies     = 1024
	copiedSteps   = maxSteps / 4
	maxConditions = 16
)

// copiedNodes bounds the nodes of the statements that are made of a loop: each iteration that may be the last is a condition more for those behind it.
const copiedNodes = maxNodes / 8

// unrolledHere follows a loop iteration by iteration, where numbers decide after which it ends.
func (b *builder) unrolledHere(x *loopText, _ map[*builderVar]*expr.Poly) (done bool, why error) {
	undo := b.snapshot()
	f := &frame{text: x, copies: true}
	first, conditions, nodes := b.steps, constraints(b.live.domain), b.nodes.Sum
	for i := range maxCopies {
		if b.steps-first > copiedSteps || b.nodes.Sum-nodes > copiedNodes {
			break
		}
		if constraints(b.live.domain)-conditions > maxConditions {
			undo()
			return false, b.file.Errorf(x.pos, "where the iterations of the loop run takes more than %d constraints", maxConditions).WithHint("%s", elsewhere)
		}
		var is answer
		why = b.attempt(func() {
			is = yes
			if x.cond != nil && (i > 0 || !x.do) && !b.live.dead {
				b.nextStatement()
				is = b.decided(b.truth(x.cond))
			}
		})
		if why != nil || is == unknown {
			undo()
			return false, why
		}
		if is == no || b.live.dead {
			x.broke = f.broke
			return true, nil
		}
		b.iterationCopy(x, f)
	}
	undo()
	b.nodes.Sum = nodes
	return false, b.file.Errorf(x.pos, "the loop makes more than %d iterations or %d statements, with the conditions that end it, and its variables change by another amount in each", maxCopies, copiedSteps).WithHint("%s", elsewhere)
}

// constraints is the number of constraints of a set.
func constraints(s *polycount.Set) (n int) {
	for _, d := range s.Disjuncts() {
		list, _ := d.Constraints()
		n += len(list)
	}
	return n
}

// iterationCopy is iteration where breaks end the loop for good.
func (b *builder) iterationCopy(x *loopText, f *frame) {
	depth := len(b.frames)
	b.frames = append(b.frames, f)
	before := b.live
	b.statement(x.body)
	exits := f.exits
	f.exits = nil
	b.frames = b.frames[:depth]
	b.rejoin(before, exits)
	if !b.live.dead && x.step != nil {
		b.inHead = true
		b.effect(x.step)
		b.inHead = false
	}
}
