package scop

import (
	"fmt"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/inline"
	"gpuperf/polycount"
)

// Loops whose steps are parameters run as often as is found out before the region. How often loops run whose bounds or conditions are data is a parameter, too, whose value is not known: each
// iteration does what it does if the condition holds. Such nests are counted and analysed, and do not run.

// counted is a loop of one of these kinds as a loop over its trips, with the statements that come before it; nil for others.
func (b *builder) counted(x *cfront.For, at scope) []cfront.Stmt {
	h, ok := headOf(x)
	if !ok || !h.iterator.DType.IsInteger() || len(h.iterator.Dims) > 0 || slices.Contains(b.at, h.iterator) {
		return nil
	}
	op, bound, ok := boundOf(x.Cond, h.iterator)
	sign, by := increment(x, h.iterator)
	if !ok || sign == "" || sign == "+" && op[0] != '<' || sign == "-" && op[0] != '>' || cfront.Mentions(bound, h.iterator) || cfront.Mentions(by, h.iterator) || slices.Contains(assignedIn(x.Body), h.iterator) {
		return nil
	}
	b.domain = at.domain
	_, constant := by.(*cfront.Int)
	if constant && b.readable(h.start) && b.readable(bound) || !constant && !b.invariant(by) {
		return nil
	}
	l := &tripLoop{b: b, pos: x.Pos, name: h.iterator.Name, broken: x.Broken}
	counter, value := cfront.Temporary(h.iterator.Name, cfront.Use(h.iterator))
	first := h.start
	if !b.invariant(first) {
		_, start := cfront.Temporary(h.iterator.Name+"_start", cfront.Use(h.iterator))
		b.own(start.Var)
		l.before = append(l.before, do(start, first))
		first = start
	}
	b.own(counter)
	var step cfront.Expr = cfront.Use(l.iterator(h.iterator))
	if n, one := by.(*cfront.Int); !one || n.Value != 1 {
		step = cfront.Operation(x.Pos, "*", step, by)
	}
	set := do(value, cfront.Operation(x.Pos, sign, first, step))
	body := inline.Renamed(x.Body, h.iterator, counter)
	b.uses.inside(body) // its variables are its own
	if !constant && b.invariant(h.start) && b.invariant(bound) {
		l.body = []cfront.Stmt{set, body}
		return l.over(l.givenTrips(h.start, op, bound, by))
	}
	holds := cfront.Operation(x.Pos, op, value, bound)
	l.body = []cfront.Stmt{set, &cfront.If{Pos: x.Pos, Cond: holds, Then: body}}
	return l.over(l.unknown())
}

// repeated is a while loop as a loop over its trips, with the statements that come before it.
func (b *builder) repeated(x *cfront.While) []cfront.Stmt {
	l := &tripLoop{b: b, pos: x.Pos, name: fmt.Sprintf("line_%d", x.Pos.Line)}
	_, going := cfront.Temporary("going", cfront.Zero(x.Pos))
	b.own(going.Var)
	l.iterator(going.Var)
	l.before = []cfront.Stmt{do(going, cfront.NewInt(x.Pos, 1))}
	on := func(then cfront.Stmt) cfront.Stmt {
		return &cfront.If{Pos: x.Pos, Cond: cfront.Operation(x.Pos, "!=", going, cfront.Zero(x.Pos)), Then: then}
	}
	test := on(&cfront.If{Pos: x.Pos, Cond: x.Cond, Then: do(going, cfront.NewInt(x.Pos, 1)), Else: do(going, cfront.Zero(x.Pos))})
	if l.body = []cfront.Stmt{test, on(x.Body)}; x.Do {
		l.body = []cfront.Stmt{on(x.Body), test}
	}
	return l.over(l.unknown())
}

// tripLoop is a loop over trips that is being made.
type tripLoop struct {
	b      *builder
	pos    cfront.Pos
	name   string
	trip   *cfront.Var
	before []cfront.Stmt
	body   []cfront.Stmt
	broken bool
}

func do(to *cfront.Ref, value cfront.Expr) *cfront.Do {
	return &cfront.Do{Pos: value.Place(), X: cfront.Assignment(to, value)}
}

