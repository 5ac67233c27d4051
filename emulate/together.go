package emulate

import (
	"slices"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
)

// asked is what is known of the loads of an instruction.
type asked struct {
	op      int32
	array   int
	sectors float64 // that the launch asks for with it
	blocks  float64 // of those that run at once, how many ask for the same
}

// atOnce is how many of the blocks that run at once access the same sectors with an instruction: those that differ along axes of the grid only that do not move it, or by less than
// a sector.
func (e *emulation) atOnce(p *memory.Part) float64 {
	blocks := min(e.busy*e.resident, e.work.Groups)
	different, below := int64(1), int64(1) // blocks that access different things, and blocks of a step along the axis
	for d, n := range e.grid {
		there := min(n, (blocks+below-1)/below)
		if stride := max(p.Groups[d].Stride, -p.Groups[d].Stride); p.Groups[d].Anywhere || stride >= sectorBytes {
			different *= there
		} else if stride > 0 {
			different *= (there*stride + sectorBytes - 1) / sectorBytes
		}
		below *= n
	}
	return max(float64(blocks)/float64(different), 1)
}

// waiting is, by instruction, which part of its requests to the second-level cache waits for DRAM as another block that runs at the same time has asked for
// the same sectors: such blocks go on together, as the first waits for DRAM and those behind it catch up. loads is which part of all requests DRAM serves,
// each sector once.
func (e *emulation) waiting(loads float64) map[int32]float64 {
	requested, distinct := make([]float64, len(e.accessed.Arrays)), make([]float64, len(e.accessed.Arrays))
	for _, s := range e.asked {
		requested[s.array] += s.sectors
		distinct[s.array] += s.sectors / s.blocks
	}
	var all, once float64
	for a := range requested {
		distinct[a] = min(distinct[a], room(e.accessed.Arrays[a])/sectorBytes)
		all, once = all+requested[a], once+distinct[a]
	}
	out := map[int32]float64{}
	for _, s := range e.asked {
		if s.sectors == 0 {
			continue
		}
		served := loads * distinct[s.array] / once * all / requested[s.array]
		out[s.op] = min(max(min(served*s.blocks, 1)-loads, 0), 1)
	}
	return out
}

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
