package emulate

import (
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
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

// TestSpinning: a loop that asks for a word again and again waits for others, whether what the word holds is known from the start or not.
func TestSpinning(t *testing.T) {
	listing, err := sass.ReadFile(t.Context(), "trace/testdata/spin.sass")
	if err != nil {
		t.Fatal(err)
	}
	f := listing.Functions[0]
	for _, dtype := range []string{"int32", "uint8"} {
		r, err := Run(Input{Function: f, Device: sheet(t), Job: device.Job{Entry: f.Name, Global: []int64{64}, Local: []int64{32}, Args: []device.Arg{
			{Name: "flag", Kind: device.Buffer, DType: dtype, Count: 1 << 16, Sequence: &device.Sequence{}, Unknown: true},
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: 1 << 16},
			{Kind: device.Scalar, DType: "int32", Int: 32},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.emulation.builder.Awaits) != 1 {
			t.Errorf("%s: %v, %v", dtype, r.Status, r.Reasons)
		}
	}
}
