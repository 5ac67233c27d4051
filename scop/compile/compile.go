// Package compile writes C files anew whose loop nests run as kernels on a device.
//
// File reads a C file and finds its regions (package scop). Those that are static control become kernels and loops of the host around their
// launches (package offload); any other stays as it is, with a note. In the text of the file a region becomes the call of a function (region.go):
// arguments are what the region's variables are called there, so that macros and declarations around it stay in force. That function makes
// buffers, copies, launches and waits (host.go); dialect.go is how OpenCL and CUDA say that, with helpers of package kernel/emit/host.
// For OpenCL all of it stands in the one file. CUDA's compiler reads C++, which has no arrays of variable extents: there the functions and kernels
// are a file of their own.
package compile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/device/machine"
	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/linear"
	"gpuperf/scop"
	"gpuperf/scop/offload"
)

// Result is a file compiled.
type Result struct {
	Written []string `json:"files"`
	// Build are the arguments of a compiler, and the compiler, that make the files part of a program.
	Build   string    `json:"build"`
	Regions []*Region `json:"regions"`

	texts map[string]string // of the files, by their names in a folder
	input string
}

// Region is what became of a region of the file.
type Region struct {
	Scop     string   `json:"scop"`
	Lines    [2]int   `json:"lines"`
	Compiled bool     `json:"compiled"`
	Why      string   `json:"why,omitempty"`            // it is not
	Original string   `json:"original_order,omitempty"` // why the order is that of the text
	Kernels  []string `json:"kernels"`
	// CopiedIn and CopiedOut are the arrays that go to the device and come back.
	CopiedIn  []string `json:"copied_in"`
	CopiedOut []string `json:"copied_out"`
}

// Languages are those of generated files.
var Languages = []string{"opencl", "cuda"}

// Options say what is made of a file.
type Options struct {
	cfront.Options
	// Language is one of Languages.
	Language string
	// Sizes are those for which kernels are made, of as many parameters of the nests as the user tells; others are taken to be about 1000. The kernels are right at all sizes.
	Sizes map[string]int64
	// On is the machine for which mappings are chosen; nil is the usual one.
	On *machine.Machine
	// Find makes kernels of a loop nest; nil is offload.Find.
	Find Finder
}

// Finder makes kernels of a loop nest, for sizes and a machine.
type Finder func(ctx context.Context, n *scop.Nest, opt offload.Options) (*offload.Program, error)

// File compiles the C file at path into a folder, which is made where there is none. It is an error if no region can be compiled.
func File(ctx context.Context, path, dir string, opt Options) (*Result, error) {
	r, err := compiled(ctx, path, opt)
	if err == nil {
		err = r.write(dir)
	}
	return r, err
}

func compiled(ctx context.Context, path string, opt Options) (*Result, error) {
	if opt.Find == nil {
		opt.Find = offload.Find
	}
	f, err := cfront.Read(ctx, path, opt.Options)
	if err != nil {
		return nil, err
	}
	regions, err := f.Regions()
	if err != nil {
		return nil, err
	}
	u := &unit{dialect: dialects[opt.Language], file: f, text: f.Text(), options: opt}
	var first error
	for _, r := range regions {
		p, err := u.part(ctx, r)
		out := &Region{Scop: r.Name, Lines: [2]int{r.First, r.Last}, Kernels: []string{}, CopiedIn: []string{}, CopiedOut: []string{}}
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if first == nil {
				first = err
			}
			out.Why = source.Message(err)
		} else {
			p.describe(out)
			u.parts = append(u.parts, p)
		}
		u.regions = append(u.regions, out)
	}
	if len(u.parts) == 0 {
		return nil, first
	}
	if err := u.unknown(); err != nil {
		return nil, err
	}
	return u.result()
}

// unit is a file on its way.
type unit struct {
	*dialect
	file    *cfront.File
	text    string // of the file
	options Options
	parts   []*part
	regions []*Region
}

// unknown refuses a size that is of no nest.
func (u *unit) unknown() error {
	var params []string
	for _, p := range u.parts {
		params = nameset.Add(params, p.nest.Params...)
	}
	for _, name := range slices.Sorted(maps.Keys(u.options.Sizes)) {
		if !slices.Contains(params, name) {
			return source.At(u.file.Name, "", source.Pos{}, "no loop nest that is compiled has a parameter %s; they have: %s", name, list(params))
		}
	}
	return nil
}

