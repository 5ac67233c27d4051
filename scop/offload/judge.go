package offload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gpuperf/device"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/samples"
	"gpuperf/scop/schedule"
	"gpuperf/workload"
)

// Run runs the program on a device at given sizes and judges what it computes. Small sizes are interpreted. Others are interpreted at smaller sizes, and at their own
// the results are compared with those of plainer kernels, element by element on the device. A wrong result is an error of status wrong_result.
func (p *Program) Run(ctx context.Context, dev device.Device, at map[string]int64, policy device.Policy) (*Result, error) {
	c, err := p.atSizes(at, dev.Info())
	if err != nil {
		return nil, err
	}
	if len(c.Plan) == 0 {
		return nil, fmt.Errorf("%s does nothing at these sizes", p.Nest.Name)
	}
	n, err := c.Instances()
	if err != nil {
		return nil, err
	}
	if n <= interpretable {
		return p.judged(ctx, dev, c, policy)
	}
	smaller, err := p.smaller(c)
	if err != nil {
		return nil, err
	}
	out, err := p.judged(ctx, dev, smaller, once)
	if err != nil {
		return nil, err
	}
	if out.Verified {
		out.Verified, out.VerifiedAt = false, smaller.Sizes
	}
	out.Launches = len(c.Plan)
	return out, p.compared(ctx, dev, c, policy, out)
}

// interpretable is how many statements of the text are interpreted, in a second or so.
const interpretable = 1 << 20

// atSizes is the program at given sizes, for a device.
func (p *Program) atSizes(at map[string]int64, dev device.Info) (*workload.ProgramCase, error) {
	meaning, err := p.Text.Kernel()
	if err != nil {
		return nil, err
	}
	plan, err := p.Plan(at)
	if err != nil {
		return nil, err
	}
	ir := &kernel.Program{Name: p.Nest.Name, Kernels: p.Kernels, Scratch: p.Scratch}
	c := &workload.ProgramCase{
		Program: workload.NewProgram(ir), Identity: samples.Identity{Source: p.Nest.Name, Sizes: at}, Sizes: at, Interface: dev.Interface,
		Meaning: workload.NewKernel(meaning), Plan: []workload.Planned{},
	}
	for _, r := range plan {
		c.Plan = append(c.Plan, workload.Planned{Kernel: slices.Index(p.Kernels, r.Kernel), Sizes: r.Sizes})
	}
	return c, nil
}

// smaller is the case with all sizes divided by the same factor, as little as makes it interpretable.
func (p *Program) smaller(c *workload.ProgramCase) (*workload.ProgramCase, error) {
	const step, most = 1.3, 1e6
	for factor := step; factor < most; factor *= step {
		at := map[string]int64{}
		for name, v := range c.Sizes {
			at[name] = min(v, max(3, int64(math.Ceil(float64(v)/factor))))
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
func (p *Program) judged(ctx context.Context, dev device.Device, c *workload.ProgramCase, policy device.Policy) (*Result, error) {
	job, err := c.Job(policy)
	if err != nil {
		return nil, err
	}
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
	result, err := dev.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	out.timed(job, result, dev.Info())
	if ref == nil {
		return out, nil
	}
	if err := ref.Check(result.Outputs); err != nil {
		return nil, err
	}
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

// tolerances of a comparison with other kernels, relative to the greater of the element and the mean magnitude of its array.
var tolerances = map[expr.DType]float64{expr.Float32: 1e-4, expr.Float64: 1e-10}

// compared times a case that is too large to be interpreted, and compares it with plain kernels. A difference is no error, since rounding may grow over as many steps; but it
// leaves the result without a verdict.
func (p *Program) compared(ctx context.Context, dev device.Device, c *workload.ProgramCase, policy device.Policy, out *Result) error {
	job, err := c.Job(policy)
	if err != nil {
		return err
	}
	other, err := p.plain()
	if err != nil {
		return err
	}
	d, err := other.atSizes(c.Sizes, dev.Info())
	if err != nil {
		return err
	}
	want, err := d.Job(device.Policy{})
	if err != nil {
		return err
	}
	result, err := dev.Run(ctx, job)
	if err != nil {
		return err
	}
	out.timed(job, result, dev.Info())
	results := c.Results()
	for _, a := range p.Text.Arrays {
		if slices.Contains(results, a.Name) {
			out.Tolerance = max(out.Tolerance, tolerances[a.DType])
		}
	}
	job.Policy = device.Policy{Trials: 1, Cutoff: 1}
	job.Keep, job.Expect = results, &device.Expect{Job: want, Results: results, Tolerance: out.Tolerance}
	limited, cancel := context.WithTimeout(ctx, comparing)
	defer cancel()
	result, err = dev.Run(limited, job)
	verdict, _ := device.AsError(err)
	switch {
	case err == nil:
	case ctx.Err() == nil && limited.Err() != nil:
		out.Why = fmt.Sprintf("plainer kernels take more than %s at these sizes", comparing)
		return nil
	case verdict != nil && verdict.Status == samples.WrongResult:
		out.Why = "at these sizes it differs from plainer kernels by more than is expected of rounding: " + verdict.Msg
		return nil
	default:
		return err
	}
	if out.Compared, err = p.telling(results, result.Outputs); err == nil && !out.Compared {
		out.Why = "at these sizes most results are infinite or no numbers, so that a comparison says nothing"
	}
	return err
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
// work-group.
func (p *Program) plain() (*Program, error) {
	out, err := Compile(p.Nest, schedule.Hosted(p.tree), Options{Map: func(f Form) Mapping {
		if f.Sums != None && f.Parallel == 0 {
			return Mapping{Share: 64}
		}
		return Mapping{Block: [][]int64{nil, {64}, {64, 1}, {64, 1, 1}}[f.Parallel], Share: 1}
	}})
	if err != nil {
		return nil, err
	}
	out.Text = p.Text
	return out, nil
}
