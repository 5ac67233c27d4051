package lower

import (
	"context"
	_ "embed"
	"strings"
	"sync"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

//go:embed library.cl
var libraryText string

// library are functions of mathematics in OpenCL C, of which all are read.
var library = sync.OnceValue(func() *cfront.File {
	file, err := cfront.Parse(context.Background(), "library.cl", libraryText, cfront.Options{Language: cfront.OpenCL})
	if err != nil {
		panic(err) // a test reads it
	}
	return file
})

// defined is a function of the file or the library.
func (l *lowering) defined(name string) *cfront.Function {
	if f := l.file.Function(name); f != nil || !strings.HasPrefix(name, ownPrefix) {
		return f
	}
	return library().Function(name)
}

// ownPrefix begins the names of functions of the library.
const ownPrefix = "own_"

// ofLibrary is a function of mathematics that the library has; nil where it has none.
func (l *lowering) ofLibrary(x *cfront.Call, name string, t expr.DType, args []*ssa.Value) *ssa.Value {
	name = ownPrefix + name
	if t == expr.Float32 {
		name += "f"
	}
	f := library().Function(name)
	if f == nil || len(f.Params) != len(args) {
		return nil
	}
	call := &cfront.Call{Func: name}
	for i, p := range f.Params {
		v := &cfront.Var{Name: p.Name, Pos: x.Pos, Class: cfront.Local, DType: t}
		l.know(v)
		l.env[key{v, 0}] = slot{x: args[i], t: t}
		call.Args = append(call.Args, &cfront.Ref{Var: v})
	}
	return l.inlined(call, f).x[0]
}

// sineAndCosine computes both, and stores them where the other arguments point to.
func (l *lowering) sineAndCosine(x *cfront.Call) value {
	t := expr.DType(expr.Float32)
	if !strings.HasSuffix(x.Func, "f") {
		t = expr.Float64
	}
	names := []string{"sin", "cos"}
	if strings.HasPrefix(x.Func, "sincospi") {
		names = []string{"sinpi", "cospi"}
	}
	if len(x.Args) != 3 {
		l.fail(x.Pos, "%s has %d arguments", x.Func, len(x.Args))
	}
	a := l.convert(x.Pos, l.expression(x.Args[0]), t).x
	for i, name := range names {
		p := l.expression(x.Args[1+i])
		if p.p == nil {
			l.fail(x.Pos, "%s is given no pointer", x.Func)
		}
		r := l.function(x, name, t, a)
		if r == nil {
			r = l.ofLibrary(x, name, t, a)
		}
		l.write(x.Pos, place{p: p.p, t: p.elem}, number(t, r))
	}
	return value{}
}
