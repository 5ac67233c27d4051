package lower

import (
	"math"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// Functions of all work-items of a sub-group or a work-group: these meet, exchange numbers and combine them. A sub-group is taken as whole.

// subgroup is the size of a sub-group (CUDA C++ Programming Guide, warp size).
const subgroup = 32

// groups has what work-items do together.
type groups struct{ *lowering }

// shuffled is a number of another lane, in words. The last number has the last lane and which lanes belong together, as the instruction takes it.
func (l groups) shuffled(mode string, v, lane *ssa.Value, clamp int64) *ssa.Value {
	one := func(w *ssa.Value) *ssa.Value { return l.effect(ssa.W, "SHFL."+mode+" PT,", w, lane, l.Const(clamp)) }
	if v.Type == ssa.D {
		return l.Make(ssa.Pack, ssa.D, one(l.Word(v, 0)), one(l.Word(v, 1)))
	}
	return one(v)
}

// position is a number that a function of OpenCL C tells of where a work-item is.
func (l groups) position(x *cfront.Call, name string) *ssa.Value {
	call := &cfront.Call{Func: name}
	call.Pos, call.DType = x.Pos, expr.Uint32
	return l.workItem(call).x[0]
}

func (l groups) reduction(x *cfront.Call, f cfront.Intrinsic) value {
	i := strings.LastIndex(f.IR, "_")
	how, op := f.IR[:i], f.IR[i+1:]
	if len(x.Args) == 0 {
		l.fail(x.Pos, "%s has too few arguments", x.Func)
	}
	of := x.Args[0]
	if strings.HasSuffix(x.Func, "_sync") {
		if len(x.Args) < 2 {
			l.fail(x.Pos, "%s has too few arguments", x.Func)
		}
		of = x.Args[1]
	}
	v := l.convert(x.Pos, l.expression(of), x.DType)
	if len(v.x) != 1 {
		l.fail(x.Pos, "%s of %s is not compiled here", x.Func, v.t)
	}
	g := grouped{l, x, op, v.t}
	switch {
	case strings.HasPrefix(x.Func, "work_group"):
		return number(v.t, g.ofGroup(how, v.x[0]))
	case how == "reduce":
		return number(v.t, g.reduced(v.x[0]))
	case how == "scan_exclusive":
		return number(v.t, g.before(g.scanned(v.x[0])))
	}
	return number(v.t, g.scanned(v.x[0]))
}

// grouped is an operation on the numbers of the lanes of a sub-group.
type grouped struct {
	groups
	x  *cfront.Call
	op string // add, min, max, and, or, xor
	t  expr.DType
}

// both combines two numbers.
func (g grouped) both(a, b *ssa.Value) *ssa.Value {
	if op := combinations[strings.ToUpper(g.op)]; op != "" {
		return g.operation(g.x.Pos, op, g.t, a, b)
	}
	r := g.function(g.x, g.op, g.t, []*ssa.Value{a, b})
	if r == nil {
		g.fail(g.x.Pos, "%s of %s is not compiled here", g.x.Func, g.t)
	}
	return r
}

// neutral is what changes nothing.
func (g grouped) neutral() *ssa.Value {
	most := map[string]float64{"min": math.Inf(1), "max": math.Inf(-1)}[g.op]
	if !g.t.IsInteger() || g.op == "add" {
		return g.convert(g.x.Pos, number(expr.Float64, g.Double(most)), g.t).x[0]
	}
	if bits := 8 * g.t.Size(); g.t.IsSigned() {
		return g.like(wordType(g.t), map[string]int64{"min": 1<<(bits-1) - 1, "max": -1 << (bits - 1)}[g.op])
	}
	return g.narrow(g.like(wordType(g.t), map[string]int64{"min": -1}[g.op]), g.t)
}

// reductionNames are operations of words as machine code names them.
var reductionNames = map[string]string{"add": ".SUM", "min": ".MIN", "max": ".MAX", "and": "", "or": ".OR", "xor": ".XOR"}

// reduced combines the numbers of all lanes: one instruction does for words, exchanges with lanes that are ever nearer for other numbers.
func (g grouped) reduced(v *ssa.Value) *ssa.Value {
	if g.t.IsInteger() && g.t.Size() == 4 {
		name := "REDUX" + reductionNames[g.op]
		if g.t.IsSigned() && strings.Contains(name, ".") && g.op != "or" && g.op != "xor" {
			name += ".S32"
		}
		return g.effect(ssa.W, name, v)
	}
	for d := int64(subgroup / 2); d > 0; d /= 2 {
		v = g.both(v, g.shuffled("BFLY", v, g.Const(d), subgroup-1))
	}
	return v
}

// scanned combines the numbers of the lanes up to each.
func (g grouped) scanned(v *ssa.Value) *ssa.Value {
	lane := g.position(g.x, "get_sub_group_local_id")
	for d := int64(1); d < subgroup; d *= 2 {
		other := g.shuffled("UP", v, g.Const(d), 0)
		v = g.Make(ssa.Select, v.Type, g.MakeAux(ssa.Cmp, ssa.Pred, "GEU", lane, g.Const(d)), g.both(other, v), v)
	}
	return v
}

// before is what the lane before has.
func (g grouped) before(v *ssa.Value) *ssa.Value {
	first := g.MakeAux(ssa.Cmp, ssa.Pred, "EQ", g.position(g.x, "get_sub_group_local_id"), g.Const(0))
	return g.Make(ssa.Select, v.Type, first, g.neutral(), g.shuffled("UP", v, g.Const(1), 0))
}

// groupParts is where the sub-groups of a work-group leave a number each for the others.
var groupParts = &cfront.Var{Name: "parts of a work-group", Class: cfront.Local, Space: cfront.LocalSpace, DType: expr.Uint64}

// parts is the place of a number that some sub-group leaves.
func (l groups) parts(at cfront.Pos, i *ssa.Value, t expr.DType) *pointer {
	all := &pointer{space: ssa.Shared, off: l.inShared(groupParts, subgroup*groupParts.DType.Size(), groupParts.DType.Size()), object: groupParts}
	return l.advanced(at, all, number(expr.Uint32, i), t.Size())
}

// meet is a barrier of the work-group.
func (l groups) meet() {
	l.changedAll()
	l.effect(ssa.None, "BAR.SYNC.DEFER_BLOCKING 0x0")
}

// ofGroup combines in each sub-group, leaves what that gives for the others, and combines this.
func (g grouped) ofGroup(how string, v *ssa.Value) *ssa.Value {
	lane, group, groups := g.position(g.x, "get_sub_group_local_id"), g.position(g.x, "get_sub_group_id"), g.position(g.x, "get_num_sub_groups")
	writer := int64(0)
	if how == "reduce" {
		v = g.reduced(v)
	} else {
		writer, v = subgroup-1, g.scanned(v)
	}
	g.when(g.MakeAux(ssa.Cmp, ssa.Pred, "EQ", lane, g.Const(writer)), func() { g.store(g.parts(g.x.Pos, group, g.t), g.t, []*ssa.Value{v}) })
	g.meet()
	part := g.load(g.parts(g.x.Pos, lane, g.t), g.t)[0]
	part = g.Make(ssa.Select, part.Type, g.MakeAux(ssa.Cmp, ssa.Pred, "LTU", lane, groups), part, g.neutral())
	var out *ssa.Value
	if how == "reduce" {
		out = g.reduced(part)
	} else {
		if how == "scan_exclusive" {
			v = g.before(v)
		}
		until := g.shuffled("IDX", g.before(g.scanned(part)), group, subgroup-1)
		out = g.both(until, v)
	}
	g.meet()
	return out
}

// ofWorkGroup is whether a condition holds for any work-item of a work-group, or all, or for how many.
func (l groups) ofWorkGroup(x *cfront.Call, how string) value {
	p := l.condition(x.Args[0])
	l.changedAll()
	l.effect(ssa.None, "BAR.RED."+how+".DEFER_BLOCKING 0x0,", p)
	if how == "POPC" {
		return number(expr.Int32, l.effect(ssa.W, "B2R.RESULT"))
	}
	return number(expr.Int32, l.asWord(l.effect(ssa.Pred, "B2R.RESULT RZ,")))
}

// broadcast is the number of the work-item of a work-group that the other arguments name.
func (l groups) broadcast(x *cfront.Call) value {
	v := l.convert(x.Pos, l.expression(x.Args[0]), x.DType)
	if len(v.x) != 1 {
		l.fail(x.Pos, "%s of %s is not compiled here", x.Func, v.t)
	}
	is := l.Bool(true)
	for i, a := range x.Args[1:] {
		at := l.where("SR_TID", 0, int64(i))
		is = l.Make(ssa.PAnd, ssa.Pred, is, l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", at, l.convert(x.Pos, l.expression(a), expr.Uint32).x[0]))
	}
	p := l.parts(x.Pos, l.Const(0), v.t)
	l.when(is, func() { l.store(p, v.t, v.x) })
	l.meet()
	out := l.load(p, v.t)
	l.meet()
	return value{t: v.t, x: out}
}

// copied copies elements between global and local memory: each work-item of the work-group takes those behind its number.
func (l groups) copied(x *cfront.Call) value {
	to, from := l.expression(x.Args[0]), l.expression(x.Args[1])
	if to.p == nil || from.p == nil || len(x.Args) < 3 {
		l.fail(x.Pos, "%s is not compiled here", x.Func)
	}
	n := l.convert(x.Pos, l.expression(x.Args[2]), expr.Uint32).x[0]
	size := sizeOf(from.elem, from.rec, false)
	far := map[bool]value{}
	if strings.Contains(x.Func, "strided") && len(x.Args) > 3 {
		far[true] = l.convert(x.Pos, l.expression(x.Args[3]), expr.Uint32)
	}
	k := l.hold(ssa.W)
	l.setHeld(k, l.position(x, "get_local_linear_id"))
	items := l.Make(ssa.Mul, ssa.W, l.Make(ssa.Mul, ssa.W, l.where("", groupAt, 0), l.where("", groupAt, 1)), l.where("", groupAt, 2))
	l.turningBody(func() *ssa.Value {
		return l.MakeAux(ssa.Cmp, ssa.Pred, "LTU", l.getHeld(k), n)
	}, func(*frame) {
		element := func(p value) place {
			i := number(expr.Uint32, l.getHeld(k))
			if by, strided := far[p.p.space != ssa.Shared]; strided {
				i = l.arithmetic(x.Pos, "*", i, by)
			}
			return place{p: l.advanced(x.Pos, p.p, i, size), t: from.elem, rec: recordOf(from)}
		}
		l.write(x.Pos, element(to), l.read(x.Pos, element(from)))
		l.setHeld(k, l.Make(ssa.Add, ssa.W, l.getHeld(k), items))
	}, false, map[*cfront.Var]bool{k.v: true})
	return number(x.DType, l.Const64(0))
}
