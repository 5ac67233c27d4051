// Package frontend loads kernels from files of all kinds, as the user names them: scripts, and C files, whose loop nests are kernels.
//
// [Options.Load] takes the way that the end of a file's name chooses from a table. FILE#NAME is one kernel of several.
package frontend

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/device"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/script"
	"gpuperf/launchfile"
	"gpuperf/workload"
)

// Options say how files are read that are no scripts.
type Options struct {
	cfront.Options // of C files and kernel functions

	// Kernel is the function, or an instance of a template; "" where there is one.
	Kernel string
	// Local are the work-items of a work-group along the axes, as in "16,16".
	Local string
	// Global are all work-items along the axes, as expressions in sizes, rounded up to work-groups; Groups are the work-groups.
	Global, Groups string
	// Shared is the local memory that the launch gives: bytes for CUDA, elements by parameter for OpenCL.
	Shared string
	// Subgroup is the number of work-items of a sub-group for OpenCL C that asks for it; 0 is 32.
	Subgroup int64
	// Assume are conditions on sizes, and trips of loops.
	Assume []string
	// Proposals: what a kernel function asks for is taken to be what is proposed.
	Proposals bool
	// Disregard: parts of kernel functions that are not counted do not matter.
	Disregard bool
}

// Kernel is a kernel of a file.
type Kernel struct {
	script.Variant
	File string // without "#name"
	// AsRun: bounds and conditions are control, and only what runs counts.
	AsRun bool
	// Own is the launch of a source that exists; nil where the source is generated.
	Own *workload.Own
	// Launch is what the launch was said to be, nil where that stands in a file.
	Launch map[string]string
	// Sizes are those of a launch file, unless others are given; nil elsewhere.
	Sizes map[string]int64
	// Given are those that the host code of the file launches it with, unless others are given; nil elsewhere.
	Given map[string]int64

	// Proposed asks for what the build of the program gives, which the kernel is read with proposals for; nil where that is nothing.
	Proposed *source.Error

	// Unsized is why a kernel function is read at given sizes alone; the kernel has nothing but these. nil for others.
	Unsized error

	unread error                                                              // why a kernel function is not read whole, if it is not
	trial  func(ctx context.Context) (sizes []string, err error)              // of one that is Unsized: the sizes that it is read at, or why it is not
	at     func(ctx context.Context, sizes map[string]int64) (*Kernel, error) // nil: it is the same at all
	extent func(a *kernel.Array, at map[string]int64) int64                   // the outermost of a buffer; nil: nobody says it
}

// At is the kernel for sizes: itself, unless its work-groups depend on them.
func (k *Kernel) At(ctx context.Context, sizes map[string]int64) (*Kernel, error) {
	if k.at == nil {
		return k, nil
	}
	return k.at(ctx, sizes)
}

// kinds are the ways to load files, by the ends of their names. All others are scripts.
var kinds = func() map[string]func(o Options, ctx context.Context, path string) ([]*Kernel, error) {
	all := map[string]func(o Options, ctx context.Context, path string) ([]*Kernel, error){
		".c": Options.loopNests, ".yaml": Options.launchFile, ".yml": Options.launchFile,
	}
	for _, ext := range functions {
		all[ext] = Options.kernelFunction
	}
	return all
}()

// functions are the ends of the names of files with kernel functions.
var functions = slices.Concat([]string{".cl", ".cu"}, cfront.Headers, cfront.Programs)

// FunctionExtensions are the ends of the names of files with kernel functions.
func FunctionExtensions() []string { return functions }

// Extensions are the ends of the names of files with kernels.
func Extensions() []string { return append(slices.Sorted(maps.Keys(kinds)), ".star") }

// Names lists the kernels of a file, as far as it can be read without knowing how they are launched.
func Names(ctx context.Context, path string) (names []string) {
	if slices.Contains(functions, filepath.Ext(path)) {
		file, err := cfront.Read(ctx, path, cfront.Options{})
		if err != nil {
			return nil
		}
		return ckernel.Names(file)
	}
	kernels, _ := Options{}.Load(ctx, path)
	for _, k := range kernels {
		names = append(names, k.Name)
	}
	return names
}

// IsKernel reports whether an argument names a file with kernels, with or without "#name".
func IsKernel(arg string) bool {
	path, _ := cutLaunch(arg)
	file, _, _ := source.CutName(path)
	ext := filepath.Ext(file)
	return ext == ".star" || kinds[ext] != nil
}

// Load loads the kernels of a file, of which there is at least one. Each has its File. What is said of kernel functions must be for the file, or
// for one of others.
func (o Options) Load(ctx context.Context, path string, others ...string) ([]*Kernel, error) {
	others = slices.Clone(others)
	for i := range others {
		others[i], _ = cutLaunch(others[i])
	}
	path, flags := cutLaunch(path)
	if err := o.own(flags); err != nil {
		return nil, err
	}
	if err := o.check(append(slices.Clone(others), path)); err != nil {
		return nil, err
	}
	file, _, _ := source.CutName(path)
	load := kinds[filepath.Ext(file)]
	if o.ofStrings() && filepath.Ext(file) == ".c" {
		load, o.Strings = Options.kernelFunction, true
	}
	if load == nil {
		if at, err := os.Stat(file); err == nil && !at.IsDir() && filepath.Ext(file) != ".star" {
			return nil, mistake("%s is no file with kernels: their names end in %s", file, strings.Join(Extensions(), ", "))
		}
		load = Options.script
	}
	kernels, err := load(o, ctx, path)
	for i := range kernels {
		kernels[i].File = file
	}
	return kernels, err
}

