package microbench

import (
	"testing"

	"gpuperf/device/facts"
	"gpuperf/features"
)

// promised counts what the doc strings promise, per sub-group of 32 where features are counted so: e elements, each with a
// work-item, and m.
var promised = []struct {
	filter  string
	feature string
	want    func(e, m int64) int64
}{
	{"flops_madd_pattern dtype:float32", "f_op_float32_madd", func(e, m int64) int64 { return 32 * m * e / 32 }},
	{"flops_madd_pattern dtype:float32", "f_op_float32_add", func(e, _ int64) int64 { return 31 * e / 32 }},
	{"flops_madd_pattern dtype:float32", "f_op_int32_add", func(e, _ int64) int64 { return 4 * e / 32 }},
	{"flops_madd_pattern dtype:float32", "f_mem_access_global_float32_store_lstrides:{0:1;1:2048}_gstrides:{0:16;1:32768}", func(e, _ int64) int64 { return e }},
	{"flops_madd_pattern dtype:float64", "f_op_float64_madd", func(e, m int64) int64 { return m * e }},
	{"flops_mul_pattern dtype:float32", "f_op_float32_mul", func(e, m int64) int64 { return m * e }},
	{"flops_mul_pattern dtype:float32", "f_op_int32_add", func(e, _ int64) int64 { return 2 * e / 32 }},
	{"flops_mul_pattern dtype:float64", "f_op_float64_add", func(e, _ int64) int64 { return 31 * e / 32 }},
	{"flops_add_pattern dtype:float32", "f_op_float32_add", func(e, m int64) int64 { return m*e + 31*e/32 }},
	{"flops_add_pattern dtype:float32", "f_op_int32_add", func(e, _ int64) int64 { return 2 * e / 32 }},
	{"flops_add_pattern dtype:float64 groups_fit:False", "f_op_float64_add", func(e, m int64) int64 { return m*e + 31*e/32 }},
	{"gmem_pattern dtype:float32 n_in_arrays:3", "f_mem_access_global_float32_load_lstrides:{0:1;1:>1}_gstrides:{0:16;1:>16}_afr:1", func(e, _ int64) int64 { return 3 * e }},
	{"gmem_pattern dtype:float32 n_in_arrays:3", "f_mem_access_global_float32_store", func(e, _ int64) int64 { return e }},
	{"gmem_pattern dtype:float32 n_in_arrays:3", "f_op_float32_add", func(e, _ int64) int64 { return 2 * e / 32 }},
	{"cache_pattern", "f_mem_access_global_float32_load_lstrides:{0:1}_gstrides:{0:256}", func(e, m int64) int64 { return m * e }},
	{"cache_pattern lid_stride:0", "f_mem_access_global_float32_load_lstrides:{0:0}", func(e, m int64) int64 { return m * e / 32 }},
	{"cache_pattern shift:1", "f_mem_lines_global_float32_load", func(e, m int64) int64 { return 2 * m * e / 32 }},
	{"cache_pattern lid_stride:8", "f_static_load_rounds", func(e, m int64) int64 { return m / 16 * ((e/256 + 8*132 - 1) / (8 * 132)) }},
	{"lmem_pattern dtype:float32", "f_mem_access_local_float32_load", func(e, m int64) int64 { return (m + 1) * e / 32 }},
	{"lmem_pattern dtype:float32", "f_mem_access_local_float32_store_lstrides:{0:1}", func(e, m int64) int64 { return (m + 17) * e / 32 }},
	{"lmem_pattern dtype:float64", "f_mem_access_global_float64_store", func(e, _ int64) int64 { return e }},
	{"lmem_pattern dtype:float32", "f_sync_barrier_local", func(_, m int64) int64 { return m / 16 }},
	{"lmem_pattern dtype:float32 lid_stride_0:16", "f_mem_access_local_float32_store_lstrides:{0:16;1:1}", func(e, m int64) int64 { return (m + 17) * e / 32 }},
	{"lmem_pattern dtype:float64 lid_stride_0:17", "f_mem_access_local_float64_load_lstrides:{0:17}", func(e, m int64) int64 { return (m + 1) * e / 32 }},
	{"flops_div_pattern dtype:float32", "f_op_float32_div", func(e, m int64) int64 { return m * e }},
	{"flops_div_pattern dtype:float64", "f_op_float64_add", func(e, _ int64) int64 { return 31 * e / 32 }},
	{"flops_div_pattern dtype:float64", "f_op_int32_add", func(e, _ int64) int64 { return 2 * e / 32 }},
	{"flops_pow_pattern dtype:float32", "f_op_float32_pow", func(e, m int64) int64 { return m * e }},
	{"flops_pow_pattern dtype:float64", "f_op_float64_pow", func(e, m int64) int64 { return m * e }},
	{"flops_func_pattern dtype:float32 function:exp", "f_op_float32_func:exp", func(e, m int64) int64 { return m * e }},
	{"flops_func_pattern dtype:float64 function:rsqrt", "f_op_float64_func:rsqrt", func(e, m int64) int64 { return m * e }},
	{"flops_func_pattern dtype:float32 function:sin", "f_op_float32_func:sin", func(e, m int64) int64 { return m * e }},
	{"flops_func_pattern dtype:float32 function:sin", "f_op_float32_add", func(e, _ int64) int64 { return 63 * e / 32 }},
	{"flops_func_pattern dtype:float32 function:sin", "f_op_float32_mul", func(_, _ int64) int64 { return 0 }},
	{"overlap_ratio", "f_mem_access_global_float32_load_afr:1", func(e, _ int64) int64 { return e }},
	{"overlap_ratio", "f_mem_access_global_float32_store_afr:1", func(e, _ int64) int64 { return e }},
	{"overlap_ratio", "f_mem_access_local_float32_load_lstrides:{0:1}", func(e, m int64) int64 { return (m + 1) * e / 32 }},
	{"overlap_ratio", "f_mem_access_local_float32_store_lstrides:{0:1}", func(e, m int64) int64 { return (m + 1) * e / 32 }},
	{"overlap_ratio", "f_sync_barrier_local", func(_, _ int64) int64 { return 0 }},
	{"transpose dtype:float32 prefetch:True", "f_mem_access_tag:aLD_global_float32_load_lstrides:{0:1}", func(e, _ int64) int64 { return e * e }},
	{"transpose dtype:float32 prefetch:True", "f_mem_access_tag:bST_global_float32_store_lstrides:{0:1}", func(e, _ int64) int64 { return e * e }},
	{"transpose dtype:float32 prefetch:True", "f_mem_access_local_float32_load_lstrides:{0:16}", func(e, _ int64) int64 { return e * e / 32 }},
	{"transpose dtype:float64 prefetch:False", "f_mem_access_tag:aLD_global_float64_load_lstrides:{0:>1;1:1}", func(e, _ int64) int64 { return e * e }},
	{"convolution dtype:float32 prefetch:False filter_size:5", "f_op_float32_madd", func(e, _ int64) int64 { return 25 * e * e / 32 }},
	{"convolution dtype:float32 prefetch:False filter_size:5", "f_mem_access_tag:imageLD", func(e, _ int64) int64 { return 25 * e * e }},
	{"convolution dtype:float32 prefetch:True filter_size:5", "f_mem_access_tag:imageLD", func(e, _ int64) int64 { return 400 * e * e / 256 }},
	{"convolution dtype:float32 prefetch:True filter_size:5", "f_mem_access_local_float32_load", func(e, _ int64) int64 { return 25 * e * e / 32 }},
	{"convolution dtype:float32 prefetch:True filter_size:5", "f_mem_access_tag:resultST", func(e, _ int64) int64 { return e * e }},
	{"axpy dtype:float32", "f_op_float32_madd", func(e, _ int64) int64 { return e / 32 }},
	{"axpy dtype:float32", "f_mem_access_global_float32_load_lstrides:{0:1}", func(e, _ int64) int64 { return 2 * e }},
	{"axpy dtype:float32", "f_mem_access_global_float32_store_lstrides:{0:1}", func(e, _ int64) int64 { return e }},
	{"vary_flops dtype:float32 n_flops:16", "f_op_float32_madd", func(e, _ int64) int64 { return 16 * e / 32 }},
	{"vary_flops dtype:float32 n_flops:16", "f_mem_access_global_float32_load", func(e, _ int64) int64 { return e }},
	{"vary_subs dtype:float64 n_in_arrays:8", "f_op_float64_add", func(e, _ int64) int64 { return 7 * e / 32 }},
	{"vary_subs dtype:float64 n_in_arrays:8", "f_mem_access_global_float64_load", func(e, _ int64) int64 { return 8 * e }},
	{"dg_diff dtype:float32", "f_op_float32_madd", func(e, _ int64) int64 { return 3 * 64 * 64 * e / 32 }},
	{"dg_diff dtype:float32 variant:basic", "f_mem_access_tag:uLDBasic_global_float32_load_lstrides:{0:64;1:0}", func(e, _ int64) int64 { return 3 * 64 * 64 * e }},
	{"dg_diff dtype:float32 variant:basic", "f_mem_access_tag:dLDBasic", func(e, _ int64) int64 { return 3 * 64 * 64 * e / 32 }},
	{"dg_diff dtype:float32 variant:prefetch_u", "f_mem_access_tag:uLDPrefetchU", func(e, _ int64) int64 { return 4 * 64 * e }},
	{"dg_diff dtype:float32 variant:prefetch_u", "f_mem_access_local_float32_load_lstrides:{0:16;1:0}", func(e, _ int64) int64 { return 3 * 64 * 64 * e / 32 }},
	{"dg_diff dtype:float32 variant:prefetch_u", "f_mem_access_tag:resSTPrefetchU", func(e, _ int64) int64 { return 3 * 64 * e }},
	{"dg_diff dtype:float64 variant:prefetch_diff_mat", "f_mem_access_tag:dLDPrefetchD", func(e, _ int64) int64 { return 3 * 64 * 64 / 16 * e }},
	{"dg_diff dtype:float64 variant:prefetch_diff_mat", "f_mem_access_tag:uLDPrefetchD_global_float64_load_lstrides:{0:64}", func(e, _ int64) int64 { return 3 * 64 * 64 * e }},
	{"dg_diff dtype:float64 variant:prefetch_diff_mat_T", "f_mem_access_tag:dLDPrefetchD", func(e, _ int64) int64 { return 3 * 64 * 64 / 16 * e }},
	{"dg_diff dtype:float64 variant:prefetch_diff_mat_T", "f_mem_access_tag:uLDPrefetchDT_global_float64_load_lstrides:{0:1}", func(e, _ int64) int64 { return 3 * 64 * 64 * e }},
	{"dg_diff dtype:float64 variant:prefetch_diff_mat_T", "f_mem_access_tag:resSTPrefetchDT_global_float64_store_lstrides:{0:1}", func(e, _ int64) int64 { return 3 * 64 * e }},
	{"finite_diff dtype:float32 lsize_0:16", "f_mem_access_tag:uLD16_global_float32_load_lstrides:{0:1}_gstrides:{0:14}", func(e, _ int64) int64 { return 256 * e / 14 * e / 14 }},
	{"finite_diff dtype:float32 lsize_0:16", "f_mem_access_tag:resST16", func(e, _ int64) int64 { return e * e }},
	{"finite_diff dtype:float32 lsize_0:18", "f_mem_access_tag:uLD18_global_float32_load_lstrides:{0:1}_gstrides:{0:16}", func(e, _ int64) int64 { return 324 * e / 16 * e / 16 }},
	{"finite_diff dtype:float64 lsize_0:18", "f_mem_access_tag:resST18_global_float64_store_lstrides:{0:1}", func(e, _ int64) int64 { return e * e }},
	{"finite_diff dtype:float64 lsize_0:18", "f_sync_barrier_local", func(_, _ int64) int64 { return 1 }},
	{"barrier_local", "f_sync_barrier_local", func(_, m int64) int64 { return m }},
	{"barrier_local", "f_thread_groups", func(e, _ int64) int64 { return e / 256 }},
	{"stream_pattern dtype:float16 reads:2 load_stride:4 store_stride:8", "f_mem_access_global_float16_load_lstrides:{0:4}", func(e, _ int64) int64 { return 2 * e }},
	{"stream_pattern dtype:float16 reads:2 load_stride:4 store_stride:8", "f_mem_access_global_float16_store_lstrides:{0:8}", func(e, _ int64) int64 { return e }},
	{"stream_pattern dtype:int32 writes:sum each:16 place:near", "f_mem_access_global_int32_load_lstrides:{0:16}", func(e, _ int64) int64 { return e }},
	{"stream_pattern dtype:float64 writes:sum each:16", "f_mem_access_global_float64_store", func(e, _ int64) int64 { return e / 16 }},
	{"stencil_pattern dtype:float64 dims:2 radius:2 groups_fit:True", "f_op_float64_add", func(e, _ int64) int64 { return 8 * e * e / 32 }},
	{"rounds_pattern dtype:float32 batch:4", "f_mem_access_global_float32_load", func(e, m int64) int64 { return 4 * m * e }},
	{"gather_pattern dtype:float64", "f_mem_access_global_int32_load_lstrides:{0:1}", func(e, _ int64) int64 { return e }},
	{"ops_pattern dtype:float16 chains:4", "f_op_float16_madd", func(e, m int64) int64 { return 4 * m * e / 32 }},
	{"ops_pattern dtype:float32 function:sqrt chains:2", "f_op_float32_func:sqrt", func(e, m int64) int64 { return 2 * m * e / 32 }},
	{"empty_kernel", "f_thread_groups", func(e, _ int64) int64 { return e }},
	{"empty_kernel", "f_sync_kernel_launch", func(_, _ int64) int64 { return 1 }},
	{"matmul_sq dtype:float32 prefetch:True", "f_op_float32_madd", func(e, _ int64) int64 { return e * e * e / 32 }},
	{"matmul_sq dtype:float32 prefetch:True", "f_mem_access_local_float32_load", func(e, _ int64) int64 { return 2 * e * e * e / 32 }},
	{"matmul_sq dtype:float32 prefetch:True", "f_mem_access_tag:aLD", func(e, _ int64) int64 { return e * e * e / 16 }},
	{"matmul_sq dtype:float32 prefetch:True", "f_mem_access_tag:bLD", func(e, _ int64) int64 { return e * e * e / 16 }},
	{"matmul_sq dtype:float32 prefetch:True", "f_mem_access_local_float32_store", func(e, _ int64) int64 { return 2 * e * e * e / 16 / 32 }},
	{"matmul_sq dtype:float32 prefetch:True", "f_sync_barrier_local", func(e, _ int64) int64 { return 2 * e / 16 }},
	{"matmul_sq dtype:float64 prefetch:False", "f_mem_access_tag:bLD", func(e, _ int64) int64 { return e * e * e }},
	{"matmul_sq dtype:float64 prefetch:False", "f_mem_access_tag:aLD", func(e, _ int64) int64 { return e * e * e / 32 }},
}

