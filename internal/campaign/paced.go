package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/measure"
	"gpuperf/device/replay"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/parallel"
	"gpuperf/internal/warning"
	"gpuperf/samples"
	"gpuperf/workload"
)

// What a CPU is given of one measurement kernel, whose sizes are those of a GPU.
const (
	paceRun   = 0.1     // seconds of a run, at most
	paceBytes = 1 << 27 // of its buffers, which are filled, restored and compared by the CPU, too
	paceSmall = 1. / 64 // of its sizes, at least
	paceLeast = 1e-3    // seconds: what takes less may be the launch alone
)

// paceProbes are parts of the sizes of a kernel at which it is tried, until it takes long enough to tell how long it takes at others: after the last it is short at all sizes.
var paceProbes = []float64{1. / 16, 1. / 4}

// paced are the measurement kernels of a plan at sizes that a CPU takes a moment for: each is tried at small sizes, which tells by its features how long it takes at
// larger ones, and sizes that would take long are halved until they do not. Warnings say what was left out. Other devices have the sizes as they are, and so have
// recorded samples without such trials, and what is to take a time that the user gives.
func (c *Campaign) paced(ctx context.Context, mode samples.Mode, plan *Plan, on *facts.Device, within TimeRange) (cases []*workload.Case, warnings []string, err error) {
	if !on.CPU() || within != (TimeRange{}) {
		return plan.Cases, nil, nil
	}
	paces, err := c.try(ctx, mode, plan, on)
	if missing := (*replay.MissingError)(nil); errors.As(err, &missing) {
		return plan.Cases, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	of := map[*pace][]int{} // the cases of each kernel
	for i, one := range plan.Cases {
		p := paces[one.Program()]
		of[p] = append(of[p], i)
	}
	to, why, all := make([]*workload.Case, len(plan.Cases)), make([]string, len(plan.Cases)), slices.Collect(maps.Values(paces))
	parallel.For(len(all), func(k int) {
		taken := map[string]bool{}
		for _, i := range of[all[k]] {
			if to[i], why[i] = all[k].sized(c, plan.Cases[i], taken); to[i] != nil {
				taken[to[i].Identity.Key()] = true
			}
		}
	})
	for i, one := range plan.Cases {
		if to[i] == nil {
			warnings = append(warnings, warning.LeftOut.About(one.String(), "left out of the fit: %s", why[i]))
			continue
		}
		cases = append(cases, to[i])
	}
	return cases, warnings, nil
}

// pace is how fast a kernel is on a CPU.
type pace struct {
	one *workload.Case // the largest of the kernel
	on  *facts.Device
	ids []features.ID

	small   *workload.Case     // what was tried; nil where it is short at all sizes
	values  map[string]float64 // features of small
	seconds float64            // of small, infinite where it did not end
	refused string             // why it does not run at any size, "" where it does
}

// try runs each kernel of a plan at small sizes; the result is by the kernel.
func (c *Campaign) try(ctx context.Context, mode samples.Mode, plan *Plan, on *facts.Device) (map[string]*pace, error) {
	paces := map[string]*pace{}
	var open []*pace
	for _, one := range plan.Cases {
		switch p := paces[one.Program()]; {
		case p == nil:
			p = &pace{one: one, on: on, ids: plan.ids}
			paces[one.Program()] = p
			open = append(open, p)
		case extent(one) > extent(p.one):
			p.one = one
		}
	}
	for _, part := range paceProbes {
		var tasks []measure.Task
		var tried []*pace
		for _, p := range open {
			task, err := p.smaller(c, mode, part)
			if err != nil {
				return nil, err
			}
			if task != nil {
				tasks, tried = append(tasks, *task), append(tried, p)
			}
		}
		result, err := c.Take(ctx, tasks, nil)
		if err != nil {
			return nil, err
		}
		open = nil
		for i, p := range tried {
			if p.took(result.Records[i]); p.refused == "" && p.seconds < paceLeast {
				open = append(open, p)
			}
		}
	}
	for _, p := range open {
		p.small = nil
	}
	return paces, nil
}

// extent is the product of the sizes of a case.
func extent(c *workload.Case) float64 {
	n := 1.
	for _, size := range c.Sizes {
		n *= float64(size)
	}
	return n
}

// smaller is a trial of the kernel at a part of its sizes; nil where there are no such, or where what is wrong shows when it is measured.
func (p *pace) smaller(c *Campaign, mode samples.Mode, part float64) (*measure.Task, error) {
	p.small = nil
	if p.one.Resize == nil {
		return nil, nil
	}
	small, err := p.one.Resize(part)
	if err != nil || small.Identity.Key() == p.one.Identity.Key() {
		return nil, nil
	}
	job, err := small.On(c.Device.Info().Interface).Job(Brief(3, 1, math.Inf(1)))
	if err != nil {
		return nil, nil
	}
	job.Mode, p.small = mode, small
	p.values, err = featuresOn(p.on, small, p.ids)
	return &measure.Task{Job: job, Tags: small.Tags}, err
}

// took notes the outcome of a trial.
func (p *pace) took(r samples.Record) {
	switch r.Status {
	case samples.OK:
		p.seconds = r.Seconds()
	case samples.Timeout, samples.OutOfMemory:
		p.seconds = math.Inf(1)
	default:
		p.refused = fmt.Sprintf("%s: %s", r.Status, r.Error)
	}
}

// sized is a case of the kernel at the largest of its sizes, halved again and again, that do not take long and are not taken; nil where there are none, and why.
func (p *pace) sized(c *Campaign, one *workload.Case, taken map[string]bool) (to *workload.Case, why string) {
	switch {
	case p.refused != "":
		return nil, p.refused
	case one.Resize == nil: // the user's own sizes
		return one, ""
	}
	for factor := 1.; factor >= paceSmall; factor /= 2 {
		if to = one; factor < 1 {
			var err error
			if to, err = one.Resize(factor); err != nil {
				continue
			}
		}
		if taken[to.Identity.Key()] {
			why = "it would take a CPU long, and smaller sizes are measured already"
			continue
		}
		seconds, bytes := p.expected(c, to)
		if seconds <= paceRun && bytes <= paceBytes {
			return to, ""
		}
		why = fmt.Sprintf("a CPU would take %s with %s at %s", format.Seconds(seconds), format.Bytes(bytes), format.Sizes(to.Sizes))
	}
	return nil, why
}

// expected is how long a case takes, by the time at small sizes and how much more of any feature it has, and how many bytes its buffers have.
func (p *pace) expected(c *Campaign, to *workload.Case) (seconds float64, bytes int64) {
	job, err := to.On(c.Device.Info().Interface).Job(device.Policy{})
	values, err2 := featuresOn(p.on, to, p.ids)
	if errors.Join(err, err2) != nil {
		return 0, 0 // which shows when it is measured
	}
	for _, a := range job.Buffers() {
		bytes += a.Bytes()
	}
	if p.small == nil {
		return 0, bytes
	}
	more := 0.
	for name, v := range values {
		if before := p.values[name]; before > 0 {
			more = max(more, v/before)
		}
	}
	return p.seconds * more, bytes
}