// part makes a region ready to be written.
func (u *unit) part(ctx context.Context, r *cfront.Region) (*part, error) {
	n, err := scop.Build(u.file, r)
	if err != nil {
		return nil, err
	}
	p := &part{unit: u, region: r, nest: n, taken: map[string]bool{}}
	if err := p.copyable(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{p.place, p.scalarsAfter, p.carried, func() error { return p.kernels(ctx) }, p.transfers, p.written} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// copyable refuses nests with arrays of which it is not known how many elements they have.
func (p *part) copyable() error {
	for _, name := range p.nest.Params {
		if _, given := p.options.Sizes[name]; !given && p.nest.Given[name] == nil && p.nest.Vars[name] == nil {
			return p.refuse(p.region.First, "%s, how many elements an array has whose subscripts are not affine, is not known: declare its extents, or give -p %[1]s=VALUE", name)
		}
	}
	return nil
}

// sources writes all kernels of the file as one source.
func (u *unit) sources() (string, error) {
	all := lists.Flat(u.parts, func(p *part) []*linear.Nest { return p.linear })
	list, err := emit.WriteProgram(all, emit.Options{Language: u.emitted})
	if err != nil {
		return "", err
	}
	return list[0].Text, nil
}

func (u *unit) result() (*Result, error) {
	kernels, err := u.sources()
	if err != nil {
		return nil, err
	}
	base := filepath.Base(u.file.Name)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	main, extra := u.rewritten(kernels, stem+"_scop.cu")
	files := map[string]string{base: main}
	build := fmt.Sprintf(u.build, base)
	if extra != "" {
		files[stem+"_scop.cu"] = extra
		build = fmt.Sprintf(u.build, base+" "+stem+"_scop.cu")
	}
	maps.Copy(files, u.file.Headers())
	return &Result{texts: files, Written: []string{}, Build: build, Regions: u.regions, input: u.file.Name}, nil
}

// write writes the files into a folder. The input is not overwritten.
func (r *Result) write(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(r.texts)) {
		path := filepath.Join(dir, name)
		if same(path, filepath.Join(filepath.Dir(r.input), name)) {
			return fmt.Errorf("%s: this is the file that is compiled, or one that it includes; choose another folder", path)
		}
		if err := kindOf(r.texts[name]).Check(path, []byte(r.texts[name])); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.texts)) {
		path := filepath.Join(dir, name)
		if err := kindOf(r.texts[name]).Bytes(path, []byte(r.texts[name])); err != nil {
			return err
		}
		r.Written = append(r.Written, path)
	}
	return nil
}

// kindOf tells the texts that are made from the headers that are copied.
func kindOf(text string) replace.Kind {
	if strings.HasPrefix(text, "// By perf ") {
		return replace.Source
	}
	return replace.Copy
}

// same reports that two paths are of one file, or would be.
func same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return errors.Is(errA, os.ErrNotExist) && errors.Is(errB, os.ErrNotExist) && filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(x, y)
}

// Print says what was written, and what was not compiled.
func (r *Result) Print(w io.Writer) error {
	for _, x := range r.Regions {
		if !x.Compiled {
			fmt.Fprintf(w, "%s, lines %d to %d, is left as it is: %s\n", x.Scop, x.Lines[0], x.Lines[1], x.Why)
			continue
		}
		fmt.Fprintf(w, "%s, lines %d to %d: %s", x.Scop, x.Lines[0], x.Lines[1], count(len(x.Kernels), "kernel"))
		fmt.Fprintf(w, "; to the device: %s; back: %s\n", list(x.CopiedIn), list(x.CopiedOut))
		if x.Original != "" {
			fmt.Fprintf(w, "%s keeps the order of its text: %s\n", x.Scop, x.Original)
		}
	}
	fmt.Fprintf(w, "wrote %s\n", strings.Join(r.Written, ", "))
	_, err := fmt.Fprintf(w, "%s\n", r.Build)
	return err
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
