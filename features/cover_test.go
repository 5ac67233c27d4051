package features

import (
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
	for _, c := range []struct{ features, want []string }{
		{[]string{"f_op_float32_madd", "f_mem_access_tag:aLD", "f_mem_lines_global_float32_store", "f_sync_kernel_launch"}, nil},
		{[]string{"f_op_float32_add", "f_mem_footprint_global", "f_sync_kernel_launch"}, []string{"float32 madd (subgroup)"}},
		{[]string{"f_op_float32_madd", "f_mem_access_global_afr:1", "f_thread_groups"}, []string{"kernel_launch"}},
		{[]string{"f_op_float32_madd", "f_mem_access_global_afr:>1", "f_sync_kernel_launch"}, []string{
			"global float32 load a$aLD lstrides:{0:1} gstrides:{0:32} (workitem)", "global float32 store b lstrides:{0:1} gstrides:{0:32} (workitem)",
		}},
	} {
		var ids []ID
		for _, text := range c.features {
			id, err := ParseID(text)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		records, err := s.Uncovered(ids, at)
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
	if _, err := s.Uncovered(nil, nil); err == nil {
		t.Error("a size is missing, and nothing is said")
	}
}
