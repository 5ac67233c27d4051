package emulate

import (
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

// alike is which part of the sectors that are loaded all blocks along an axis of the grid load.
func (e *emulation) alike() float64 {
	if e.accessed == nil {
		return 0
	}
	var all, shared float64
	var each func(steps []memory.Step)
	each = func(steps []memory.Step) {
		for _, s := range steps {
			switch x := s.(type) {
			case *memory.Loop:
				each(x.Body)
			case *memory.Access:
				for i := range x.Parts {
					p := &x.Parts[i]
					if x.Store {
						continue
					}
					all += p.Sectors
					for _, g := range p.Groups {
						if g.Count > 1 && g.Stride == 0 && !p.Scattered {
							shared += p.Sectors
							break
						}
					}
				}
			}
		}
	}
	each(e.accessed.Body)
	if all == 0 {
		return 0
	}
	return shared / all
}
