package offload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/internal/bounded"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/workload"
)

// Result is a run of a nest on a device.
type Result struct {
	Scop     string  `json:"scop"`
	Kernels  int     `json:"kernels"`
	Launches int     `json:"launches"`
	Seconds  float64 `json:"seconds"` // of all kernels together, the median of the trials
	Verified bool    `json:"verified"`
	// Estimated: what rounding may do is not proved, but estimated from interpretations that round at random.
	Estimated bool                    `json:"estimated,omitempty"`
	Why       string                  `json:"unverified,omitempty"` // why it is not
	Arrays    map[string]ArrayVerdict `json:"arrays"`
}

// ArrayVerdict is how far an array is from the interpretation of the text.
type ArrayVerdict struct {
	MaxRelativeError float64 `json:"max_relative_error"`
	// Vague elements are not compared, since rounding may change them by any amount.
	Vague int `json:"vague,omitempty"`
}

// Find makes kernels of a nest by default options, within limits of time and memory.
func Find(ctx context.Context, n *scop.Nest) (p *Program, err error) {
	err = bounded.Do(ctx, limits, func(context.Context, func()) (err error) {
		p, err = find(n, schedule.Smart, Options{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: making kernels of %s: %w", n.File, n.Name, err)
	}
	return p, nil
}

// find makes kernels of a nest, by a strategy for launches; where that finds none, the order is that of the text.
func find(n *scop.Nest, fusion schedule.Fusion, opt Options) (*Program, error) {
	f, err := schedule.Search(n, schedule.Launches, fusion)
	if err != nil {
		return nil, err
	}
	tree, err := f.Launches()
	if err != nil {
		return nil, err
	}
	p, err := Compile(f.Nest, tree, opt)
	if err != nil {
		return nil, err
	}
	p.Text = n
	return p, nil
}

// launches is the program at given sizes, for a device.
func (p *Program) launches(at map[string]int64, dev device.Info) (*workload.ProgramCase, error) {
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
		Program: workload.NewProgram(ir), Identity: samples.Identity{Source: p.Nest.Name, Sizes: at}, Sizes: at, Interface: dev.Interface, Meaning: meaning,
		Plan: []workload.Planned{},
	}
	for _, r := range plan {
		c.Plan = append(c.Plan, workload.Planned{Kernel: slices.Index(p.Kernels, r.Kernel), Sizes: r.Sizes})
	}
	return c, nil
}

// run runs the program on a device at given sizes and compares what it computes with the interpretation of the text, as far as that is small enough.
// A wrong result is an error of status wrong_result.
func (p *Program) run(ctx context.Context, dev device.Device, at map[string]int64, policy device.Policy) (*Result, error) {
	c, err := p.launches(at, dev.Info())
	if err != nil {
		return nil, err
	}
	if len(c.Plan) == 0 {
		return nil, fmt.Errorf("%s does nothing at these sizes", p.Nest.Name)
	}
	job, err := c.Job(policy)
	if err != nil {
		return nil, err
	}
	out := &Result{Scop: p.Nest.Name, Kernels: len(p.Kernels), Launches: len(c.Plan), Arrays: map[string]ArrayVerdict{}}
	ref, err := c.Reference(job)
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
	out.Seconds = samples.Summarize(result.Trials).Median
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

// limits of making kernels, so that a stranger's file is safe to open.
var limits = bounded.Limits{Time: 10 * time.Second, Memory: 768 << 20}

// RunAll makes kernels of nests and runs them at given sizes.
func RunAll(ctx context.Context, dev device.Device, nests []*scop.Nest, at map[string]int64) (all []*Result, err error) {
	for _, n := range nests {
		own := map[string]int64{}
		for _, name := range slices.Sorted(maps.Keys(at)) {
			if len(nests) == 1 && !slices.Contains(n.Params, name) {
				return nil, source.At(n.File, "", source.Pos{}, "%s has no parameter %s; it has: %s", n.Name, name, strings.Join(n.Params, ", "))
			}
		}
		for _, p := range n.Params {
			v, ok := at[p]
			if !ok {
				return nil, source.At(n.File, "", source.Pos{}, "%s needs a size for %s; give -p %s=VALUE", n.Name, p, p)
			}
			own[p] = v
		}
		p, err := Find(ctx, n)
		if err != nil {
			return nil, err
		}
		r, err := p.run(ctx, dev, own, device.Policy{})
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", n.File, n.Name, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// WriteResults prints runs.
func WriteResults(w io.Writer, all []*Result) error {
	for _, r := range all {
		fmt.Fprintf(w, "%s: %d kernels, %d launches, %s\n", r.Scop, r.Kernels, r.Launches, format.Seconds(r.Seconds))
		if !r.Verified {
			fmt.Fprintf(w, "  %s\n", r.Why)
			continue
		}
		if r.Estimated {
			fmt.Fprintln(w, "  as far as rounding may differ, by an estimate from interpretations that round at random:")
		}
		for _, name := range slices.Sorted(maps.Keys(r.Arrays)) {
			fmt.Fprintf(w, "  %s equals the interpretation of the text, to %.1g", name, r.Arrays[name].MaxRelativeError)
			if n := r.Arrays[name].Vague; n > 0 {
				fmt.Fprintf(w, ", but for %s that rounding may change by any amount", format.Count(n, "element"))
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}
