// Package workload joins a kernel with sizes to what the rest of the program needs of it.
//
// A Kernel derives the linearized program, the generated source and the static features of a kernel when they are first
// asked for, and keeps them; the counts, symbolic or at given sizes, are shared by all equal kernels of the process, and the
// least recently used ones are dropped (cache.go). A Case is a Kernel at given sizes, with the identity that its samples have: Job
// makes the launch that package measure runs, Features the row that package calibrate fits, and Verify compares results
// with those of the interpreter.
package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/matrix"
	"gpuperf/kernel/transform"
	"gpuperf/launch"
	"gpuperf/memory"
	"gpuperf/polycount"
	"gpuperf/samples"
)

// Kernel is a kernel with what is derived from it. It is safe for concurrent use.
type Kernel struct {
	IR *kernel.Kernel
	// AsRun: bounds and conditions are control, so that only what runs counts.
	AsRun bool
	// Own is the launch of a source that exists; nil where the source is generated.
	Own *Own

	nest   func() (*linear.Nest, error)
	source map[emit.Options]func() (*emit.Source, error)
	key    func() string
	left   func() (*Kernel, error) // without its work

	mu     sync.Mutex
	runs   map[string]*polycount.Poly // how often a statement runs, by ID
	static map[launch.Options]*launch.Program
}

// NewKernel wraps a kernel. Nothing is derived yet.
func NewKernel(ir *kernel.Kernel) *Kernel {
	k := &Kernel{IR: ir, key: sync.OnceValue(ir.Key), runs: map[string]*polycount.Poly{}, static: map[launch.Options]*launch.Program{}}
	k.nest = sync.OnceValues(func() (*linear.Nest, error) { return linear.New(ir) })
	k.left = sync.OnceValues(func() (*Kernel, error) {
		left, err := transform.RemoveWork(ir, transform.WorkRemoval{})
		if err != nil {
			return nil, err
		}
		return NewKernel(left), nil
	})
	k.source = map[emit.Options]func() (*emit.Source, error){}
	for _, language := range []emit.Language{emit.OpenCLC, emit.CUDAC} {
		for _, wide := range []bool{false, true} {
			options := emit.Options{Language: language, Index64: wide}
			k.source[options] = sync.OnceValues(func() (*emit.Source, error) {
				nest, err := k.nest()
				if err != nil {
					return nil, err
				}
				return emit.Write(nest, options)
			})
		}
	}
	return k
}

// Nest returns the linearized program.
func (k *Kernel) Nest() (*linear.Nest, error) { return k.nest() }

// Source returns the generated source.
func (k *Kernel) Source(o emit.Options) (*emit.Source, error) { return k.source[o]() }

// Static returns the program made ready for the evaluation of its static features.
func (k *Kernel) Static(options launch.Options) (*launch.Program, error) {
	nest, err := k.nest()
	if err == nil {
		err = k.checkSubgroup(options.SubgroupSize)
	}
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if p, ok := k.static[options]; ok {
		return p, nil
	}
	if multiplied, err := matrix.Instructions(nest.Kernel); err != nil {
		return nil, err
	} else if multiplied != nest.Kernel {
		if nest, err = linear.New(multiplied); err != nil {
			return nil, err
		}
	}
	p, err := launch.New(nest, options)
	if err == nil {
		k.static[options] = p
	}
	return p, err
}

// instances returns how often the statement runs, counted once.
func (k *Kernel) instances(id string, domain *polycount.Set) *polycount.Poly {
	k.mu.Lock()
	defer k.mu.Unlock()
	if count, ok := k.runs[id]; ok {
		return count
	}
	count := throw.Get(domain.Count())
	k.runs[id] = count
	return count
}

// Case is a kernel at given sizes.
type Case struct {
	*Kernel
	Script   string // path of its script; "" of a measurement kernel
	Name     string // as the user knows it: the script's variant, or the generator
	Label    string // the name, with as much of the path as tells it from the kernels of other scripts
	Identity samples.Identity
	Tags     []string
	Sizes    map[string]int64
	// Resize returns the case at its sizes times a factor, rounded to sizes that the kernel allows; the error says why that
	// cannot be. It is nil where sizes are not to be changed.
	Resize func(factor float64) (*Case, error)
	// Interface is that of the device which the source is for, Accuracy that of its divisions.
	Interface samples.Interface
	Accuracy  emit.Accuracy
	// Verify asks that results are compared with the reference before times count.
	Verify bool
	// Compiled is what the compiler made of the kernel; nil where nobody asks for counts from there.
	Compiled *samples.Compiled
}

// String names the case: the identity of its samples.
func (c *Case) String() string { return c.Identity.Key() }

