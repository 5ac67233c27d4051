package lower

import (
	"maps"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// frame is a loop or a function that jumps leave.
type frame struct {
	function *cfront.Function // nil for a loop
	end      *ssa.Block       // behind it
	ends     []snapshot
	next     *ssa.Block // of a loop: the end of an iteration
	nexts    []snapshot
	regions  int   // that are open around it
	turn     int   // of a loop: those around the end of an iteration
	result   place // of a function
	loop     *ssa.Loop
}

// jumpTo ends the block by a jump out of the regions beyond a number of them.
func (l *lowering) jumpTo(to *ssa.Block, list *[]snapshot, regions int) {
	if l.dead {
		return
	}
	if len(l.regions) > regions {
		l.Block.Breaks = append(l.Block.Breaks, l.regions[regions:]...)
	}
	l.Goto(to)
	*list = append(*list, snapshot{l.Block, l.env})
	l.dead = true
}

// region is a part of the kernel at whose end the work-items that have begun it together meet again.
type region struct{ before, end *ssa.Block }

// enter begins a region behind the block.
func (l *lowering) enter(end *ssa.Block) region {
	l.fresh()
	l.Block.Meet = end
	l.regions = append(l.regions, end)
	l.Open()
	return region{l.Block, end}
}

// leave ends a region, to whose end lead the jumps of a list. Without any there is nothing to meet for.
func (l *lowering) leave(r region, ends *[]snapshot) {
	l.Close()
	l.regions = l.regions[:len(l.regions)-1]
	jumps := len(*ends)
	if jumps > 0 {
		l.jumpTo(r.end, ends, len(l.regions)+1)
	}
	if len(*ends) > 1 {
		r.end.Meets = true
	} else {
		r.before.Meet = nil
		l.forget(r.end)
	}
	if jumps > 0 {
		l.merge(r.end, *ends)
	}
}

// fresh goes on in another block where a region begins behind this one already.
func (l *lowering) fresh() {
	if l.Block.Meet == nil {
		return
	}
	next := l.NewBlock()
	l.Goto(next)
	l.start(next, l.env)
}

// start begins a block that control comes to from a branch.
func (l *lowering) start(b *ssa.Block, env map[key]slot) {
	l.Begin(b)
	b.Loop = l.loop
	l.env = maps.Clone(env)
	l.dead = false
}

// split2 does one of two things.
func (l *lowering) split2(cond *ssa.Value, yes, no func()) {
	if cond.Op == ssa.Const {
		if cond.Int != 0 {
			yes()
		} else if no != nil {
			no()
		}
		return
	}
	l.fresh()
	from, env := l.Block, l.env
	first, second, end := l.NewBlock(), l.NewBlock(), l.NewBlock()
	var ends []snapshot
	from.Meet = end
	l.regions = append(l.regions, end)
	if no == nil {
		l.Branch(cond, first, end)
		ends = append(ends, snapshot{from, env})
	} else {
		l.Branch(cond, first, second)
	}
	depth := len(l.regions)
	l.Open()
	l.Assume(cond, true)
	l.start(first, env)
	yes()
	l.Close()
	l.jumpTo(end, &ends, depth)
	if no != nil {
		l.Open()
		l.Assume(cond, false)
		l.start(second, env)
		no()
		l.Close()
		l.jumpTo(end, &ends, depth)
	}
	l.regions = l.regions[:depth-1]
	if len(ends) == 0 || len(ends) == 1 && no != nil || len(ends) == 1 && from.To[1] == end {
		from.Meet = nil // one way never comes back, and the other one waits for nobody
		l.forget(end)
	}
	end.Meets = from.Meet != nil
	l.merge(end, ends)
}

// forget takes back that jumps out of a region are to be told to those who meet at a block.
func (l *lowering) forget(end *ssa.Block) {
	for _, b := range l.Blocks {
		for i := 0; i < len(b.Breaks); i++ {
			if b.Breaks[i] == end {
				b.Breaks = append(b.Breaks[:i:i], b.Breaks[i+1:]...)
				i--
			}
		}
	}
}

// when does something where a predicate holds.
func (l *lowering) when(cond *ssa.Value, do func()) { l.split2(cond, do, nil) }

func (l *lowering) statement(s cfront.Stmt) {
	if l.dead || s == nil {
		return
	}
	l.at(s.Place())
	if a := l.file.Assembly(s); a != nil && l.assembly(s.Place(), a) {
		return
	}
	switch x := s.(type) {
	case *cfront.Block:
		for _, inner := range x.Items {
			l.statement(inner)
		}
	case *cfront.Declare:
		for _, v := range x.Vars {
			l.declare(v)
		}
	case *cfront.Do:
		if x.X != nil {
			l.expression(x.X)
		}
	case *cfront.If:
		l.branch(x)
	case *cfront.For, *cfront.While:
		l.looping(x)
	case *cfront.Jump:
		l.jump(x)
	case *cfront.Other:
		l.fail(x.Pos, "%s is not compiled here", x.What)
	}
}

func (l *lowering) declare(v *cfront.Var) {
	for k := range l.env { // what an earlier iteration, or call, has left
		if k.v == v {
			delete(l.env, k)
		}
	}
	if v.Init == nil || v.Space == cfront.LocalSpace && !v.Pointer || v.Class == cfront.Global {
		return
	}
	if v.Reference && !v.Pointer { // another name of an array or a record
		l.names[v] = l.placeOf(v.Init)
		return
	}
	to := l.variable(v.Pos, v)
	if v.Listed && len(to.dims) == 0 && to.rec != nil {
		l.fail(v.Pos, "values of a record are not compiled here")
	}
	l.initialize(to, v.Init)
}

func (l *lowering) branch(x *cfront.If) {
	var no func()
	if x.Else != nil {
		no = func() { l.statement(x.Else) }
	}
	if l.inLibrary() && isRare(x) {
		l.split2(l.condition(cfront.Operands(x.Cond)[0]), func() {
			l.Block.Rare = true
			l.statement(x.Then)
		}, no)
		return
	}
	if b, ok := x.Cond.(*cfront.Binary); ok && b.Op == "&&" && x.Else == nil && !l.harmless(b.Y) {
		// what is loaded to decide is loaded behind a jump
		l.branch(&cfront.If{Pos: x.Pos, Cond: b.X, Then: &cfront.If{Pos: x.Pos, Cond: b.Y, Then: x.Then}})
		return
	}
	cond := l.condition(x.Cond)
	if x.Else == nil && l.kernelEnds(x.Then) && cond.Op != ssa.Const { // work-items end, the others go on
		next := l.NewBlock()
		env := l.env
		from := l.Block
		from.End, from.Cond, from.To[0] = ssa.Leave, cond, next
		next.Preds = append(next.Preds, from)
		l.start(next, env)
		return
	}
	if no == nil {
		if j := l.jumps(x.Then); j != nil && cond.Op != ssa.Const { // break, continue: a branch to where they lead
			l.jumpIf(cond, j)
			return
		}
	}
	l.split2(cond, func() { l.statement(x.Then) }, no)
}

// alone is the statement that another one is, without braces.
func alone(s cfront.Stmt) cfront.Stmt {
	for {
		b, ok := s.(*cfront.Block)
		if !ok || len(b.Items) != 1 {
			return s
		}
		s = b.Items[0]
	}
}

// kernelEnds reports whether a statement does nothing but end the kernel.
func (l *lowering) kernelEnds(s cfront.Stmt) bool {
	j, ok := alone(s).(*cfront.Jump)
	return ok && j.What == "return" && j.Value == nil && len(l.calls) == 0
}

// jumps is the jump that a statement does and nothing else.
func (l *lowering) jumps(s cfront.Stmt) *cfront.Jump {
	j, ok := alone(s).(*cfront.Jump)
	if !ok || j.What == "return" && (j.Value != nil || len(l.calls) == 0) || j.What == "goto" {
		return nil
	}
	return j
}

// jumpIf jumps where a predicate holds.
func (l *lowering) jumpIf(cond *ssa.Value, j *cfront.Jump) {
	f := l.target(j)
	to, list, around := f.end, &f.ends, f.regions
	if j.What == "continue" {
		to, list, around = f.next, &f.nexts, f.turn
	}
	if len(l.regions) > around { // from within regions: those who meet there must know
		l.split2(cond, func() { l.jump(j) }, nil)
		return
	}
	next := l.NewBlock()
	env := l.env
	*list = append(*list, snapshot{l.Block, env})
	l.Branch(cond, to, next)
	l.start(next, env)
}

func (l *lowering) target(j *cfront.Jump) *frame {
	for i := len(l.frames) - 1; i >= 0; i-- {
		f := l.frames[i]
		if (f.function != nil) == (j.What == "return") {
			return f
		}
		if f.function != nil {
			break
		}
	}
	l.fail(j.Pos, "%s leaves nothing", j.What)
	return nil
}

func (l *lowering) jump(j *cfront.Jump) {
	switch {
	case j.What == "goto":
		l.fail(j.Pos, "goto is not compiled here")
	case j.What == "return" && len(l.calls) == 0:
		l.Block.End = ssa.Exit
		l.dead = true
		return
	}
	f := l.target(j)
	if j.What == "continue" {
		l.jumpTo(f.next, &f.nexts, f.turn)
		return
	}
	if j.What == "return" && j.Value != nil {
		l.write(j.Pos, f.result, l.expression(j.Value))
	}
	l.jumpTo(f.end, &f.ends, f.regions)
}

// inlined runs the body of a function where it is called.
func (l *lowering) inlined(x *cfront.Call, f *cfront.Function) value {
	const deepest = 64 // functions that call each other: no stack is exhausted
	for _, c := range l.calls {
		if c == f {
			l.fail(x.Pos, "%s calls itself, which is not compiled here", f.Name)
		}
	}
	switch {
	case len(l.calls) > deepest:
		l.fail(x.Pos, "functions call each other more than %d deep", deepest)
	case f.Err != nil:
		panic(fault{f.Err})
	case len(f.Params) != len(x.Args):
		l.fail(x.Pos, "%s has %d parameters, not %d", f.Name, len(f.Params), len(x.Args))
	}
	v := l.body(x.Pos, f, l.passed(x, f))
	if l.dead && returns(f) {
		return l.nothing(x)
	}
	return v
}

func returns(f *cfront.Function) bool { return f.Result != "" || f.Record != nil || f.Elem != "" }

// body is what a function does of arguments, in the place of a call.
func (l *lowering) body(at cfront.Pos, f *cfront.Function, args []value) value {
	l.pass(at, f, args)
	if last, ok := endsIn(f); ok {
		return l.throughout(f, last, args)
	}
	fr := &frame{function: f, end: l.NewBlock(), regions: len(l.regions) + 1, loop: l.loop}
	if returns(f) {
		v := &cfront.Var{Name: "result", Pos: at, Class: cfront.Local, DType: f.Result, Record: f.Record}
		if f.Elem != "" || f.Pointer {
			v.DType, v.Pointer = f.Elem, true
		}
		l.know(v)
		fr.result = place{p: &pointer{v: v}, t: v.DType, rec: v.Record, ptr: v.Pointer}
		if v.DType != "" && !v.Pointer {
			fr.result.rec = nil
		}
	}
	l.frames, l.calls = append(l.frames, fr), append(l.calls, f)
	r := l.enter(fr.end)
	l.statement(f.Body)
	l.frames, l.calls = l.frames[:len(l.frames)-1], l.calls[:len(l.calls)-1]
	l.leave(r, &fr.ends)
	if fr.result.p == nil || l.dead {
		return value{}
	}
	return l.read(at, fr.result)
}

// passed is what a call passes for the parameters of a function.
func (l *lowering) passed(x *cfront.Call, f *cfront.Function) (args []value) {
	for i, a := range x.Args {
		if p := f.Params[i]; p.Reference && !p.Pointer {
			of := l.placeOf(a)
			args = append(args, value{at: &of})
			continue
		}
		v := l.expression(a)
		if v.at != nil { // a copy: the call may change where it comes from
			t := l.temporary(a)
			l.copyRecord(x.Pos, t, v)
			v.at = &t
		}
		args = append(args, v)
	}
	return args
}

// pass gives the parameters of a function arguments.
func (l *lowering) pass(at cfront.Pos, f *cfront.Function, args []value) {
	for i, p := range f.Params {
		if p.Reference && !p.Pointer {
			l.names[p] = *args[i].at
			continue
		}
		l.declare(&cfront.Var{Name: p.Name})
		for k := range l.env {
			if k.v == p {
				delete(l.env, k)
			}
		}
		l.write(at, l.parameterPlace(p), args[i])
	}
}

// nothing is a value where control does not come.
func (l *lowering) nothing(x cfront.Expr) value {
	l.start(l.NewBlock(), l.env)
	t := l.temporary(x)
	if !t.ptr {
		l.zero(x.Place(), t)
	}
	return l.read(x.Place(), t)
}

func (l *lowering) parameterPlace(p *cfront.Var) place {
	out := place{p: &pointer{v: p}, t: p.DType, rec: p.Record, ptr: p.Pointer || len(p.Dims) > 0}
	if out.ptr && len(p.Dims) > 1 {
		out.of = l.extents(p)[1:]
	}
	if p.DType != "" && !out.ptr {
		out.rec = nil
	}
	if l.learnt.memory[p] && !out.ptr {
		return l.variable(p.Pos, p)
	}
	l.know(p)
	return out
}

// builtin is a variable of the language: threadIdx.x.
// builtins are the variables of CUDA C that tell where a work-item is.
var builtins = map[string]struct {
	special string
	bank    int64
}{"threadIdx": {special: "SR_TID"}, "blockIdx": {special: "SR_CTAID"}, "blockDim": {bank: groupAt}, "gridDim": {bank: gridAt}}

func (l *lowering) builtin(x *cfront.Member) (value, bool) {
	r, ok := x.X.(*cfront.Ref)
	if !ok || r.Var.Class != cfront.Builtin {
		return value{}, false
	}
	axis := map[string]int64{"x": 0, "y": 1, "z": 2}
	i, ok := axis[x.Name]
	at, known := builtins[r.Var.Name]
	if !ok || !known {
		l.fail(x.Pos, "%s.%s is not compiled here", r.Var.Name, x.Name)
	}
	return number(expr.Uint32, l.where(at.special, at.bank, i)), true
}