// TestCounts compares the symbolic counts of the variants with what their generators promise, at all default sizes.
func TestCounts(t *testing.T) {
	c := load(t)
	h200, _ := facts.Named("NVIDIA H200")
	counted := map[string]*features.Statistics{}
	for _, p := range promised {
		variants, err := c.choose(p.filter, "")
		if err != nil {
			t.Errorf("%s: %v", p.filter, err)
			continue
		}
		id, err := features.ParseID(p.feature)
		if err != nil {
			t.Errorf("%s: %v", p.feature, err)
			continue
		}
		for _, v := range variants {
			stats := counted[v.KernelID()]
			if stats == nil {
				k, err := v.Kernel()
				if err == nil {
					stats, err = features.Count(k, features.Options{Device: h200})
				}
				if err != nil {
					t.Errorf("%s: %v", v, err)
					break
				}
				for _, w := range stats.Warnings {
					t.Errorf("%s: %v", v, w)
				}
				counted[v.KernelID()] = stats
			}
			e := v.Sizes["nelements"] + v.Sizes["n"] + v.Sizes["num_groups"] // one of them is there
			got, err := stats.Value(id, v.Sizes)
			if want := float64(p.want(e, v.Sizes["m"])); err != nil || got != want {
				t.Errorf("%s: %s is %v (%v), want %v", v, p.feature, got, err, want)
				break
			}
		}
	}
}