// Program names the kernel without its sizes.
func (c *Case) Program() string {
	id := c.Identity
	id.Sizes = nil
	return id.Key()
}

// OpenArray is the array whose outermost extent is a parameter for nothing else, nil if there is none.
func (k *Kernel) OpenArray(param string) *kernel.Array {
	own := func(a *kernel.Array) bool {
		return len(a.Shape) > 0 && a.Shape[0] != nil && expr.Equal(a.Shape[0], expr.Var{Name: param}) && strings.HasPrefix(param, a.Name+"_")
	}
	if i := slices.IndexFunc(k.IR.Args, own); i >= 0 {
		return k.IR.Args[i]
	}
	return nil
}

// On returns the case for a device of an interface.
func (c *Case) On(i samples.Interface) *Case {
	if c.Interface == i {
		return c
	}
	other := *c
	other.Interface = i
	return &other
}

// Job returns the launch of the case: its own source or a generated one, arguments filled with seeded data, work-items.
func (c *Case) Job(policy device.Policy) (_ device.Job, err error) {
	defer throw.Catch(&err)
	if c.Own != nil {
		return c.ownJob(policy), nil
	}
	return c.generated(policy, throw.Get(c.needsWide())), nil
}

// generated is the launch of a generated source, with indices of 64 bits or not, which changes nothing but the text.
func (c *Case) generated(policy device.Policy, wide bool) device.Job {
	return c.job(policy, throw.Get(c.Source(emit.Options{Language: emit.Language(c.Interface), Index64: wide})))
}

func (c *Case) job(policy device.Policy, source *emit.Source) device.Job {
	counts := c.elements()
	global, local := throw.Get2(source.NDRange(c.Sizes))
	job := device.Job{
		Identity: c.Identity,
		Source:   source.Text,
		Entry:    source.Entry,
		Options:  c.Accuracy.Options(emit.Language(c.Interface)),
		Global:   global[:],
		Local:    local[:],
		Policy:   policy,
		LocalMem: source.LocalBytes,
		Dynamic:  source.Dynamic,
	}
	for _, p := range source.Params {
		arg := device.Arg{Name: p.Name, DType: string(p.DType)}
		switch size, isSize := c.Sizes[p.Name]; {
		case isSize:
			arg.Kind, arg.Int = device.Scalar, size
		case p.IsValue:
			arg.Kind = device.Scalar
			arg.Int, arg.Float = scalarValue(p.DType)
		default:
			arg.Kind, arg.Count, arg.Seed = device.Buffer, counts[p.Name], device.SeedOf(p.Name)
			arg.Read, arg.Write = p.Read, p.Write
			arg.Sequence = throw.Get(c.sequence(p.Name))
		}
		job.Args = append(job.Args, arg)
	}
	return job
}

// elements returns the number of elements of each array in global memory, at the sizes of the case.
func (c *Case) elements() map[string]int64 {
	nest := throw.Get(c.Nest())
	counts := map[string]int64{}
	for _, a := range slices.Concat(nest.Kernel.Args, nest.Kernel.Temps) {
		if a.IsValue || a.Space != kernel.Global {
			continue
		}
		n, err := a.Elements(c.Sizes)
		if err != nil {
			panic(throw.Errorf("kernel %s: %w", c.IR.Name, err))
		}
		counts[a.Name] = n
	}
	return counts
}

// Features returns the values of input features at the sizes of the case. Features of the static class take limits and caches of the
// device; of nil nothing is known. Those of machine code are taken from Compiled; an error that is a *launch.NoCode says why they are not known.
// Sub-group size in work-items.
func (c *Case) Features(on *facts.Device, ids []features.ID, subgroupSize int) (map[string]float64, error) {
	if err := c.CheckSizes(); err != nil {
		return nil, err
	}
	values := make(map[string]float64, len(ids))
	var static []string
	for _, id := range ids {
		if id.Class == features.StaticClass {
			static = append(static, id.String())
			continue
		}
		statistics, err := c.Counts(features.Options{SubgroupSize: subgroupSize})
		if err != nil {
			return nil, err
		}
		v, err := statistics.Value(id, c.Sizes)
		if err != nil {
			return nil, err
		}
		values[id.String()] = v
	}
	if len(static) == 0 {
		return values, nil
	}
	program, err := c.Static(launch.Options{SubgroupSize: subgroupSize, Device: on, Compiled: true, Values: true})
	if err != nil {
		return nil, err
	}
	totals, err := program.TotalsOf(c.Compiled, c.Sizes, static)
	if err != nil {
		return nil, err
	}
	for i, v := range totals {
		values[static[i]] = v
	}
	return values, nil
}

