package offload

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"gpuperf/samples"
	"gpuperf/scop/schedule"
)

// filled is a line of testdata/h200_fill.jsonl: how long a launch of a kernel took on an H200 in float, in the median. Those of heat_3d are of a graph of 1000 launches, others between events.
// Sums of points are those of a convolution and of layer, which is one with 128 channels from 96 of 27×27 and windows of 5×5.
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
	jams, count := 0.0, 0.0
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
		if r.Form.Jam.Count > 0 {
			e := math.Log((launch + r.Form.jamming(r.Mapping)/clock) / r.US)
			jams, count = jams+e*e, count+1
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
	if e := math.Sqrt(jams / count); count < 13 || e > 0.2 {
		t.Errorf("the error of %.0f sums of points is %.3f", count, e)
	} else {
		t.Logf("the error of %.0f sums of points is %.3f", count, e)
	}
	for kernel, best := range least {
		if kernel == "layer_0" { // its default was not run
			continue
		}
		if u := usual[kernel]; u == 0 || u > 1.1*best {
			t.Errorf("%s: %.2f µs by default, where the fastest of the recorded takes %.2f", kernel, u, best)
		}
	}
}

// sum is a mapping of shared sums in a recorded search: of which nest and statements.
type sum struct {
	nest, statements string
	block, share     string
}

// TestRecordedSums: where a search on an H200 ran the default mapping of shared sums, it takes little longer than the fastest mapping of these sums; also in launches of the host's loops, each of which
// has other sizes.
func TestRecordedSums(t *testing.T) {
	set, err := samples.Load("../../testdata/h200/searched.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	took, best, sizes := map[sum]float64{}, map[sum]float64{}, map[string]map[string]int64{}
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		nest := strings.TrimSuffix(r.Kernel.Source, ".c")
		sizes[nest] = r.Kernel.Sizes
		for metric, v := range r.Metrics {
			part := strings.TrimPrefix(metric, "seconds of ")
			of := sum{nest: nest, statements: part}
			one := sum{nest, part, r.Kernel.Args[part+" block"], r.Kernel.Args[part+" share"]}
			if r.Status != samples.OK || one.share == "" || one.block == "" {
				continue
			}
			took[one] = min(cmp.Or(took[one], v.Value), v.Value)
			best[of] = min(cmp.Or(best[of], v.Value), v.Value)
		}
	}
	logs, n := 0.0, 0.0
	for nest, at := range sizes {
		p, err := find(example(t, nest, "float"), schedule.Smart, Options{Sizes: at})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.asked {
			m, part := Default(a.form), strings.Join(a.statements, "+")
			usual := took[sum{nest, part, written(m.Block), fmt.Sprint(m.Share)}]
			if a.form.Sums == None || usual == 0 {
				continue
			}
			ratio := usual / best[sum{nest: nest, statements: part}]
			t.Logf("%s, %s: %sx%d takes %.2f times as long as the fastest", nest, part, written(m.Block), m.Share, ratio)
			if logs, n = logs+math.Log(ratio), n+1; ratio > 1.15 {
				t.Errorf("%s, %s: the default takes %.2f times as long as the fastest", nest, part, ratio)
			}
		}
	}
	if mean := math.Exp(logs / n); n < 8 || mean > 1.06 {
		t.Errorf("%.0f default mappings take %.3f times as long as the fastest in the mean", n, mean)
	}
}
