package timing

import "testing"

// Lines leave in the order in which they were used, and sectors come one by one.
func TestL1(t *testing.T) {
	c := newL1(2 * 128)
	has := func(sector int64, want bool) {
		t.Helper()
		if _, ok := c.has(sector); ok != want {
			t.Errorf("sector %d is there: %v", sector, ok)
		}
	}
	c.fill([]int64{0, 1}, nil, 5)
	c.fill([]int64{4}, nil, 6)
	has(0, true)
	has(2, false)
	c.fill([]int64{8}, nil, 7) // line 1 was used least recently
	has(4, false)
	has(1, true)
	has(8, true)
	if at, _ := c.has(8); at != 7 {
		t.Error("it comes at", at)
	}
}

// memory is a machine with a memory of its own.
func memory() *Machine {
	m := &Machine{Partitions: 2, Depth: 5, L1Bytes: 1 << 14, Queue: 100 * Cycle}
	for u := range m.Units {
		m.Units[u] = Resource{Latency: 4 * Cycle, Gap: Cycle}
	}
	m.Units[Address].Gap = 4 * Cycle
	m.Units[L2] = Resource{Latency: 200 * Cycle, Gap: Cycle}
	m.Units[DRAM] = Resource{Latency: 600 * Cycle, Gap: 2 * Cycle}
	return m
}

// stream is warps that load one line after the other and wait for each.
func stream(warps int, trips, step int64, dram float64) ([]Op, *list) {
	ops := []Op{
		{Unit: Address, Action: Access, Stall: Cycle, Written: 0, Read: NoBoard, Defines: []uint16{0}, Uses: []uint16{1}},
		{Unit: ALU, Stall: 4 * Cycle, Written: NoBoard, Read: NoBoard, Waits: 1, Defines: []uint16{1}, Uses: []uint16{0, 1}},
	}
	b := &Block{}
	for w := range warps {
		touch := &Touched{Width: 4, Waves: 1, DRAM: dram, Steps: []Step{{All: step}}}
		for lane := range int64(32) {
			touch.Lanes = append(touch.Lanes, int64(w)<<20+4*lane)
		}
		b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Body: []Node{{Events: []Event{{Op: 0, Touch: touch}, {Op: 1}}}}, Times: trips}}})
	}
	return ops, &list{b}
}

// Skipping iterations changes neither what is counted nor, by more than a little, the time.
func TestSkipMemory(t *testing.T) {
	for _, c := range []struct {
		warps int
		step  int64
		dram  float64
	}{{1, 128, 0}, {8, 128, 0}, {8, 128, 1}, {16, 32, 0.5}, {5, 0, 1}, {32, 128, 1}} {
		run := func(noSkip bool) *Result {
			ops, blocks := stream(c.warps, 400, c.step, c.dram)
			return memory().Run(ops, blocks, Options{Resident: 1, NoSkip: noSkip})
		}
		all, some := run(true), run(false)
		counts := float64(some.Issued) / float64(all.Issued)
		if some.Exact && (counts != 1 || some.Traffic.Requests != all.Traffic.Requests) || counts < 0.98 || counts > 1.02 {
			t.Errorf("%+v: %d instructions and %d requests, want %d and %d", c, some.Issued, some.Traffic.Requests, all.Issued, all.Traffic.Requests)
		}
		ratio := float64(some.Finished) / float64(all.Finished)
		if some.Exact && ratio != 1 || ratio < 0.95 || ratio > 1.05 {
			t.Errorf("%+v: the time is %g of that without skipping (exact %v)", c, ratio, some.Exact)
		}
		if some.Stepped > all.Stepped/2 {
			t.Errorf("%+v: %d steps of %d", c, some.Stepped, all.Stepped)
		}
	}
}

