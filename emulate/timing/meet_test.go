package timing

import (
	"slices"
	"testing"
)

// ring is a warp that brings data into stages in turn, each copy taking so long, and one that takes as long for each stage: the first waits for the
// second as well as the other way round. Each stage has a barrier of full ones, at its number, and one of empty ones, at that and 100.
func ring(stages, trips int64, copying, taking float64) ([]Op, *list, *Machine) {
	m := memory()
	m.Units[Bulk] = Resource{Latency: Cycles(copying), Gap: 0}
	m.Units[L2] = Resource{}
	m.Units[Shared] = Resource{}
	m.Units[XU] = Resource{Latency: Cycles(taking), Gap: Cycles(taking)}
	none := func(o Op) Op { o.Written, o.Read = NoBoard, NoBoard; return o }
	ops := []Op{
		none(Op{Unit: Dispatch, Stall: Cycle}),                                             // 0: waits or arrives
		none(Op{Unit: Bulk, Action: Access, Stall: Cycle}),                                 // 1: copies
		none(Op{Unit: XU, Stall: Cycles(taking), Defines: []uint16{0}, Uses: []uint16{0}}), // 2: takes
	}
	var from, to []Event
	for s := range stages {
		from = append(from,
			Event{Op: 0, Meet: &Meet{Kind: Await, At: 100 + s, Phase: 0, Steps: []int64{1}}},
			Event{Op: 0, Meet: &Meet{Kind: Arrive, At: s, Steps: []int64{1}, Count: 1, Of: 1, Bytes: 128}},
			Event{Op: 1, Touch: &Touched{Copy: true, Past: true, Width: 128, Lanes: []int64{128 * s}, Steps: []Step{{All: 128 * stages}}}, Meet: &Meet{Kind: Bring, At: s, Steps: []int64{1}, Bytes: 128}},
		)
		to = append(to,
			Event{Op: 0, Meet: &Meet{Kind: Await, At: s, Phase: 1, Steps: []int64{1}}},
			Event{Op: 2},
			Event{Op: 0, Meet: &Meet{Kind: Arrive, At: 100 + s, Steps: []int64{1}, Count: 1, Of: 1}},
		)
	}
	b := &Block{}
	for _, events := range [][]Event{from, to} {
		b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Body: []Node{{Events: events}}, Times: trips}}})
	}
	return ops, &list{b}, m
}

// A pipeline of stages is as slow as its slower side, or as a stage takes to go around.
func TestRing(t *testing.T) {
	for _, c := range []struct {
		stages          int64
		copying, taking float64
		each            float64 // cycles of a stage, about
	}{
		{1, 500, 50, 550}, {2, 500, 50, 275}, {4, 500, 50, 137.5}, {16, 500, 50, 52}, {4, 100, 300, 300},
	} {
		const trips = 64
		run := func(noSkip bool) *Result {
			ops, blocks, m := ring(c.stages, trips, c.copying, c.taking)
			return m.Run(ops, blocks, Options{Resident: 1, NoSkip: noSkip})
		}
		all, some := run(true), run(false)
		got := float64(all.Finished) / Cycle / float64(trips*c.stages)
		if got < c.each || got > 1.06*c.each+4 {
			t.Errorf("%+v: %g cycles for each stage", c, got)
		}
		if all.Finished != some.Finished || all.Issued != some.Issued || all.Issued != 6*trips*c.stages {
			t.Errorf("%+v: %d and %d, with skipping %d and %d", c, all.Finished, all.Issued, some.Finished, some.Issued)
		}
		if some.Stepped > all.Stepped/2 {
			t.Errorf("%+v: %d steps of %d", c, some.Stepped, all.Stepped)
		}
	}
}

// Two halves of a block meet at barriers of their own, and do not wait for each other; one warp tells at a third barrier that it has come, without waiting.
func TestSyncs(t *testing.T) {
	m := memory()
	op := Op{Unit: Barrier, Stall: Cycle, Written: NoBoard, Read: NoBoard, Action: Wait}
	long := Op{Unit: FMA, Stall: 1000 * Cycle, Written: NoBoard, Read: NoBoard}
	at := func(number, of int64, kind MeetKind) Event {
		return Event{Op: 0, Meet: &Meet{Kind: kind, At: number, Of: of}}
	}
	late := []Event{{Op: 1}, at(2, 2, Sync)}
	b := &Block{Warps: []*Trace{
		{Nodes: []Node{{Events: []Event{at(1, 2, Sync), {Op: 1}}}}},
		{Nodes: []Node{{Events: []Event{at(1, 2, Sync), at(3, 2, Signal)}}}},
		{Nodes: []Node{{Events: append(slices.Clone(late), at(3, 2, Sync), Event{Op: 1})}}},
		{Nodes: []Node{{Events: late}}},
	}}
	r := m.Run([]Op{op, long}, &list{b}, Options{Resident: 1})
	if r.Stuck || r.Issued != 10 || r.Last < 1000*Cycle || r.Last > 1100*Cycle {
		t.Errorf("%d instructions until %d, stuck %v", r.Issued, r.Last, r.Stuck)
	}
	b.Warps = b.Warps[:1]
	if r := m.Run([]Op{op, long}, &list{b}, Options{Resident: 1}); !r.Stuck {
		t.Error("a warp goes on though nobody else comes")
	}
}
