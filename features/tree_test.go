package features

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

// reductionOf makes groups g < n reduce size values each over lid(0).
func reductionOf(t *testing.T, instructions string, size int, tags string) *kernel.Kernel {
	t.Helper()
	ok := made(t)
	k := ok(kernel.Make(kernel.Spec{
		Domains:      []string{fmt.Sprintf("{[g,l,m]: 0<=g<n and 0<=l,m<%d}", size)},
		Instructions: instructions, Assumptions: "n >= 1", DTypes: map[string]expr.DType{"x": "float32"},
	}))
	return ok(transform.TagInames(k, tags))
}

// TestTrees: a reduction over work-items is counted as the tree in local memory that it becomes: one step for each halving,
// counted for all sub-groups of the group, and the barriers between steps.
func TestTrees(t *testing.T) {
	for _, c := range []struct {
		instructions, tags string
		want               []string
	}{
		{
			"y[g] = sum(l, x[g,l])", "g:g.0, l:l.0",
			[]string{
				"float32 add (subgroup): [n] -> { 12*n }", // 6 steps, 2 sub-groups
				"global float32 load x lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }",
				"global float32 store y lstrides:{} gstrides:{0:1} (subgroup): [n] -> { 2*n }",
				"local float32 load acc_l lstrides:{} gstrides:{} (subgroup): [n] -> { 2*n }",
				"local float32 load acc_l lstrides:{0:1} gstrides:{} (subgroup): [n] -> { 24*n }",
				"local float32 store acc_l lstrides:{0:1} gstrides:{} (subgroup): [n] -> { 14*n }",
				"barrier_local: [n] -> { 6 }",
				"kernel_launch: { 1 }",
				"read acc_l: [n] -> { 64 }",
				"write acc_l: [n] -> { 64 }",
				"read x: [n] -> { 64*n }",
				"write y: [n] -> { n }",
			},
		},
		{
			"<> t = max(l, x[g,l])\ny[g,m] = 2*t", "g:g.0, l:l.0, m:l.0",
			[]string{
				"float32 func:max (subgroup): [n] -> { 12*n }",
				"float32 mul (subgroup): [n] -> { 2*n }",
				"global float32 load x lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }",
				"global float32 store y lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }",
				"local float32 load acc_l lstrides:{} gstrides:{} (subgroup): [n] -> { 2*n }",
				"local float32 load acc_l lstrides:{0:1} gstrides:{} (subgroup): [n] -> { 24*n }",
				"local float32 store acc_l lstrides:{0:1} gstrides:{} (subgroup): [n] -> { 14*n }",
				"barrier_local: [n] -> { 7 }",
				"kernel_launch: { 1 }",
				"read acc_l: [n] -> { 64 }",
				"write acc_l: [n] -> { 64 }",
				"read x: [n] -> { 64*n }",
				"write y: [n] -> { 64*n }",
			},
		},
	} {
		s, err := Count(reductionOf(t, c.instructions, 64, c.tags), Options{Footprint: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, lines(s)); diff != "" {
			t.Errorf("%s: %s", c.instructions, diff)
		}
	}
}

// TestTreesAsRun: barriers, and local accesses by work-items, are those of a run, for extents that are powers of two and others.
func TestTreesAsRun(t *testing.T) {
	const groups = 3
	for _, instructions := range []string{
		"y[g] = sum(l, x[g,l])", "y[g] = sum((l, m), x[g,l]*m)", "<> s = sum(l, x[g,l])\ny[g] = sum(l, s*x[g,l])", "y[g] = max(l, x[g,l]) - min(l, x[g,l])",
	} {
		for _, size := range []int{1, 2, 3, 5, 8, 13, 33} {
			k := reductionOf(t, instructions, size, "g:g.0, l:l.0")
			nest, err := linear.New(k)
			if err != nil {
				t.Fatal(err)
			}
			buffers := map[string]*interp.Buffer{"x": interp.NewBuffer("float32", groups*size), "y": interp.NewBuffer(nest.Kernel.Array("y").DType, groups)}
			for i := range groups * size {
				buffers["x"].Set(i, float64(i*i%7))
			}
			report, err := interp.Run(nest, map[string]int64{"n": groups}, buffers)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Count(k, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Warnings) > 0 {
				t.Errorf("%s: %v", instructions, s.Warnings)
			}
			at := map[string]int64{"n": groups}
			barriers := int64(0)
			loads, stores := map[string]int64{}, map[string]int64{}
			for _, r := range s.Records {
				switch key := r.Key.(type) {
				case Sync:
					if strings.HasPrefix(key.Op, "barrier") {
						v, err := r.Count.Eval(at)
						if err != nil {
							t.Fatal(err)
						}
						barriers += v.Num().Int64()
					}
				case Mem:
					for _, site := range s.sites[key] {
						n, err := s.c.sum(map[where]int64{s.c.where(site.at, WorkItem): 1})
						if err != nil {
							t.Fatal(err)
						}
						v, err := n.Eval(at)
						if err != nil {
							t.Fatal(err)
						}
						if key.Direction == Load {
							loads[key.Variable] += v.Num().Int64()
						} else {
							stores[key.Variable] += v.Num().Int64()
						}
					}
				}
			}
			if groups*barriers != report.Barriers {
				t.Errorf("%s, %d values: %d barriers in a group, %d in %d groups of a run", instructions, size, barriers, report.Barriers, groups)
			}
			for _, a := range slices.Concat(nest.Kernel.Args, nest.Kernel.Temps) {
				if a.IsValue || a.Space == kernel.Private {
					continue
				}
				if loads[a.Name] != report.Loads[a.Name] || stores[a.Name] != report.Stores[a.Name] {
					t.Errorf("%s, %d values: %s has %d loads and %d stores, in a run %d and %d",
						instructions, size, a.Name, loads[a.Name], stores[a.Name], report.Loads[a.Name], report.Stores[a.Name])
				}
			}
		}
	}
}
