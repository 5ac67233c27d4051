package emulate

import (
	"math"
	"testing"

	"gpuperf/emulate/timing"
)

// TestTail: of blocks one sub-group of which executes a thousand times what the others do, each round lasts as long as that takes alone; where the launch lasts longer in any case, it is not timed.
func TestTail(t *testing.T) {
	const long, latency = 100_000, 6
	m := &timing.Machine{Partitions: 4, Depth: 1}
	for u := range m.Units {
		m.Units[u] = timing.Resource{Latency: latency * timing.Cycle, Gap: timing.Cycle}
	}
	ops := []timing.Op{{Unit: timing.ALU, Stall: latency * timing.Cycle, Written: timing.NoBoard, Read: timing.NoBoard}}
	trace := func(times int64) *timing.Trace {
		return &timing.Trace{Nodes: []timing.Node{{Body: []timing.Node{{Events: []timing.Event{{}}}}, Times: times}}}
	}
	blocks := []*timing.Block{{Warps: []*timing.Trace{trace(long / 1000), trace(long), trace(1)}}, {Warps: []*timing.Trace{trace(long)}}}
	e := &emulation{}
	if got, want := e.tail(m, ops, blocks, 1.2, 1000, 50_000), 2.0*latency*long; math.Abs(got/want-1) > 0.01 {
		t.Errorf("two rounds take %.0f cycles, want %.0f", got, want)
	}
	if got := e.tail(m, ops, blocks, 1.2, 1.2*long*mostEach+1, 50_000); got != 0 {
		t.Errorf("%.0f cycles beside a launch that lasts longer", got)
	}
}
