package emulate

import (
	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
)

// traffic says which part of the requests to the second-level cache DRAM serves.
func (e *emulation) traffic() {
	touched := int64(0)
	for _, a := range e.Job.Args {
		touched += a.Bytes()
	}
	missed := 0.0
	if float64(touched) > e.Device.Value(facts.L2Bytes)*e.Device.Value(facts.L2CleanKept) {
		missed = 1
	}
	e.memory.L2Hit = 1 - missed
	for _, b := range e.blocks {
		for _, w := range b.Warps {
			miss(w.Nodes, missed)
		}
	}
}

func miss(nodes []timing.Node, part float64) {
	for i := range nodes {
		miss(nodes[i].Body, part)
		for _, ev := range nodes[i].Events {
			if ev.Touch != nil {
				ev.Touch.DRAM = part
			}
		}
	}
}
