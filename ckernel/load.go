package ckernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/bounded"
	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/kernel"
)

// Options say which kernel function of a file is read, and how it is launched.
type Options struct {
	// C says how the file is read: folders of headers, macros, the language, the instance of a template.
	C cfront.Options
	// Kernel is the name of the function; "" where the file has one. For an instance of a template that is C.Instance it may be "".
	Kernel string
	// Local are the extents of the work-group along axes 0, 1, 2; those that are left out are 1. Without any they are those that the
	// function demands (reqd_work_group_size).
	Local []int64
	// Global are the work-items along the axes as expressions in sizes, rounded up to work-groups; Groups the work-groups. One of them is given.
	Global, Groups []string
	// Dynamic is the local memory whose size the launch gives: a number of bytes for CUDA's dynamic shared memory; for pointers
	// to local memory of OpenCL C their elements by name, as in "tile=256, part=64".
	Dynamic string
	// Bind gives scalar arguments values: expressions in sizes. Others are sizes themselves.
	Bind map[string]string
	// At gives sizes values, for the kernel at these alone.
	At map[string]int64
	// Subgroup is the number of work-items of a sub-group for OpenCL C that asks for it; 0 is 32. CUDA C says that a warp has 32.
	Subgroup int64
	// Opaque: statements and calls that the IR cannot hold are left out, and named in the kernel, in place of an error.
	Opaque bool
	// Assume are assumptions on sizes ("n % 16 = 0") and averages of trips of loops ("trips(12) = nnz/n", for the loop in line 12).
	Assume []string
}

// limits of making a kernel, without reading the file, so that a stranger's file is safe to open.
var limits = bounded.Limits{Time: bounded.Patience, Memory: 400 << 20}

// Read reads a kernel function of a file as a kernel. What the IR cannot hold is a *source.Error at its place.
func Read(ctx context.Context, file *cfront.File, opt Options) (k *kernel.Kernel, err error) {
	fn, err := Find(file, &opt)
	if err != nil {
		return nil, err
	}
	err = bounded.Do(ctx, limits, func(ctx context.Context, _ func() int) (err error) {
		k, err = build(ctx, file, fn, &opt)
		return err
	})
	if bounded.Stopped(err) {
		err = fmt.Errorf("%s: making a kernel of %s %w", file.Name, fn.Name, err)
	}
	return k, err
}

// Names lists the kernel functions of a file, in its order.
func Names(file *cfront.File) (names []string) {
	for _, f := range file.Functions {
		if f.Kernel {
			names = append(names, f.Name)
		}
	}
	return names
}

// Find finds the kernel function that the options name. It is an error where its body was not read.
func Find(file *cfront.File, opt *Options) (*cfront.Function, error) {
	names := Names(file)
	name := opt.Kernel
	if name == "" && opt.C.Instance != "" {
		name = baseName(opt.C.Instance)
	}
	switch {
	case opt.C.Instance == "" && slices.Contains(file.Templates, name) && !slices.Contains(names, name):
		return nil, &source.Error{Msg: fmt.Sprintf("%s of %s is a template", name, file.Name), Hint: instances(file, name)}
	case len(names) == 0 && len(file.Templates) > 0:
		return nil, &source.Error{
			Msg:  fmt.Sprintf("the kernel functions of %s are templates: %s", file.Name, nameset.Text(file.Templates)),
			Hint: instances(file, file.Templates[0]),
		}
	case len(names) == 0 && leftOut(file, name) != nil:
		return nil, leftOut(file, name)
	case len(names) == 0:
		return nil, &source.Error{Msg: file.Name + " has no kernel function", Hint: "kernel functions are __kernel in OpenCL C and __global__ in CUDA C"}
	case name == "" && len(names) > 1:
		return nil, &source.Error{Msg: fmt.Sprintf("%s has %d kernel functions: %s", file.Name, len(names), nameset.Text(names)), Hint: fmt.Sprintf("choose one with --kernel, or name one or several as %s#%s", file.Name, names[0])}
	case name == "":
		name = names[0]
	}
	i := slices.IndexFunc(file.Functions, func(f *cfront.Function) bool { return f.Kernel && (f.Name == name || baseName(f.Name) == name) })
	if i < 0 && leftOut(file, name) != nil {
		return nil, leftOut(file, name)
	}
	if i < 0 {
		return nil, &source.Error{Msg: fmt.Sprintf("%s has no kernel function %q", file.Name, name), Hint: source.Suggest(name, slices.Concat(names, file.Templates))}
	}
	if fn := file.Functions[i]; fn.Err == nil {
		return fn, nil
	}
	return nil, unread(file.Functions[i].Err)
}

// leftOut is the error of a kernel that stands under a condition of the preprocessor which does not hold; nil for others.
func leftOut(file *cfront.File, name string) error {
	name, flags := file.LeftOut(name)
	if name == "" {
		return nil
	}
	e := &source.Error{Msg: fmt.Sprintf("the kernel function %s of %s stands under an #if that leaves it out", name, file.Name), Flags: flags}
	if e.Hint = "give what its conditions ask for by -D"; len(flags) > 0 {
		e.Hint = strings.Join(flags, " ") + " has it read"
	}
	return e
}

// instances is a hint on a template.
func instances(file *cfront.File, name string) string {
	list := file.Instances(name)
	return fmt.Sprintf("name an instance with its types and numbers, as in --kernel '%s'", strings.Join(list[:min(len(list), 3)], "', '"))
}

// unread is the error of a function whose body was not read, with what can still be done.
func unread(err error) error {
	var e *source.Error
	if !errors.As(err, &e) || cfront.Malformed(err) {
		return err
	}
	return e.WithHint("%s", strings.TrimPrefix(e.Hint+"; "+elsewhere, "; "))
}

// baseName is the name of a function without the arguments of a template or the types of an overload.
func baseName(name string) string {
	if i := strings.IndexAny(name, "<("); i >= 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}
