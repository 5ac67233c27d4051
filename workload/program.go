package workload

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/samples"
)

// Program is a sequence of kernels with what is derived from each. It is safe for concurrent use.
type Program struct {
	IR      *kernel.Program
	Kernels []*Kernel
}

// NewProgram wraps a program. Nothing is derived yet.
func NewProgram(ir *kernel.Program) *Program {
	p := &Program{IR: ir}
	for _, k := range ir.Kernels {
		p.Kernels = append(p.Kernels, NewKernel(k))
	}
	return p
}

// ProgramCase is a program at given sizes, under the identity that its samples are filed under.
type ProgramCase struct {
	*Program
	Identity samples.Identity
	Sizes    map[string]int64
	// Interface is that of the device which the source is for, Accuracy that of its divisions.
	Interface samples.Interface
	Accuracy  emit.Accuracy
	// Data has what fills buffers, and values, in place of the usual data, by the names of arguments.
	Data map[string]device.Arg
	// Plan are the launches, where they are not each kernel once.
	Plan []Planned
	// Meaning is a kernel that computes what the program does, for comparison; nil is the program itself.
	Meaning *Kernel
}

// Planned is one launch of a program: the number of its kernel, and the sizes of that.
type Planned struct {
	Kernel int
	Sizes  map[string]int64
}

// Cases are the kernels of the program at the sizes of their own parameters.
func (c *ProgramCase) Cases() []*Case {
	var out []*Case
	for _, k := range c.Kernels {
		own := map[string]int64{}
		for _, p := range k.IR.Params() {
			if v, ok := c.Sizes[p]; ok {
				own[p] = v
			}
		}
		out = append(out, &Case{Kernel: k, Identity: c.Identity, Sizes: own, Interface: c.Interface, Accuracy: c.Accuracy})
	}
	return out
}

// Job returns the launches of the program as one job, whose time is the sum of theirs. Arrays that kernels share are one
// buffer; scratch is not restored between runs.
func (c *ProgramCase) Job(policy device.Policy) (_ device.Job, err error) {
	defer throw.Catch(&err)
	throw.If(c.IR.Check())
	cases := c.Cases()
	var nests []*linear.Nest
	wide := false
	for i, one := range cases {
		first := slices.IndexFunc(c.Plan, func(l Planned) bool { return l.Kernel == i })
		if first >= 0 {
			one.Sizes = c.Plan[first].Sizes
		}
		if c.Plan == nil || first >= 0 {
			needs := throw.Get(one.needsWide())
			wide = wide || needs
		}
		nest := throw.Get(one.Nest())
		nests = append(nests, nest)
	}
	sources := throw.Get(emit.WriteProgram(nests, emit.Options{Language: emit.Language(c.Interface), Index64: wide}))
	var all device.Job
	for i, l := range c.launches() {
		one := *cases[l.Kernel]
		if l.Sizes != nil {
			one.Sizes = l.Sizes
		}
		job := one.job(policy, sources[l.Kernel])
		for n, a := range job.Args {
			if slices.Contains(c.IR.Scratch, a.Name) {
				job.Args[n].Read, job.Args[n].Write = false, true
			}
		}
		c.fill(job.Args)
		if i == 0 {
			all = job
			continue
		}
		all.Then = append(all.Then, device.Launch{Entry: job.Entry, Global: job.Global, Local: job.Local, Args: job.Args, LocalMem: job.LocalMem, Dynamic: job.Dynamic})
	}
	return all, nil
}

// fill gives arguments the data of the case.
func (c *ProgramCase) fill(args []device.Arg) {
	for i := range args {
		a := &args[i]
		data, ok := c.Data[a.Name]
		switch {
		case !ok:
		case a.Kind == device.Buffer:
			a.Sequence, a.Formula, a.File, a.Signed = data.Sequence, data.Formula, data.File, data.Signed
		case device.DTypeIsFloat(a.DType):
			a.Float = data.Formula.At(0)
		default:
			a.Int = int64(data.Formula.At(0))
		}
	}
}

// launches are the planned ones, or each kernel once.
func (c *ProgramCase) launches() []Planned {
	if c.Plan != nil {
		return c.Plan
	}
	list := make([]Planned, len(c.Kernels))
	for i := range list {
		list[i].Kernel = i
	}
	return list
}

