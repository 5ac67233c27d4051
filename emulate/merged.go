package emulate

import (
	"slices"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
)

// merge lets requests of several multiprocessors for the same lines, which come at about the same time, count once at the second-level cache: it
// answers a part of what blocks of a row or a column load alike by one access. What passes between it and a multiprocessor stays the same.
func (e *emulation) merge(m *timing.Machine) {
	part := e.Device.Value(facts.L2Merged) * e.alike()
	m.Units[timing.L2].Gap = int64(float64(m.Units[timing.L2].Gap) * (1 - part))
}

// shared is how often the sectors of an array are loaded from which those are taken to be of blocks that load them alike, at about the same time: rows
// and columns of blocks of a product, in whatever order they come. Halos and tables are loaded less often, or by lanes that differ.
const shared = 8

// alike is which part of the sectors that are loaded blocks load alike: all along an axis of the grid, or most of an array again and again.
func (e *emulation) alike() float64 {
	if e.accessed == nil {
		return 0
	}
	var all, alike float64
	loaded, along := make([]float64, len(e.accessed.Arrays)), make([]float64, len(e.accessed.Arrays))
	memory.Each(e.accessed.Body, func(x *memory.Access) {
		if x.Store {
			return
		}
		for i := range x.Parts {
			p := &x.Parts[i]
			all += p.Sectors
			switch {
			case p.Scattered:
			case slices.ContainsFunc(p.Groups[:], func(g memory.Run) bool { return g.Count > 1 && g.Stride == 0 }):
				along[x.Array] += p.Sectors
			default:
				loaded[x.Array] += p.Sectors
			}
		}
	})
	for i, a := range e.accessed.Arrays {
		alike += along[i]
		if loaded[i]*sectorBytes > shared*float64(a.Bytes) {
			alike += loaded[i]
		}
	}
	if all == 0 {
		return 0
	}
	return alike / all
}
