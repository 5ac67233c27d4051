package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/samples"
)

// Bounds of the statement instances that the interpreter runs for a comparison.
const (
	verifyLimit = 1 << 21 // of one work-group at a small size, and of those of the launch that are compared there
	timedLimit  = 1 << 20 // of one work-group of the launch that is timed
	timedWork   = 1 << 18 // of all that are compared of it, beyond the first
	timedGroups = 5       // the first, the last, and three spread evenly between them
)

// ErrUnverified is wrapped where the results of a kernel cannot be compared with the reference: no size is small enough, or
// the interpreter lacks something that the kernel uses.
var ErrUnverified = errors.New("not verified")

// Verify runs the kernel of the case on the device at a small size, on the same seeded data as the timed runs, and
// compares what it writes with what the reference interpreter computes. The error wraps ErrUnverified, or is a *device.Error
// whose status says what is wrong with the kernel, or the device is gone. A kernel that the interpreter finds a fault in is
// not launched.
func Verify(ctx context.Context, dev device.Device, c *Case) (samples.Comparison, error) {
	small, err := c.Small()
	if err != nil {
		return samples.Comparison{}, err
	}
	compared, err := small.Compare(ctx, dev)
	if c.Own == nil || !faulty(err) {
		return compared, err
	}
	// Nobody has said at which sizes a kernel of the user's own may be launched: what is wrong at the smallest alone is not.
	const factor = 16
	larger, unknown := small.grown(factor)
	if unknown != nil || larger == nil {
		return compared, err
	}
	if again, e := larger.Compare(ctx, dev); !faulty(e) {
		return again, e
	}
	return compared, err
}

// faulty reports whether the interpreter has found a fault.
func faulty(err error) bool {
	e, ok := device.AsError(err)
	return ok && e.Status == samples.Faulty
}

// Compare runs the case on the device and compares what it writes with the reference: all of it, or what as many of the
// work-groups write as the interpreter can run in a moment, spread over the launch. Errors are those of Verify.
func (c *Case) Compare(ctx context.Context, dev device.Device) (_ samples.Comparison, err error) {
	defer throw.Catch(&err)
	job := throw.Get(c.On(dev.Info().Interface).Job(device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1}))
	groups, work := throw.Get2(c.extent())
	var chosen []int64
	if every := max(1, work/verifyLimit); every > 1 { // of the groups, one in so many
		for at := int64(0); at < groups-1; at += every {
			chosen = append(chosen, at)
		}
		chosen = append(chosen, groups-1)
	}
	ref := c.reference(job, chosen)
	ref.Ask(&job)
	result, err := launched(ctx, dev, job)
	if e, ok := device.AsError(err); ok {
		verdict := *e
		verdict.Msg = "when its results were verified at " + FormatSizes(c.Sizes) + ": " + e.Msg
		return samples.Comparison{}, &verdict
	}
	if err == nil {
		err = ref.Check(result.Outputs)
	}
	return ref.Comparison, err
}

// launched runs a job of a verification. A worker that dies may have been killed, and one that is late may have had a busy machine, so the job gets a second one.
func launched(ctx context.Context, dev device.Device, job device.Job) (*device.Result, error) {
	result, err := dev.Run(ctx, job)
	if e, ok := device.AsError(err); ok && ctx.Err() == nil && (e.Status == samples.Crash || e.Status == samples.OutOfMemory || e.Status == samples.Timeout) {
		return dev.Run(ctx, job)
	}
	return result, err
}

// TimedReference is the reference for a few work-groups of the launch at the sizes of the case: the first, the last and some
// between, on the data that they touch. Errors are those of Verify.
func (c *Case) TimedReference(job device.Job) (_ *Reference, err error) {
	defer throw.Catch(&err)
	groups, work := throw.Get2(c.extent())
	each := max(work/groups, 1)
	if each > timedLimit {
		return nil, fmt.Errorf("%w%s: a work-group takes %d steps, too many to interpret", ErrUnverified, atSizes(c.Sizes), each)
	}
	chosen := []int64{0}
	for k := int64(1); k < min(timedGroups, groups) && int64(len(chosen)+1)*each <= timedWork; k++ {
		at := groups - 1
		if k > 1 { // multiples of the golden section are spread evenly, and not in step with the extents of the launch
			_, part := math.Modf(float64(k) * math.Phi)
			at = int64(part * float64(groups))
		}
		if !slices.Contains(chosen, at) {
			chosen = append(chosen, at)
		}
	}
	slices.Sort(chosen)
	return c.reference(job, chosen), nil
}

