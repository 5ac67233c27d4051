package emulate

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/emulate/timing"
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

// sensitivity times the launch again with each parameter of the units in use raised.
func (e *emulation) sensitivity(r *Result, base timed) {
	for _, u := range e.used(base) {
		for _, kind := range []Kind{Latency, Throughput} {
			t := e.time(func(m *timing.Machine) {
				p := &m.Units[u].Latency
				if kind == Throughput {
					p = &m.Units[u].Gap
				}
				*p = int64(math.Round(float64(*p) * (1 + raised)))
			})
			r.Sensitivity = append(r.Sensitivity, Sensitivity{Unit: u, Kind: kind, Value: (t.cycles/base.cycles - 1) / raised})
		}
	}
	slices.SortStableFunc(r.Sensitivity, func(a, b Sensitivity) int { return cmp.Compare(b.Value, a.Value) })
	if len(r.Sensitivity) > 0 {
		r.Bottleneck = Bottleneck{r.Sensitivity[0].Unit, r.Sensitivity[0].Kind}
	}
}

// used are the units that instructions of the launch use.
func (e *emulation) used(t timed) (list []timing.Unit) {
	for _, u := range timing.Units() {
		if t.Busy[u] > 0 {
			list = append(list, u)
		}
	}
	return list
}
