package lower

import (
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// call is a call: of a function of the file, or of one of the language.
func (l *lowering) call(x *cfront.Call) value {
	if f := l.defined(x.Func); f != nil {
		return l.inlined(x, f)
	}
	f, ok := cfront.IntrinsicOf(x.Func)
	if !ok || f.IR == "funnelshift" || f.IR == "dp4a" {
		return l.named(x)
	}
	switch f.Kind {
	case cfront.Math:
		if v, ok := (vectors{l}).ofVector(x, f.IR); ok {
			return v
		}
		return l.math(x, f)
	case cfront.WorkItem:
		return l.workItem(x)
	case cfront.Barrier:
		return l.barrier(x, f)
	case cfront.SubgroupBarrier:
		l.effect(ssa.None, "WARPSYNC 0xffffffff")
		return value{}
	case cfront.Fence, cfront.Atomic, cfront.Load, cfront.Store:
		return l.ofMemory(x, f)
	case cfront.Shuffle:
		if f.IR == "broadcast" {
			return groups{l}.broadcast(x)
		}
		return l.shuffle(x, f)
	case cfront.AsyncCopy:
		return groups{l}.copied(x)
	case cfront.Vote:
		return l.vote(x, f)
	case cfront.Reduction:
		return groups{l}.reduction(x, f)
	case cfront.Convert:
		return l.conversion(x, f)
	case cfront.Reinterpret:
		return l.reinterpreted(x)
	case cfront.Outputs:
		return l.severally(x)
	case cfront.Trap:
		return value{}
	case cfront.Sleep:
		l.effect(ssa.None, "NANOSLEEP", l.word(x, 0))
		return value{}
	case cfront.Print: // how long it takes nobody says: see exec.UnknownCall
		l.changedAll()
		l.effect(ssa.None, "CALL.ABS.NOINC")
		return value{}
	case cfront.Clock:
		return number(x.DType, l.Emit(&ssa.Value{Op: ssa.Effect, Type: wordType(x.DType), Aux: "CS2R SR_CLOCKLO"}))
	}
	l.fail(x.Pos, "%s is not compiled here", x.Func)
	return value{}
}

// ofMemory is a function that accesses memory, or orders accesses.
func (l *lowering) ofMemory(x *cfront.Call, f cfront.Intrinsic) value {
	switch f.Kind {
	case cfront.Fence:
		scope := ".SC.GPU"
		if strings.HasSuffix(x.Func, "_block") || !strings.HasPrefix(x.Func, "__") {
			scope = ".ALL.CTA"
		}
		l.changedAll()
		l.effect(ssa.None, "MEMBAR"+scope)
		return value{}
	case cfront.Atomic:
		return l.atomic(x, f)
	case cfront.Load:
		if f.IR == "vload" {
			return l.vectors(x, false)
		}
		if p := l.expression(x.Args[0]); f.IR == "load" && p.p != nil {
			q := *p.p
			q.readOnly = q.readOnly || x.Func == "__ldg"
			return l.read(x.Pos, place{p: &q, t: p.elem, rec: recordOf(p)})
		}
	case cfront.Store:
		if f.IR == "vstore" {
			return l.vectors(x, true)
		}
		p := l.expression(x.Args[0])
		l.write(x.Pos, place{p: p.p, t: p.elem, rec: recordOf(p)}, l.expression(x.Args[1]))
	}
	return value{}
}

func recordOf(v value) *cfront.Record {
	if v.elem != "" {
		return nil
	}
	return v.rec
}

// named are functions that the reader knows nothing of, or no more than what they count as.
func (l *lowering) named(x *cfront.Call) value {
	if v, ok := l.raw(x); ok {
		return v
	}
	switch x.Func {
	case "__dp4a":
		a, b, c := l.expression(x.Args[0]), l.expression(x.Args[1]), l.expression(x.Args[2])
		sign := "S8.S8"
		if !a.t.IsSigned() {
			sign = "U8.U8"
		}
		return number(c.t, l.MakeAux(ssa.Raw, ssa.W, "IDP.4A."+sign, a.x[0], b.x[0], c.x[0]))
	case "__cvta_generic_to_shared":
		v := l.expression(x.Args[0])
		if v.p == nil || v.p.space != ssa.Shared {
			l.fail(x.Pos, "the address in shared memory of what is elsewhere")
		}
		return number(expr.Uint64, l.Make(ssa.Zext, ssa.D, l.address(v.p)))
	case "__funnelshift_l", "__funnelshift_r", "__funnelshift_lc", "__funnelshift_rc":
		low, high, n := l.word(x, 0), l.word(x, 1), l.word(x, 2)
		name := map[string]string{"l": "SHF.L.W.U32.HI", "r": "SHF.R.W.U32", "lc": "SHF.L.U32.HI", "rc": "SHF.R.U32"}[strings.TrimPrefix(x.Func, "__funnelshift_")]
		return number(expr.Uint32, l.MakeAux(ssa.Raw, ssa.W, name, low, n, high))
	}
	if strings.HasPrefix(x.Func, cfront.AssemblyPrefix) {
		l.fail(x.Pos, "inline assembly is not compiled here")
	}
	l.fail(x.Pos, "the function %s is not known", x.Func)
	return value{}
}

func (l *lowering) word(x *cfront.Call, i int) *ssa.Value {
	if i >= len(x.Args) {
		l.fail(x.Pos, "%s has too few arguments", x.Func)
	}
	v := l.expression(x.Args[i])
	if len(v.x) != 1 {
		l.fail(x.Pos, "%s takes a number", x.Func)
	}
	if v.x[0].Type == ssa.D {
		return l.Word(v.x[0], 0)
	}
	return v.x[0]
}

func (l *lowering) effect(t ssa.Type, aux string, args ...*ssa.Value) *ssa.Value {
	return l.Emit(&ssa.Value{Op: ssa.Effect, Type: t, Aux: aux, Args: args})
}

func (l *lowering) changedAll() {
	for s := ssa.Global; s <= ssa.Generic; s++ {
		l.Changed(s)
	}
}

func (l *lowering) barrier(x *cfront.Call, f cfront.Intrinsic) value {
	if f.IR == "barrier" {
		groups{l}.meet()
		return value{}
	}
	how, ok := map[string]string{"barrier_count": "POPC", "barrier_and": "AND", "barrier_or": "OR"}[f.IR]
	if !ok {
		l.fail(x.Pos, "%s is not compiled here", x.Func)
	}
	return groups{l}.ofWorkGroup(x, how)
}

// atomicNames are operations as machine code names them.
var atomicNames = map[string]string{
	"add": "ADD", "sub": "ADD", "min": "MIN", "max": "MAX", "and": "AND", "or": "OR", "xor": "XOR", "xchg": "EXCH", "inc": "INC", "dec": "DEC", "cmpxchg": "CAS",
}

func (l *lowering) atomic(x *cfront.Call, f cfront.Intrinsic) value {
	if len(x.Args) == 0 {
		l.fail(x.Pos, "%s has too few arguments", x.Func)
	}
	name := atomicNames[f.IR]
	p := l.expression(x.Args[0])
	if p.p != nil && p.p.space != ssa.NoSpace && p.elem != "" {
		if v, ok := l.flag(x, f, p); ok {
			return v
		}
	}
	if name == "" || p.p == nil || p.p.space == ssa.NoSpace || p.p.space == ssa.Private {
		l.fail(x.Pos, "%s is not compiled here", x.Func)
	}
	t := p.elem
	var args []*ssa.Value
	if by := map[string]int64{"inc": 1, "dec": -1}[f.IR]; by != 0 && len(x.Args) == 1 { // of OpenCL C
		name, args = "ADD", []*ssa.Value{l.like(wordType(t), by)}
	}
	operands := map[bool]int{true: 2, false: 1}[name == "CAS"] // what follows says how accesses are ordered
	for _, a := range x.Args[1:min(len(x.Args), 1+operands)] {
		v := l.convert(x.Pos, l.expression(a), t)
		args = append(args, v.x[0])
	}
	if f.IR == "sub" {
		args[0] = l.Make(ssa.Sub, wordType(t), l.like(wordType(t), 0), args[0])
	}
	suffix := name
	switch {
	case t == expr.Float32 && name == "ADD":
		suffix += ".F32.FTZ.RN"
	case t == expr.Float64 && name == "ADD":
		suffix += ".F64.RN"
	case t.Size() == 8 && t.IsSigned() && (name == "MIN" || name == "MAX"):
		suffix += ".S64"
	case t.Size() == 8:
		suffix += ".64"
	case t.IsSigned() && (name == "MIN" || name == "MAX"):
		suffix += ".S32"
	}
	if p.p.space == ssa.Shared && (t == expr.Float32 || t.Size() == 8) && name != "EXCH" && name != "CAS" {
		return l.swapped(p, t, func(was *ssa.Value) *ssa.Value { return l.combined(x.Pos, name, t, was, args[0]) })
	}
	address, off := l.split(p.p)
	l.Changed(p.p.space)
	a := ssa.Access{Space: p.p.space, Bytes: int(t.Size()), Offset: off, Object: p.p.object, Suffix: suffix}
	var list []*ssa.Value
	if address == nil {
		address = l.like(map[bool]ssa.Type{true: ssa.W, false: ssa.D}[p.p.space == ssa.Shared], 0)
	}
	list = append(list, address)
	return number(t, l.Emit(&ssa.Value{Op: ssa.Atomic, Type: wordType(t), Access: &a, Args: append(list, args...)}))
}

// flag are the atomic operations that load or store alone, and that on a flag which has the value from before; ok is false for others.
func (l *lowering) flag(x *cfront.Call, f cfront.Intrinsic, p value) (v value, ok bool) {
	at := *p.p
	at.volatile = true
	to := place{p: &at, t: p.elem}
	switch {
	case f.IR == "load":
		return l.read(x.Pos, to), true
	case f.IR == "store" && len(x.Args) > 1:
		l.write(x.Pos, to, l.expression(x.Args[1]))
	case f.IR == "clear":
		l.write(x.Pos, to, number(expr.Int32, l.Const(0)))
	case f.IR == "set":
		set := *x
		set.Func, set.Args = "atomicExch", []cfront.Expr{x.Args[0], wholeNumber(1)}
		exchange, _ := cfront.IntrinsicOf(set.Func)
		return l.convert(x.Pos, l.atomic(&set, exchange), x.DType), true
	default:
		return value{}, false
	}
	return value{}, true
}

// combinations are what atomic operations compute, as operators.
var combinations = map[string]string{"ADD": "+", "AND": "&", "OR": "|", "XOR": "^"}

// combined is what an atomic operation leaves.
func (l *lowering) combined(at cfront.Pos, name string, t expr.DType, was, by *ssa.Value) *ssa.Value {
	if op := combinations[name]; op != "" {
		return l.operation(at, op, t, was, by)
	}
	order := map[string]string{"MIN": "LT", "MAX": "GT"}[name]
	if order == "" {
		l.fail(at, "this atomic operation on %s in local memory is not compiled here", t)
	}
	return l.Make(ssa.Select, wordType(t), l.compared(order, t, by, was), by, was)
}

// swapped changes numbers in shared memory by what it has no operation for, as floating-point sums and all but exchanges of 64 bits: what is computed is exchanged until
// nobody has come between.
func (l *lowering) swapped(p value, t expr.DType, change func(was *ssa.Value) *ssa.Value) value {
	old := l.hold(wordType(t))
	l.setHeld(old, l.load(p.p, t)[0])
	address, off := l.split(p.p)
	if address == nil {
		address = l.Const(0)
	}
	suffix, kind := "CAST.SPIN", wordType(t)
	if kind == ssa.D {
		suffix = "CAST.SPIN.64"
	}
	done := l.hold(kind)
	l.setHeld(done, l.like(kind, 0))
	assigned := map[*cfront.Var]bool{old.v: true, done.v: true}
	l.turningBody(func() *ssa.Value {
		return l.MakeAux(ssa.Cmp, ssa.Pred, "NE", l.getHeld(done), l.like(kind, 1))
	}, func(*frame) {
		was := l.load(&pointer{space: p.p.space, base: p.p.base, off: p.p.off, object: p.p.object, volatile: true}, t)[0]
		sum := change(was)
		a := ssa.Access{Space: p.p.space, Bytes: int(t.Size()), Offset: off, Object: p.p.object, Suffix: suffix}
		l.Changed(p.p.space)
		l.setHeld(old, was)
		l.setHeld(done, l.Emit(&ssa.Value{Op: ssa.Atomic, Type: kind, Access: &a, Args: []*ssa.Value{address, was, sum}}))
	}, true, assigned)
	return number(t, l.getHeld(old))
}

func wholeNumber(n int64) *cfront.Int {
	i := &cfront.Int{Value: n}
	i.DType = expr.Int32
	return i
}

// shuffle takes values of other lanes.
func (l *lowering) shuffle(x *cfront.Call, f cfront.Intrinsic) value {
	args := x.Args
	if strings.HasSuffix(x.Func, "_sync") {
		args = args[1:]
	}
	if x.Func == "sub_group_broadcast_first" && len(args) == 1 {
		args = append(slices.Clone(args), wholeNumber(0))
	}
	if len(args) < 2 {
		l.fail(x.Pos, "%s has too few arguments", x.Func)
	}
	v, lane := l.expression(args[0]), l.convert(x.Pos, l.expression(args[1]), expr.Uint32).x[0]
	width := int64(32)
	if len(args) > 2 {
		w := l.expression(args[2]).x[0]
		if w.Op != ssa.Const {
			l.fail(x.Pos, "the width of %s is not constant", x.Func)
		}
		width = w.Int
	}
	mode := map[string]string{"shfl": "IDX", "shfl_up": "UP", "shfl_down": "DOWN", "shfl_xor": "BFLY"}[f.IR]
	mask := (32 - width) << 8
	clamp := int64(31) | mask
	if mode == "UP" {
		clamp = mask
	}
	out := value{t: v.t}
	for _, a := range v.x {
		out.x = append(out.x, groups{l}.shuffled(mode, a, lane, clamp))
	}
	return out
}

func (l *lowering) vote(x *cfront.Call, f cfront.Intrinsic) value {
	args := x.Args
	if strings.HasSuffix(x.Func, "_sync") {
		args = args[1:]
	}
	if strings.HasPrefix(x.Func, "work_group") {
		return groups{l}.ofWorkGroup(x, map[string]string{"any": "OR", "all": "AND"}[f.IR])
	}
	switch f.IR {
	case "ballot":
		out := number(x.DType, l.effect(ssa.W, "VOTE.ANY", l.condition(args[0])))
		for int64(len(out.x)) < x.DType.Lanes() {
			out.x = append(out.x, l.Const(0))
		}
		return out
	case "active":
		return number(expr.Uint32, l.effect(ssa.W, "VOTE.ANY", l.Bool(true)))
	case "any":
		return number(expr.Int32, l.asWord(l.effect(ssa.Pred, "VOTE.ANY", l.condition(args[0]))))
	case "all":
		return number(expr.Int32, l.asWord(l.effect(ssa.Pred, "VOTE.ALL", l.condition(args[0]))))
	case "match":
		return number(expr.Uint32, l.effect(ssa.W, "MATCH.ANY", l.expression(args[0]).x[0]))
	}
	l.fail(x.Pos, "%s is not compiled here", x.Func)
	return value{}
}

// makeBy makes a record by its constructor.
func (l *lowering) makeBy(x *cfront.Make, t place) {
	f := l.file.Function(x.Ctor)
	if f == nil {
		l.fail(x.Pos, "the constructor of %s is not known", x.Rec.Name)
	}
	l.zero(x.Pos, t)
	c := x.Constructor(&cfront.Ref{Var: t.p.v})
	l.inlined(c, f)
}
