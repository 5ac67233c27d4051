package trace

import (
	"context"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

// A loop that waits for what others store turns once, whether some lanes are in it or all.
func TestSpin(t *testing.T) {
	listing, err := sass.ReadFile(context.Background(), "testdata/spin.sass")
	if err != nil {
		t.Fatal(err)
	}
	f := listing.Functions[0]
	for _, lanes := range []int64{1, 20, 32} {
		args := buffers("flag", "y")
		args[0].DType, args[0].Sequence = "int32", &device.Sequence{}
		l, err := exec.New(f, device.Job{Entry: f.Name, Global: []int64{64}, Local: []int64{32}, Args: append(args, number(lanes))}, exec.Assumptions{})
		if err != nil {
			t.Fatal(err)
		}
		b := New(l)
		const most = 2000 // instructions, with those that it takes to see that nothing changes
		if n := b.Block([3]uint32{1}).Warps[0].Count(); b.Stuck || n > most {
			t.Errorf("%d lanes wait: %d instructions, cut off %v", lanes, n, b.Stuck)
		}
		doubts := l.Doubts()
		if len(doubts) != 1 || doubts[0].Kind != exec.UnknownTrips {
			t.Errorf("%d lanes wait: it is not told that the number of turns is not known: %+v", lanes, doubts)
		}
	}
}
