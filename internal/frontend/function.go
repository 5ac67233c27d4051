package frontend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/launches"
	"gpuperf/ckernel"
	"gpuperf/device"
	"gpuperf/internal/cname"
	"gpuperf/internal/format"
	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/toolkit"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/script"
	"gpuperf/samples"
	"gpuperf/workload"
)

// function is a kernel function as a kernel.
type function struct {
	path string
	file *cfront.File
	opt  ckernel.Options
	fn   *cfront.Function
	ir   *kernel.Kernel
}

// readFunction reads a kernel function of a file. What its parameters are may decide on the options.
func readFunction(ctx context.Context, path string, opt ckernel.Options, complete func(*cfront.Function, *ckernel.Options) error) (*function, error) {
	file, err := cfront.Read(ctx, path, opt.C)
	if err == nil && opt.C.Instance == "" {
		if opt.C.Instance = instanceOf(file, opt.Kernel); opt.C.Instance != "" {
			opt.Kernel, opt.C.Proposed = "", file.IsProposed(opt.C.Instance)
			file, err = cfront.Read(ctx, path, opt.C)
		}
	}
	if err != nil {
		return nil, placed(ctx, err)
	}
	return functionOf(ctx, path, file, opt, complete)
}

// instanceOf is the instance that stands for a template which is named without arguments, or is the only kernel: the first that the host code of the file
// launches, or else the one that is proposed. It is "" for other functions.
func instanceOf(file *cfront.File, name string) string {
	names := ckernel.Names(file)
	if name == "" && len(names) == 0 && len(file.Templates) == 1 {
		name = file.Templates[0]
	}
	if slices.Contains(names, name) || !slices.Contains(file.Templates, name) {
		return ""
	}
	return file.Instances(name)[0]
}

// functionOf is readFunction of a file that has been read. Beside the error of a function that is not read for all sizes, it is that function, with a
// kernel that has nothing but them: it may be read at given ones.
func functionOf(ctx context.Context, path string, file *cfront.File, opt ckernel.Options, complete func(*cfront.Function, *ckernel.Options) error) (*function, error) {
	fn, err := ckernel.Find(file, &opt)
	if err == nil && complete != nil {
		err = complete(fn, &opt)
	}
	if err == nil {
		err = group(file, fn, opt.Local)
	}
	if err != nil {
		return nil, placed(ctx, err)
	}
	ir, err := ckernel.Read(ctx, file, opt)
	switch sizes := ckernel.Sizes(fn, &opt); {
	case err == nil:
	case len(sizes) == len(opt.At) || opt.Opaque || ctx.Err() != nil || errors.As(err, new(*ckernel.LimitError)):
		return nil, placed(ctx, err)
	default:
		err = placed(ctx, err)
		ir = &kernel.Kernel{Name: fn.Name, Divisors: sizes}
		for _, n := range sizes {
			ir.Args = append(ir.Args, &kernel.Array{Name: n, DType: expr.Int32, Space: kernel.Private, IsValue: true, Shape: []expr.Expr{}})
		}
	}
	return &function{path, file, opt, fn, ir}, err
}

// name is what the user calls the function.
func (f *function) name() string { return cmp.Or(f.opt.C.Instance, f.fn.Name) }

// kernel is the function as a kernel that a launch runs.
func (f *function) kernel(job func(at map[string]int64) (device.Job, error), file string) *Kernel {
	own := &workload.Own{Interface: interfaces[f.file.Language], File: file, Job: job, Place: f.place, Passed: f.file.Passed}
	return &Kernel{Variant: script.Variant{Name: f.name(), Kernel: f.ir}, AsRun: true, Own: own}
}

// place is an error at a place of the file.
func (f *function) place(at kernel.Place, msg string) *source.Error {
	return f.file.Errorf(cfront.Pos{File: at.File, Pos: at.Pos}, "%s", msg)
}

