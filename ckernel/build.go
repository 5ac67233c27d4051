package ckernel

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// maxRounds bounds how often a function is read, each time with more known of its variables.
const maxRounds = 60

func build(ctx context.Context, file *cfront.File, fn *cfront.Function, opt *Options) (*kernel.Kernel, error) {
	known := newLearnt()
	for range maxRounds {
		known.changed = false
		b := newBuilder(ctx, file, fn, opt, known)
		k, repeat, err := b.read()
		if !repeat {
			return k, err
		}
	}
	return nil, file.Errorf(fn.Pos, "the integer variables of %s are too entangled to follow", fn.Name).WithHint(elsewhere)
}

// builder reads a kernel function once, into its flow.
type builder struct {
	bindings
	ctx       context.Context
	trips     map[int]expr.Expr // averages by line
	tripsUsed map[int]bool
	results   map[cfront.Expr]outcome // of calls and assignments in the current statement
	lanes     map[*builderVar]bool    // vectors whose lanes are used apart
	pinned    map[*cfront.Index]place // elements whose subscripts have been read, and are not read again
	gone      *polycount.Set          // work-items that have returned; nil for none
	meets     map[*polycount.Set]bool // sets that barriers were found to be right in
	frames    []*frame
	values    []*builderVar // what values without a name are kept in
	depth     int           // of calls and statements
	inHead    bool          // of a loop, whose arithmetic is free
	index     int           // what is read is index arithmetic, which is free
	steps     int
}

// live is where the current statement runs: the points of a set at which conditions on data hold.
type live struct {
	domain *polycount.Set
	preds  []expr.Expr
	dead   bool
}

// position is where in the flow reading stands: the points that are live there, and the loops around it.
type position struct {
	flow
	live  live
	open  []*loop
	nodes expr.Nodes // of statements and of the conditions on data under which they run
}

// frame is a loop or a function that jumps leave.
type frame struct {
	function bool
	of       *cfront.Function
	result   *builderVar
	text     *loopText
	copies   bool   // the loop is followed iteration by iteration
	declared bool   // the user declares how many iterations it makes
	label    string // it is no loop, but what stands before this label
	// Of a declared loop that jumps to places beyond its end leave: the flag which tells that one has, and where the loop began.
	left   string
	before live
	// What holds where a jump leaves the iteration or the function early.
	exits []exit
	broke []exit
}

type exit struct {
	env  map[*builderVar]value
	live live
}

func newBuilder(ctx context.Context, file *cfront.File, fn *cfront.Function, opt *Options, known *learnt) *builder {
	b := &builder{
		bindings: newBindings(newFlow(faults{file, fn}, opt), known), ctx: ctx, trips: map[int]expr.Expr{}, tripsUsed: map[int]bool{},
		results: map[cfront.Expr]outcome{}, pinned: map[*cfront.Index]place{}, meets: map[*polycount.Set]bool{}, lanes: lanesApart(file),
	}
	for _, p := range fn.Params {
		b.params = append(b.params, b.flattened(p)...)
	}
	for _, p := range b.params { // first, as they keep their names
		if len(p.Dims) > 0 && b.isLaunchSize(p.Name) {
			b.sizeNamed(p.Name) // whose value the user gives by this name: the array gets another
		}
		b.name(p)
	}
	return b
}

// read reads the function; repeat asks for another reading with what was learnt.
func (b *builder) read() (k *kernel.Kernel, repeat bool, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case fault: // it may come from what was not known before
			if k, repeat, err = nil, b.learnt.changed, nil; !repeat {
				err = e.err
			}
		case again:
			k, repeat, err = nil, true, nil
		default:
			panic(e)
		}
	}()
	b.live.domain = everywhere()
	b.assumptions()
	b.launch()
	for _, p := range b.params {
		b.parameter(p)
	}
	b.base = b.live.domain
	b.frames = append(b.frames, &frame{function: true})
	b.statement(b.fn.Body)
	b.unusedTrips()
	if b.learnt.changed {
		return nil, true, nil
	}
	b.shared = b.sharedSizes()
	return b.finish(), false, nil
}

// parameter enters a parameter of the kernel.
func (b *builder) parameter(p *builderVar) {
	switch {
	case len(p.Dims) > 0:
		if p.DType.Known() || p.Record != nil && p.Record.Unknown == "" || isVoid(p) {
			b.env[p] = value{at: &address{array: b.array(cfront.Use(p), p), offset: constant(0)}}
			b.settleAddress(p.Pos, p)
		}
	case isImage(p):
	case p.DType == "":
		b.failAt(p.Pos, "pass numbers and pointers to numbers", "%s is neither a number nor a pointer to numbers", p.Name)
	case b.follows(p):
		b.env[p] = value{isNum: true, num: b.argument(p), plain: true}
	case p.DType.IsVector():
		b.vectorParameter(p)
	case b.assignedTo[p]:
		b.assignTemp(p.Pos, b.temp(p), expr.Var{Name: b.name(p)})
		b.env[p] = value{data: true}
	}
}