// A run that is cut goes on at the rate that it had.
func TestCut(t *testing.T) {
	ops, blocks := stream(8, 400, 128, 0)
	all := memory().Run(ops, blocks, Options{Resident: 1, NoSkip: true})
	ops, blocks = stream(8, 400, 128, 0)
	cut := memory().Run(ops, blocks, Options{Resident: 1, NoSkip: true, Most: 1000})
	if ratio := float64(cut.Finished) / float64(all.Finished); !cut.Cut || ratio < 0.9 || ratio > 1.1 {
		t.Error(ratio, cut.Issued)
	}
}

// Warps of a block meet at a barrier: the last one to come releases all.
func TestBarrier(t *testing.T) {
	ops := []Op{
		{Unit: Barrier, Action: Wait, Stall: Cycle, Written: NoBoard, Read: NoBoard},
		{Unit: ALU, Stall: Cycle, Written: NoBoard, Read: NoBoard},
	}
	m := memory()
	m.Units[Barrier] = Resource{Latency: 14 * Cycle, Gap: 2 * Cycle}
	b := &Block{}
	for range 8 {
		b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Events: []Event{{Op: 0}, {Op: 1}}}}})
	}
	r := m.Run(ops, &list{b}, Options{Resident: 1})
	// The last of eight is admitted after seven gaps, and four warps of a sub-partition then issue one after the other, the unit taking one each cycle.
	if want := int64(7*2+14+3+4) * Cycle; r.Finished != want || r.Ops[1].Issued != 8 {
		t.Error(r.Finished, "want", want)
	}
}

// A load of what another block has asked DRAM for takes as long as DRAM, and moves nothing from there.
func TestWaits(t *testing.T) {
	run := func(dram, waits float64) *Result {
		ops, blocks := stream(1, 20, 1<<12, dram)
		(*blocks)[0].Warps[0].Nodes[0].Body[0].Events[0].Touch.Waits = waits
		m := memory()
		m.Queue = 0
		return m.Run(ops, blocks, Options{Resident: 1, NoSkip: true})
	}
	first, behind, cached := run(1, 0), run(0, 1), run(0, 0)
	if behind.Traffic.FromDRAM != 0 || first.Traffic.FromDRAM == 0 {
		t.Errorf("from DRAM: %d, and %d by those that wait", first.Traffic.FromDRAM, behind.Traffic.FromDRAM)
	}
	if d := first.Finished - behind.Finished; d < 0 || d > 20*8*Cycle || behind.Finished < 2*cached.Finished {
		t.Errorf("%d cycles, %d of those that wait, %d of those that the cache serves", first.Finished/Cycle, behind.Finished/Cycle, cached.Finished/Cycle)
	}
}

// A loop whose first iterations find what was loaded before it goes on as in later ones.
func TestSkipBrought(t *testing.T) {
	for _, lines := range []int64{4, 32, 100} {
		run := func(noSkip bool) *Result {
			ops, blocks := stream(8, 800, 32, 0)
			for w, trace := range (*blocks)[0].Warps {
				before := &Touched{Width: 4, Waves: 1, Steps: []Step{}}
				for k := int64(w); k < lines; k += 8 {
					before.Lanes = append(before.Lanes, 128*k, 128*k+32, 128*k+64, 128*k+96)
				}
				loop := trace.Nodes[0].Body[0].Events[0].Touch
				loop.Lanes = []int64{0} // all warps walk along the same lines
				trace.Nodes = append([]Node{{Events: []Event{{Op: 0, Touch: before}}}}, trace.Nodes...)
			}
			return memory().Run(ops, blocks, Options{Resident: 1, NoSkip: noSkip})
		}
		all, some := run(true), run(false)
		if ratio := float64(some.Finished) / float64(all.Finished); ratio < 0.95 || ratio > 1.05 {
			t.Errorf("%d lines were there: the time is %g of that without skipping", lines, ratio)
		}
		if missed, want := some.Traffic.Sectors-some.Traffic.Hits, all.Traffic.Sectors-all.Traffic.Hits; missed < want*95/100 || missed > want*105/100 {
			t.Errorf("%d lines were there: %d sectors are not in the cache, want %d", lines, missed, want)
		}
	}
}
