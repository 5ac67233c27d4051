package explain

import (
	"math"
	"testing"
)

// The differences of either list add up to that of the times.
func TestCompare(t *testing.T) {
	a := &Explanation{
		Predicted: 10, Costs: []Cost{{Words: "reads", By: "DRAM", Seconds: 6}, {Words: "barriers", Seconds: 4}},
		Lines: []Line{{File: "k.cu", Line: 3, Action: "load", Array: "x", Space: "global", Share: 0.5}, {File: "k.cu", Line: 4, Action: "load", Array: "x", Space: "global", Share: 0.2}},
	}
	b := &Explanation{
		Predicted: 4, Costs: []Cost{{Words: "reads", By: "DRAM", Seconds: 4}},
		Lines: []Line{{File: "k.cu", Line: 9, Action: "load", Array: "x", Space: "global", Share: 0.25}},
	}
	c := Compare(a, b)
	for _, list := range [][]Difference{c.Work, c.Lines} {
		sum := 0.0
		for _, d := range list {
			sum += d.Second - d.First
		}
		if math.Abs(sum+6) > 1e-9 {
			t.Errorf("%+v add up to %g", list, sum)
		}
	}
	want := Difference{"load of x in global memory", 7, 1, "k.cu:3, k.cu:4, k.cu:9"}
	if c.Lines[0] != want || c.Work[0].What != "barriers" {
		t.Errorf("%+v", c)
	}
}