// FeaturesWithin returns the least and the greatest values that static features can have at the sizes of the case, without a look into caches, which
// takes most of the time of Features: see [launch.Program.TotalsWithin]. Features of other classes are an error.
func (c *Case) FeaturesWithin(on *facts.Device, ids []features.ID, subgroupSize int) (least, most []float64, err error) {
	if err := c.CheckSizes(); err != nil {
		return nil, nil, err
	}
	var static []string
	for _, id := range ids {
		if id.Class != features.StaticClass {
			return nil, nil, fmt.Errorf("%s is no static feature", id)
		}
		static = append(static, id.String())
	}
	program, err := c.Static(launch.Options{SubgroupSize: subgroupSize, Device: on, Compiled: true, Values: true})
	if err != nil {
		return nil, nil, err
	}
	return program.TotalsWithin(c.Sizes, static)
}

// Traffic estimates what the launch moves between the levels of memory of a device, where indices from memory have the values that the kernel
// assumes; nil where not enough is known of the device.
func (c *Case) Traffic(on *facts.Device, subgroupSize int) (*memory.Traffic, error) {
	p, err := c.Static(launch.Options{SubgroupSize: subgroupSize, Device: on, Compiled: true, Values: true})
	if err != nil {
		return nil, err
	}
	t, err := p.Traffic(c.Sizes)
	if unknown := new(facts.Unknown); errors.As(err, &unknown) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &t, nil
}

// scalarValue is what is passed for a value argument that is not a size: a number that is neither 0 nor 1.
func scalarValue(t expr.DType) (int64, float64) {
	if t.IsInteger() {
		return 3, 0
	}
	return 0, 1.25
}

// FormatSizes writes sizes for messages: "m=64, n=128", by name.
func FormatSizes(sizes map[string]int64) string { return format.SizeList(sizes, ", ") }

// atSizes is where something is so, "" where there are no sizes.
func atSizes(sizes map[string]int64) string {
	if len(sizes) == 0 {
		return ""
	}
	return " at " + FormatSizes(sizes)
}

// launch returns the work-items in all and in a group.
func (c *Case) launch() (global, local [3]int64) {
	if c.Own != nil {
		job := c.ownJob(device.Policy{})
		return Extents(job.Global), Extents(job.Local)
	}
	source := throw.Get(c.Source(emit.Options{Language: emit.Language(c.Interface)}))
	return throw.Get2(source.NDRange(c.Sizes))
}

// CheckSizes returns an error where a parameter of the kernel has no size, a size is for no parameter, or an assumption
// of the kernel does not hold.
func (c *Case) CheckSizes() (err error) {
	defer throw.Catch(&err)
	c.checkSizes(false)
	return nil
}

// Lacking is the error of sizes that are not given, all of them.
type Lacking struct {
	Kernels []string
	names   []string
	values  []string // proposals, as name=8
	hint    string
}

// Missing are the sizes that are not given, with values that the kernel can be tried with, as "m=1,n=1024"; "" for none.
func (c *Case) Missing() string { return strings.Join(c.lacking(c.Name, c.IR.Params()).values, ",") }

func (c *Case) lacking(kernel string, params []string) *Lacking {
	l := &Lacking{Kernels: []string{kernel}}
	if c.Own != nil { // what the kernel asks for once these are given
		more := slices.DeleteFunc(slices.Clone(c.Own.Whole), func(n string) bool { return slices.Contains(params, n) })
		params = slices.Concat(params, more)
	}
	for _, p := range params {
		if _, ok := c.Sizes[p]; !ok && c.OpenArray(p) == nil {
			l.names, l.values = append(l.names, p), append(l.values, fmt.Sprintf("%s=%d", p, c.proposed(p)))
		}
	}
	if c.Own != nil && c.Own.Shared != "" {
		l.hint = fmt.Sprintf("; and --shared '%s'", c.Own.Shared)
	}
	if len(c.IR.Opaque) > 0 && (c.Own == nil || len(c.Own.Whole) == 0) { // which may be why the size is one
		o := c.IR.Opaque[0]
		l.hint += fmt.Sprintf("; line %d of the kernel is not read: %s", o.Place.Line, o.Text)
	}
	for _, n := range slices.Sorted(maps.Keys(c.Sizes)) {
		if line, ok := strings.CutPrefix(n, tripsPrefix); ok && !slices.Contains(params, n) {
			l.hint += fmt.Sprintf("; %s has no loop in line %s that needs one", kernel, line)
		}
	}
	return l
}

