package frontend

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/device"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launchfile"
)

// launchFile loads the kernel function of a launch file, at the file's sizes.
func (o Options) launchFile(ctx context.Context, path string) ([]*Kernel, error) {
	file, err := launchfile.Load(path)
	if err != nil {
		return nil, err
	}
	k, err := o.Launched(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	return []*Kernel{k}, nil
}

// Launched is the kernel function of a launch file, at sizes where they differ from those of the file.
func (o Options) Launched(ctx context.Context, file *launchfile.File, sizes map[string]int64) (*Kernel, error) {
	return o.launched(file).at(ctx, sizes)
}

func (o Options) launched(file *launchfile.File) *launched {
	return &launched{file: file, assume: o.Assume, subgroup: o.Subgroup, disregard: o.Disregard, known: map[string]*Kernel{}}
}

// launched is a launch file with the kernels that its function has been read as.
type launched struct {
	file     *launchfile.File
	assume   []string           // beside what the file assumes
	subgroup int64              // work-items of one, as Options have it
	known    map[string]*Kernel // by the sizes that their work-groups and indices depend on
	// divisors are sizes that indices are divided by.
	divisors  []string
	disregard bool
	opaque    bool         // parts that are not read are left out
	bounds    bool         // what it may access is asked for
	text      *cfront.File // of the function, once it is read
	readBy    cfront.Options
}

// source is the file of the function, read once for options.
func (l *launched) source(ctx context.Context, launch *launchfile.Launch, opt cfront.Options) (*cfront.File, error) {
	if l.text != nil && reflect.DeepEqual(l.readBy, opt) {
		return l.text, nil
	}
	text, err := cfront.Read(ctx, launch.Source, opt)
	if err == nil {
		l.text, l.readBy = text, opt
	}
	return text, err
}

// at is the kernel for sizes, where they differ from those of the file.
func (l *launched) at(ctx context.Context, sizes map[string]int64) (*Kernel, error) {
	describe := l.file.Launch
	if l.bounds {
		describe = l.file.Bounds
	}
	launch, err := describe(sizes)
	if err != nil {
		return nil, err
	}
	at := maps.Clone(l.file.Sizes)
	maps.Copy(at, launch.Fixed)
	values := maps.Clone(at)
	maps.Copy(values, sizes)
	key := fmt.Sprint(launch.Fixed, chosen(values, l.divisors)) // maps are printed in the order of their keys
	if l.known[key] != nil {
		return l.known[key], nil
	}
	if _, err := l.file.Job(merged(l.file.Sizes, sizes)); err != nil { // such as a grid of 0
		return nil, err
	}
	f, err := l.read(ctx, launch, chosen(values, l.divisors))
	if f == nil && ctx.Err() == nil {
		l.opaque = true
		in, _ := l.read(ctx, launch, chosen(values, l.divisors))
		if l.opaque = false; in != nil {
			f, err = in, nil
		}
	}
	if f != nil && len(f.ir.Divisors) > 0 {
		l.divisors = slices.Concat(l.divisors, f.ir.Divisors)
		return l.at(ctx, sizes)
	}
	if err != nil {
		return nil, err
	}
	job := func(sizes map[string]int64) (device.Job, error) { return l.job(f, launch, merged(at, sizes)) }
	k := f.kernel(job, l.file.Path)
	k.Sizes, k.at = at, l.at
	k.Own.Disregard, k.Own.Registers = l.disregard, l.file.Code.Registers
	k.Own.Fixed = chosen(values, l.divisors)
	k.extent = func(a *kernel.Array, at map[string]int64) int64 { return f.extent(launch, a, at) }
	k.Own.Unverified = l.unverified(f, launch)
	k.Own.Bytes = func(array string, sizes map[string]int64) (int64, bool) {
		return f.bytes(launch, array, merged(at, sizes))
	}
	l.known[key] = k
	return k, nil
}

// merged are sizes with the values of others in their place.
func merged(sizes, others map[string]int64) map[string]int64 {
	all := maps.Clone(sizes)
	for name := range all {
		if n, ok := others[name]; ok {
			all[name] = n
		}
	}
	return all
}

func (l *launched) read(ctx context.Context, launch *launchfile.Launch, at map[string]int64) (*function, error) {
	opt := launchOptions(launch)
	opt.At, opt.Opaque, opt.C.Opaque, opt.Subgroup = at, l.opaque, l.opaque, l.subgroup
	var err error
	if opt.Assume, err = assumptions(launch); err != nil {
		return nil, err
	}
	opt.Assume = append(opt.Assume, l.assume...)
	text, err := l.source(ctx, launch, opt.C)
	if err != nil {
		return nil, placed(ctx, err)
	}
	return functionOf(ctx, launch.Source, text, opt, func(fn *cfront.Function, opt *ckernel.Options) error { return pass(launch, fn, opt) })
}

// pass gives the parameters of a function what the launch passes.
func pass(launch *launchfile.Launch, fn *cfront.Function, opt *ckernel.Options) error {
	if err := arguments(launch, fn); err != nil {
		return err
	}
	opt.Bind = map[string]string{}
	var dynamic []string
	switch {
	case launch.Shared != nil:
		dynamic = append(dynamic, launch.Shared.String())
	case filepath.Ext(launch.Source) == ".cu":
		dynamic = append(dynamic, "0")
	}
	for i, p := range fn.Params {
		switch a := launch.Args[i]; {
		case a.Kind == device.Local:
			dynamic = append(dynamic, p.Name+"="+a.Elements.String())
		case a.Kind == device.Scalar && p.DType.IsInteger() && a.Value.String() != p.Name:
			opt.Bind[p.Name] = a.Value.String()
		}
	}
	opt.Dynamic = strings.Join(dynamic, ", ")
	return nil
}

// extent is the outermost extent of an array, by the bytes of its buffer; 0 where that is not known.
func (f *function) extent(launch *launchfile.Launch, a *kernel.Array, at map[string]int64) int64 {
	all, _ := f.bytes(launch, a.Name, at)
	return all / innerBytes(a, at)
}

// bytes are those of the buffer that is passed for an array.
func (f *function) bytes(launch *launchfile.Launch, array string, at map[string]int64) (int64, bool) {
	i := slices.IndexFunc(f.fn.Params, func(p *cfront.Var) bool { return p.Name == array })
	if i < 0 || launch.Args[i].Kind != device.Buffer {
		return 0, false
	}
	n, known := expr.EvalInt64(launch.Args[i].Elements, at)
	return n * device.DTypeSize(launch.Args[i].DType), known
}

// assumptions are those of a launch file as the front end takes them.
func assumptions(launch *launchfile.Launch) (all []string, err error) {
	for _, a := range launch.Assume {
		file, line := "", a.Loop
		if i := strings.LastIndexByte(line, ':'); i >= 0 {
			file, line = line[:i], line[i+1:]
		}
		_, err := strconv.Atoi(line)
		switch {
		case a.Holds != "":
			all = append(all, a.Holds)
		case err != nil: // about machine code
		case file != "" && filepath.Base(file) != filepath.Base(launch.Source):
			return nil, a.Errorf("trips are assumed of loops in %s alone", filepath.Base(launch.Source))
		default:
			all = append(all, fmt.Sprintf("trips(%s) = %s", line, a.Trips))
		}
	}
	return all, nil
}

// job is the launch at all sizes of the file. Where its results can be compared with those of the kernel, arguments have the names of the parameters.
func (l *launched) job(f *function, launch *launchfile.Launch, at map[string]int64) (device.Job, error) {
	job, err := l.file.Job(at)
	if err == nil && l.unverified(f, launch) == "" {
		for i, p := range f.fn.Params {
			job.Args[i].Name = p.Name
		}
	}
	return job, err
}

// unverified says why results of the launch are not compared with those of the kernel, "" where they are.
func (l *launched) unverified(f *function, launch *launchfile.Launch) string {
	if l.file.Compares() {
		return "its launch file compares them"
	}
	for i, a := range launch.Args {
		array := f.array(f.fn.Params[i].Name)
		if a.Kind == device.Buffer && (!a.Whole || array != nil && string(array.DType) != a.DType) {
			return "its launch file has no expect"
		}
	}
	return ""
}
