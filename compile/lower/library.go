package lower

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/internal/lists"
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

// called is what a function of the library has of arguments.
func (l *lowering) called(name string, args ...*ssa.Value) *ssa.Value {
	return l.ofLibrary(cfront.Pos{}, library().Function(ownPrefix+name), args...)
}

// ofLibrary is what a function of the library has of words, one for each parameter.
func (l *lowering) ofLibrary(at cfront.Pos, f *cfront.Function, args ...*ssa.Value) *ssa.Value {
	var list []value
	for i, p := range f.Params {
		list = append(list, number(p.DType, args[i]))
	}
	return l.body(at, f, list).x[0]
}

// inPlace are functions whose instructions the assembler writes in place of one operation.
var inPlace = map[string]bool{ownPrefix + "sqrtf": true, ownPrefix + "dividef": true, ownPrefix + "divide": true}

// inLibrary reports whether what is gone through is a function of the library.
func (l *lowering) inLibrary() bool {
	return len(l.calls) > 0 && ofLibrary(l.calls[len(l.calls)-1])
}

func ofLibrary(f *cfront.Function) bool {
	return strings.HasPrefix(f.Name, ownPrefix) && library().Function(f.Name) == f
}

// at notes the line of what follows. What the library does is on the line of the call.
func (l *lowering) at(p cfront.Pos) {
	if !l.inLibrary() {
		l.Line = p.Line
	}
}

// throughout goes through a function of the library that returns at its end alone.
func (l *lowering) throughout(f *cfront.Function, last cfront.Expr, args []value) value {
	l.calls = append(l.calls, f)
	run := func() *ssa.Value {
		for _, s := range f.Body.Items[:len(f.Body.Items)-1] {
			l.statement(s)
		}
		return l.convert(f.Pos, l.expression(last), f.Result).x[0]
	}
	var x *ssa.Value
	if inPlace[f.Name] {
		operands := lists.Flat(args, func(v value) []*ssa.Value { return v.x })
		x = l.outside(operands, func() *ssa.Value { return expanded(l.Builder, operands, run) })
	} else {
		x = run()
	}
	l.calls = l.calls[:len(l.calls)-1]
	return number(f.Result, x)
}

// endsIn is the value of a function of the library that returns at its end alone.
func endsIn(f *cfront.Function) (last cfront.Expr, ok bool) {
	if !ofLibrary(f) {
		return nil, false
	}
	for i, s := range f.Body.Items {
		switch x := s.(type) {
		case *cfront.Declare, *cfront.Do:
		case *cfront.If:
			if stmts, _ := cfront.Inside(x); !isRare(x) && slices.ContainsFunc(stmts, func(s cfront.Stmt) bool { _, does := alone(s).(*cfront.Do); return !does }) {
				return nil, false
			}
		case *cfront.Jump:
			return x.Value, i == len(f.Body.Items)-1 && x.Value != nil
		default:
			return nil, false
		}
	}
	return nil, false
}

// What the library calls besides functions: an instruction, by its name with _ for the points; one of the two words of a number, and such a number; and what a
// branch is hardly ever taken for.
const (
	instructionPrefix = "__sass_"
	oneWord           = "__word"
	twoWords          = "__pack"
	rarely            = "__rarely"
)

func isRare(x *cfront.If) bool {
	c, ok := x.Cond.(*cfront.Call)
	return ok && c.Func == rarely
}

// outside makes an operation before the loops in which none of its operands is computed.
func (l *lowering) outside(operands []*ssa.Value, make func() *ssa.Value) *ssa.Value {
	var loop *ssa.Loop
	for o := l.loop; o != nil && !slices.ContainsFunc(operands, func(v *ssa.Value) bool { return v.Block != nil && v.Block.Loop.In(o) }); o = o.Outer {
		loop = o
	}
	if loop == nil || l.Within != nil {
		return make()
	}
	at := slices.Index(l.Blocks, loop.Header)
	inside := slices.Clone(l.Blocks[at:])
	block, env, inner := l.Block, l.env, l.loop
	l.Blocks, l.Block, l.loop = l.Blocks[:at], loop.Before, loop.Outer
	x := make()
	loop.Before = l.Block // a loop has one block before it until its end is known
	loop.Before.End, loop.Before.To, loop.Header.Preds[0] = ssa.Jump, [2]*ssa.Block{loop.Header}, loop.Before
	l.Blocks = append(l.Blocks, inside...)
	l.Block, l.env, l.loop = block, env, inner
	return x
}