// array is the array of the kernel that a parameter points to, nil where it accesses none.
func (f *function) array(name string) *kernel.Array {
	return f.ir.Array(name)
}

// interfaces are those that sources run under.
var interfaces = map[cfront.Language]samples.Interface{cfront.OpenCL: samples.OpenCL, cfront.CUDA: samples.CUDA}

// launchedFunction loads a kernel function with the launch that the options describe.
func (o Options) launchedFunction(ctx context.Context, path string) ([]*Kernel, error) {
	file, name, _ := source.CutName(path)
	o.Kernel = cmp.Or(name, o.Kernel)
	opt, err := o.launch()
	if err != nil {
		return nil, err
	}
	var host *hosted
	var complete func(*cfront.Function, *ckernel.Options) error
	if opt.Global == nil && opt.Groups == nil {
		all := opt.C
		all.Instance = ""
		text, err := cfront.Read(ctx, file, all)
		if err != nil {
			return nil, placed(ctx, err)
		}
		text.Launches = launchesOf(text)
		if names := launchedKernels(text.Launches); o.Kernel == "" && len(names) > 1 {
			return o.eachLaunched(ctx, file, names)
		}
		host = o.fromHost(ctx, file, text, &opt)
	}
	if host != nil {
		complete = func(fn *cfront.Function, opt *ckernel.Options) error { return host.complete(fn, opt) }
	} else if opt.Global == nil && opt.Groups == nil {
		return nil, o.unlaunched(ctx, file)
	}
	f, err := readFunction(ctx, file, opt, complete)
	if errors.As(err, new(*ckernel.LimitError)) {
		return nil, err
	}
	whole := err
	if f == nil || err != nil && len(ckernel.Sizes(f.fn, &f.opt)) == 0 {
		in, partly := readInPart(ctx, file, opt, complete)
		f, err = in, refusal(err, partly)
	}
	if f == nil {
		return nil, emulated(ctx, err, file, cname.Base(cmp.Or(opt.Kernel, opt.C.Instance)))
	}
	k := f.kernel(f.job, file)
	k.Unsized, k.unread = err, whole
	k.Own.Disregard = o.Disregard
	k.Launch = map[string]string{}
	for name, text := range map[string]string{"local": o.Local, "global": o.Global, "groups": o.Groups, "shared": o.Shared} {
		if text != "" {
			k.Launch[name] = text
		}
	}
	if host != nil {
		k.Launch, k.Given, k.extent = host.text(f.opt), host.given, host.extent
	}
	if len(f.ir.Divisors) > 0 || err != nil || f.open(k, nil) {
		d := &divided{function: f, kernel: k, known: map[string]*Kernel{}}
		k.at, k.trial = d.at, d.trial
	}
	return []*Kernel{k}, nil
}

// unlaunched is the error of a kernel whose launch nobody says: it proposes the flags, also those that name an instance and which the function demands. A
// mistake in the text of the function goes first.
func (o Options) unlaunched(ctx context.Context, file string) error {
	what, local, global, kernel := "the work-group and all work-items", "--local 256 ", "--global n", ""
	opt := o.Options
	opt.Instance, opt.Opaque = "", true
	if text, err := cfront.Read(ctx, file, opt); err == nil {
		name := cmp.Or(o.Kernel, slices.Concat(ckernel.Names(text), text.Templates, []string{""})[0])
		switch fn := text.Function(name); {
		case fn == nil:
		case cfront.Malformed(fn.Err):
			return placed(ctx, fn.Err)
		case fn.Group != nil:
			what, local, global = "all work-items", "", proposedGlobal(max(len(launches.Trimmed(fn.Group, 1)), axes(text, fn)))
		case axes(text, fn) > 1 && (fn.MostItems == 0 || fn.MostItems >= 256):
			local, global = "--local "+proposedLocal[axes(text, fn)]+" ", proposedGlobal(axes(text, fn))
		case fn.MostItems > 0:
			local = fmt.Sprintf("--local %d ", min(fn.MostItems, 256))
		}
		if instance := text.Proposed[name]; instance != "" {
			what, kernel = "an instance, "+what, "--kernel '"+instance+"' "
			opt.Instance = instance
			if most := mostItems(ctx, file, opt); most > 0 {
				local = fmt.Sprintf("--local %d ", min(most, 256))
			}
		}
	}
	e := mistake("%s does not say how its kernels are launched", file).
		WithHint("give %s, as in %s, or a launch file: perf init launch --from %s", what, kernel+local+global, file)
	for _, flag := range []string{kernel, local, global} {
		if flag = strings.TrimSpace(flag); flag != "" {
			e.Flags = append(e.Flags, flag)
		}
	}
	return e
}

