package offload

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"testing"
)

// filled is a line of testdata/h200_fill.jsonl: how long a launch of a kernel took on an H200 in float, in the median. Those of heat_3d are of a graph of 1000 launches, others between events.
type filled struct {
	Kernel  string
	Form    Form
	Mapping Mapping
	US      float64
}

// TestFill: the cost of shared sums is near the recorded times, and what is chosen by default is among the fastest of what was recorded, for sums and for launches without.
func TestFill(t *testing.T) {
	const clock, launch = 1.755e3, 2.9 // cycles in a microsecond, and those of an empty launch between events
	text, err := os.ReadFile("testdata/h200_fill.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	least, usual := map[string]float64{}, map[string]float64{}
	for line := range bytes.Lines(text) {
		var r filled
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if have, ok := least[r.Kernel]; !ok || r.US < have {
			least[r.Kernel] = r.US
		}
		m := Default(r.Form)
		if reflect.DeepEqual(m.Block, r.Mapping.Block) && (r.Form.Pointwise && reflect.DeepEqual(m.Points, r.Mapping.Points) || !r.Form.Pointwise && m.Share == r.Mapping.Share) {
			usual[r.Kernel] = r.US
		}
		if !r.Form.Pointwise {
			e := math.Log((launch + r.Form.sharing(r.Mapping)/clock) / r.US)
			sum, n = sum+e*e, n+1
		}
	}
	if e := math.Sqrt(sum / n); n < 80 || e > 0.1 {
		t.Errorf("the error of %.0f shared sums is %.3f", n, e)
	} else {
		t.Logf("the error of %.0f shared sums is %.3f", n, e)
	}
	for kernel, best := range least {
		if u := usual[kernel]; u == 0 || u > 1.1*best {
			t.Errorf("%s: %.2f µs by default, where the fastest of the recorded takes %.2f", kernel, u, best)
		}
	}
}