// Results names the arrays that the program writes, but for scratch, in the order of its kernels' arguments.
func (p *Program) Results() []string {
	var out []string
	for _, k := range p.IR.Kernels {
		written := map[string]bool{}
		for _, s := range k.Statements {
			for _, w := range k.Writes(s) {
				written[w.Array] = true
			}
		}
		for _, a := range k.Args {
			if written[a.Name] && !slices.Contains(p.IR.Scratch, a.Name) && !slices.Contains(out, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	return out
}

// Compare runs the program on the device and compares its results with those of the interpreter, which runs all of it. A
// program that is too large for that is ErrUnverified.
func (c *ProgramCase) Compare(ctx context.Context, dev device.Device) error {
	one := *c
	one.Interface = dev.Info().Interface
	job, err := one.Job(device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1})
	if err != nil {
		return err
	}
	ref, err := c.Reference(job)
	if err != nil {
		return err
	}
	ref.Ask(&job)
	result, err := launched(ctx, dev, job)
	if err != nil {
		return fmt.Errorf("verification of %s: %w", c.IR.Name, err)
	}
	if err := ref.Check(result.Outputs); err != nil {
		return fmt.Errorf("program %s: %w", c.IR.Name, err)
	}
	return nil
}

// Reference is what a job of the program should write, by the interpreter, which runs all of it. A program that is too large for that is
// ErrUnverified.
func (c *ProgramCase) Reference(job device.Job) (_ *Reference, err error) {
	defer throw.Catch(&err)
	if n, err := c.Instances(); err != nil || n > verifyLimit {
		return nil, cmp.Or(err, fmt.Errorf("%w%s: program %s runs %d statements, too many to interpret", ErrUnverified, atSizes(c.Sizes), c.IR.Name, n))
	}
	all := job // its arguments are those of all launches, each once
	all.Args = nil
	seen := map[string]bool{}
	for _, l := range job.Launches() {
		for _, a := range l.Args {
			if !seen[a.Name] && !slices.Contains(c.IR.Scratch, a.Name) {
				all.Args = append(all.Args, a)
			}
			seen[a.Name] = true
		}
	}
	buffers := throw.Get((&Case{Sizes: c.Sizes}).buffers(all, false))
	before := map[string]*interp.Buffer{}
	for name, b := range buffers {
		before[name] = b.Clone()
	}
	c.interpret(buffers, nil)
	ref := newReference(samples.Comparison{Sizes: c.Sizes})
	for _, name := range c.Results() {
		ref.add(name, buffers[name], nil, true)
	}
	if n, _ := ref.vague(); n > 0 && c.Meaning != nil {
		ref.estimate(func(random *rand.Rand) (_ map[string]*interp.Buffer, err error) {
			defer throw.Catch(&err)
			own := map[string]*interp.Buffer{}
			for name, b := range before {
				own[name] = b.Clone()
			}
			c.interpret(own, random)
			return own, nil
		})
	}
	if err := ref.check(); err != nil {
		return nil, fmt.Errorf("program %s: %w", c.IR.Name, err)
	}
	return ref, nil
}

// Instances is how many statements run, one after the other, where the program is interpreted.
func (c *ProgramCase) Instances() (total int64, err error) {
	defer throw.Catch(&err)
	cases := []*Case{{Kernel: c.Meaning, Sizes: c.Sizes}}
	if c.Meaning == nil {
		cases = c.Cases()
	}
	for _, one := range cases {
		n := one.work()
		total += n
	}
	return total, nil
}

// interpret computes what the program does to buffers, rounding at random if that is asked for.
func (c *ProgramCase) interpret(buffers map[string]*interp.Buffer, random *rand.Rand) {
	if c.Meaning == nil {
		_ = throw.Get(interp.RunProgram(c.IR, c.Sizes, buffers))
		return
	}
	n := throw.Get(c.Meaning.Nest())
	if _, err := interp.RunWith(n, c.Sizes, buffers, interp.Options{Steps: 4 * verifyLimit, Random: random}); err != nil {
		panic(throw.Errorf("%w%s: %w", ErrUnverified, atSizes(c.Sizes), err))
	}
}
