// Package script builds kernels from Starlark files: the front end for kernels that people write.
//
// A script sees one predeclared module, lp, whose functions are named and called as Loopy's are (make_kernel,
// split_iname, tag_inames, add_prefetch, ...): lp.go holds the module, transforms.go the table of its functions,
// make.go make_kernel and the argument types. Every global that ends bound to a kernel is a variant. Files are not
// trusted: Starlark has no I/O, meter.go charges each operation to a budget before it runs, and place.go brings every
// fault back to the line, the argument, and where possible into the string, that caused it.
package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gpuperf/internal/source"
	"gpuperf/kernel"
)

// Variant is a kernel that a script defines, and the name of the global that holds it.
type Variant struct {
	Name   string
	Kernel *kernel.Kernel

	file, text string
	pos        source.Pos
}

// Error places an error about the kernel at the first binding of its name.
func (v Variant) Error(err error) *source.Error {
	return source.At(v.file, v.text, v.pos, "%v", err)
}

// Load runs a script file and returns its kernels, in the order in which their names are first bound.
func Load(path string) ([]Variant, error) { return Options{}.Load(context.Background(), path) }

// Exec runs the text of a script; filename is for error messages.
func Exec(filename, text string) ([]Variant, error) {
	return Options{}.Exec(context.Background(), filename, text)
}

// Options limit a run. The zero value is what kernels by hand need a hundred times over, and stops a hostile file
// within seconds.
type Options struct {
	Steps   uint64        // Starlark computation steps; 0 is 4 million
	Work    int64         // units of work inside operations (see meter.go); 0 is 32 million
	Timeout time.Duration // 0 is a minute

	// Predeclared are names that the script sees beside lp and Starlark's own.
	Predeclared starlark.StringDict
	// Prelude are modules whose globals the script sees too; errors inside their functions show their text.
	Prelude []*Module
}

// Limits of a run where Options leave them open, and of the text itself.
const (
	defaultSteps   = 4 << 20
	defaultWork    = 32 << 20
	defaultTimeout = time.Minute
	maxText        = 1 << 20 // bytes
)

// Load is the function Load under these options.
func (o Options) Load(ctx context.Context, path string) ([]Variant, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return o.Exec(ctx, path, text)
}

func readFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("kernel script: %w", err)
	}
	if info.Size() > maxText {
		return "", fmt.Errorf("kernel script: %s has %d bytes, at most %d are read", path, info.Size(), maxText)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("kernel script: %w", err)
	}
	return string(text), nil
}

// Exec is the function Exec under these options.
func (o Options) Exec(ctx context.Context, filename, text string) ([]Variant, error) {
	m, err := o.Module(ctx, filename, text)
	if err != nil {
		return nil, err
	}
	variants := m.Variants()
	if len(variants) == 0 {
		return nil, (&source.Error{File: filename, Msg: "the script defines no kernel"}).
			WithHint("bind one to a global: knl = lp.make_kernel(...); names that start with _ do not count")
	}
	return variants, nil
}

// Module is a script that has run. Its globals are frozen.
type Module struct {
	File string
	// Doc is the string that stands first in the file, "" without one.
	Doc     string
	Globals starlark.StringDict

	names []string // of the globals, in the order of their first binding
	first map[string]source.Pos
	text  string
	place *places
	opt   Options
}

