package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
)

// verifyLimit bounds the statement instances that the interpreter runs for a verification.
const verifyLimit = 1 << 21

// ErrUnverified is wrapped where the results of a kernel cannot be compared with the reference: no size is small enough.
var ErrUnverified = errors.New("results are not verified")

// Verify runs the kernel of the case on the device at a small size, on the same seeded data as the timed runs, and
// compares what it writes with what the reference interpreter computes. The error says how they differ, or wraps
// ErrUnverified.
func Verify(ctx context.Context, dev device.Device, c *Case) error {
	small, err := c.Small()
	if err != nil {
		return err
	}
	return small.Compare(ctx, dev)
}

// Compare runs the case on the device and compares what it writes with the reference: all of it, or what as many of the
// work-groups write as the interpreter can run in a moment, spread over the launch.
func (c *Case) Compare(ctx context.Context, dev device.Device) error {
	job, err := c.Job(device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1})
	if err != nil {
		return err
	}
	for _, a := range job.Args {
		if a.Kind == device.Buffer && a.Write {
			job.Keep = append(job.Keep, a.Name)
		}
	}
	want, report, err := c.reference(job)
	if err != nil {
		return err
	}
	result, err := dev.Run(ctx, job)
	if err != nil {
		return fmt.Errorf("verification at %s: %w", FormatSizes(c.Sizes), err)
	}
	for _, name := range job.Keep {
		if err := compare(want[name], report.Written[name], result.Outputs[name]); err != nil {
			return fmt.Errorf("at %s, array %s: %w", FormatSizes(c.Sizes), name, err)
		}
	}
	return nil
}

// reference runs the job in the interpreter.
func (c *Case) reference(job device.Job) (map[string]*interp.Buffer, *interp.Report, error) {
	nest, err := c.Nest()
	if err != nil {
		return nil, nil, err
	}
	buffers, err := c.buffers(job)
	if err != nil {
		return nil, nil, err
	}
	groups, work, err := c.extent()
	if err != nil {
		return nil, nil, err
	}
	every := max(1, work/verifyLimit) // of the groups, one in so many
	at := int64(0)
	report, err := interp.RunWith(nest, c.Sizes, buffers, interp.Options{Groups: func([3]int64) bool {
		chosen := at%every == 0 || at == groups-1
		at++
		return chosen
	}})
	return buffers, report, err
}

// buffers are the arguments of a job as the interpreter takes them.
func (c *Case) buffers(job device.Job) (map[string]*interp.Buffer, error) {
	buffers := map[string]*interp.Buffer{}
	for _, a := range job.Args {
		switch a.Kind {
		case device.Buffer:
			data := make([]byte, a.Bytes())
			a.Fill(data, 0)
			var err error
			if buffers[a.Name], err = interp.FromBytes(expr.DType(a.DType), data); err != nil {
				return nil, err
			}
		case device.Scalar:
			if _, isSize := c.Sizes[a.Name]; isSize {
				continue
			}
			b := interp.NewBuffer(expr.DType(a.DType), 1)
			if b.DType.IsFloat() {
				b.Set(0, a.Float)
			} else {
				b.SetInt(0, a.Int)
			}
			buffers[a.Name] = b
		}
	}
	return buffers, nil
}

