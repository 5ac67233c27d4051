package ckernel

import (
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// atomics are the operations of atomic functions by what their names say. Others exchange.
var atomics = map[string]expr.OpKind{
	"add": expr.Add, "inc": expr.Add, "sub": expr.Sub, "dec": expr.Sub, "min": expr.Min, "max": expr.Max, "and": expr.BitAnd, "or": expr.BitOr, "xor": expr.BitXor,
}

// atomicName is what an atomic function does: atomicAdd, atomic_add, atom_add, atomic_fetch_add_explicit.
func atomicName(f string) string {
	if known, ok := cfront.IntrinsicOf(f); ok && known.Kind == cfront.Atomic {
		return known.IR
	}
	f = strings.ToLower(f)
	for _, prefix := range []string{"atomic", "atom", "_", "fetch_"} {
		f = strings.TrimPrefix(f, prefix)
	}
	f, _, _ = strings.Cut(f, "_")
	return f
}

// atomic enters an atomic update. Its value, where it is used, is what the element had before: the update has loaded it.
func (b *builder) atomic(x *cfront.Call, used bool) expr.Expr {
	name := atomicName(x.Func)
	if len(x.Args) == 0 {
		b.fail(x, "", "%s has no operand", x.Func)
	}
	elem := x.Args[0].PointsTo()
	p := b.pointed(x.Args[0])
	if !elem.Known() || elem.IsVector() || p.array.space == cfront.PrivateSpace {
		b.fail(x, "", "%s changes no number that work-items share", x.Func)
	}
	b.unit(x.Pos, p.array, elem.Size())
	p.elem, p.lanes = elem, 1
	var operand expr.Expr = expr.Int{Value: 1}
	if len(x.Args) > 1 && name != "inc" && name != "dec" {
		operand = converting(b.value(x.Args[1]), x.Args[1].Type(), elem)
		if from := b.typeInKernel(operand, x.Args[1].Type()); from != elem {
			operand = cexpr.Converted(operand, from, elem)
		}
	}
	if loads(operand) { // the update reads one element alone
		temp := b.scratch("operand", elem)
		b.assignTemp(x.Pos, temp, operand)
		operand = expr.Var{Name: temp}
	}
	op, update := atomics[name]
	if !update { // a load and a store, in two statements
		p = b.readOnce(x.Pos, p)
	}
	place := func() expr.Expr { return b.take(x.Pos, p) }
	if update {
		b.emit(&record{pos: x.Pos, lhs: place(), rhs: expr.Binary(op, place(), operand), atomic: true})
	} else {
		b.exchange(x, name, elem, place, operand)
	}
	if !used {
		return nil
	}
	return b.before(x, elem)
}

func loads(e expr.Expr) bool {
	return expr.Any(e, func(e expr.Expr) bool { _, is := e.(*expr.Access); return is })
}

// pointed is the element that a pointer points to.
func (b *builder) pointed(e cfront.Expr) place {
	if a, ok := e.(*cfront.Address); ok {
		return b.placeOf(a.X)
	}
	at := b.addressOf(e)
	if at.array == nil {
		b.fail(e, "", "this points to a variable that no other work-item has")
	}
	return place{array: at.array, offset: at.offset, elem: e.PointsTo(), lanes: 1}
}

// exchange is an atomic exchange, or one that depends on a comparison: a load and a store.
func (b *builder) exchange(x *cfront.Call, name string, elem expr.DType, place func() expr.Expr, operand expr.Expr) {
	var value expr.Expr
	switch {
	case name == "load":
		b.assignTemp(x.Pos, b.scratch("old", elem), place())
		return
	case name == "store" && len(x.Args) > 1:
		b.emit(&record{pos: x.Pos, lhs: place(), rhs: operand})
		return
	case name == "clear":
		b.emit(&record{pos: x.Pos, lhs: place(), rhs: expr.Int{Value: 0}})
		return
	case name == "set":
		value = expr.Int{Value: 1}
	case (name == "exch" || name == "xchg") && len(x.Args) > 1:
		value = operand
	case (name == "cas" || name == "cmpxchg") && len(x.Args) > 2:
		next := b.value(x.Args[2])
		if from := b.typeInKernel(next, x.Args[2].Type()); from != elem {
			next = cexpr.Converted(next, from, elem)
		}
		old := b.scratch("old", elem)
		b.assignTemp(x.Pos, old, place())
		value = &expr.Cond{If: expr.Binary(expr.Eq, expr.Var{Name: old}, operand), Then: next, Else: expr.Var{Name: old}}
		b.emit(&record{pos: x.Pos, lhs: place(), rhs: value})
		return
	default:
		b.fail(x, "", "%s is no atomic function that is known", x.Func)
	}
	b.assignTemp(x.Pos, b.scratch("old", elem), place())
	b.emit(&record{pos: x.Pos, lhs: place(), rhs: value})
}

// before is the value that an atomic update returns.
func (b *position) before(x *cfront.Call, elem expr.DType) expr.Expr {
	f := &kernel.Function{
		Name: "value_before_" + string(elem), Result: elem, Counts: map[expr.DType]map[string]int64{}, Body: "return the_value_before_an_atomic_update;",
	}
	temp := b.scratch("old", elem)
	b.assignTemp(x.Pos, temp, &expr.Call{Func: b.function(f)})
	return expr.Var{Name: temp}
}

// barriers are the functions that a work-group meets at.
var barriers = []string{"barrier", "work_group_barrier", "__syncthreads"}

// barrier enters a barrier, at which all work-items of a group meet, also those that have returned in the text.
func (b *builder) barrier(x *cfront.Call) {
	if b.sides > 0 {
		b.fail(x, "", "a barrier in what is followed for each of two arrays that a pointer may point to")
	}
	memory := kernel.Local
	for _, a := range x.Args {
		if n, ok := a.(*cfront.Int); ok && n.Value&2 != 0 { // CLK_GLOBAL_MEM_FENCE
			memory = kernel.Global
		}
	}
	if before := b.live; len(before.preds) > 0 {
		b.doubts = append(b.doubts, kernel.Doubt{Text: fmt.Sprintf("%s:%d:%d: whether this barrier is reached depends on data; it is counted as if it is", x.Pos.File, x.Pos.Line, x.Pos.Column)})
		b.live.preds = nil
		defer func() { b.live.preds = before.preds }()
	}
	b.meeting(x.Pos)
	b.emit(&record{kind: kernel.LocalBarrier, pos: x.Pos, memory: memory})
}

func isVoteBarrier(x *cfront.Call) bool {
	f, known := cfront.IntrinsicOf(x.Func)
	return known && f.Kind == cfront.Barrier && f.IR != "barrier" && len(x.Args) == 1
}

// voteAtBarrier is a barrier at which a work-group finds how many of its work-items have a condition, or whether one or all do, or that all work-groups wait at: a barrier, and an operation.
func (b *builder) voteAtBarrier(x *cfront.Call) expr.Expr {
	own := b.scratch("vote", expr.Int32)
	b.assignTemp(x.Pos, own, b.value(x.Args[0]))
	alone := *x
	alone.Args = nil
	b.barrier(&alone)
	label := strings.TrimLeft(x.Func, "_")
	f := &kernel.Function{
		Result: expr.Int32, Counts: map[expr.DType]map[string]int64{expr.Int32: {"func:" + label: 1}},
		Params: []kernel.FunctionParam{{Name: "a", DType: expr.Int32}}, Body: "return " + x.Func + "(a);",
	}
	f.Name = b.functionNamed(label, f)
	call := &expr.Call{Func: f.Name, Args: []expr.Expr{expr.Var{Name: own}}}
	if of, _ := cfront.IntrinsicOf(x.Func); of.IR == "barrier_of_grid" { // whose value nobody takes
		waited := b.scratch("waited", expr.Int32)
		b.assignTemp(x.Pos, waited, call)
		return expr.Var{Name: waited}
	}
	return call
}