// Module runs a script and returns what it defines. Faults of the script are *source.Error.
func (o Options) Module(ctx context.Context, filename, text string) (*Module, error) {
	if len(text) > maxText {
		return nil, &source.Error{File: filename, Msg: fmt.Sprintf("the script has %d bytes, at most %d are read", len(text), maxText)}
	}
	if err := checkNesting(filename, text); err != nil {
		return nil, err
	}
	dialect := &syntax.FileOptions{GlobalReassign: true, TopLevelControl: true, Set: true}
	pristine, err := dialect.Parse(filename, text, 0)
	if err != nil {
		return nil, syntaxError(filename, text, err)
	}
	metered, err := dialect.Parse(filename, text, 0)
	if err != nil {
		return nil, syntaxError(filename, text, err)
	}
	if err := meterFile(filename, text, metered); err != nil {
		return nil, err
	}
	m := &Module{
		File: filename, Doc: docString(pristine), place: newPlaces(filename, text, pristine), opt: o,
		first: map[string]source.Pos{}, text: text,
	}
	predeclared := starlark.StringDict{"lp": lpModule}
	for name, v := range meterBuiltins {
		predeclared[name] = v
	}
	for _, p := range o.Prelude {
		m.place.also = append(m.place.also, p.place)
		for name, v := range p.Globals {
			if !strings.HasPrefix(name, "_") {
				predeclared[name] = v
			}
		}
	}
	for name, v := range o.Predeclared {
		predeclared[name] = v
	}
	program, err := starlark.FileProgram(metered, predeclared.Has)
	if err != nil {
		return nil, syntaxError(filename, text, err)
	}
	for _, b := range metered.Module.(*resolve.Module).Globals {
		m.names = append(m.names, b.First.Name)
		m.first[b.First.Name] = source.Pos{Line: int(b.First.NamePos.Line), Column: int(b.First.NamePos.Col)}
	}
	err = m.run(ctx, func(thread *starlark.Thread) error {
		globals, err := program.Init(thread, predeclared)
		globals.Freeze()
		m.Globals = globals
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Names lists the globals in the order in which they are first bound.
func (m *Module) Names() []string { return m.names }

// Variants are the globals that hold kernels, without those whose name starts with _. A kernel that was given no name
// takes that of its global.
func (m *Module) Variants() []Variant {
	var out []Variant
	for _, name := range m.names {
		if k, ok := m.Globals[name].(*kernelValue); ok && !strings.HasPrefix(name, "_") {
			v := Variant{Name: name, Kernel: k.Kernel, file: m.File, text: m.text, pos: m.first[name]}
			if v.Kernel.Name == kernel.DefaultName {
				v.Kernel = v.Kernel.Rename(name)
			}
			out = append(out, v)
		}
	}
	return out
}

// Call calls a global function with keyword arguments, under the module's options.
func (m *Module) Call(ctx context.Context, function string, kwargs []starlark.Tuple) (starlark.Value, error) {
	f, ok := m.Globals[function].(starlark.Callable)
	if !ok {
		return nil, &source.Error{File: m.File, Msg: fmt.Sprintf("the script defines no function %s", function)}
	}
	var result starlark.Value
	err := m.run(ctx, func(thread *starlark.Thread) (err error) {
		result, err = starlark.Call(thread, f, nil, kwargs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Kernel returns the kernel that a value of a script is, nil where it is none.
func Kernel(v starlark.Value) *kernel.Kernel {
	if k, ok := v.(*kernelValue); ok {
		return k.Kernel
	}
	return nil
}

// ErrCancelled is wrapped by the error of a run that its context or its time limit ended.
var ErrCancelled = errors.New("cancelled")

// run executes f on a thread with a fresh budget. A builtin that does not come back in time is abandoned to finish
// by itself: the values that it works on are its own.
func (m *Module) run(ctx context.Context, f func(*starlark.Thread) error) error {
	timeout := m.opt.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	thread := newThread(m.File, m.opt)
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("%s: internal error: %v", m.File, r)
			}
		}()
		done <- f(thread)
	}()
	select {
	case err := <-done:
		return m.place.explain(err)
	case <-ctx.Done():
	}
	thread.Cancel("time is up")
	select {
	case <-done:
	case <-time.After(200 * time.Millisecond):
	}
	return fmt.Errorf("%s: %w: %w", m.File, ErrCancelled, context.Cause(ctx))
}

func docString(f *syntax.File) string {
	if len(f.Stmts) == 0 {
		return ""
	}
	if x, ok := f.Stmts[0].(*syntax.ExprStmt); ok {
		if lit, ok := x.X.(*syntax.Literal); ok && lit.Token == syntax.STRING {
			return strings.TrimSpace(lit.Value.(string))
		}
	}
	return ""
}
