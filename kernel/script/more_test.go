package script_test

import (
	"testing"

	"gpuperf/kernel/script"
)

// TestMoreTransformations calls the functions of the table that change inames, rules and work as people do.
func TestMoreTransformations(t *testing.T) {
	variants, err := script.Exec("k.star", `
_mm = lp.make_kernel("{[i,j,k]: 0<=i,j,k<n}", "c[i,j] = sum(k, a$aLD[i,k]*b[k,j])", assumptions="n >= 1 and n % 16 = 0")
_mm = lp.add_dtypes(_mm, {"a": "float32", "b": "float32"})
_tiled = lp.split_iname(_mm, "i", 16, outer_tag="g.1", inner_tag="l.1")
_tiled = lp.split_iname(_tiled, "j", 16, outer_tag="g.0", inner_tag="l.0")
_tiled = lp.split_iname(_tiled, "k", 16)
_rule = lp.extract_subst(_tiled, "f", "a$aLD[p, q]", parameters="p, q")

bare = lp.remove_work(lp.add_prefetch(_tiled, "a", ["i_inner", "k_inner"]), remove_vars=["b", "c"], accumulators=2)
pre = lp.precompute(_rule, "f(i, k)", ["i_inner", "k_inner"])
joined = lp.join_inames(lp.split_iname(_mm, "k", 4), ["k_outer", "k_inner"], new_iname="kk")
chunks = lp.chunk_iname(lp.fix_parameters(_mm, n=32), "i", 3, outer_tag="g.0")
mapped = lp.map_domain(_mm, "[n] -> {[i] -> [m]: m = n - 1 - i}")
unused = lp.remove_unused_inames(_mm)
axes = lp.add_inames_for_unused_hw_axes(_tiled)
barrier = lp.add_barrier(lp.realize_reduction(_mm), "id:*init", "id:*update", synchronization_kind="local")
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variants {
		if err := v.Kernel.Check(); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
	if len(variants) != 8 {
		t.Errorf("%d kernels", len(variants))
	}
}