// name is the name of a variable in the kernel: that of the text, unless it is taken.
func (b *grid) name(v *builderVar) string {
	n, ok := b.names[v]
	if !ok {
		n = b.fresh(v.Name)
		b.names[v] = n
	}
	return n
}

// fresh is a new name like base: it, or the first of base_0, base_1, ... that is not taken. What kernels have in no name becomes an underscore, as in those of
// closures: f.get. Loops that are written out ask for very many names, so that numbers found to be taken are not tried again.
func (b *grid) fresh(base string) string {
	base = notInNames.ReplaceAllString(base, "_")
	n := base
	for b.taken[n] || !expr.IsName(n) {
		n = base + "_" + strconv.Itoa(b.tried[base])
		b.tried[base]++
	}
	b.taken[n] = true
	return n
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// maxSteps bounds the statements that are read, with those of loops that are unrolled here and of functions, and maxNodes the nodes of their trees, which passes
// visit. The tests' kernels that people would write have 600,000 nodes at most; 20 million are seconds of work.
const (
	maxSteps = 100_000
	maxNodes = 20_000_000
)

func (b *builder) statement(s cfront.Stmt) {
	if b.live.dead || s == nil {
		return
	}
	b.step(s.Place())
	b.depth++
	defer func() { b.depth-- }()
	_, block := s.(*cfront.Block)
	read := func() { b.oneStatement(s) }
	if b.opt.Opaque && !block {
		read = func() { b.tolerated(s) }
	}
	if b.chosen && !block {
		b.splitting(read)
		return
	}
	read()
}

func (b *builder) oneStatement(s cfront.Stmt) {
	switch x := s.(type) {
	case *cfront.Block:
		b.block(x.Items)
	case *cfront.Declare:
		for _, v := range x.Vars {
			b.declare(v)
		}
	case *cfront.Do:
		if x.X != nil {
			b.effect(x.X)
		}
	case *cfront.If:
		b.branch(x)
	case *cfront.For:
		b.forLoop(x)
	case *cfront.While:
		b.loop(&loopText{pos: x.Pos, cond: x.Cond, body: x.Body, do: x.Do})
	case *cfront.Jump:
		b.jump(x)
	case *cfront.Other:
		if x.Label != "" {
			b.block(x.Body)
			return
		}
		if x.Unread {
			b.failAt(x.Pos, "", "%s", x.What)
		}
		b.failAt(x.Pos, "", "%s has no place in a kernel", x.What)
	default:
		b.failAt(s.Place(), "", "this statement has no place in a kernel")
	}
}

// step bounds the work.
func (b *builder) step(at cfront.Pos) {
	b.steps++
	if b.steps%64 == 0 && b.ctx.Err() != nil {
		panic(fault{context.Cause(b.ctx), true})
	}
	if b.nodes.Sum == maxNodes {
		b.failFinal(at, "write loops that are not unrolled", "the trees of the function's statements and of their conditions have more than %d nodes, with those of its functions and of unrolled loops", maxNodes)
	}
	if b.steps > maxSteps || len(b.records) > maxSteps {
		b.failFinal(at, "write loops that are not unrolled", "the function has more than %d statements, with those of its functions and of unrolled loops", maxSteps)
	}
}

// emit adds a statement where it is live.
func (b *position) emit(r *record) {
	r.loops, r.live = slices.Clone(b.open), b.live
	b.records = append(b.records, r)
	for _, condition := range r.live.preds {
		b.nodes.Add(condition)
	}
	b.nodes.Add(r.lhs)
	b.nodes.Add(r.rhs)
}

// assignTemp adds a statement that assigns to a private temporary.
func (b *position) assignTemp(at cfront.Pos, temp string, v expr.Expr) {
	b.emit(&record{pos: at, lhs: expr.Var{Name: temp}, rhs: v})
}

// declare enters a variable.
func (b *builder) declare(v *builderVar) {
	delete(b.env, v)
	switch {
	case v.Space == cfront.LocalSpace && !v.Pointer || v.Dynamic:
	case v.Record != nil && len(v.Dims) == 0:
		if b.forgetMembers(v); v.Init != nil {
			b.assignRecord(v.Pos, cfront.Use(v), v.Init)
		}
	case v.Init != nil && (v.Pointer || v.Reference && len(v.Dims) > 0):
		b.env[v] = b.pointerValue(v.Init)
		b.settleAddress(v.Pos, v)
	case isImage(v):
	case v.DType == "" && v.Record == nil:
		b.failAt(v.Pos, "", "%s is neither a number nor an array of numbers", v.Name)
	case v.Listed:
		b.initialise(v)
	case v.Init != nil:
		b.assign(v.Pos, v, v.Init)
	}
	b.nextStatement()
}

// nextStatement forgets the values that calls and assignments had in the statement before: there each is made once, however often it is read.
func (b *builder) nextStatement() { b.results = map[cfront.Expr]outcome{} }

// effect follows an expression for its effect.
func (b *builder) effect(e cfront.Expr) {
	switch x := e.(type) {
	case *cfront.Assign:
		b.assignment(x)
	case *cfront.Make:
		b.effectOf(x)
	case *cfront.List:
		for _, item := range x.Items {
			b.effect(item)
		}
		return
	case *cfront.Cast: // (void) x
		b.effect(x.X)
		return
	case *cfront.Call:
		b.callEffect(x)
	case *cfront.Select:
		b.branch(&cfront.If{Pos: x.Pos, Cond: x.If, Then: &cfront.Do{Pos: x.Then.Place(), X: x.Then}, Else: &cfront.Do{Pos: x.Else.Place(), X: x.Else}})
	case *cfront.Unknown:
		b.fail(e, "", "%s has no place in a kernel", x.What)
	case *cfront.Binary:
		switch x.Op {
		case "&&", "||":
			then := cfront.Stmt(&cfront.Do{Pos: x.Y.Place(), X: x.Y})
			if x.Op == "&&" {
				b.branch(&cfront.If{Pos: x.Pos, Cond: x.X, Then: then})
			} else {
				b.branch(&cfront.If{Pos: x.Pos, Cond: x.X, Then: &cfront.Do{Pos: x.Pos}, Else: then})
			}
		default:
			b.effect(x.X)
			b.effect(x.Y)
		}
	default:
		for _, o := range cfront.Operands(e) {
			b.effect(o)
		}
	}
	b.nextStatement()
}

// firstItems follows the items of a list but the last for their effects, once.
func (b *builder) firstItems(x *cfront.List) {
	if _, done := b.results[x]; done {
		return
	}
	results := b.results
	for _, item := range x.Items[:len(x.Items)-1] {
		b.effect(item)
	}
	b.results = results
	b.results[x] = outcome{}
}

// assignment follows an assignment to a variable or an element.
func (b *builder) assignment(x *cfront.Assign) {
	b.step(x.Pos)
	if x.To.Record() != nil && x.To.PointsTo() == "" && x.To.Type() == "" && !isPointer(x.To) {
		b.assignRecord(x.Pos, x.To, x.Value)
		return
	}
	if v := b.variableOf(x.To); v != nil {
		b.assign(x.Pos, v, assignedValue(x, x.To))
		return
	}
	if x.To.Type() == "" && isPointer(x.To) && x.Op == "" {
		b.storePointer(x.Pos, x.To)
		return
	}
	defer b.pin(x.To)()
	b.store(x.Pos, x.To, assignedValue(x, x.To))
}

// assignedValue is what an assignment assigns, where its left side has the value before.
func assignedValue(x *cfront.Assign, before cfront.Expr) cfront.Expr {
	if x.Op == "" {
		return x.Value
	}
	op := cfront.Operation(x.Pos, x.Op, before, x.Value)
	if t := x.To.Type(); t.IsVector() {
		op.DType = t
	}
	if x.To.PointsTo() != "" || x.To.Record() != nil {
		op.DType, op.Elem, op.Rec = "", x.To.PointsTo(), x.To.Record()
	}
	return op
}

// variableOf is the variable that an expression names, by its name or as what a pointer to it points to; nil for other expressions.
func (b *builder) variableOf(e cfront.Expr) *builderVar {
	switch x := e.(type) {
	case *cfront.Ref:
		return x.Var
	case *cfront.Index:
		return b.aliased(x)
	case *cfront.Member:
		return b.memberVariable(x)
	}
	return nil
}

// assign gives a variable a value.
func (b *builder) assign(at cfront.Pos, v *builderVar, e cfront.Expr) {
	switch {
	case v.Pointer:
		b.env[v] = b.pointerValue(e)
		b.settleAddress(at, v)
		return
	case v.Record != nil && len(v.Dims) == 0:
		b.assignRecord(at, cfront.Use(v), e)
		return
	case len(v.Dims) > 0 || v.DType == "":
		b.failAt(at, "", "%s is no variable that is assigned to as a whole", v.Name)
	case b.inMemory(v):
		b.storeScalar(at, v, e)
		return
	case v.DType.IsVector():
		b.assignVector(at, v, e)
		return
	case b.mayHold(v) && b.holdsAddress(e):
		b.env[v] = value{at: b.addressOf(e)}
		return
	}
	if n, ok := b.tracked(v, e); ok {
		val := value{isNum: true, num: n, from: []site{b.here(at)}, plain: b.plain(e)}
		if b.inHead {
			val.from = nil
		}
		if b.learnt.stored[b.here(at)] {
			b.assignTemp(at, b.temp(v), converting(b.value(e), e.Type(), v.DType))
		}
		b.env[v] = val
		return
	}
	read := b.value
	if b.inHead {
		read = b.freeValue
	}
	b.assignTemp(at, b.temp(v), converting(read(e), e.Type(), v.DType))
	b.env[v] = value{data: true}
}

// tracked is the number that a variable gets; ok is false if it is none.
func (b *builder) tracked(v *builderVar, e cfront.Expr) (n *expr.Poly, ok bool) {
	if !b.follows(v) {
		return nil, false
	}
	if n, ok = b.number(e); ok && b.wraps(e, n, v.DType) {
		return b.wrapped(e, n, v.DType), true
	}
	return nil, false
}