// ofStrings reports that a kernel function is asked for, which a program of C has in its strings.
func (o Options) ofStrings() bool {
	return o.Kernel != "" || o.Local != "" || o.Global != "" || o.Groups != "" || o.Shared != ""
}

// cutLaunch takes the flags of a launch from an argument, as of "a.cu#f --local 256 --global n".
func cutLaunch(arg string) (path string, flags []string) {
	path, rest, cut := strings.Cut(arg, " --")
	if !cut {
		return arg, nil
	}
	return strings.TrimSpace(path), strings.Fields("--" + rest)
}

// own are the options of one kernel alone, by flags that its argument has.
func (o *Options) own(flags []string) error {
	for i := 0; i < len(flags); i++ {
		name, value, given := strings.Cut(flags[i], "=")
		if !given && i+1 < len(flags) {
			i++
			value = flags[i]
		}
		switch name {
		case "--local":
			o.Local = value
		case "--global":
			o.Global, o.Groups = value, ""
		case "--groups":
			o.Groups, o.Global = value, ""
		case "--shared":
			o.Shared = value
		case "--kernel":
			o.Kernel = value
		default:
			return mistake("%s is no flag of a launch", name).WithHint("those in the argument of a kernel are --local, --global, --groups, --shared and --kernel")
		}
	}
	return nil
}

// check refuses options that are for none of the files.
func (o Options) check(paths []string) error {
	is := func(exts ...string) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			file, _, _ := source.CutName(path)
			return slices.Contains(exts, filepath.Ext(file))
		})
	}
	launched := slices.Concat(functions, []string{".c"})
	for _, f := range []struct {
		name  string
		given bool
		exts  []string
	}{
		{"--kernel", o.Kernel != "", launched},
		{"--local", o.Local != "", launched},
		{"--global", o.Global != "", launched},
		{"--groups", o.Groups != "", launched},
		{"--shared", o.Shared != "", launched},
		{"--assume", len(o.Assume) > 0, slices.Concat(functions, []string{".yaml", ".yml"})},
		{"-I", len(o.Include) > 0, slices.Concat([]string{".c"}, functions)},
		{"--before", len(o.Before) > 0, functions},
		{"-D", len(o.Define) > 0, slices.Concat([]string{".c"}, functions)},
	} {
		if f.given && !is(f.exts...) {
			return mistake("%s is for files %s; %s is none", f.name, strings.Join(f.exts, ", "), paths[0])
		}
	}
	return nil
}

// script runs a kernel script.
func (Options) script(ctx context.Context, path string) ([]*Kernel, error) {
	file, only, one := source.CutName(path)
	variants, err := script.Options{}.Load(ctx, file)
	if err != nil {
		return nil, err
	}
	if one {
		v, err := script.Named(file, variants, only)
		if err != nil {
			return nil, err
		}
		variants = []script.Variant{v}
	}
	return lists.Map(variants, func(v script.Variant) *Kernel { return &Kernel{Variant: v} }), nil
}

// Takes names the sizes of the kernel.
func (k *Kernel) Takes() []string {
	if k.Sizes != nil {
		return slices.Sorted(maps.Keys(k.Sizes))
	}
	return k.Kernel.Params()
}

// CheckLaunch says why the launch of a file is refused or undefined at sizes, whatever the device: arguments that are not those of the kernel
// function, a work-group that it does not allow, an access out of bounds. It is nil where nothing speaks against it, also where the function
// cannot be read. Doubts are those of the case (see [workload.Case.Doubts]). A function whose reading was stopped is an error: what would be said depended on how busy the machine is.
func CheckLaunch(ctx context.Context, file *launchfile.File, sizes map[string]int64) (verdict *device.Error, doubts []string, err error) {
	launch, err := file.Bounds(sizes)
	if err != nil {
		return nil, nil, nil
	}
	opt, l := launchOptions(launch), Options{}.launched(file)
	l.bounds = true
	text, err := l.source(ctx, launch, opt.C)
	if err != nil {
		return nil, nil, stopped(ctx, err)
	}
	if i := slices.IndexFunc(text.Functions, func(fn *cfront.Function) bool { return fn.Kernel && fn.Name == opt.Kernel }); i >= 0 {
		err = arguments(launch, text.Functions[i])
		if err == nil {
			err = group(text, text.Functions[i], launch.Block)
		}
		if verdict, ok := device.AsError(err); ok {
			return verdict, nil, nil
		}
	}
	k, err := l.at(ctx, sizes)
	if verdict, ok := device.AsError(err); ok || err != nil {
		return verdict, nil, stopped(ctx, err)
	}
	w := workload.NewKernel(k.Kernel)
	w.AsRun, w.Own = k.AsRun, k.Own
	c := &workload.Case{Kernel: w, Sizes: merged(k.Sizes, sizes)}
	return c.Undefined(), c.Doubts(), nil
}
