package offload

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
	"gpuperf/scop/sweep"
)

// inSteps puts a kernel with sweeps on axes, and makes these in steps; nil where local memory does not hold a step.
func (c *compiler) inSteps(k *kernel.Kernel, order []string, m Mapping, helped bool) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	helpers, split := int64(1), order
	if helped {
		helpers, split = of(m.Block, 1), order[:1]
	}
	k = throw.Get(onAxes(k, split, m.Block, 0))
	for i, p := range order[len(split):] { // a work-group makes one iteration of these
		k = throw.Get(transform.TagInames(k, fmt.Sprintf("%s:g.%d", p, 1+i)))
	}
	k = sweep.Stage(k, m.Depth, helpers, m.Scan)
	if err := runs(k, c.on()); err != nil {
		return nil, nil
	}
	return k, nil
}

// carriedOn makes one loop of several and keeps values in variables, where there is an order of statements and loops then.
func carriedOn(k *kernel.Kernel, parallel, order []string) *kernel.Kernel {
	one := joinedLoops(k, parallel)
	if ordered(one) {
		k = one
	}
	next := carried(k, order)
	if ordered(next) {
		k = next
	}
	return k
}

// sweeps enters what the longest sweep of a launch does.
func (c *compiler) sweeps(f *Form, k *kernel.Kernel, order []string) {
	if !f.Serial || f.Sums != None || f.Tiles {
		return
	}
	list := throw.Get(sweep.Find(k, order))
	for _, x := range list {
		whole := throw.Get(k.DomainOf(append(slices.Clone(x.Around), x.Loop)))
		own := Sweep{Loads: len(x.Loads), Stores: len(x.Stores), Terms: c.extent(whole, x.Loop)}
		own.Helped = x.Even(order)
		own.Waits = x.Waits(c.on().Function)
		own.Linear = own.Helped && x.Linear()
		across := func(a *expr.Access) bool { return own.Helped && x.Across(a, order[0]) }
		for _, a := range x.Loads {
			if f.Bytes = max(f.Bytes, k.Array(a.Array).DType.Size()); across(a) {
				own.Across++
			}
		}
		for _, s := range x.Stores {
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
}

// addressWords are the registers of an address in global memory, of which compilers keep one for each line.
const addressWords = 2

// Steps of sweeps that are tried, how many work-items are there for each that sweeps, and how many of these a work-group has: powers of 2, so that the work-items of a sub-group share lines.
var (
	sweepSteps   = []int64{1, 2, 4, 8, 16, 32, 64, 128}
	sweepHelpers = []int64{1, 2, 4, 8, 16, 32}
	sweepLines   = []int64{32, 16, 8} // of a work-group: with fewer, more multiprocessors copy for as many lines
)

// Of sweeps with helpers: what an iteration waits beside its arithmetic, in additions, as it reads local memory and writes it; the instructions of an iteration in a part, made twice; and how much
// less time parts have to take, as where factors are great they take as much longer (six nests of sweeps on an H200).
const (
	handed     = 0.5
	partCycles = 30
	gained     = 1.25
)

// mostHelpers of a work-group, with those that they help.
const mostHelpers = 256

// sweepsOf is the mapping of sweeps that takes least.
func sweepsOf(f Form) (best Mapping) {
	plain := Mapping{Block: [][]int64{nil, {32}, {32, 16}, {32, 4, 4}}[f.Parallel], Share: 1, Depth: 1}
	if f.on().CPU { // whose caches load ahead
		return plain
	}
	least := math.Inf(1)
	try := func(m Mapping) {
		for _, m.Depth = range sweepSteps {
			for _, m.Scan = range f.scans(m) {
				c := f.sweeping(m)
				if m.Scan {
					c *= gained
				}
				if c < least {
					best, least = m, c
				}
			}
		}
	}
	if !f.Sweep.Helped {
		try(plain)
		return best
	}
	for _, width := range sweepLines {
		for _, helpers := range sweepHelpers {
			m := plain
			m.Block = []int64{width, helpers}
			if width*helpers <= mostHelpers {
				try(m)
			}
		}
	}
	if best.Depth == 1 { // nothing is loaded ahead, so that nobody helps
		return plain
	}
	return best
}

// scans are whether work-items that help may make parts of the iterations.
func (f Form) scans(m Mapping) []bool {
	if of(m.Block, 1) > 1 && f.Sweep.Linear && m.Depth > of(m.Block, 1) {
		return []bool{false, true}
	}
	return []bool{false}
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
		if m.Scan {
			g.Local += 2 * of(m.Block, 0) * (of(m.Block, 1) + 1) * f.Bytes
		}
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
	w.Waits = float64(s.Terms) * (s.Waits + handed)
	if helpers := of(m.Block, 1); m.Scan {
		w.Waits = steps * (float64(m.Depth/helpers)*(s.Waits+1) + float64(helpers)*(1+handed))
		w.Barriers = 2 * steps
	}
	width := min(of(m.Block, 0), on.Subgroup)
	lines, loads := on.Subgroup, float64(intmath.CeilDiv(sweeps, on.Subgroup)) // that a sub-group touches across sweeps; of a term, by sub-groups
	if m.Depth > 1 && s.Helped {
		lines = intmath.CeilDiv(on.Subgroup, min(width, m.Depth))
		loads = float64(sweeps) / float64(on.Subgroup)
		w.Barriers += 2 * steps
		of := copyCycles * float64(s.Loads+s.Turned)
		if m.Scan {
			of += partCycles
		}
		w.Issue = of * float64(s.Terms*sweeps) / float64(on.Subgroup*on.Schedulers)
	}
	along := on.Subgroup / width * intmath.CeilDiv(width*f.Bytes, on.Line)
	w.Lines = float64(s.Terms*(int64(s.Across)*max(lines, along)+int64(s.Loads+s.Stores-s.Across)*along)) * loads
	return w
}