// reference runs work-groups of the job in the interpreter; nil is all of them.
func (c *Case) reference(job device.Job, chosen []int64) *Reference {
	nest := throw.Get(c.Nest())
	buffers := throw.Get(c.buffers(job, chosen != nil))
	report, err := interp.RunWith(nest, c.Sizes, buffers, interp.Options{Groups: chosen, Steps: 4 * verifyLimit})
	var fault *interp.Error
	switch {
	case errors.As(err, &fault):
		panic(throw.Of(device.Errorf(samples.Faulty, "it was not launched%s: %v", atSizes(c.Sizes), err)))
	case err != nil:
		panic(throw.Errorf("%w%s: %w", ErrUnverified, atSizes(c.Sizes), err))
	}
	of := report.Groups[0] * report.Groups[1] * report.Groups[2]
	ref := newReference(samples.Comparison{Sizes: c.Sizes, Groups: of, Of: of})
	if chosen != nil {
		ref.Groups = int64(len(chosen))
	}
	for _, a := range withMembers(job.Args) {
		if a.Kind == device.Buffer && a.Write && (chosen == nil || !c.updated(a.Name)) {
			ref.add(a.Name, buffers[a.Name], report.Written[a.Name], chosen == nil)
		}
	}
	if chosen != nil && len(ref.arrays) == 0 && slices.ContainsFunc(c.IR.Statements, func(s *kernel.Stmt) bool { return s.Atomic }) {
		panic(throw.Errorf("%w%s: all that it writes is updated by several work-groups", ErrUnverified, atSizes(c.Sizes)))
	}
	throw.If(ref.check())
	return ref
}

// updated reports whether atomic statements write an array: what a work-group leaves in it depends on others.
func (c *Case) updated(array string) bool {
	return slices.ContainsFunc(c.IR.Statements, func(s *kernel.Stmt) bool {
		return s.Atomic && slices.ContainsFunc(c.IR.Writes(s), func(w *expr.Access) bool { return w.Array == array })
	})
}

// withMembers are arguments, of structures their members.
func withMembers(args []device.Arg) (list []device.Arg) {
	for _, a := range args {
		if a.Kind != device.Struct {
			list = append(list, a)
			continue
		}
		for _, f := range a.Fields {
			list = append(list, withMembers([]device.Arg{f.Arg})...)
		}
	}
	return list
}

// buffers are the arguments of a job as the interpreter takes them: sparse ones hold only what it touches.
func (c *Case) buffers(job device.Job, sparse bool) (map[string]*interp.Buffer, error) {
	buffers := map[string]*interp.Buffer{}
	for _, a := range withMembers(job.Args) {
		switch a.Kind {
		case device.Buffer:
			if sparse {
				buffers[a.Name] = interp.NewSparse(expr.DType(a.DType), a.Count, a.Fill)
				continue
			}
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
// assumptions allow, that has several work-groups and little enough work in each; where work-groups may write one element, a
// size at which they do.
func (c *Case) Small() (*Case, error) {
	params := c.IR.Params()
	first, step := make([]int64, len(params)), make([]int64, len(params))
	for i, p := range params {
		var err error
		if n, is := c.fixedAt(p); is {
			first[i] = n
			continue
		}
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
	nest, err := c.Nest()
	if err != nil {
		return nil, err
	}
	suspected := func(clash func(map[string]int64) bool) bool { return !clash(small.Sizes) }
	least := small
	for factor := int64(2); slices.ContainsFunc(nest.Suspects, suspected); factor *= 2 {
		larger, err := least.grown(factor)
		if err != nil {
			return nil, err
		}
		if larger == nil {
			break
		}
		small.Sizes, small.Identity.Sizes = larger.Sizes, larger.Sizes
	}
	return &small, nil
}

// grown is the case at sizes that are so many times as far from the least that the assumptions allow; nil where that is too much work.
func (c *Case) grown(factor int64) (*Case, error) {
	larger := *c
	larger.Sizes = map[string]int64{}
	for _, p := range c.IR.Params() {
		if n, is := c.fixedAt(p); is {
			larger.Sizes[p] = n
			continue
		}
		first, step, err := c.Values(p)
		if err != nil {
			return nil, err
		}
		larger.Sizes[p] = first + max(c.Sizes[p]-first, step)*factor
	}
	if _, work, err := larger.extent(); err != nil || work > verifyLimit/4 || larger.CheckSizes() != nil {
		return nil, nil //nolint:nilerr,nilnil // it is none
	}
	larger.Identity.Sizes = larger.Sizes
	return &larger, nil
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

// extent returns the number of work-groups, at least one, and the number of statement instances.
func (c *Case) extent() (groups, work int64, err error) {
	defer throw.Catch(&err)
	global, local := c.launch()
	groups = 1
	for d := range global {
		groups *= global[d] / max(local[d], 1)
	}
	if groups == 0 {
		return 0, 0, fmt.Errorf("no work-group at %s", FormatSizes(c.Sizes))
	}
	work = c.work()
	return groups, work, nil
}

// work is the number of statement instances.
func (c *Case) work() (work int64) {
	nest := throw.Get(c.Nest())
	for _, s := range nest.Kernel.Statements {
		// loops that are bounded by what memory holds count as one iteration
		inames := slices.DeleteFunc(slices.Clone(s.Inames), func(n string) bool { return len(nest.Kernel.Bounds([]string{n})) > 0 })
		domain := throw.Get(nest.Kernel.DomainOf(inames))
		count := c.instances(s.ID, domain)
		n := throw.Get(count.Eval(c.Sizes))
		if !n.Num().IsInt64() {
			panic(throw.Errorf("statement %s runs too often", s.ID))
		}
		work += n.Num().Int64()
	}
	return work
}
