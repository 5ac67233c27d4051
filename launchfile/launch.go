package launchfile

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/kernel/expr"
)

// Launch is the only launch of a file, as whoever reads the kernel needs it. Expressions are in the sizes of the file; their quotients of
// integers round down.
type Launch struct {
	Source          string // its path
	Kernel          string
	Include, Define []string
	Block           []int64
	Fixed           map[string]int64 // sizes that the block depends on, which are no parameters of this kernel
	Grid            []expr.Expr      // work-groups
	Shared          expr.Expr        // bytes of dynamic shared memory; nil is none
	Args            []Arg
	Assume          []Assumption

	args *yamlfile.Node
}

// elsewhere is what still takes a launch that has no counts.
const elsewhere = "perf measure and perf counters take it as it is"

// Errorf is an error about the arguments.
func (l *Launch) Errorf(format string, args ...any) *source.Error {
	return l.args.Errorf(format, args...)
}

// Arg is an argument of a launch.
type Arg struct {
	Kind     device.ArgKind
	Name     string // of a buffer
	DType    string // of a number, or of the elements of memory
	Value    expr.Expr
	Elements expr.Expr // of memory
	Whole    bool      // a buffer that no other argument is, from its first byte on, and of random or regular contents

	node *yamlfile.Node
}

// Errorf is an error about the argument.
func (a Arg) Errorf(format string, args ...any) *source.Error { return a.node.Errorf(format, args...) }

// Launch is the only launch of the file at sizes, where they differ from those of the file.
func (f *File) Launch(sizes map[string]int64) (_ *Launch, err error) {
	defer throw.Catch(&err)
	return f.only(sizes, false), nil
}

// Bounds is Launch for those who ask what it may access: pointers into buffers are arrays that begin there.
func (f *File) Bounds(sizes map[string]int64) (_ *Launch, err error) {
	defer throw.Catch(&err)
	return f.only(sizes, true), nil
}

func (f *File) only(sizes map[string]int64, inside bool) *Launch {
	at := f.at(sizes)
	l := f.launches[0]
	switch several := f.root.Get("sequence"); {
	case f.program.path == "":
		panic(throw.Of(f.root.Get("listing").Errorf("a listing of machine code has no source to count in").WithHint("perf emulate takes it")))
	case f.program.kind.image:
		panic(throw.Of(f.program.node.Errorf("%s is compiled already, and has no source to count in", f.program.path).WithHint(elsewhere)))
	case len(f.launches) > 1 || l.repeat != nil:
		panic(throw.Of(several.Errorf("a sequence of launches is no kernel that could be counted").WithHint(elsewhere)))
	case slices.ContainsFunc(l.args, func(a arg) bool { return a.offset != nil }):
		panic(throw.Of(f.root.Get("args").Errorf("arguments at offsets have no parameters that they could be counted as").WithHint(elsewhere)))
	case l.attributes.begin != nil:
		panic(throw.Of(f.root.Get("attributes").Errorf("work-items that are not numbered from 0 are not counted").WithHint(elsewhere)))
	}
	out := &Launch{Source: f.near(f.program.path), Kernel: l.kernel, Fixed: map[string]int64{}, Assume: f.Assume, args: cmp.Or(f.root.Get("args"), f.root)}
	out.Include, out.Define = f.program.macros(f.near)
	for _, v := range l.block {
		n := throw.Get(v.atLeast(1, at))
		out.Block = append(out.Block, n)
		expr.FreeVars(v.expr, func(name string) { out.Fixed[name] = at[name] })
	}
	for _, v := range l.grid {
		out.Grid = append(out.Grid, out.whole(v))
	}
	if l.shared != nil {
		out.Shared = out.whole(*l.shared)
	}
	for _, a := range l.args {
		one := f.described(a, l.args, out, at, inside)
		out.Args = append(out.Args, one)
	}
	return out
}

// whole is an expression for an integer, in the sizes that are not fixed.
func (l *Launch) whole(v number) expr.Expr { return expr.Rewrite(l.fixed(v.expr), whole(l.Fixed)) }

func (l *Launch) fixed(e expr.Expr) expr.Expr {
	by := map[string]expr.Expr{}
	for name, n := range l.Fixed {
		by[name] = expr.Int{Value: n}
	}
	return expr.Subst(e, by)
}

// described is an argument among those of a launch.
func (f *File) described(a arg, all []arg, l *Launch, at map[string]int64, inside bool) (out Arg) {
	out = Arg{Kind: a.kind, DType: a.dtype, node: a.node}
	switch a.kind {
	case device.Scalar:
		out.Value = l.fixed(a.value.expr)
		if !device.DTypeIsFloat(a.dtype) {
			out.Value = l.whole(a.value)
		}
	case device.Local:
		out.Elements = l.whole(a.value)
	case device.Buffer:
		b := a.buffer
		out.Name = b.name
		shared := 0
		for _, o := range all {
			if o.passes(b) {
				shared++
			}
		}
		out.Whole = shared == 1 && b.data == nil
		filled := throw.Get(f.filled(b, at))
		out.DType, out.Elements = filled.DType, expr.Int{Value: filled.Count}
		if b.size != nil {
			out.Elements = l.whole(*b.size)
		}
		if a.at == nil {
			return out
		}
		n, err := a.at.int(at)
		switch {
		case err == nil && n == 0:
		case err == nil && inside && n <= filled.Bytes():
			out.Elements, out.Whole = expr.Int{Value: (filled.Bytes() - n) / device.DTypeSize(filled.DType)}, false
		default:
			panic(throw.Of(out.Errorf("a pointer into the middle of a buffer is no array that could be counted").WithHint("leave out at, or pass two buffers; %s", elsewhere)))
		}
	default:
		panic(throw.Of(out.Errorf("structures and bytes are no arguments that could be counted").WithHint(elsewhere)))
	}
	return out
}

// macros are the folders of headers and the definitions of macros, also those that are options of the compiler.
func (p program) macros(near func(string) string) (include, define []string) {
	for _, n := range p.include {
		include = append(include, near(n.Text))
	}
	words := strings.Fields(p.options)
	for i, w := range words {
		for _, of := range []struct {
			flag string
			into *[]string
		}{{"-D", &define}, {"-I", &include}} {
			switch value, ok := strings.CutPrefix(w, of.flag); {
			case !ok:
			case value != "":
				*of.into = append(*of.into, value)
			case i+1 < len(words):
				*of.into = append(*of.into, words[i+1])
			}
		}
	}
	return include, define
}

// With is the file with more macros, NAME=VALUE, in place of those of their names.
func (f *File) With(macros []string) *File {
	other := *f
	words := strings.Fields(f.program.options)
	for _, m := range macros {
		name, _, _ := strings.Cut(m, "=")
		words = append(undefined(words, name), "-D"+m)
	}
	other.program.options = strings.Join(words, " ")
	return &other
}
