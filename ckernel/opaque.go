package ckernel

import (
	"cmp"
	"slices"

	"gpuperf/cfront"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Where the options allow it, a statement or a call that the IR cannot hold is left out, and named in the kernel: the rest is counted.

// tolerated follows a statement, or leaves it out.
func (b *builder) tolerated(s cfront.Stmt) {
	undo, before := b.snapshot(), b.live
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		f, is := e.(fault)
		if !is || f.final || b.ctx.Err() != nil || jumpsOut(s) { // what is behind a jump depends on it
			panic(e)
		}
		undo()
		b.live = before
		b.leaveOut(s.Place(), f.err)
		for v := range b.changedBy(s) {
			b.lose(v)
		}
		b.nextStatement()
	}()
	b.oneStatement(s)
}

// leaveOut notes a part that is not counted.
func (b *position) leaveOut(at cfront.Pos, why error) {
	b.opaques = append(b.opaques, kernel.Opaque{Place: kernel.Place{File: at.File, Pos: at.Pos}, Text: source.Message(why)})
}

// lose takes what is known of a variable that something which is left out may have changed.
func (b *builder) lose(v *builderVar) {
	switch {
	case isRecord(v):
		for _, f := range v.Record.Fields {
			b.lose(b.learnt.member(v, f))
		}
	case len(v.Dims) > 0 && !v.Pointer:
	case v.Pointer:
		delete(b.env, v)
	case v.DType.IsVector() || inMemory(v) || v.DType == "":
	default:
		b.temp(v)
		b.env[v] = value{data: true}
	}
}

// unknownValue is the value of an expression that is left out.
func (b *builder) unknownValue(e cfront.Expr, format string, args ...any) expr.Expr {
	b.leaveOut(e.Place(), b.file.Errorf(e.Place(), format, args...))
	t := e.Type()
	if !t.Known() {
		t = expr.Int32
	}
	f := &kernel.Function{Result: t, Counts: map[expr.DType]map[string]int64{}, Body: "return what_is_not_known;"}
	f.Name = b.functionNamed("opaque", f)
	return &expr.Call{Func: f.Name}
}

// opaqueParts are the parts that are left out, each once.
func (b *flow) opaqueParts() []kernel.Opaque {
	out := slices.Clone(b.opaques)
	slices.SortFunc(out, func(x, y kernel.Opaque) int {
		return cmp.Or(cmp.Compare(x.Place.File, y.Place.File), cmp.Compare(x.Place.Line, y.Place.Line), cmp.Compare(x.Place.Column, y.Place.Column), cmp.Compare(x.Text, y.Text))
	})
	return slices.Compact(out)
}
