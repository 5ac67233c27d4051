// Package lower makes values of package ssa from the trees of a kernel in CUDA C, as a compiler does on its way: functions are written out where they are
// called, loops are unrolled, and variables, records and arrays whose subscripts are constants become values; other arrays go to private memory.
//
// It goes through the text once, statement by statement (statement.go, loop.go), with what each variable holds at hand (variable.go). Where an array turns
// out to be accessed at a place that is not constant, it starts again with that array in memory.
package lower

import (
	"fmt"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
)

// Options say how a compiler decides.
type Options struct {
	// FullUnroll is the size up to which loops of known length are written out, in operations of all iterations; Runtime is that up to which a loop of another
	// length is written out Times times.
	FullUnroll, Runtime, Times int
	// FullArrays is FullUnroll of loops in which subscripts of private arrays become constant.
	FullArrays int
	// Again is the size up to which what is written out Times times is so once more.
	Again int
	// Fast has approximations in place of functions and divisions; Cheap has divisions and roots that are not rounded correctly.
	Fast, Cheap bool
	// Local are the bytes that the launch gives parameters in local memory, by their numbers.
	Local map[int]int64
	// Parameters is where those of the kernel begin in the constant bank.
	Parameters int64
}

// maxTries bounds how often the text is gone through.
const maxTries = 40

// maxValues bounds the values of a kernel, so that an unrolled one ends.
const maxValues = 100_000

// Kernel makes a function of a kernel of a file. Errors are *source.Error.
func Kernel(file *cfront.File, fn *cfront.Function, o Options) (*ssa.Func, error) {
	known := &learnt{memory: map[*cfront.Var]bool{}}
	for range maxTries {
		l := &lowering{
			Builder: ssa.NewBuilder(fn.Name), file: file, fn: fn, Options: o, env: map[key]slot{}, learnt: known, serial: map[*cfront.Var]int{},
			stack: map[*cfront.Var]int64{}, shared: map[*cfront.Var]int64{}, held: map[*cfront.Var]int64{}, arrays: map[*cfront.Var][]int64{}, names: map[*cfront.Var]place{}, reshaped: map[*cfront.Var]bool{}, counters: map[*ssa.Value]span{},
		}
		again, err := l.kernel()
		if err != nil {
			return nil, err
		}
		if !again {
			return l.Func, nil
		}
	}
	return nil, file.Errorf(fn.Pos, "the arrays of %s are too entangled to follow", fn.Name)
}

// learnt is what an earlier try has found out.
type learnt struct {
	memory map[*cfront.Var]bool // variables that are accessed at places which are not constant
	fixed  int64                // bytes of shared memory before that whose size the launch gives
}

// lowering goes through a kernel.
type lowering struct {
	*ssa.Builder
	Options
	file *cfront.File
	fn   *cfront.Function

	env    map[key]slot
	dead   bool // control does not come here
	learnt *learnt
	serial map[*cfront.Var]int
	stack  map[*cfront.Var]int64
	shared map[*cfront.Var]int64
	held   map[*cfront.Var]int64 // in the constant bank of variables
	arrays map[*cfront.Var][]int64
	names  map[*cfront.Var]place // what references are names of
	// reshaped are the variables whose numbers were split or joined.
	reshaped map[*cfront.Var]bool
	// counters are what those of loops, in their iterations, may be.
	counters map[*ssa.Value]span
	dynamic  bool // there is shared memory whose size the launch gives
	frames   []*frame
	regions  []*ssa.Block
	loop     *ssa.Loop
	calls    []*cfront.Function
	promoted bool // sizes are those behind the passes that put private arrays into registers
}

// fault ends lowering; again starts it once more.
type (
	fault struct{ err error }
	again struct{}
)

func (l *lowering) fail(at cfront.Pos, format string, args ...any) {
	panic(fault{l.file.Errorf(at, format, args...).WithHint("such code is priced from what a compiler makes of it")})
}

// inMemory starts again with a variable in private memory.
func (l *lowering) inMemory(v *cfront.Var) {
	l.learnt.memory[v] = true
	panic(again{})
}

func (l *lowering) kernel() (repeat bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fault:
			err = p.err
		case again:
			repeat = true
		default:
			panic(p)
		}
	}()
	l.parameters()
	l.statement(l.fn.Body)
	if !l.dead {
		l.Block.End = ssa.Exit
	}
	if fixed := l.sharedEnd(wholeWords); l.dynamic && fixed != l.learnt.fixed {
		l.learnt.fixed = fixed
		return true, nil
	}
	return false, nil
}

// parameters gives each parameter its place in the constant bank.
func (l *lowering) parameters() {
	at := l.Parameters
	l.Params = nil
	for i, p := range l.fn.Params {
		if p.Space == cfront.LocalSpace {
			l.groupLocal(p, l.Local[i])
			l.know(p)
			continue
		}
		size, align := l.layout(p)
		at = (at + align - 1) / align * align
		l.parameter(p, at)
		l.Params = append(l.Params, ssa.Held{Name: p.Name, At: at, Bytes: size})
		at += size
	}
}

// layout is the size of a parameter and its alignment, in bytes.
func (l *lowering) layout(p *cfront.Var) (size, align int64) {
	switch {
	case len(p.Dims) > 0 || p.Pointer:
		return 8, 8
	case p.Record != nil && p.Record.Unknown == "":
		return p.Record.Size, p.Record.Align
	case p.DType.Known():
		n := p.DType.Size()
		return n, min(n, 16)
	}
	l.fail(p.Pos, "%s is of a type whose size is not known", p.Name)
	return 0, 0
}

func (l *lowering) parameter(p *cfront.Var, at int64) {
	switch {
	case len(p.Dims) > 0 || p.Pointer:
		if p.Reference {
			l.fail(p.Pos, "a reference as a parameter of a kernel is not compiled here")
		}
		l.env[key{p, 0}] = slot{p: &pointer{
			space: ssa.Global, base: l.MakeInt(ssa.Param, ssa.D, at), object: restricted(p), readOnly: p.Const && p.Restrict || p.Space == cfront.ConstantSpace,
		}}
	case p.Record != nil:
		for _, f := range leaves(p.Record, 0) {
			if f.Pointer {
				l.env[key{p, f.Offset}] = slot{p: &pointer{space: ssa.Global, base: l.MakeInt(ssa.Param, ssa.D, at+f.Offset)}}
				continue
			}
			l.env[key{p, f.Offset}] = slot{x: l.parameterWord(f.DType, at+f.Offset), t: f.DType}
		}
	default:
		n := p.DType.Base().Size()
		for i := range p.DType.Lanes() {
			l.env[key{p, i * n}] = slot{x: l.parameterWord(p.DType.Base(), at+i*n), t: p.DType.Base()}
		}
	}
	l.know(p)
}

// restricted is what a pointer points to where no other pointer does; nil where others may.
func restricted(p *cfront.Var) any {
	if p.Restrict {
		return p
	}
	return nil
}

// maxText is how many characters of an expression an error quotes.
const maxText = 40

// named is a short text for an expression in errors.
func named(e cfront.Expr) string {
	text := fmt.Sprintf("%T", e)
	if r, ok := e.(*cfront.Ref); ok {
		text = r.Var.Name
	}
	return text[:min(len(text), maxText)]
}
