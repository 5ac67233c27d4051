package offload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gpuperf/cfront/cexpr"
	"gpuperf/device"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/workload"
)

// Run runs the program on a device at given sizes and judges what it computes. Small sizes are interpreted. Others are interpreted at smaller sizes, and at their own
// the results are compared with those of plainer kernels, element by element on the device. A wrong result is an error of status wrong_result.
func (p *Program) Run(ctx context.Context, dev device.Device, at map[string]int64, policy device.Policy) (*Result, error) {
	made, err := p.Prepare(at, dev.Info())
	if err != nil {
		return nil, err
	}
	return made.Run(ctx, dev, policy)
}

// Prepared is a program at sizes as it runs on a device. Several can be prepared side by side.
type Prepared struct {
	Job device.Job // at the sizes

	program     *Program
	sized       *workload.ProgramCase
	smaller     *workload.ProgramCase // at smaller sizes, where results at these cannot be interpreted; nil elsewhere
	interpreted device.Job            // of these
}

// Prepare makes what Run runs.
func (p *Program) Prepare(at map[string]int64, dev device.Info) (out *Prepared, err error) {
	out = &Prepared{program: p}
	if out.sized, err = p.atSizes(at, dev); err != nil {
		return nil, err
	}
	if len(out.sized.Plan) == 0 {
		return nil, fmt.Errorf("%s does nothing at these sizes", p.Nest.Name)
	}
	n, err := out.sized.Instances()
	if err != nil {
		return nil, err
	}
	if out.Job, err = out.sized.Job(device.Policy{}); err != nil || n <= interpretable {
		return out, err
	}
	if out.smaller, err = p.smaller(out.sized); err != nil {
		return nil, err
	}
	out.interpreted, err = out.smaller.Job(device.Policy{Cutoff: 1}) // its first run alone
	return out, err
}

// Run is that of the program.
func (r *Prepared) Run(ctx context.Context, dev device.Device, policy device.Policy) (*Result, error) {
	r.Job.Policy = policy
	if r.smaller == nil {
		return r.program.judged(ctx, dev, r.sized, r.Job)
	}
	out, err := r.program.judged(ctx, dev, r.smaller, r.interpreted)
	if err != nil {
		return nil, err
	}
	if out.Verified {
		out.Verified, out.VerifiedAt = false, r.smaller.Sizes
	}
	out.Launches = len(r.sized.Plan)
	return out, r.compared(ctx, dev, out)
}

// interpretable is how many statements of the text are interpreted, in a second or so.
const interpretable = 1 << 20

// atSizes is the program at given sizes, for a device.
func (p *Program) atSizes(at map[string]int64, dev device.Info) (_ *workload.ProgramCase, err error) {
	defer throw.Catch(&err)
	meaning := throw.Get(p.Text.Kernel())
	plan := throw.Get(p.Plan(at))
	ir := &kernel.Program{Name: p.Nest.Name, Kernels: p.Kernels, Scratch: p.Scratch}
	c := &workload.ProgramCase{
		Program: workload.NewProgram(ir), Identity: samples.Identity{Source: p.Nest.Name, Sizes: at}, Sizes: at, Interface: dev.Interface,
		Accuracy: emit.AsOpenCL, // a quotient that is exact takes a recurrence of quotients four times as long
		Meaning:  workload.NewKernel(meaning), Plan: []workload.Planned{},
	}
	for _, r := range plan {
		c.Plan = append(c.Plan, workload.Planned{Kernel: slices.Index(p.Kernels, r.Kernel), Sizes: r.Sizes})
	}
	return c, nil
}

// evenly is of what sizes stay multiples that are some: other kernels may run at others.
const evenly = 8

// smaller is the case with all sizes divided by the same factor, as little as makes it interpretable.
func (p *Program) smaller(c *workload.ProgramCase) (*workload.ProgramCase, error) {
	const step, most = 1.3, 1e6 // small steps, as work grows by a power of the sizes
	for factor := step; factor < most; factor *= step {
		at := map[string]int64{}
		for name, v := range c.Sizes {
			at[name] = min(v, max(3, int64(math.Ceil(float64(v)/factor))))
			if v%evenly == 0 {
				at[name] = (at[name] + evenly - 1) / evenly * evenly
			}
		}
		if ok, err := p.Text.Context.Contains(at); err != nil || !ok {
			continue
		}
		trial := *c
		trial.Sizes = at
		if n, err := trial.Instances(); err != nil || n > interpretable {
			continue
		}
		return p.atSizes(at, device.Info{Fingerprint: samples.Fingerprint{Interface: c.Interface}})
	}
	return nil, fmt.Errorf("%s has no sizes at which it could be interpreted", p.Nest.Name)
}

