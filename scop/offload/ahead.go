package offload

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// inSteps puts a kernel with sweeps on axes, and makes these in steps; nil where local memory does not hold a step.
func (c *compiler) inSteps(k *kernel.Kernel, order []string, m Mapping, helped bool) (*kernel.Kernel, error) {
	helpers, split := int64(1), order
	if helped {
		helpers, split = of(m.Block, 1), order[:1]
	}
	k, err := onAxes(k, split, m.Block, 0)
	if err != nil {
		return nil, err
	}
	for i, p := range order[len(split):] { // a work-group makes one iteration of these
		if k, err = transform.TagInames(k, fmt.Sprintf("%s:g.%d", p, 1+i)); err != nil {
			return nil, err
		}
	}
	if k, err = stage(k, m.Depth, helpers); err != nil {
		return nil, err
	}
	if runs(k, c.on()) != nil {
		return nil, nil
	}
	return k, nil
}

// carriedOn makes one loop of several and keeps values in variables, where there is an order of statements and loops then.
func carriedOn(k *kernel.Kernel, parallel, order []string) (*kernel.Kernel, error) {
	one, err := joinedLoops(k, parallel)
	if err != nil {
		return nil, err
	}
	if ordered(one) {
		k = one
	}
	next, err := carried(k, order)
	if err != nil {
		return nil, err
	}
	if ordered(next) {
		k = next
	}
	return k, nil
}

// sweeps enters what the longest sweep of a launch does.
func (c *compiler) sweeps(f *Form, k *kernel.Kernel, order []string) error {
	if !f.Serial || f.Sums != None || f.Tiles {
		return nil
	}
	list, err := findSweeps(k, order)
	if err != nil {
		return err
	}
	for _, x := range list {
		whole, err := k.DomainOf(nameset.Add(slices.Clone(x.around), x.loop))
		if err != nil {
			return err
		}
		own := Sweep{Loads: len(x.loads), Stores: len(x.stores), Terms: c.extent(whole, x.loop)}
		own.Helped = len(order) > 0 && slices.Equal(nameset.Sorted(slices.Clone(x.around)), nameset.Sorted(slices.Clone(order))) && !x.lower.Has(order[0]) && !x.upper.Has(order[0])
		across := func(a *expr.Access) bool { return own.Helped && x.across(a, order[0]) }
		for _, a := range x.loads {
			if f.Bytes = max(f.Bytes, k.Array(a.Array).DType.Size()); across(a) {
				own.Across++
			}
		}
		for _, s := range x.stores {
			to := s.LHS.(*expr.Access)
			if f.Bytes = max(f.Bytes, k.Array(to.Array).DType.Size()); across(to) {
				own.Across, own.Turned = own.Across+1, own.Turned+1
			}
		}
		if !own.some() || own.Terms*int64(own.Loads+own.Across) <= f.Sweep.Terms*int64(f.Sweep.Loads+f.Sweep.Across) {
			continue
		}
		f.Sweep = own
		for axis, p := range order {
			f.Extent[axis] = c.extent(whole, p)
		}
	}
	return nil
}

// addressWords are the registers of an address in global memory, of which compilers keep one for each line.
const addressWords = 2

// Steps of sweeps that are tried, and how many work-items are there for each that sweeps: powers of 2, so that the work-items of a sub-group share lines.
var (
	sweepSteps   = []int64{1, 2, 4, 8, 16, 32, 64, 128}
	sweepHelpers = []int64{1, 2, 4, 8}
)

// sweepsOf is the mapping of sweeps that takes least.
func sweepsOf(f Form) (best Mapping) {
	plain := Mapping{Block: [][]int64{nil, {32}, {32, 16}, {32, 4, 4}}[f.Parallel], Share: 1, Depth: 1}
	if f.on().CPU { // whose caches load ahead
		return plain
	}
	least := math.Inf(1)
	for _, helpers := range sweepHelpers {
		m := plain
		if f.Sweep.Helped {
			m.Block = []int64{plain.Block[0], helpers}
		} else if helpers > 1 {
			break
		}
		for _, m.Depth = range sweepSteps {
			if c := f.sweeping(m); c < least {
				best, least = m, c
			}
		}
	}
	return best
}

// swept reports that registers and local memory hold a step of sweeps.
func (f Form) swept(m Mapping) bool {
	g := f.sweeper(m)
	return g.Local <= f.on().MostLocal && g.Registers <= f.on().MostRegisters && g.Items <= f.on().MostItems && (!f.Sweep.Helped || m.Depth%of(m.Block, 1) == 0)
}

// sweeper is what a work-group of sweeps takes. What is not in local memory is in registers twice.
func (f Form) sweeper(m Mapping) machine.Group {
	s, words := f.Sweep, intmath.CeilDiv(f.Bytes, 4)
	g := machine.Group{Items: product(m.Block), Subgroup: f.on().Subgroup, Registers: ofCode}
	switch {
	case m.Depth <= 1:
	case s.Helped:
		g.Registers += m.Depth / of(m.Block, 1) * (int64(s.Loads)*(words+addressWords) + int64(s.Turned)*addressWords)
		g.Local = int64(s.Loads+s.Turned) * of(m.Block, 0) * (m.Depth + 1) * f.Bytes
	default:
		g.Registers += m.Depth * int64(s.Loads) * (2*words + addressWords)
	}
	return g
}

// sweeping is about what sweeps take with steps of so many iterations: the loads of a step wait together, and all work-items of a group copy.
func (f Form) sweeping(m Mapping) float64 {
	if !f.swept(m) {
		return math.Inf(1)
	}
	return f.on().Cycles(f.sweeps(m))
}

// sweeps is what a work-group does then.
func (f Form) sweeps(m Mapping) machine.Work {
	on, s := f.on(), f.Sweep
	w := machine.Work{Groups: 1, Group: f.sweeper(m)}
	sweeps := int64(1) // of a group
	for axis := range f.Parallel {
		side := of(m.Block, axis)
		if s.Helped && axis > 0 {
			side = 1
		}
		w.Groups *= intmath.CeilDiv(f.Extent[axis], side)
		sweeps *= side
	}
	steps := float64(intmath.CeilDiv(s.Terms, m.Depth))
	w.Rounds = steps
	lines := on.Subgroup // that a sub-group touches across sweeps
	if m.Depth > 1 && s.Helped {
		lines = intmath.CeilDiv(on.Subgroup, m.Depth)
		w.Barriers = 2 * steps
		w.Issue = copyCycles * float64(int64(s.Loads+s.Turned)*s.Terms*sweeps) / float64(on.Subgroup*on.Schedulers)
	}
	along := intmath.CeilDiv(on.Subgroup*f.Bytes, on.Line)
	w.Lines = float64(s.Terms*(int64(s.Across)*max(lines, along)+int64(s.Loads+s.Stores-s.Across)*along)) * float64(intmath.CeilDiv(sweeps, on.Subgroup))
	return w
}
