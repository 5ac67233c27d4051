package emulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate/timing"
	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
)

// Sensitivity is by how much the time changes, in parts, when a parameter of the machine does (section 3.3). Of a capacity it is negative.
type Sensitivity struct {
	Unit  timing.Unit // that a latency or a gap is of
	Kind  Kind
	Room  string // that a capacity is of
	Value float64
}

// Kind is what of a unit a parameter is.
type Kind string

// The kinds. A launch that waits for a latency has too few instructions under way; one that waits for a gap asks too much of the unit.
const (
	Latency    Kind = "latency"
	Throughput Kind = "throughput"
	Capacity   Kind = "capacity"
)

// Bottleneck is the unit that the time depends on most.
type Bottleneck struct {
	Unit timing.Unit
	Kind Kind
}

// String says what binds and how; "" where that was not asked for.
func (b Bottleneck) String() string {
	if b.Kind == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s", b.Unit, b.Kind)
}

// Name is the parameter's name: that of the unit, and latency or gap.
func (s Sensitivity) Name() string {
	switch s.Kind {
	case Throughput:
		return s.Unit.String() + " gap"
	case Capacity:
		return "room: " + s.Room
	}
	if s.Unit == timing.Shared {
		return "shared memory latency"
	}
	return s.Unit.String() + " latency"
}

// raised is by how much parameters are raised, in parts.
const raised = 0.1

// parameter is a number of the machine that may matter, and what changes when it is raised.
type parameter struct {
	Sensitivity
	change Change
	reason timing.Reason // that warps wait for a latency
	most   float64       // about what the sensitivity can be at most: for which part of the time the unit is busy, or warps wait for it
}

// raise raises a latency or a gap of a machine.
func (s Sensitivity) raise(m *timing.Machine) {
	n := &m.Units[s.Unit].Latency
	if s.Kind == Throughput {
		n = &m.Units[s.Unit].Gap
	}
	*n = int64(math.Round(float64(*n) * (1 + raised)))
}

// sensitivity times the launch again with each parameter raised that may matter.
func (e *emulation) sensitivity(r *Result, base timed) {
	list := append(e.parameters(r, base), e.capacities()...)
	r.Sensitivity = make([]Sensitivity, len(list))
	values := make([]float64, len(list)+len(jolts))
	parallel.For(len(values), func(i int) {
		change := Change{}
		if i < len(list) {
			change = list[i].change
		} else {
			change.Machine = jolt(jolts[i-len(list)])
		}
		values[i] = (e.time(change).cycles/base.cycles - 1) / raised
	})
	for i := range list {
		r.Sensitivity[i] = list[i].Sensitivity
		r.Sensitivity[i].Value = values[i]
	}
	for _, v := range values[len(list):] {
		r.Scatter = max(r.Scatter, math.Abs(v))
	}
	r.bind()
}

// bind sorts sensitivities; the first one that is none to room is what binds.
func (r *Result) bind() {
	slices.SortStableFunc(r.Sensitivity, func(a, b Sensitivity) int { return cmp.Compare(b.Value, a.Value) })
	if i := slices.IndexFunc(r.Sensitivity, func(s Sensitivity) bool { return s.Kind != Capacity }); i >= 0 {
		r.Bottleneck = Bottleneck{r.Sensitivity[i].Unit, r.Sensitivity[i].Kind}
	}
}

// binds finds out what binds: parameters are raised in the order of what the time can depend on them at most, until that is less than it does on one before. Latencies that warps wait for by the
// same reason are raised together first: the time depends on none of them by more than on all.
func (e *emulation) binds(r *Result, base timed) {
	list, found := e.parameters(r, base), 0.0
	slices.SortStableFunc(list, func(a, b parameter) int { return cmp.Compare(b.most, a.most) })
	changes := func(c Change) float64 { return (e.time(c).cycles/base.cycles - 1) / raised }
	together := map[timing.Reason]float64{}
	for _, p := range list {
		if p.most < found {
			break
		}
		if group := alikeBehind(list, p); len(group) > 1 {
			all, known := together[p.reason]
			if !known {
				all = changes(Change{Machine: func(m *timing.Machine) {
					for _, o := range group {
						o.raise(m)
					}
				}})
				together[p.reason] = all
			}
			if all < found {
				continue
			}
		}
		s := p.Sensitivity
		s.Value = changes(p.change)
		r.Sensitivity, found = append(r.Sensitivity, s), max(found, s.Value)
	}
	r.bind()
}

// alikeBehind are the latencies that warps wait for by the same reason as for another.
func alikeBehind(list []parameter, p parameter) (group []parameter) {
	return lists.Where(list, func(o parameter) bool { return p.Kind == Latency && o.Kind == Latency && o.reason == p.reason })
}

// jolts are by how many parts the gap between the starts of two work-groups is raised, to see by how much times differ by chance: sub-groups that
// come to a unit together go on in another order.
var jolts = []float64{0.001, 0.002, 0.004}