// Small returns the case at small sizes: the first, by the sum of the parameters' positions among the values that the
// assumptions allow, that has several work-groups and little enough work in each.
func (c *Case) Small() (*Case, error) {
	params := c.IR.Params()
	first, step := make([]int64, len(params)), make([]int64, len(params))
	for i, p := range params {
		var err error
		if first[i], step[i], err = c.Values(p); err != nil {
			return nil, err
		}
	}
	small := *c
	small.Identity.Sizes = nil
	var best map[string]int64
	for position := range positions(len(params)) {
		at := map[string]int64{}
		for i, p := range params {
			at[p] = first[i] + step[i]*int64(position[i])
		}
		small.Sizes = at
		if small.CheckSizes() != nil {
			continue
		}
		groups, work, err := small.extent()
		if err != nil || work/groups > verifyLimit {
			continue
		}
		best = at
		if groups > 1 {
			break
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: kernel %s has no size at which the interpreter could run it in a moment", ErrUnverified, c.IR.Name)
	}
	small.Sizes, small.Identity.Sizes = best, best
	return &small, nil
}

// Values returns the first of the positive values that the assumptions leave a parameter, whatever the others are, and the
// distance between them.
func (c *Case) Values(param string) (first, step int64, err error) {
	first, step = 1, 1
	if c.IR.Assumptions == nil || !slices.Contains(c.IR.Assumptions.Params(), param) {
		return first, step, nil
	}
	set, err := c.IR.Assumptions.ToDims(param).Project(param)
	if err != nil {
		return first, step, err
	}
	modulus, residue := set.Stride(param)
	lower, _, err := set.Bounds(param)
	if err != nil {
		return first, step, err
	}
	for _, b := range lower {
		if b.Num.IsConstant() {
			first = max(first, intmath.CeilDiv(b.Num.Constant(), b.Den))
		}
	}
	if modulus > 1 && residue.IsConstant() {
		step = modulus
		first += intmath.Mod(residue.Constant()-first, modulus)
	}
	return first, step, nil
}

// positions yields tuples of n numbers from 0 to 63 in the order of their sum, at most 4096 of them.
func positions(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		left := 4096
		var fill func(at []int, i, sum int) bool
		fill = func(at []int, i, sum int) bool {
			if i == len(at)-1 {
				if sum >= 64 {
					return true
				}
				at[i] = sum
				left--
				return yield(at) && left > 0
			}
			for v := 0; v <= min(sum, 63); v++ {
				at[i] = v
				if !fill(at, i+1, sum-v) {
					return false
				}
			}
			return true
		}
		if n == 0 {
			yield(nil)
			return
		}
		for sum := 0; sum < 64*n; sum++ {
			if !fill(make([]int, n), 0, sum) {
				return
			}
		}
	}
}

// launch returns the work-items in all and in a group.
func (c *Case) launch() (global, local [3]int64, err error) {
	source, err := c.Source(false)
	if err != nil {
		return global, local, err
	}
	return source.NDRange(c.Sizes)
}

// extent returns the number of work-groups, at least one, and the number of statement instances.
func (c *Case) extent() (groups, work int64, err error) {
	global, local, err := c.launch()
	if err != nil {
		return 0, 0, err
	}
	groups = 1
	for d := range global {
		groups *= global[d] / max(local[d], 1)
	}
	if groups == 0 {
		return 0, 0, fmt.Errorf("no work-group at %s", FormatSizes(c.Sizes))
	}
	nest, err := c.Nest()
	if err != nil {
		return 0, 0, err
	}
	for _, s := range nest.Kernel.Statements {
		// loops that are bounded by what memory holds count as one iteration
		inames := slices.DeleteFunc(slices.Clone(s.Inames), func(n string) bool { return len(nest.Kernel.Bounds([]string{n})) > 0 })
		domain, err := nest.Kernel.DomainOf(inames)
		if err != nil {
			return 0, 0, err
		}
		count, err := c.instances(s.ID, domain)
		if err != nil {
			return 0, 0, err
		}
		n, err := count.Eval(c.Sizes)
		if err != nil {
			return 0, 0, err
		}
		if !n.Num().IsInt64() {
			return 0, 0, fmt.Errorf("statement %s runs too often", s.ID)
		}
		work += n.Num().Int64()
	}
	return groups, work, nil
}

// compare returns where, among the elements written (nil: all), the device's data differs from the reference by more than
// rounding: the device may contract multiply-adds and reorder nothing else, so that sums of positive numbers agree to a few
// units in the last place.
func compare(want *interp.Buffer, written []bool, data []byte) error {
	got, err := interp.FromBytes(want.DType, data)
	if err != nil {
		return err
	}
	if got.Len() != want.Len() {
		return fmt.Errorf("%d elements instead of %d", got.Len(), want.Len())
	}
	tolerance := tolerances[want.DType]
	for i := range want.Len() {
		if written != nil && !written[i] {
			continue
		}
		w, g := want.At(i), got.At(i)
		if w == g || math.Abs(w-g) <= tolerance*max(math.Abs(w), 1) || math.IsNaN(w) && math.IsNaN(g) {
			continue
		}
		return fmt.Errorf("element %d is %v, the reference has %v", i, g, w)
	}
	return nil
}

// tolerances are relative; integers must agree.
var tolerances = map[expr.DType]float64{expr.Float16: 2e-2, expr.Float32: 2e-5, expr.Float64: 1e-13}
