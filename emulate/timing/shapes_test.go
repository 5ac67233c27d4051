package timing

import "testing"

// words are lanes that access words from a place on.
func words(from, n int64) (lanes []int64) {
	for i := range n {
		lanes = append(lanes, 1<<30+4*(from+i))
	}
	return lanes
}

// TestWaveCycles: a load that keeps the data path for n cycles is 2 (n-1) later than one that does for a cycle. One sub-group starts one in 2 n cycles,
// and those of two sub-partitions together one in n.
func TestWaveCycles(t *testing.T) {
	const loads, waves = 20, 16
	run := func(warps int, waves int64, chain bool) int64 {
		op := Op{Unit: Address, Action: Access, Stall: Cycle, Written: NoBoard, Read: NoBoard}
		if chain {
			op.Written, op.Waits = 0, 1
		}
		touch := &Touched{Width: 4, Waves: waves, Lanes: words(0, 32)}
		b := &Block{}
		for range warps {
			b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Body: []Node{{Events: []Event{{Touch: touch}}}}, Times: loads}}})
		}
		return memory().Run([]Op{op}, &list{b}, Options{Resident: 1, NoSkip: true}).Finished / Cycle
	}
	if got := run(1, waves, true) - run(1, 1, true); got != loads*2*(waves-1) {
		t.Errorf("%d dependent loads take %d cycles more, want %d", loads, got, loads*2*(waves-1))
	}
	if one, two := run(1, waves, false), run(2, waves, false); one < loads*2*waves || two < loads*2*waves || two > one+2*waves {
		t.Errorf("%d loads of one sub-group take %d cycles, twice as many of two %d: want about %d", loads, one, two, loads*2*waves)
	}
}