// judged runs a case and compares its results with the interpretation of the text.
func (p *Program) judged(ctx context.Context, dev device.Device, c *workload.ProgramCase, job device.Job) (_ *Result, err error) {
	defer throw.Catch(&err)
	out := &Result{Scop: p.Nest.Name, Kernels: len(p.Kernels), Launches: len(c.Plan), Arrays: map[string]ArrayVerdict{}}
	if p.Original != nil {
		out.Original = p.Original.Error()
	}
	ref, err := p.known.of(c, job)
	switch {
	case errors.Is(err, workload.ErrUnverified):
		out.Why = err.Error()
	case err != nil:
		return nil, err
	default:
		ref.Ask(&job)
	}
	result := throw.Get(dev.Run(ctx, job))
	out.timed(job, result, dev.Info())
	if ref == nil {
		return out, nil
	}
	throw.If(ref.Check(result.Outputs))
	all, err := ref.Differences(result.Outputs)
	for name, d := range all {
		out.Arrays[name] = ArrayVerdict{d.Relative, d.Vague}
	}
	out.Verified, out.Estimated = err == nil, ref.Estimated
	return out, err
}

// timed enters times.
func (r *Result) timed(job device.Job, result *device.Result, dev device.Info) {
	summary := samples.Summarize(result.Trials)
	r.Status, r.Seconds, r.Times = samples.OK, summary.Median, result.Entries
	record := job.Record()
	record.Status, record.Trials, record.Summary, record.Compiled, record.Warnings = samples.OK, result.Trials, &summary, result.Compiled, result.Warnings
	record.BuildTime, record.Device, record.Time = result.BuildTime.Seconds(), dev.Fingerprint, time.Now().UTC()
	record.Tags = []string{"scop", "launches:" + strconv.Itoa(1+len(job.Then))}
	if result.Graph {
		record.Tags = append(record.Tags, "graph")
	}
	r.Record = &record
}

// tolerances of a comparison with other kernels, relative to the greater of the element and the usual magnitude in its array. Where more is found, what rounding does is asked (widened).
var tolerances = map[expr.DType]float64{expr.Float32: 1e-4, expr.Float64: 1e-10}

// compared times a case that is too large to be interpreted, and compares it with plain kernels. A difference is no error, since rounding may grow over as many steps; but it
// leaves the result without a verdict.
func (r *Prepared) compared(ctx context.Context, dev device.Device, out *Result) error {
	results := r.sized.Results()
	want, err := r.program.known.plainer(r, results, dev.Info())
	if err != nil {
		return err
	}
	if out.Why = want.why; want.why == "" {
		job := r.Job
		job.Expect = &want.Expect
		if !want.telling {
			job.Keep = results
		}
		result, err := dev.Run(ctx, job)
		if apartFrom(err) && want.widened(ctx, dev) {
			result, err = dev.Run(ctx, job)
		}
		switch verdict, _ := device.AsError(err); {
		case err == nil:
			if !want.telling {
				if want.telling, err = r.program.telling(results, result.Outputs); err == nil && !want.telling {
					want.why = "at these sizes most results are infinite or no numbers, so that a comparison says nothing"
				}
			}
			out.timed(job, result, dev.Info())
			out.Why, out.Compared, out.Tolerance = want.why, want.telling, want.Tolerance
			return err
		case apartFrom(err) && want.why != "":
			out.Why = want.why
		case apartFrom(err):
			out.Differs = true
			out.Why = "at these sizes it differs from plainer kernels by more than is expected of rounding: " + verdict.Msg
		case verdict != nil && verdict.Status == samples.Timeout && !want.telling && ctx.Err() == nil:
			want.why = fmt.Sprintf("plainer kernels take more than %s at these sizes", comparing)
			out.Why = want.why
		default:
			return err
		}
	}
	result, err := dev.Run(ctx, r.Job)
	if err == nil {
		out.timed(r.Job, result, dev.Info())
	}
	return err
}

// plainer is what results are compared with.
type plainer struct {
	device.Expect
	telling bool // it has been found to say something
	// rounded is the same with values rounded once more; nil where what rounding does has been asked.
	rounded func() (device.Job, error)
	why     string // there is no comparison; "" where there is
}

// plainer is the program as plain kernels at the sizes of a case, whose results are compared.
func (p *Program) plainer(c *workload.ProgramCase, results []string, dev device.Info) (*plainer, error) {
	other, err := p.plain()
	if err != nil {
		return nil, err
	}
	d, err := other.atSizes(c.Sizes, dev)
	if verdict, ok := device.AsError(err); ok {
		return &plainer{why: "there is no comparison with plainer kernels: " + verdict.Msg}, nil
	}
	if err != nil {
		return nil, err
	}
	job, err := d.Job(device.Policy{})
	out := &plainer{Expect: device.Expect{Job: job, Results: results, Limit: comparing}}
	out.rounded = func() (_ device.Job, err error) {
		defer throw.Catch(&err)
		own := *other
		own.Kernels, own.known = nil, nil
		instead := map[*kernel.Kernel]*kernel.Kernel{}
		for _, k := range other.Kernels {
			instead[k] = throw.Get(rounded(k))
			own.Kernels = append(own.Kernels, instead[k])
		}
		own.Steps = withKernels(other.Steps, instead)
		c := throw.Get(own.atSizes(c.Sizes, dev))
		return c.Job(device.Policy{})
	}
	for _, a := range p.Text.Arrays {
		if slices.Contains(results, a.Name) {
			out.Tolerance = max(out.Tolerance, tolerances[a.DType])
		}
	}
	return out, err
}

