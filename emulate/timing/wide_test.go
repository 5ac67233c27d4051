package timing

import "testing"

// Products of Wide are issued without waiting for the unit; a group is done when its last product is.
func TestWide(t *testing.T) {
	m := memory()
	m.Units[Wide] = Resource{Latency: 55 * Cycle, Gap: 4 * Cycle}
	m.Units[Operands] = Resource{Gap: Cycle}
	product := Op{Unit: Wide, Parts: 16, Waves: 12, Stall: Cycle, Written: NoBoard, Read: NoBoard}
	last := product
	last.Written = Products
	wait := Op{Unit: Dispatch, Stall: Cycle, Written: NoBoard, Read: NoBoard, Waits: 1 << Products}
	for _, n := range []int64{1, 4, 16} {
		var events []Event
		for range n - 1 {
			events = append(events, Event{Op: 0})
		}
		events = append(events, Event{Op: 1}, Event{Op: 2})
		b := &Block{Warps: []*Trace{{Nodes: []Node{{Events: events}}}}}
		r := m.Run([]Op{product, last, wait}, &list{b}, Options{Resident: 1})
		if want := (n*64 - 4 + 55) * Cycle; r.Last != want {
			t.Errorf("%d products: the group is done at %d, want %d", n, r.Last, want)
		}
	}
}

// While products of Wide are under way, other instructions are dispatched less often.
func TestWideDispatch(t *testing.T) {
	m := memory()
	m.Units[Wide], m.Products = Resource{Latency: 55 * Cycle, Gap: 4 * Cycle}, 4*Cycle
	ops := []Op{
		{Unit: Wide, Parts: 16, Stall: Cycle, Written: NoBoard, Read: NoBoard},
		{Unit: FMA, Stall: Cycle, Written: NoBoard, Read: NoBoard},
	}
	events := []Event{{Op: 0}}
	for range 100 {
		events = append(events, Event{Op: 1})
	}
	r := m.Run(ops, &list{{Warps: []*Trace{{Nodes: []Node{{Events: events}}}}}}, Options{Resident: 1})
	if want := int64(64+100-64/4) * Cycle; max(r.Last-want, want-r.Last) > 4*Cycle {
		t.Errorf("100 instructions beside a product of 64 cycles end at %d, want about %d", r.Last, want)
	}
}

// A fence waits for its latency, and those of a multiprocessor come one after the other; a reduction takes less than an operation with a result.
func TestFence(t *testing.T) {
	m := memory()
	m.Units[Atomic] = Resource{Latency: 500 * Cycle, Gap: 4 * Cycle}
	m.Fence = Resource{Latency: 100 * Cycle, Gap: 10 * Cycle}
	fence := Op{Unit: Dispatch, Action: Fence, Stall: Cycle, Written: NoBoard, Read: NoBoard}
	last := Op{Unit: Dispatch, Stall: Cycle, Written: NoBoard, Read: NoBoard}
	for _, warps := range []int64{1, 3} {
		b := &Block{}
		for range warps {
			b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Events: []Event{{Op: 0}, {Op: 1}}}}})
		}
		r := m.Run([]Op{fence, last}, &list{b}, Options{Resident: 1})
		if want := (100 + 10*(warps-1)) * Cycle; r.Last != want {
			t.Errorf("%d fences are done at %d, want %d", warps, r.Last, want)
		}
	}
}