// proposedLocal are work-groups of 256 work-items, by their axes.
var proposedLocal = []string{2: "16,16", 3: "8,8,4"}

// proposedGlobal is the flag for all work-items along so many axes.
func proposedGlobal(axes int) string {
	return "--global " + strings.Join([]string{"n", "m", "l"}[:axes], ",")
}

// mostItems are the work-items that the kernel function of options allows in a work-group, 0 where it allows any.
func mostItems(ctx context.Context, file string, opt cfront.Options) int64 {
	text, err := cfront.Read(ctx, file, opt)
	if err != nil {
		return 0
	}
	fn, err := ckernel.Find(text, &ckernel.Options{C: opt})
	if err != nil {
		return 0
	}
	return fn.MostItems
}

// eachLaunched loads the kernels of a file by their names, as a script with several is loaded.
func (o Options) eachLaunched(ctx context.Context, file string, names []string) (all []*Kernel, err error) {
	for _, o.Kernel = range names {
		one, err := o.launchedFunction(ctx, file)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// emulated is the error of a function that is refused, with the calls that emulate it, where the compiler for that is at hand.
func emulated(ctx context.Context, err error, file, name string) error {
	if text, err := cfront.Read(ctx, file, cfront.Options{}); name == "" && err == nil && len(ckernel.Names(text)) == 1 {
		name = ckernel.Names(text)[0]
	}
	var at *source.Error
	if toolkit.Find("nvcc") == "" || filepath.Ext(file) != ".cu" || name == "" || !errors.As(err, &at) {
		return err
	}
	return at.WithHint("%s", strings.TrimPrefix(fmt.Sprintf("%s; its machine code is emulated by perf init launch --from %s -k %s, then perf emulate %s.yaml", at.Hint, file, name, name), "; "))
}

// open reports whether some array has no size among those given, and nobody says its extent, which does not show in the text of all sizes: it may at given ones.
func (f *function) open(k *Kernel, sizes map[string]int64) bool {
	return slices.ContainsFunc(f.ir.Params(), func(p string) bool {
		a := (&workload.Kernel{IR: f.ir}).OpenArray(p)
		return a != nil && sizes[p] == 0 && k.Extent(a, sizes) == 0
	})
}

// divided is a function whose indices are divided by sizes, or whose arrays have an extent that only given sizes show, with the kernels that it has been read as.
type divided struct {
	*function
	kernel *Kernel
	known  map[string]*Kernel // by the values of these sizes
}

// at is the kernel at the values of the sizes that indices are divided by.
func (d *divided) at(ctx context.Context, sizes map[string]int64) (*Kernel, error) {
	values := chosen(sizes, d.ir.Divisors)
	if all := ckernel.Sizes(d.fn, &d.opt); d.open(d.kernel, sizes) {
		if given := chosen(sizes, all); len(given) == len(all) {
			values = given
		}
	}
	switch {
	case d.kernel.Unsized != nil && len(values) < len(d.ir.Divisors):
		err := error(nil)
		if len(sizes) > 0 {
			err = d.readable(ctx, sizes)
		}
		if err != nil {
			return nil, err
		}
		in, err := readInPart(ctx, d.path, d.opt, nil)
		if err != nil {
			return nil, cmp.Or(d.readable(ctx, sizes), refusal(d.kernel.Unsized, err))
		}
		k, own := *d.kernel, *d.kernel.Own
		own.Whole, own.Shared = d.lacking(ctx, sizes)
		k.Variant.Kernel, k.Unsized, k.Own = in.ir, nil, &own
		return &k, nil
	case len(values) == 0:
		return d.kernel, nil
	}
	key := fmt.Sprint(values) // maps are printed in the order of their keys
	if k := d.known[key]; k != nil {
		return k, nil
	}
	f := *d.function
	f.opt.At = values
	ir, err := ckernel.Read(ctx, f.file, f.opt)
	if err != nil {
		in, partly := readInPart(ctx, f.path, f.opt, nil)
		if partly != nil {
			return nil, placed(ctx, refusal(err, partly))
		}
		ir = in.ir
	}
	f.ir = ir
	k, own := *d.kernel, *d.kernel.Own
	own.Job, own.Fixed = f.job, values
	k.Variant.Kernel, k.Unsized, k.Own = f.ir, nil, &own
	d.known[key] = &k
	return &k, nil
}

// readInPart is a function without the parts that are not read. Its error is what refuses the function whatever is left out.
func readInPart(ctx context.Context, path string, opt ckernel.Options, complete func(*cfront.Function, *ckernel.Options) error) (*function, error) {
	opt.C.Opaque, opt.Opaque = true, true
	f, err := readFunction(ctx, path, opt, complete)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// refusal is why a function is not read: what refuses it whatever is left out. Where that is no text of C, or the whole lacks a name, a macro or a function of another
// file may be lacking, which the error of the whole tells.
func refusal(whole, partly error) error {
	if at := (*source.Error)(nil); cfront.Malformed(partly) || partly != nil && errors.As(whole, &at) && at.Lacks != "" {
		return whole
	}
	return partly
}

// trial is what sizes are taken to be that are not given, to see whether a function is read at given ones.
const trial = 256

// readable is the error of a function that is not read for all sizes, but is at given ones: those that lack a value are named. It is nil where it is not read at
// given ones either.
func (d *divided) readable(ctx context.Context, sizes map[string]int64) error {
	var at *source.Error
	lacking, _ := d.lacking(ctx, sizes)
	if len(lacking) == 0 || !errors.As(d.kernel.Unsized, &at) {
		return nil
	}
	return at.WithHint("%s", strings.TrimPrefix(at.Hint+"; ", "; ")+"it may be read at given sizes: -p "+strings.Join(lacking, "=VALUE,")+"=VALUE")
}

// trial are the sizes that the function is read whole at, without those that the host code gives; else why it is not read even at given ones.
func (d *divided) trial(ctx context.Context) (sizes []string, err error) {
	if sizes, _ = d.lacking(ctx, d.kernel.Given); len(sizes) > 0 {
		return sizes, nil
	}
	opt := d.opt
	opt.At = map[string]int64{}
	for _, n := range d.ir.Divisors {
		opt.At[n] = trial
	}
	_, err = ckernel.Read(ctx, d.file, opt)
	return nil, err
}

// lacking are the sizes without a value of a function that is read at given ones alone, and how often its loops run that depend on data; none where it is not read
// at given ones either. Shared is how large its local memory may be, where nobody says it.
func (d *divided) lacking(ctx context.Context, sizes map[string]int64) (lacking []string, shared string) {
	opt := d.opt
	opt.At, opt.Opaque = map[string]int64{}, true // which names averages of trips
	for _, n := range d.ir.Divisors {
		v, ok := sizes[n]
		if !ok {
			v, lacking = trial, append(lacking, n)
		}
		opt.At[n] = v
	}
	k, err := ckernel.Read(ctx, d.file, opt)
	if unsized := (&ckernel.UnsizedError{}); errors.As(err, &unsized) {
		opt.Dynamic, shared = unsized.Dynamic, unsized.Dynamic
		k, err = ckernel.Read(ctx, d.file, opt)
	}
	if err != nil || len(k.Opaque) > 0 {
		return nil, ""
	}
	for _, n := range k.Params() {
		if _, ok := sizes[n]; !ok && strings.HasPrefix(n, kernel.TripsPrefix) {
			lacking = append(lacking, n)
		}
	}
	return lacking, shared
}

// chosen are the values of some sizes, as far as they are given.
func chosen(sizes map[string]int64, names []string) map[string]int64 {
	out := map[string]int64{}
	for _, n := range names {
		if v, ok := sizes[n]; ok {
			out[n] = v
		}
	}
	return out
}

// launch are the options as the front end for kernel functions takes them.
func (o Options) launch() (opt ckernel.Options, err error) {
	opt = ckernel.Options{C: o.Options, Dynamic: o.Shared, Subgroup: o.Subgroup, Assume: o.Assume, Global: extents(o.Global), Groups: extents(o.Groups)}
	nameFunction(&opt, o.Kernel)
	if opt.Global != nil && opt.Groups != nil {
		return opt, mistake("--global and --groups exclude each other")
	}
	for _, f := range []struct {
		name, of, text string
		list           []string
	}{
		{"--local", "work-items", o.Local, extents(strings.ReplaceAll(o.Local, "x", ","))},
		{"--global", "work-items", o.Global, opt.Global},
		{"--groups", "work-groups", o.Groups, opt.Groups},
	} {
		if len(f.list) > maxAxes {
			return opt, mistake("%s %s: a launch has at most %d axes", f.name, f.text, maxAxes)
		}
		for i, text := range f.list {
			e, err := expr.ParseSizes(text)
			if err != nil {
				return opt, mistake("%s %s: %q: %s", f.name, f.text, text, source.Message(err)).WithHint("give an expression in sizes for each axis, as in n or m,n/4")
			}
			f.list[i] = expr.Rewrite(e, quotients).String()
			n, ok := format.ParseInteger(text)
			if ok && n < 1 || !ok && f.name == "--local" {
				return opt, mistake("%s %s: %s is no number of %s", f.name, f.text, text, f.of).WithHint("give one to three, as in %s 16,16", f.name)
			}
			if f.name == "--local" {
				opt.Local = append(opt.Local, n)
			}
		}
	}
	axes := len(opt.Global)
	for axes > 0 && axes < len(opt.Local) && opt.Local[len(opt.Local)-1] == 1 {
		opt.Local = opt.Local[:len(opt.Local)-1]
	}
	if axes > 0 && axes < len(opt.Local) {
		return opt, mistake("--local %s has %d axes, and --global %s has %d", o.Local, len(opt.Local), o.Global, axes).WithHint("give as many for both, as in --local 16,16 --global n,m")
	}
	return opt, nil
}

const maxAxes = 3 // of a launch, in OpenCL and CUDA

// extents are those along the axes of a text such as "n, min(m, 64)". Numbers may be written as those of -p are.
func extents(text string) (list []string) {
	if text == "" {
		return nil
	}
	for _, one := range lex.Split(text, ",", "()[]{}") {
		one = strings.TrimSpace(one)
		if n, ok := format.ParseInteger(one); ok {
			one = strconv.FormatInt(n, 10)
		}
		list = append(list, one)
	}
	return list
}

// mistake is an error in what was asked for.
func mistake(format string, args ...any) *source.Error {
	return source.At("", "", source.Pos{}, format, args...)
}

// placed makes errors of files without a place those of a wrong input, as all of them are.
func placed(ctx context.Context, err error) error {
	if at := (*source.Error)(nil); errors.As(err, &at) || ctx.Err() != nil {
		return err
	}
	return mistake("%v", err)
}
