// Package script builds kernels from Starlark files, the front end for kernels written by hand.
//
// A script sees one predeclared module, lp, whose functions are named and called as Loopy's are (make_kernel,
// split_iname, tag_inames, add_prefetch, ...): lp.go holds the module, transforms.go the table of its functions,
// make.go make_kernel and the argument types. Every global that holds a kernel at the end is a variant. Files are not
// trusted: Starlark has no I/O, and limits.go bounds steps, time and memory. place.go maps every error to the line, the
// argument and, where possible, the position in the string that caused it.
package script

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
	"gpuperf/kernel"
)

// Variant is a kernel that a script defines, with the name of the global that holds it.
type Variant struct {
	Name   string
	Kernel *kernel.Kernel

	file, text string
	pos        source.Pos
}

// Named returns the variant of that name, of those of a file.
func Named(file string, variants []Variant, name string) (Variant, error) {
	var names []string
	for _, v := range variants {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	e := &source.Error{Msg: fmt.Sprintf("%s has no kernel %q; it has %s", file, name, strings.Join(names, ", "))}
	if near := source.Nearest(name, names); near != "" {
		return Variant{}, e.WithHint("did you mean %s#%s?", file, near)
	}
	return Variant{}, e
}

// Error places an error about the kernel at the first binding of its name.
func (v Variant) Error(err error) *source.Error {
	return source.At(v.file, v.text, v.pos, "%v", err)
}

// Exec runs the text of a script and returns its kernels, in the order in which their names are first bound. The
// filename is for error messages.
func Exec(filename, text string) ([]Variant, error) {
	return Options{}.Exec(context.Background(), filename, text)
}

// Options limit a run. The limits of the zero value are a hundred times what kernels written by hand need, and stop a
// hostile file within seconds.
type Options struct {
	Steps   uint64        // Starlark computation steps; 0 is 4 million
	Memory  uint64        // bytes by which the process may grow; 0 is 256 MB
	Timeout time.Duration // 0 is a minute

	// Tuned are the values of tunables by their names, as texts. Others have their first values.
	Tuned map[string]string

	// Predeclared are names that the script sees in addition to lp and Starlark's own.
	Predeclared starlark.StringDict
	// Prelude are modules whose globals the script sees too. Errors inside their functions quote their source.
	Prelude []*Module

	tuning *tuning // nil is a new one
}

// others says what takes the files that are not scripts, by how their names end.
var others = map[string]string{
	".ptx":   "a compiled kernel is measured by a launch file, which `perf init launch --from` writes",
	".cubin": "a compiled kernel is measured by a launch file, which `perf init launch --from` writes",
	".lift":  "perf lift and perf explain take functional programs",
	".jsonl": "samples are given by --replay or --device replay:FILE",
}

// Load runs a script file under these options.
func (o Options) Load(ctx context.Context, path string) ([]Variant, error) {
	if hint := others[filepath.Ext(path)]; hint != "" {
		return nil, (&source.Error{File: path, Msg: "not a kernel script, whose name ends in .star"}).WithHint("%s", hint)
	}
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return o.Exec(ctx, path, text)
}

func readFile(path string) (string, error) {
	text, err := bounded.ReadFile(path, maxText)
	if err != nil {
		return "", err
	}
	return string(text), nil
}

// Exec runs the text of a script under these options.
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
	for _, v := range variants {
		for _, check := range []func() error{v.Kernel.Check, v.Kernel.CheckGroup} {
			if err := check(); err != nil {
				return nil, v.Error(err)
			}
		}
	}
	return variants, nil
}

// Module is a script that has run. Its globals are frozen.
type Module struct {
	File string
	// Doc is the doc string of the file, "" if it has none.
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
		return nil, &source.Error{File: filename, Msg: fmt.Sprintf("the script is %d bytes long, the limit is %d", len(text), maxText)}
	}
	text = strings.TrimPrefix(text, "\ufeff") // with which some editors begin a file
	dialect := &syntax.FileOptions{GlobalReassign: true, TopLevelControl: true, Set: true}
	file, err := dialect.Parse(filename, text, 0)
	if err != nil {
		return nil, syntaxError(filename, text, err)
	}
	m := &Module{
		File: filename, Doc: docString(file), place: newPlaces(filename, text, file), opt: o,
		first: map[string]source.Pos{}, text: text,
	}
	predeclared := starlark.StringDict{"lp": lpModule}
	for _, p := range o.Prelude {
		m.place.also = append(m.place.also, p.place)
		for name, v := range p.Globals {
			if !strings.HasPrefix(name, "_") {
				predeclared[name] = v
			}
		}
	}
	maps.Copy(predeclared, o.Predeclared)
	maps.Copy(predeclared, guards)
	if err := guardFile(filename, text, file); err != nil {
		return nil, err
	}
	program, err := starlark.FileProgram(file, predeclared.Has)
	if err != nil {
		return nil, syntaxError(filename, text, err)
	}
	for _, b := range file.Module.(*resolve.Module).Globals {
		m.names = append(m.names, b.First.Name)
		m.first[b.First.Name] = source.Pos{Line: int(b.First.NamePos.Line), Column: int(b.First.NamePos.Col)}
	}
	var globals starlark.StringDict
	err = m.run(ctx, func(thread *starlark.Thread) (err error) {
		globals, err = program.Init(thread, predeclared)
		globals.Freeze()
		return err
	})
	if err != nil {
		return nil, err
	}
	m.Globals = globals
	return m, nil
}

// Names lists the globals in the order in which they are first bound.
func (m *Module) Names() []string { return m.names }

// Variants returns the kernels that globals hold, except those whose names start with _. A kernel without a name is
// named after its global.
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

// Kernel returns the kernel in a Starlark value, nil if the value is not a kernel.
func Kernel(v starlark.Value) *kernel.Kernel {
	if k, ok := v.(*kernelValue); ok {
		return k.Kernel
	}
	return nil
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
