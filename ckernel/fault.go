package ckernel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gpuperf/cfront"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// fault is an error on its way out of the recursion.
type fault struct {
	err   error
	final bool // it is no part of the text that can be left out
}

// elsewhere is what can still be done with a kernel that is refused.
const elsewhere = "a launch file takes the kernel as it is, for perf measure, emulate and counters (perf init launch drafts one)"

// faults refuse a function, at places of its file. Operations on sets that take too much are faults too (where.go).
type faults struct {
	file *cfront.File
	fn   *cfront.Function
}

func (b *faults) fail(at cfront.Expr, hint, format string, args ...any) {
	b.failAt(at.Place(), hint, format, args...)
}

func (b *faults) failAt(at cfront.Pos, hint, format string, args ...any) {
	if hint != "" {
		hint += "; "
	}
	panic(fault{err: b.file.Errorf(at, format, args...).WithHint("%s%s", hint, elsewhere)})
}

// failFinal refuses the whole function.
func (b *faults) failFinal(at cfront.Pos, hint, format string, args ...any) {
	panic(fault{&LimitError{b.file.Errorf(at, format, args...).WithHint("%s; %s", hint, elsewhere)}, true})
}

// LimitError says that reading a function takes too much, whatever is left out of it.
type LimitError struct{ Err error }

func (e *LimitError) Error() string { return e.Err.Error() }

// Unwrap is the error at its place.
func (e *LimitError) Unwrap() error { return e.Err }

// UnsizedError says that the launch does not tell how much local memory a work-group has. Options.Dynamic may be Dynamic then.
type UnsizedError struct {
	Err     error
	Dynamic string
}

func (e *UnsizedError) Error() string { return e.Err.Error() }

// Unwrap is the error at its place.
func (e *UnsizedError) Unwrap() error { return e.Err }

// failLaunch refuses what the launch says.
func (b *faults) failLaunch(hint, format string, args ...any) {
	panic(fault{b.launchError(hint, format, args...), true})
}

// launchError is an error in what the launch says, at the function.
func (b *faults) launchError(hint, format string, args ...any) *source.Error {
	e := b.file.Errorf(b.fn.Pos, "%s", b.fn.Name+": "+fmt.Sprintf(format, args...))
	if hint != "" {
		e = e.WithHint("%s", hint)
	}
	return e
}

// try makes errors of sets faults.
func (b *faults) try(err error) {
	if err != nil {
		panic(fault{final: true, err: b.file.Errorf(b.fn.Pos, "%s takes too much to analyse: %v", b.fn.Name, err).WithHint("%s", elsewhere)})
	}
}

// attempt runs a reading that may end in a fault, and returns the fault. Then nothing has changed.
func (b *builder) attempt(read func()) (err error) {
	undo := b.snapshot()
	b.trial++
	defer func() {
		b.trial--
		if e := recover(); e != nil {
			f, isFault := e.(fault)
			if !isFault {
				panic(e)
			}
			undo()
			err = f.err
		}
	}()
	read()
	return nil
}

// snapshot returns a function that undoes what is read after it.
func (b *builder) snapshot() (undo func()) {
	old := *b
	env, results, frames := maps.Clone(b.env), maps.Clone(b.results), len(b.frames)
	var exits, broke []int
	for _, f := range b.frames {
		exits, broke = append(exits, len(f.exits)), append(broke, len(f.broke))
	}
	return func() {
		b.env, b.results, b.live = env, results, old.live
		b.gone, b.doubts, b.opaques, b.ranges = old.gone, old.doubts, old.opaques, old.ranges
		b.open, b.loops, b.records, b.averages, b.parts = old.open, old.loops, old.records, old.averages, old.parts
		b.frames, b.path, b.depth, b.accesses = b.frames[:frames], old.path, old.depth, old.accesses
		for i, f := range b.frames {
			f.exits, f.broke = f.exits[:exits[i]], f.broke[:broke[i]]
		}
	}
}

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
	case v.DType.IsVector() || b.inMemory(v) || v.DType == "":
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

// noFunction refuses a call of a function that neither the file nor the language has.
func (b *faults) noFunction(x *cfront.Call) {
	hint := "put its definition into the file"
	if absent := b.file.Absent(x.Func); absent != "" {
		hint += "; " + absent
	}
	err := b.file.Errorf(x.Place(), "%s is no function that is known", x.Func).WithHint("%s; %s", hint, elsewhere)
	err.Lacks = x.Func
	if of, makes := strings.CutPrefix(x.Func, "make_"); makes { // of a vector whose name the program defines
		err.Flags = []string{"-D " + x.Func + "=make_float" + of[len(strings.TrimRight(of, "234")):]}
	} else if macro, value := glued(x.Func); macro != "" && !b.file.Mentions(x.Func) {
		err.Flags = []string{"-D " + macro + "=" + value}
	}
	panic(fault{err: err})
}

// glued splits the name of a function that ## made of a known beginning and a macro which nothing defines, as of convert_T4: the macro, with a value under which the
// function is known. It is "" for others.
func glued(name string) (macro, value string) {
	at := strings.IndexFunc(name, unicode.IsUpper)
	for at > 0 && name[at-1] == '_' && at > 1 && unicode.IsUpper(rune(name[at-2])) {
		at--
	}
	if at <= 0 || name[at:] != strings.ToUpper(name[at:]) {
		return "", ""
	}
	lanes := name[len(strings.TrimRight(name, "123468")):]
	for _, v := range []string{"f", "float" + lanes, "int" + lanes} {
		if _, known := cfront.IntrinsicOf(name[:at] + v); known {
			return name[at:], v
		}
	}
	return "", ""
}
