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
