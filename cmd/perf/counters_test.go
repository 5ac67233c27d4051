package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/counters"
	"gpuperf/internal/format"
)

// countersRecorded are the kernels of testdata/h200/counters.jsonl.gz.
var countersRecorded = []string{
	"examples/matmul/matmul_prefetch.star -p n=1024", "examples/matmul/matmul.star -p n=1024,1040", "examples/matvec/matvec.star -p n=8192",
	"examples/nbody/nbody.star -p n=16384", "examples/softmax/softmax.star -p m=2048,n=4096", "examples/stencil/finite_diff.star -p n=4032",
	"examples/stencil/seven_point.star -p n=256", "examples/transpose/transpose.star -p n=4096", "examples/dg/dg.star -p nelements=16384",
	"examples/evaluation/unseen/kernels.star#triad -p n=3072",
	"axpy dtype:float32 n:1048576", "axpy dtype:float64 n:1048576", "flops_madd_pattern dtype:float32 nelements:524288",
	"flops_add_pattern dtype:float64 nelements:524288", "barrier_local dtype:float32 nelements:524288",
	"lmem_pattern dtype:float32 nelements:524288 lid_stride_0:1",
}

// TestCountersOfTheH200 holds docs/counters.md to what the H200 has counted: how many of our counts agree, and which do not. UPDATE=1
// writes the table there.
func TestCountersOfTheH200(t *testing.T) {
	t.Chdir("../..")
	table := format.NewTable("kernel", "what", ">hardware", ">counted", ">ratio")
	same, all := 0, 0
	for _, line := range countersRecorded {
		var out, stderr bytes.Buffer
		args := append([]string{"counters"}, strings.Fields(line)...)
		if status := run(t.Context(), append(args, "--recorded", "testdata/h200/counters.jsonl.gz", "--json"), strings.NewReader(""), &out, &stderr); status != exitDone {
			t.Fatalf("%s: %s", line, &stderr)
		}
		type compared struct {
			Kernel string
			At     map[string]int64
			Rows   []counters.Compared
		}
		var result struct {
			compared
			Kernels []compared
		}
		if err := json.Unmarshal(out.Bytes(), &result); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if result.Kernel != "" {
			result.Kernels = append(result.Kernels, result.compared)
		}
		for _, k := range result.Kernels {
			for _, r := range k.Rows {
				ratio, ok := r.Ratio()
				if !ok {
					continue
				}
				all++
				if math.Abs(ratio-1) <= 0.02 {
					same++
					continue
				}
				table.Row(k.Kernel+" "+format.Sizes(k.At), r.What, format.Rough(r.Hardware, ""), format.Rough(*r.Counted, ""), fmt.Sprintf("%.3f", ratio))
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %d counts agree within 2 %%. The others:\n\n", same, all)
	if err := table.WriteIndented(&text, "    "); err != nil {
		t.Fatal(err)
	}
	const page, begin, end = "docs/counters.md", "<!-- counted -->\n", "<!-- end -->"
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(before), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	after := head + begin + text.String() + end + tail
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(before), after); diff != "" {
		t.Error(diff)
	}
}
