package timing

import "testing"

// Straight code in a loop runs as fast as the cache that holds it gives lines.
func TestCode(t *testing.T) {
	m := &Machine{Partitions: 1, Depth: 1, Code: Code{
		Line:   128,
		Levels: []CodeLevel{{Bytes: 8 << 10}, {Bytes: 32 << 10, From: Resource{Latency: 20 * Cycle, Gap: 16 * Cycle}}},
		Far:    Resource{Latency: 80 * Cycle, Gap: 40 * Cycle}, First: Resource{Latency: 250 * Cycle, Gap: 16 * Cycle},
	}}
	m.Units[Dispatch] = Resource{Latency: Cycle, Gap: Cycle}
	for _, c := range []struct {
		bytes int64
		want  float64 // cycles of an instruction
	}{{4 << 10, 1}, {16 << 10, 2}, {64 << 10, 5}} {
		body, trips := Node{}, int64(20)
		var ops []Op
		for at := int64(0); at < c.bytes; at += 16 {
			ops = append(ops, Op{Unit: Dispatch, Written: NoBoard, Read: NoBoard, Address: at})
			body.Events = append(body.Events, Event{Op: int32(len(ops) - 1)})
		}
		b := &Block{Warps: []*Trace{{Nodes: []Node{{Body: []Node{body}, Times: trips}}}}}
		r := m.Run(ops, &list{b}, Options{Resident: 1, NoSkip: true})
		if got := float64(r.Finished) / Cycle / float64(trips*int64(len(ops))); got < 0.95*c.want || got > 1.1*c.want+0.1 {
			t.Errorf("%d B of code: %g cycles an instruction, want %g", c.bytes, got, c.want)
		}
	}
}

// Code that a launch before has left in the farthest cache is jumped to as fast as that is; the first line of all is not.
func TestKept(t *testing.T) {
	const lines = 64 // each is jumped to from the one behind it
	run := func(kept bool) float64 {
		m := &Machine{Partitions: 1, Depth: 1, Code: Code{
			Line: 128, Levels: []CodeLevel{{Bytes: 1 << 10}, {Bytes: 32 << 10, From: Resource{Latency: 20 * Cycle, Gap: 16 * Cycle}}},
			Far: Resource{Latency: 80 * Cycle, Gap: 40 * Cycle}, First: Resource{Latency: 250 * Cycle, Gap: 16 * Cycle}, Kept: kept,
		}}
		m.Units[Dispatch] = Resource{Latency: Cycle, Gap: Cycle}
		var ops []Op
		node := Node{}
		for at := range int32(lines) {
			ops = append(ops, Op{Unit: Dispatch, Written: NoBoard, Read: NoBoard, Stall: Cycle, Address: int64(at) * 256})
			node.Events = append(node.Events, Event{Op: at})
		}
		return float64(m.Run(ops, &list{{Warps: []*Trace{{Nodes: []Node{node}}}}}, Options{Resident: 1}).Finished) / Cycle
	}
	if first, kept := run(false), run(true); first < lines*250 || kept < 250+(lines-1)*20 || kept > 300+lines*22 {
		t.Errorf("%g cycles, and %g where it was kept", first, kept)
	}
}
