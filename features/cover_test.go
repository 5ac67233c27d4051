package features

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/kernel/script"
)

func TestUncovered(t *testing.T) {
	variants, err := script.Exec("test.star", `
knl = lp.make_kernel("{[i]: 0<=i<n}", "b[i] = 2*a$aLD[i] + 1")
knl = lp.split_iname(knl, "i", 32, outer_tag="g.0", inner_tag="l.0")
knl = lp.assume(knl, "n >= 32 and n % 32 = 0")
knl = lp.add_dtypes(knl, {"a": "float32", "b": "float32"})
`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Count(variants[0].Kernel, Options{SubgroupSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int64{"n": 1024}
	load, store := "global float32 load a$aLD lstrides:{0:1} gstrides:{0:32} (workitem)", "global float32 store b lstrides:{0:1} gstrides:{0:32} (workitem)"
	for _, c := range []struct {
		features, want []string
		growth         []float64 // nil: 1 of each
	}{
		{[]string{"f_op_float32_madd", "f_mem_access_tag:aLD", "f_mem_lines_global_float32_store", "f_sync_kernel_launch"}, nil, nil},
		{[]string{"f_op_float32_add", "f_mem_footprint_global", "f_sync_kernel_launch"}, []string{"float32 madd (subgroup)"}, nil},
		{[]string{"f_op_float32_madd", "f_mem_access_global_afr:1", "f_thread_groups"}, []string{"kernel_launch"}, nil},
		{[]string{"f_op_float32_madd", "f_mem_access_global_afr:>1", "f_sync_kernel_launch"}, []string{load, store}, nil},
		// A cost fitted to 0, a saturated feature, and one that falls are no costs.
		{[]string{"f_op_float32_madd", "f_mem_access_global", "f_sync_kernel_launch"}, []string{load, store}, []float64{1, 0, 1}},
		{[]string{"f_op_float32_madd", "f_mem_access_global", "f_sync_kernel_launch"}, []string{"float32 madd (subgroup)"}, []float64{-1, 1, 1}},
		// All stores but this one, whose own cost is 0; one that falls in another unit takes nothing back.
		{[]string{"f_op_float32_madd", "f_mem_access_global", "f_mem_access_tag:aLD", "f_sync_kernel_launch"}, []string{load}, []float64{1, 2, -2, 1}},
		{[]string{"f_op_float32_madd", "f_mem_access_global", "f_mem_footprint_global", "f_sync_kernel_launch"}, nil, []float64{1, 2, -2, 1}},
		{[]string{"f_static_groups"}, nil, nil},
		{[]string{"f_static_groups"}, []string{"float32 madd (subgroup)", load, store, "kernel_launch"}, []float64{0}},
	} {
		var ids []ID
		for _, text := range c.features {
			id, err := ParseID(text)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if c.growth == nil {
			c.growth = slices.Repeat([]float64{1}, len(ids))
		}
		records, err := s.Uncovered(ids, c.growth, at)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range records {
			got = append(got, r.Key.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.features, diff)
		}
	}
	if _, err := s.Uncovered(nil, nil, nil); err == nil {
		t.Error("a size is missing, and nothing is said")
	}
}