// over are the statements of the loop, which has so many trips.
func (l *tripLoop) over(trips *cfront.Var) []cfront.Stmt {
	trip := *l.trip
	l.trip.Init = cfront.Zero(l.pos)
	step := cfront.Assignment(cfront.Use(&trip), cfront.NewInt(l.pos, 1))
	step.To, step.Op, step.Step = cfront.Use(l.trip), "+", true
	return append(l.before, &cfront.For{
		Pos: l.pos, Init: &cfront.Declare{Pos: l.pos, Vars: []*cfront.Var{l.trip}}, Cond: cfront.Operation(l.pos, "<", cfront.Use(l.trip), cfront.Use(trips)), Step: step,
		Body: &cfront.Block{Pos: l.pos, Items: l.body, Last: l.pos.Line}, Broken: l.broken,
	})
}

// own enters a variable of the region that the text does not have.
func (b *builder) own(v *cfront.Var) {
	b.uses.written[v], b.uses.declared[v] = true, true
	b.inner[v] = b.depth
	b.env[v] = nil
}

// iterator is the iterator of a loop over trips, of the type of another one.
func (l *tripLoop) iterator(like *cfront.Var) *cfront.Var {
	l.trip, _ = cfront.Temporary(l.name+"_trip", cfront.Use(like))
	l.b.uses.iterators[l.trip], l.b.uses.declared[l.trip] = true, true
	return l.trip
}

// unknown is the parameter that stands for how often a loop runs which data decides.
func (l *tripLoop) unknown() *cfront.Var {
	b := l.b
	if b.nest.ordered == nil {
		b.nest.ordered = b.file.Errorf(l.pos, "how often this loop runs is data").WithHint("perf count, scop show and deps take the nest, with a parameter for the number of iterations")
	}
	return l.parameter()
}

func (l *tripLoop) parameter() *cfront.Var {
	b := l.b
	v, _ := cfront.Temporary(l.name+"_trips", cfront.Use(l.trip))
	v.Class = cfront.Param
	b.context = append(b.context, polycount.GE(polycount.Name(b.name(v)), polycount.Int(0)))
	return v
}

// givenTrips is a parameter: the number of iterations of a loop whose start, bound and step the region does not change. Steps are at least 1 in any program whose loop ends.
func (l *tripLoop) givenTrips(start cfront.Expr, op string, bound, by cfront.Expr) *cfront.Var {
	v := l.parameter()
	low, high := start, bound
	if op[0] == '>' {
		low, high = bound, start
	}
	span := cfront.Operation(l.pos, "-", high, low)
	if len(op) == 1 {
		span = cfront.Operation(l.pos, "-", span, cfront.NewInt(l.pos, 1))
	}
	some := cfront.Operation(l.pos, "&&", cfront.Operation(l.pos, op, start, bound), cfront.Operation(l.pos, ">", by, cfront.Zero(l.pos)))
	l.b.nest.Given[l.b.name(v)] = cfront.Chosen(some, cfront.Operation(l.pos, "+", cfront.Operation(l.pos, "/", span, by), cfront.NewInt(l.pos, 1)), cfront.Zero(l.pos))
	return v
}

// readable reports that an expression is affine, or a parameter.
func (b *builder) readable(e cfront.Expr) bool {
	params, context := slices.Clone(b.nest.Params), slices.Clone(b.context)
	ok := b.attempt(func() { b.affine(e) })
	b.nest.Params, b.context = params, context
	return ok
}

// boundOf is a condition as the comparison of an iterator with a bound.
func boundOf(e cfront.Expr, v *cfront.Var) (op string, bound cfront.Expr, ok bool) {
	c, is := e.(*cfront.Binary)
	if !is {
		return "", nil, false
	}
	flipped := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}
	switch {
	case flipped[c.Op] == "":
		return "", nil, false
	case cfront.IsVar(c.X, v):
		return c.Op, c.Y, true
	case cfront.IsVar(c.Y, v):
		return flipped[c.Op], c.X, true
	}
	return "", nil, false
}
