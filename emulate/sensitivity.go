package emulate

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/emulate/timing"
	"gpuperf/internal/parallel"
)

// Sensitivity is by how much the time changes, in parts, when a parameter of the machine does (section 3.3).
type Sensitivity struct {
	Unit  timing.Unit
	Kind  Kind
	Value float64
}

// Kind is what of a unit a parameter is.
type Kind string

// The kinds. A launch that waits for a latency has too few instructions under way; one that waits for a gap asks too much of the unit.
const (
	Latency    Kind = "latency"
	Throughput Kind = "throughput"
)

// Bottleneck is the unit that the time depends on most.
type Bottleneck struct {
	Unit timing.Unit
	Kind Kind
}

// Name is the parameter's name: that of the unit, and latency or gap.
func (s Sensitivity) Name() string {
	if s.Kind == Throughput {
		return s.Unit.String() + " gap"
	}
	return s.Unit.String() + " latency"
}

// raised is by how much parameters are raised, in parts.
const raised = 0.1

// parameter is a number of the machine that may matter.
type parameter struct {
	unit timing.Unit
	kind Kind
}

// raise raises the parameter of a machine.
func (p parameter) raise(m *timing.Machine) {
	n := &m.Units[p.unit].Latency
	if p.kind == Throughput {
		n = &m.Units[p.unit].Gap
	}
	*n = int64(math.Round(float64(*n) * (1 + raised)))
}

// sensitivity times the launch again with each parameter raised that may matter.
func (e *emulation) sensitivity(r *Result, base timed) {
	list := e.parameters(r, base)
	r.Sensitivity = make([]Sensitivity, len(list))
	parallel.For(len(list), func(i int) {
		t := e.time(list[i].raise)
		r.Sensitivity[i] = Sensitivity{Unit: list[i].unit, Kind: list[i].kind, Value: (t.cycles/base.cycles - 1) / raised}
	})
	slices.SortStableFunc(r.Sensitivity, func(a, b Sensitivity) int { return cmp.Compare(b.Value, a.Value) })
	if len(r.Sensitivity) > 0 {
		r.Bottleneck = Bottleneck{r.Sensitivity[0].Unit, r.Sensitivity[0].Kind}
	}
}

// Units are left out that are less busy than this, and latencies for which warps wait a smaller part of their time.
const (
	idle    = 0.1
	unheard = 0.01
)

// behind are the latencies that warps may wait for, by the reason.
var behind = map[timing.Reason][]timing.Unit{
	timing.ForMemory: {timing.L1, timing.L2, timing.DRAM, timing.Atomic},
	timing.ForResult: {
		timing.Shared, timing.SharedAtomic, timing.Shuffle, timing.XU, timing.Convert, timing.Constant, timing.Special, timing.Reduce, timing.Tensor,
	},
	timing.ForStall:   {timing.ALU, timing.FMA, timing.IMAD, timing.FP64, timing.FP16, timing.Uniform},
	timing.ForBarrier: {timing.Barrier},
}

// parameters are those of the machine that may matter.
func (e *emulation) parameters(r *Result, base timed) (list []parameter) {
	waited, all := map[timing.Reason]int64{}, int64(1)
	for i := range base.Ops {
		all += base.Ops[i].Issued * timing.Cycle
		for reason, n := range base.Ops[i].Waited {
			waited[timing.Reason(reason)] += n
			all += n
		}
	}
	for _, u := range timing.Units() {
		if r.Utilization[u] >= idle {
			list = append(list, parameter{u, Throughput})
		}
		for reason, units := range behind {
			if base.Busy[u] > 0 && slices.Contains(units, u) && float64(waited[reason]) >= unheard*float64(all) {
				list = append(list, parameter{u, Latency})
			}
		}
	}
	return list
}
