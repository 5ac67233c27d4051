package timing

import (
	"math"
	"testing"
)

// One warp walks through constants that all lanes share, again and again: what a place costs beyond what the instructions take is as on an H200
// (testdata/h200/measurement/constants.csv.gz, walks).
func TestUniformConstants(t *testing.T) {
	for _, c := range []struct {
		step, places int64 // bytes from one to the next, and how many
		want         float64
	}{
		{64, 8, 0}, {64, 16, 0}, {64, 24, 59}, {64, 512, 58}, {32, 16, 0}, {32, 32, 29}, {8, 32, 0}, {8, 64, 7.4}, {8, 1024, 7.2}, {4, 64, 0}, {4, 128, 3.6}, {4, 2048, 3.5},
	} {
		run := func(pieces, rounds int64) float64 {
			m := memory()
			m.Constants = Constants{Line: 64, Uniform: pieces, UniformFar: Resource{Latency: 59 * Cycle, Gap: Cycle}}
			touch := &Touched{Space: ConstantSpace, Width: 4, Waves: 1, Lanes: []int64{1 << 12}, Steps: []Step{{}, {All: c.step}}}
			loop := []Node{{Body: []Node{{Body: []Node{{Events: []Event{{Touch: touch}}}}, Times: c.places}}, Times: rounds}}
			ops := []Op{{Unit: Uniform, Stall: 4 * Cycle, Written: NoBoard, Read: NoBoard}}
			return float64(m.Run(ops, &list{{Warps: []*Trace{{Nodes: loop}}}}, Options{Resident: 1}).Finished) / Cycle
		}
		later := func(pieces int64) float64 { return (run(pieces, 40) - run(pieces, 20)) / float64(20*c.places) } // but for the first rounds
		if got := later(16) - later(0); math.Abs(got-c.want) > 0.05*c.want+0.3 {
			t.Errorf("%d places, %d bytes apart: %.2f cycles each, want %.2f", c.places, c.step, got, c.want)
		}
	}
}

// Warps that walk through constants far apart from each other do not take each other's lines away: each place of a line but the first one is as near as if a warp was alone.
func TestUniformLines(t *testing.T) {
	run := func(warps int) float64 {
		m := memory()
		m.Constants = Constants{Line: 64, Uniform: 16, UniformFar: Resource{Latency: 59 * Cycle, Gap: Cycle}}
		b := &Block{}
		for i := range warps {
			touch := &Touched{Space: ConstantSpace, Width: 4, Waves: 1, Lanes: []int64{int64(i) << 14}, Steps: []Step{{All: 16}}}
			b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Body: []Node{{Events: []Event{{Touch: touch}}}}, Times: 256}}})
		}
		ops := []Op{{Unit: Uniform, Stall: 4 * Cycle, Written: NoBoard, Read: NoBoard}}
		return float64(m.Run(ops, &list{b}, Options{Resident: 1}).Finished) / Cycle
	}
	alone := run(1)
	for _, warps := range []int{2, 4} { // the latter are in other sub-partitions, or beside each other
		if got := run(4 * warps); got > 1.3*alone {
			t.Errorf("%d warps of a sub-partition take %.0f cycles, and one takes %.0f", warps, got, alone)
		}
	}
}

