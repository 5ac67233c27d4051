package workload

import (
	"context"
	"fmt"
	"maps"
	"math"

	"gpuperf/device"
	"gpuperf/kernel"
	"gpuperf/kernel/interp"
)

// verifyLimit bounds the work-items of a verification: the interpreter takes about a microsecond for each operation.
const verifyLimit = 1 << 14

// Verify runs the kernel of the case on the device at a small size, on the same seeded data as the timed runs, and
// compares every array that it writes with what the reference interpreter computes. The error says how they differ, or
// that there is no small size that the kernel's assumptions allow.
func Verify(ctx context.Context, dev device.Device, c *Case) error {
	small, err := c.Small()
	if err != nil {
		return err
	}
	return small.Compare(ctx, dev)
}

// Compare runs the case on the device and compares what it writes with the reference.
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
	want, err := c.Reference(job)
	if err != nil {
		return err
	}
	result, err := dev.Run(ctx, job)
	if err != nil {
		return fmt.Errorf("verification at %s: %w", formatSizes(c.Sizes), err)
	}
	for _, name := range job.Keep {
		if err := compare(want[name], result.Outputs[name]); err != nil {
			return fmt.Errorf("at %s, array %s: %w", formatSizes(c.Sizes), name, err)
		}
	}
	return nil
}

// Reference returns what the reference interpreter leaves in the buffers of the job, by name.
func (c *Case) Reference(job device.Job) (map[string]*interp.Buffer, error) {
	nest, err := c.Nest()
	if err != nil {
		return nil, err
	}
	buffers := map[string]*interp.Buffer{}
	values := map[string]int64{}
	maps.Copy(values, c.Sizes)
	for _, a := range job.Args {
		switch a.Kind {
		case device.Buffer:
			data := make([]byte, a.Bytes())
			device.Fill(a.DType, data, a.Seed)
			if buffers[a.Name], err = interp.FromBytes(kernel.DType(a.DType), data); err != nil {
				return nil, err
			}
		case device.Scalar:
			if _, isSize := c.Sizes[a.Name]; isSize {
				continue
			}
			b := interp.NewBuffer(kernel.DType(a.DType), 1)
			if b.DType.IsFloat() {
				b.Set(0, a.Float)
			} else {
				b.SetInt(0, a.Int)
			}
			buffers[a.Name] = b
		}
	}
	if _, err := interp.Run(nest, values, buffers); err != nil {
		return nil, err
	}
	return buffers, nil
}

// Small returns the case at small sizes: with each parameter at the least value that gives several
// work-groups where the kernel can have several, and that the assumptions allow.
func (c *Case) Small() (*Case, error) {
	small := *c
	small.Identity.Sizes, small.Identity.Variant = nil, c.Identity.Variant
	var best map[string]int64
	for at := range smallSizes(c.IR.Params()) {
		small.Sizes = at
		if small.CheckSizes() != nil {
			continue
		}
		groups, items, err := small.extent()
		if err != nil || items > verifyLimit {
			continue
		}
		best = maps.Clone(at)
		if groups >= 4 {
			break
		}
	}
	if best == nil {
		return nil, fmt.Errorf("kernel %s has no size up to %d at which its results can be verified", c.IR.Name, smallMax)
	}
	small.Sizes, small.Identity.Sizes = best, best
	return &small, nil
}

// extent returns the number of work-groups and of work-items.
func (c *Case) extent() (groups, items int64, err error) {
	source, err := c.Source(false)
	if err != nil {
		return 0, 0, err
	}
	global, local, err := source.NDRange(c.Sizes)
	if err != nil {
		return 0, 0, err
	}
	groups, items = 1, 1
	for d := range global {
		items *= global[d]
		groups *= global[d] / max(local[d], 1)
	}
	if groups == 0 {
		return 0, 0, fmt.Errorf("no work-group at %s", formatSizes(c.Sizes))
	}
	return groups, items, nil
}

const smallMax = 1 << 12

// smallSizes yields values for the parameters, from small to large: all equal, through every number up to 128 and then
// the multiples of 64; then with single parameters at a smaller value than the others.
func smallSizes(params []string) func(yield func(map[string]int64) bool) {
	return func(yield func(map[string]int64) bool) {
		step := func(n int64) int64 {
			if n < 128 {
				return 1
			}
			return 64
		}
		for n := int64(1); n <= smallMax; n += step(n) {
			at := map[string]int64{}
			for _, p := range params {
				at[p] = n
			}
			if !yield(at) {
				return
			}
			for _, p := range params {
				for _, least := range []int64{1, 2, 4, 64} {
					if len(params) > 1 && least < n {
						at[p] = least
						if !yield(at) {
							return
						}
						at[p] = n
					}
				}
			}
			if len(params) == 0 {
				return
			}
		}
	}
}

// compare returns where the device's data differs from the reference by more than rounding: the device may contract
// multiply-adds and reorder nothing else, so that sums of positive numbers agree to a few units in the last place.
func compare(want *interp.Buffer, data []byte) error {
	got, err := interp.FromBytes(want.DType, data)
	if err != nil {
		return err
	}
	if got.Len() != want.Len() {
		return fmt.Errorf("%d elements instead of %d", got.Len(), want.Len())
	}
	tolerance := tolerances[want.DType]
	for i := range want.Len() {
		if !want.Defined(i) {
			continue
		}
		w, g := want.At(i), got.At(i)
		if math.Abs(w-g) <= tolerance*max(math.Abs(w), 1) || math.IsNaN(w) && math.IsNaN(g) {
			continue
		}
		return fmt.Errorf("element %d is %v, the reference has %v", i, g, w)
	}
	return nil
}

// tolerances are relative; integers must agree.
var tolerances = map[kernel.DType]float64{kernel.Float16: 2e-2, kernel.Float32: 2e-5, kernel.Float64: 1e-13}