// raw is what such a call has; ok is false for other calls.
func (l *lowering) raw(x *cfront.Call) (v value, ok bool) {
	name, isInstruction := strings.CutPrefix(x.Func, instructionPrefix)
	if !l.inLibrary() || !isInstruction && x.Func != oneWord && x.Func != twoWords {
		return value{}, false
	}
	var args []*ssa.Value
	for _, a := range x.Args {
		args = append(args, l.expression(a).x...)
	}
	switch {
	case x.Func == oneWord:
		return number(x.DType, l.Word(args[0], int(args[1].Int))), true
	case x.Func == twoWords:
		return number(x.DType, l.Make(ssa.Pack, ssa.D, args...)), true
	case x.DType == expr.Bool:
		return number(x.DType, l.asWord(l.MakeAux(ssa.Raw, ssa.Pred, name, args...))), true
	}
	return number(x.DType, l.MakeAux(ssa.Raw, wordType(x.DType), strings.ReplaceAll(name, "_", "."), args...)), true
}

// outputs are functions with several results: the one that is returned, "" for none, and those that are stored where the last arguments point to. That of OpenCL C
// which CUDA C has as another one ends in 2, for its arguments.
var outputs = map[string][]string{
	"sincos": {"", "sin", "cos"}, "sincos2": {"sin", "cos"}, "__sincos": {"", "sin", "cos"}, "sincospi": {"", "sinpi", "cospi"}, "modf": {"fraction", "trunc"}, "frexp": {"mantissa", "exponent"},
	"fract": {"part", "floor"}, "remquo": {"remainder", "quotients"}, "lgamma_r": {"lgamma", "gammasign"},
}

// severally computes all results of such a function, lane by lane.
func (l *lowering) severally(x *cfront.Call) value {
	name := x.Func
	if outputs[name] == nil {
		name = strings.TrimSuffix(name, "f")
	}
	t := expr.DType(expr.Float64)
	if name != x.Func || x.DType.Base() == expr.Float32 {
		t = expr.Float32
	}
	results := outputs[name]
	if name == "sincos" && len(x.Args) == 2 {
		results = outputs["sincos2"]
	}
	given := len(x.Args) - (len(results) - 1)
	if results == nil || given < 1 || given > 2 {
		l.fail(x.Pos, "%s of %d arguments is not compiled here", x.Func, len(x.Args))
	}
	var args []value
	for _, a := range x.Args[:given] {
		v := l.expression(a)
		args = append(args, l.convert(x.Pos, v, t.Vector(v.t.Lanes())))
	}
	t = args[0].t
	lanes := make([][]*ssa.Value, len(results))
	for i := range args[0].x {
		var a []*ssa.Value
		for _, v := range args {
			a = append(a, v.x[min(i, len(v.x)-1)])
		}
		for k, r := range l.results(x, results, t.Base(), a) {
			lanes[k] = append(lanes[k], r)
		}
	}
	for i, r := range results[1:] {
		p := l.expression(x.Args[given+i])
		if p.p == nil {
			l.fail(x.Pos, "%s is given no pointer", x.Func)
		}
		stored := t
		if r == "exponent" || r == "quotients" || r == "gammasign" {
			stored = expr.DType(expr.Int32).Vector(t.Lanes())
		}
		l.write(x.Pos, place{p: p.p, t: p.elem}, value{t: stored, x: lanes[1+i]})
	}
	if results[0] == "" {
		return value{}
	}
	return value{t: t, x: lanes[0]}
}

// results are those of a function of a lane; nil stands for the one that is not.
func (l *lowering) results(x *cfront.Call, names []string, t expr.DType, a []*ssa.Value) (all []*ssa.Value) {
	sines := len(names) > 1 && names[len(names)-2] == "sin"
	if sines && t == expr.Float32 && !l.approximates(x) {
		both := l.function(x, "sincos", t, a)
		all = []*ssa.Value{l.Word(both, 0), l.Word(both, 1)}
		return append(make([]*ssa.Value, len(names)-2), all...)
	}
	for _, name := range names {
		if name == "" {
			all = append(all, nil)
			continue
		}
		v := l.function(x, name, t, a)
		if v == nil {
			l.fail(x.Pos, "%s of %s is not compiled here", x.Func, t)
		}
		all = append(all, v)
	}
	return all
}