// Work-groups of one warp walk through constants by LDC, each so far beside the others and waiting for each, on all multiprocessors: a place takes as long as on an H200, to a third
// (testdata/h200/measurement/constants_rows.csv.gz, ldc).
func TestConstantRows(t *testing.T) {
	for _, c := range []struct{ step, apart, bytes, groups, want int64 }{
		{64, 0, 2048, 8, 57},      // all is there
		{64, 0, 4096, 8, 130},     // nothing is
		{16, 0, 4096, 8, 75},      // a line serves four places
		{1024, 0, 4096, 4, 56},    // four lines of a set
		{1024, 0, 8192, 4, 129},   // eight
		{1024, 64, 4096, 8, 57},   // four lines of each set
		{1024, 64, 8192, 8, 234},  // eight: each work-group has lines of its own, which come one after the other
		{1024, 64, 8192, 32, 496}, // with the next half of them
		{512, 64, 8192, 32, 263},  // a quarter is new
		{256, 64, 8192, 16, 138},
	} {
		m := memory()
		m.Partitions = 4
		m.Units[Constant] = Resource{Latency: 34 * Cycle, Gap: 2 * Cycle}
		m.Constants = Constants{
			Bytes: 2048, Line: 64, Ways: 4, Far: Resource{Latency: 73 * Cycle, Gap: Cycles(9.4)}, SecondLine: 256, Second: Resource{Latency: 200 * Cycle, Gap: 33 * Cycle}, Sharing: 6,
		}
		ops := []Op{{Unit: Address, Action: Access, Stall: Cycle, Written: 0, Read: NoBoard}, {Unit: ALU, Stall: 22 * Cycle, Written: NoBoard, Read: NoBoard, Waits: 1}}
		const places = 64
		run := func(rounds int64) int64 {
			blocks := &list{}
			for g := range c.groups {
				n := Node{}
				for k := range int64(places) {
					at := (g*c.apart + k*c.step) % c.bytes
					n.Events = append(n.Events, Event{Touch: &Touched{Space: ConstantSpace, Width: 4, Waves: 1, Lanes: []int64{at}, Steps: []Step{{}}}}, Event{Op: 1})
				}
				*blocks = append(*blocks, &Block{Warps: []*Trace{{Nodes: []Node{{Body: []Node{n}, Times: rounds}}}}})
			}
			return m.Run(ops, blocks, Options{Resident: int(c.groups)}).Finished
		}
		if got := float64(run(4)-run(2)) / Cycle / places / 2; math.Abs(got/float64(c.want)-1) > 1./3 {
			t.Errorf("%d B from place to place of %d, %d work-groups %d B apart: %.0f cycles a place, want %d", c.step, c.bytes, c.groups, c.apart, got, c.want)
		}
	}
}

// 32 sub-groups of a work-group go through 16 KB of constants, four loads at a time, so many of them at the same places. Those that meet in few sets do not stay together: a place takes as long as
// on an H200, to a third (testdata/h200/measurement/constant_groups.csv.gz, loads4, busy1).
func TestConstantSets(t *testing.T) {
	for _, c := range []struct{ step, same, apart, want int64 }{
		{64, 32, 0, 75},   // all sets in turn
		{256, 32, 0, 247}, // two sets
		{256, 1, 512, 337},
		{256, 8, 64, 96}, // two sets each
		{64, 8, 528, 84},
	} {
		m := memory()
		m.Partitions = 4
		m.Units[Constant] = Resource{Latency: 34 * Cycle, Gap: 2 * Cycle}
		m.Constants = Constants{Bytes: 2048, Line: 64, Ways: 4, Far: Resource{Latency: 69 * Cycle, Gap: Cycles(9.4)}, SecondLine: 256, Second: Resource{Latency: 200 * Cycle, Gap: Cycle / 4}}
		ops := []Op{{Unit: Address, Action: Access, Stall: Cycle, Written: 0, Read: NoBoard}, {Unit: ALU, Stall: 50 * Cycle, Written: NoBoard, Read: NoBoard, Waits: 1}}
		const places = 128
		run := func(rounds int64) int64 {
			b := &Block{}
			for w := range int64(32) {
				n := Node{}
				for k := range int64(places) {
					at := (w/c.same*c.apart + k*c.step) % 16384
					n.Events = append(n.Events, Event{Touch: &Touched{Space: ConstantSpace, Width: 4, Waves: 1, Lanes: []int64{at}, Steps: []Step{{}}}})
					if k%4 == 3 {
						n.Events = append(n.Events, Event{Op: 1})
					}
				}
				b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Body: []Node{n}, Times: rounds}}})
			}
			return m.Run(ops, &list{b}, Options{Resident: 1}).Finished
		}
		if got := float64(run(3)-run(1)) / Cycle / places / 2; math.Abs(got/float64(c.want)-1) > 1./3 {
			t.Errorf("%d B from place to place, %d sub-groups at the same, others %d B apart: %.0f cycles a place, want %d", c.step, c.same, c.apart, got, c.want)
		}
	}
}
