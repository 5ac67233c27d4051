package offload

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// recorded is a line of testdata/h200.jsonl: how long a nest of the examples took on an H200 in float, its constants too, all launches together between events. A mapping is that of
// its sums or of its stencil; default is what is chosen by default, plain a work-item for each point.
type recorded struct {
	Kernel   string
	Sizes    map[string]int64
	Launches int
	MS       float64
	Mapping  *Mapping
	Default  bool
	Plain    bool
}

func recordings(t *testing.T) (all []recorded) {
	text, err := os.ReadFile("testdata/h200.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestCycles: the cost of tiles of sums is near the recorded times, and what is chosen is among the fastest of what was recorded.
func TestCycles(t *testing.T) {
	const clock = 1.755e6 // cycles in a millisecond
	for name, x := range map[string]struct {
		form Form
		most float64 // of the error, as the root of the mean square of logarithms
	}{
		"gemm":  {Form{Parallel: 2, Tiles: true, Operands: 2, Extent: [3]int64{1100, 1000}, Terms: 1200, Bytes: 4}, 0.12},
		"syrk":  {Form{Parallel: 2, Tiles: true, Operands: 2, Extent: [3]int64{1200, 1200}, Terms: 1000, Bytes: 4}, 0.15},
		"syr2k": {Form{Parallel: 2, Tiles: true, Operands: 4, Extent: [3]int64{1200, 1200}, Terms: 1000, Bytes: 4}, 0.2},
	} {
		sum, n, least, usual := 0.0, 0.0, math.Inf(1), 0.0
		for _, r := range recordings(t) {
			if r.Kernel != name || r.Plain {
				continue
			}
			least = min(least, r.MS)
			if r.Default {
				usual = r.MS
			} else if r.Mapping.Ahead {
				e := math.Log(x.form.on().Cycles(x.form.tiles(*r.Mapping)) / clock / r.MS)
				sum, n = sum+e*e, n+1
			}
		}
		if e := math.Sqrt(sum / n); n < 5 || e > x.most {
			t.Errorf("%s: the error of %.0f mappings is %.3f", name, n, e)
		} else {
			t.Logf("%s: the error of %.0f mappings is %.3f; the default takes %.4f ms, the fastest %.4f", name, n, e, usual, least)
		}
		if usual > 1.05*least {
			t.Errorf("%s takes %g ms by default; a mapping takes %g", name, usual, least)
		}
	}
}