// comparing is how long a comparison may take.
const comparing = 6 * time.Second

// telling reports that most elements of results are finite numbers.
func (p *Program) telling(results []string, outputs map[string][]byte) (bool, error) {
	finite, all := 0, 0
	for _, a := range p.Text.Arrays {
		if !slices.Contains(results, a.Name) {
			continue
		}
		b, err := interp.FromBytes(a.DType, outputs[a.Name])
		if err != nil {
			return false, err
		}
		for i := range b.Len() {
			if v := b.At(i); !math.IsNaN(v) && !math.IsInf(v, 0) {
				finite++
			}
		}
		all += b.Len()
	}
	return 2*finite > all, nil
}

// plain makes the launches of the program in the plainest way: a work-item for a point, nothing in local memory, other work-groups, and loops of the host in place of those in one
// work-group and of blocks.
func (p *Program) plain() (*Program, error) {
	opt := p.opt
	opt.Map = func(f Form) Mapping {
		if f.Sums != None && f.Parallel == 0 {
			return Mapping{Share: 64}
		}
		return Mapping{Block: [][]int64{nil, {64}, {64, 1}, {64, 1, 1}}[f.Parallel], Share: 1}
	}
	n, tree := p.inSteps()
	out, err := Compile(n, tree, opt)
	if err != nil {
		return nil, err
	}
	out.Text, out.most = p.Text, 2*p.most
	return out, nil
}

// inSteps is the order of the program with all loops around launches the host's, and no steps of these in blocks.
func (p *Program) inSteps() (*scop.Nest, schedule.Node) {
	if p.single != nil {
		return p.single.Nest, schedule.Hosted(p.single.Tree)
	}
	return p.Nest, schedule.Hosted(p.tree)
}

// What rounding does to results: how far those of plain kernels are from those of the same kernels that round every value which they store once more, up, down or not at all. So often as far may
// another order of sums be; where that is more than so much, a comparison says too little.
const (
	asFar       = 8
	mostRounded = 0.02
)

// apartFrom reports that a comparison has found another result.
func apartFrom(err error) bool {
	verdict, ok := device.AsError(err)
	return ok && verdict.Status == samples.WrongResult
}

// widened finds what rounding does, if that was not asked before, and reports that the tolerance is greater for it. Where rounding does too much, there is no comparison.
func (p *plainer) widened(ctx context.Context, dev device.Device) bool {
	if p.rounded == nil {
		return false
	}
	job, err := p.rounded()
	p.rounded = nil
	if err != nil {
		return false
	}
	job.Policy = once
	for far := p.Tolerance / asFar; far*asFar <= mostRounded; far *= 2 {
		job.Expect = &device.Expect{Job: p.Job, Results: p.Results, Tolerance: far, Limit: comparing}
		switch _, err := dev.Run(ctx, job); {
		case err == nil:
			wider := far*asFar > p.Tolerance
			p.Tolerance = max(p.Tolerance, far*asFar)
			return wider
		case !apartFrom(err):
			return false
		}
	}
	p.why = fmt.Sprintf("at these sizes rounding alone changes some results of plain kernels by more than %.2g, so that a comparison says nothing", mostRounded/asFar)
	return false
}

// units are, by type, what is 1 less or more than one as little as can be.
var units = map[expr.DType][2]float64{
	expr.Float32: {1 - 0x1p-24, 1 + 0x1p-23},
	expr.Float64: {1 - 0x1p-53, 1 + 0x1p-52},
}

// rounded is a kernel that rounds every value which it stores to an array once more, by where it is computed: up, down or not at all.
func rounded(k *kernel.Kernel) (*kernel.Kernel, error) {
	out := k.Clone()
	for _, s := range out.Statements {
		if s.LHS == nil {
			continue
		}
		t, err := out.TypeOf(s.LHS)
		if err != nil {
			return nil, err
		}
		by, some := units[t]
		if !some {
			continue
		}
		var place expr.Expr = expr.Int{Value: 1}
		for i, name := range slices.Sorted(slices.Values(append(out.Params(), s.Inames...))) {
			place = expr.Binary(expr.Add, place, expr.Binary(expr.Mul, expr.Int{Value: int64(7 + 4*i)}, expr.Var{Name: name})) // no multiple of 11 among these soon
		}
		which := expr.Binary(expr.Mod, place, expr.Int{Value: 11})
		less := &expr.Cond{If: expr.Binary(expr.Lt, which, expr.Int{Value: 7}), Then: cexpr.Float(by[0], t), Else: cexpr.Float(by[1], t)}
		s.RHS = expr.Binary(expr.Mul, s.RHS, less)
	}
	return out, out.CheckForm()
}

// withKernels are steps with other kernels in the place of theirs.
func withKernels(steps []Step, instead map[*kernel.Kernel]*kernel.Kernel) (out []Step) {
	for _, s := range steps {
		switch x := s.(type) {
		case *Launch:
			out = append(out, &Launch{instead[x.Kernel], x.Where})
		case *Loop:
			out = append(out, &Loop{x.Name, x.Values, withKernels(x.Body, instead)})
		}
	}
	return out
}
