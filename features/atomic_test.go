package features

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestAtomics: an atomic update is a load, a store and its operation, which is no part of a multiply-add, and finds its element once.
func TestAtomics(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<64*n}"}, Instructions: "h[b[i]] = h[b[i]] + 2*x[i]*y[i] {atomic}", Assumptions: "n >= 1",
		DTypes: map[string]expr.DType{"b": "int32", "x": "float32", "y": "float32", "h": "float32"},
		Args:   []*kernel.Array{{Name: "h", Shape: []expr.Expr{expr.Int{Value: 16}}}},
	})
	if err == nil {
		k, err = transform.SplitIname(k, "i", 64, transform.Split{OuterTag: "g.0", InnerTag: "l.0"})
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := Count(k, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, r := range s.Records {
		if got[r.Key.String()], err = r.At(map[string]int64{"n": 10}); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]float64{
		"float32 add (subgroup)": 20, "float32 mul (subgroup)": 40, "kernel_launch": 1,
		"global float32 load h lstrides:{0:?} gstrides:{0:?} (workitem)":  640,
		"global float32 store h lstrides:{0:?} gstrides:{0:?} (workitem)": 640,
		"global int32 load b lstrides:{0:1} gstrides:{0:64} (workitem)":   640,
		"global float32 load x lstrides:{0:1} gstrides:{0:64} (workitem)": 640,
		"global float32 load y lstrides:{0:1} gstrides:{0:64} (workitem)": 640,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
