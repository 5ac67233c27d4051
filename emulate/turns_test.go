package emulate

import (
	"testing"

	"gpuperf/emulate/timing"
)

// TestTurns: work-groups whose turn comes when the one before has stored that make a chain, also where all wait at one place; a lock and a barrier of all do not, and those that
// have stored before they wait look further back.
func TestTurns(t *testing.T) {
	const waits, fence, other = 0, 1, 2
	at := func(op int32, place int64, store, atomic bool) timing.Event {
		return timing.Event{Op: op, Touch: &timing.Touched{Space: timing.GlobalSpace, Lanes: []int64{place}, Store: store, Atomic: atomic}}
	}
	awaits, ops := map[int32]bool{waits: true}, []timing.Op{{}, {Action: timing.Fence}, {}}
	const mine, next = 100, 200
	for name, c := range map[string]struct {
		events []timing.Event
		links  int64
		fences int64
		looks  bool
	}{
		"the next one's place": {[]timing.Event{at(waits, mine, false, false), at(other, next, true, false)}, 1, 0, false},
		"one place":            {[]timing.Event{at(waits, next, false, false), {Op: fence}, at(other, next, false, true)}, 1, 1, false},
		"elsewhere":            {[]timing.Event{at(waits, mine, false, false), at(other, mine, true, false)}, 0, 0, false},
		"a lock":               {[]timing.Event{at(waits, next, false, true), at(other, next, true, false)}, 0, 0, false},
		"a barrier":            {[]timing.Event{at(other, next, false, true), at(waits, next, false, false)}, 0, 0, false},
		"looking back":         {[]timing.Event{at(other, next, true, false), at(waits, mine, false, false)}, 0, 0, true},
	} {
		before := &timing.Block{Warps: []*timing.Trace{{Nodes: []timing.Node{{Events: c.events}}}}}
		got := chainTo(before, map[int64]bool{next: true}, awaits, ops)
		if got.links != c.links || got.fences != c.fences || got.looks != c.looks {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
