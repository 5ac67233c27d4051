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