// And is what several kernels lack, as one error. The first one may be nil.
func (l *Lacking) And(o *Lacking) *Lacking {
	if l == nil {
		return o
	}
	out := &Lacking{slices.Clone(l.Kernels), slices.Clone(l.names), slices.Clone(l.values), cmp.Or(l.hint, o.hint)}
	for _, k := range o.Kernels {
		if !slices.Contains(out.Kernels, k) {
			out.Kernels = append(out.Kernels, k)
		}
	}
	for i, n := range o.names {
		if !slices.Contains(out.names, n) {
			out.names, out.values = append(out.names, n), append(out.values, o.values[i])
		}
	}
	return out
}

func (l *Lacking) Error() string {
	who, hint := "kernel "+l.Kernels[0]+" needs", ""
	if len(l.Kernels) > 1 {
		who = "kernels " + strings.Join(l.Kernels, ", ") + " need"
	}
	what := map[bool]string{false: "a size", true: "sizes"}[len(l.names) > 1]
	for _, n := range l.names {
		if line, ok := strings.CutPrefix(n, tripsPrefix); ok {
			hint = fmt.Sprintf("; %s is how often the loop in line %s runs on average, as in --assume 'trips(%[2]s) = 8'", n, line)
		}
	}
	return fmt.Sprintf("%s %s for %s; give -p %s%s", who, what, strings.Join(l.names, ", "), strings.Join(l.values, ","), hint+l.hint)
}

// Sizes that are proposed, which are only examples of what may be given, so that a call can be copied: how often a loop runs, how many elements or
// work-groups there are, and what is none of these.
const (
	someTrips    = 8    // as of the declaration that is shown beside it
	someElements = 1024 // a multiple of most work-groups, which assumptions like
	someGroups   = 128  // about one for each multiprocessor of large devices
	someNumber   = 1    // it is in most domains
)

// proposed is a size with which a kernel can be tried.
func (c *Case) proposed(param string) int64 {
	switch {
	case strings.HasPrefix(param, tripsPrefix):
		return someTrips
	case slices.ContainsFunc(c.IR.Inames(), func(n string) bool { return c.IR.Tags[n].Kind == kernel.GroupAxis && c.bounds(param, n) }):
		return someGroups
	case c.isExtent(param), slices.ContainsFunc(c.IR.Inames(), func(n string) bool { return c.bounds(param, n) }):
		return someElements
	}
	return someNumber
}

// CheckCounting is CheckSizes for counts, which do not depend on extents of arrays that nothing but the array has.
func (c *Case) CheckCounting() (err error) {
	defer throw.Catch(&err)
	c.checkSizes(true)
	return nil
}

func (c *Case) checkSizes(open bool) {
	params, kernel := c.IR.Params(), cmp.Or(c.Label, c.IR.Name)
	for _, name := range slices.Sorted(maps.Keys(c.Sizes)) {
		if !slices.Contains(params, name) && !strings.HasPrefix(name, tripsPrefix) { // a loop whose iterations turn out to be known needs no average
			panic(throw.Errorf("kernel %s has no parameter %s; it has: %s", kernel, name, cmp.Or(strings.Join(params, ", "), "none")))
		}
	}
	var arrays, extents []string // of which nobody says how large they are
	lacks := false               // others
	for _, p := range params {
		_, ok := c.Sizes[p]
		array := c.OpenArray(p)
		switch {
		case ok, open && array != nil:
		case array != nil:
			arrays, extents = append(arrays, array.Name), append(extents, p+"=VALUE")
		default:
			lacks = true
		}
	}
	switch {
	case lacks:
		l := c.lacking(kernel, params)
		if len(arrays) > 0 {
			l.hint += fmt.Sprintf("; and -p %s: the text does not tell how many elements the kernel may access of %s", strings.Join(extents, ","), strings.Join(arrays, ", "))
		}
		panic(throw.Of(l))
	case len(arrays) > 0:
		panic(throw.Errorf("kernel %s: the text does not tell how many elements the kernel may access of %s; say it, as in -p %s, or assume what it depends on, as in --assume 'n %% 16 = 0', "+
			"or let a launch file describe the arrays", kernel, strings.Join(arrays, ", "), strings.Join(extents, ",")))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Sizes)) {
		if c.Sizes[name] < 1 && c.empties(name) {
			panic(throw.Errorf("size %s is %d; sizes are at least 1", name, c.Sizes[name]))
		}
	}
	if c.IR.Assumptions != nil {
		if holds, err := c.IR.Assumptions.Contains(c.Sizes); err != nil {
			panic(throw.Of(err))
		} else if !holds {
			panic(throw.Errorf("kernel %s cannot have %s: it assumes %s", kernel, FormatSizes(c.Sizes), c.IR.Assumptions))
		}
	}
}