func jolt(by float64) func(*timing.Machine) {
	return func(m *timing.Machine) { m.Begin += max(int64(float64(m.Begin)*by), 1) }
}

// Units are left out that are less busy than this, and latencies for which warps wait a smaller part of their time.
const (
	idle    = 0.1
	unheard = 0.01
)

// behind are the latencies that warps may wait for, by the reason.
var behind = map[timing.Reason][]timing.Unit{
	timing.ForMemory: {timing.L1, timing.L2, timing.DRAM, timing.Atomic, timing.Bulk},
	timing.ForResult: {
		timing.Shared, timing.SharedAtomic, timing.Shuffle, timing.XU, timing.Convert, timing.Constant, timing.Special, timing.Reduce, timing.Tensor, timing.Wide,
	},
	timing.ForStall:   {timing.ALU, timing.FMA, timing.IMAD, timing.FP64, timing.FP16, timing.Uniform},
	timing.ForBarrier: {timing.Barrier},
}

// parameters are the latencies and gaps that may matter.
func (e *emulation) parameters(r *Result, base timed) (list []parameter) {
	waited, all := map[timing.Reason]int64{}, int64(1)
	for i := range base.Ops {
		all += base.Ops[i].Issued * timing.Cycle
		for reason, n := range base.Ops[i].Waited {
			waited[timing.Reason(reason)] += n
			all += n
		}
	}
	add := func(s Sensitivity, reason timing.Reason, most float64) {
		list = append(list, parameter{s, Change{Machine: s.raise}, reason, most})
	}
	for _, u := range timing.Units() {
		if busy := r.Utilization[u]; busy >= idle {
			add(Sensitivity{Unit: u, Kind: Throughput}, 0, busy)
		}
		for reason, units := range behind {
			if part := float64(waited[reason]) / float64(all); base.Busy[u] > 0 && slices.Contains(units, u) && part >= unheard {
				add(Sensitivity{Unit: u, Kind: Latency}, reason, 2*part) // those that end last may wait longer than all do
			}
		}
	}
	return list
}

// rooms are the facts that limit how many work-groups run at once.
var rooms = []facts.Key{facts.Groups, facts.Items, facts.Registers, facts.LocalBytes}

// capacities are those that change something when they are raised: room for work-groups comes in whole ones.
func (e *emulation) capacities() (list []parameter) {
	_, by := machine.Resident(e.limits)
	for _, k := range rooms {
		d := e.Device.With(k, math.Floor(e.Device.Value(k)*(1+raised)), "raised")
		if n, _ := machine.Resident(machine.Limits(d, e.work.Group)); min(n, e.most) > min(e.resident, e.most) {
			list = append(list, parameter{Sensitivity: Sensitivity{Kind: Capacity, Room: by}, change: Change{Resident: n}})
		}
	}
	larger := func(m *timing.Machine) { m.L1Bytes = int64(float64(m.L1Bytes) * (1 + raised)) }
	return append(list, parameter{Sensitivity: Sensitivity{Kind: Capacity, Room: "L1"}, change: Change{Machine: larger}}, parameter{Sensitivity: Sensitivity{Kind: Capacity, Room: "L2"}, change: e.largerL2()})
}

// largerL2 is a second-level cache with more room.
func (e *emulation) largerL2() Change {
	larger := machine.Caches(e.Device, e.work.Group.Local, min(e.resident, e.most))
	larger.L2 *= 1 + raised
	loads, stores, _ := e.served(e.moved)
	fewerLoads, fewerStores, sector := e.served(e.accessed.Estimate(larger))
	loads, stores = part(fewerLoads, loads), part(fewerStores, stores)
	c := Change{
		Machine: func(m *timing.Machine) {
			if sector > 0 {
				m.Units[timing.DRAM].Gap = e.dramGap(sector)
			}
		},
	}
	if loads == 1 && stores == 1 { // as much comes from DRAM as before
		return c
	}
	c.Events = func(i *Instruction) []Event {
		if i.Touch == nil {
			return []Event{i.Event}
		}
		t := *i.Touch
		t.DRAM *= loads
		if t.Store || t.Atomic {
			t.DRAM = i.Touch.DRAM * stores
		}
		changed := i.Event
		changed.Touch = &t
		return []Event{changed}
	}
	return c
}

// part is a over b, 0 where there is no b, and 1 at most.
func part(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return min(a/b, 1)
}

// BottleneckAt is what the time depends on most with so many work-groups at once.
func (r *Result) BottleneckAt(resident int64) (most Bottleneck) {
	base, value := r.Again(Change{Resident: resident}), 0.0
	for _, s := range r.Sensitivity {
		if s.Kind == Capacity {
			continue
		}
		if v := r.Again(Change{Resident: resident, Machine: s.raise})/base - 1; v > value {
			most, value = Bottleneck{s.Unit, s.Kind}, v
		}
	}
	return most
}
