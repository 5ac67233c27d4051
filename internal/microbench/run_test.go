package microbench

import (
	"maps"
	"slices"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
	"gpuperf/models"
)

// smallRuns are variants that the interpreter runs, and what their doc strings promise: accesses and executions summed
// over all work-items, barriers over all work-groups.
var smallRuns = []struct {
	filter        string
	groups        int64
	runs          map[string]int64 // of statements, by ID
	loads, stores map[string]int64 // by array
	barriers      int64
}{
	{
		filter: "flops_madd_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 nelements:128 m:128", groups: 16,
		runs: map[string]int64{"update_0": 128 * 128, "update_31": 128 * 128, "store": 128}, stores: map[string]int64{"result": 128},
	},
	{
		filter: "flops_mul_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 nelements:128 m:64", groups: 16,
		runs: map[string]int64{"update_7": 128 * 64, "constant_factor": 128}, stores: map[string]int64{"result": 128},
	},
	{
		filter: "flops_add_pattern lsize_0:8 lsize_1:1 lid_stride_1:0 nelements:64 m:192", groups: 8,
		runs: map[string]int64{"update_31": 64 * 192}, stores: map[string]int64{"result": 64},
	},
	{ // sizes that do not divide: 70 elements, 2 rows of work-groups of 4x2 with 16 columns
		filter: "flops_add_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 groups_fit:False nelements:70 m:64", groups: 12,
		runs: map[string]int64{"update_31": 70 * 64}, stores: map[string]int64{"result": 70},
	},
	{ // every second element, axis 1 contiguous
		filter: "flops_mul_pattern lsize_0:2 lsize_1:4 lid_stride_0:32 lid_stride_1:2 nelements:128 m:64", groups: 8,
		runs: map[string]int64{"update_31": 64 * 64}, stores: map[string]int64{"result": 64},
	},
	{
		filter: "gmem_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 n_in_arrays:3 nelements:64", groups: 8,
		loads: map[string]int64{"in0": 64, "in1": 64, "in2": 64}, stores: map[string]int64{"result": 64},
	},
	{ // work-groups side by side: 16 apart in both directions
		filter: "gmem_pattern lsize_0:4 lsize_1:4 lid_stride_1:4 gid_stride_0:16 gid_stride_1:64 n_in_arrays:1 nelements:128", groups: 8,
		loads: map[string]int64{"in0": 128}, stores: map[string]int64{"result": 128},
	},
	{ // neighbouring work-groups take neighbouring elements
		filter: "gmem_pattern lsize_0:8 lsize_1:1 lid_stride_1:0 lid_stride_0:16 gid_stride_0:128 n_in_arrays:1 nelements:256", groups: 2,
		loads: map[string]int64{"in0": 16}, stores: map[string]int64{"result": 16},
	},
	{
		filter: "gmem_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 groups_fit:False n_in_arrays:2 nelements:45", groups: 8,
		loads: map[string]int64{"in0": 45, "in1": 45}, stores: map[string]int64{"result": 45},
	},
	{
		filter: "cache_pattern lsize_0:8 lid_stride:3 step:5 shift:1 batch:2 nelements:32 m:6", groups: 4,
		loads: map[string]int64{"in0": 32 * 6}, stores: map[string]int64{"result": 32},
	},
	{ // all lanes load one element
		filter: "cache_pattern lsize_0:8 lid_stride:0 batch:1 nelements:32 m:3", groups: 4,
		loads: map[string]int64{"in0": 32 * 3}, stores: map[string]int64{"result": 32},
	},
	{
		filter: "lmem_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 nelements:64 m:48", groups: 8,
		loads: map[string]int64{"tile": 64*48 + 64}, stores: map[string]int64{"tile": 64*48 + 64*17, "result": 64}, barriers: 8 * 3,
	},
	{
		filter: "lmem_pattern lsize_0:8 lsize_1:1 lid_stride_1:0 nelements:32 m:16", groups: 4,
		loads: map[string]int64{"tile": 32*16 + 32}, stores: map[string]int64{"tile": 32*16 + 32*17, "result": 32}, barriers: 4,
	},
	{
		filter: "barrier_local dtype:float32,float64 lsize_0:4 lsize_1:2 lid_stride_1:16 nelements:64 m:7", groups: 8,
		stores: map[string]int64{"result": 64}, barriers: 8 * 7,
	},
	{
		filter: "cache_pattern lsize_0:8 lid_stride:3 step:5 shift:1 batch:2 nelements:32 m:6", groups: 4,
		loads: map[string]int64{"in0": 32 * 6}, stores: map[string]int64{"result": 32},
	},
	{ // all lanes load one element
		filter: "cache_pattern lsize_0:8 lid_stride:0 batch:1 nelements:32 m:3", groups: 4,
		loads: map[string]int64{"in0": 32 * 3}, stores: map[string]int64{"result": 32},
	},
	{
		filter: "lmem_pattern lsize_0:4 lsize_1:2 lid_stride_0:2,5 lid_stride_1:16 nelements:64 m:48", groups: 8,
		loads: map[string]int64{"tile": 64*48 + 64}, stores: map[string]int64{"tile": 64*48 + 64*17, "result": 64}, barriers: 8 * 3,
	},
	{
		filter: "lmem_pattern lsize_0:8 lsize_1:1 lid_stride_0:3 lid_stride_1:0 nelements:32 m:16", groups: 4,
		loads: map[string]int64{"tile": 32*16 + 32}, stores: map[string]int64{"tile": 32*16 + 32*17, "result": 32}, barriers: 4,
	},
	{
		filter: "flops_div_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 nelements:128 m:14", groups: 16,
		runs: map[string]int64{"update_0": 128 * 14, "constant_numerator": 128}, stores: map[string]int64{"result": 128},
	},
	{
		filter: "flops_pow_pattern lsize_0:4 lsize_1:2 lid_stride_1:16 groups_fit:False nelements:70 m:10", groups: 12,
		runs: map[string]int64{"update_31": 70 * 10}, stores: map[string]int64{"result": 70},
	},
	{
		filter: "flops_func_pattern function:exp,rsqrt,sin,cos,sqrt,tanh lsize_0:8 lsize_1:1 lid_stride_1:0 nelements:64 m:16", groups: 8,
		runs: map[string]int64{"update_31": 64 * 16}, stores: map[string]int64{"result": 64},
	},
	{
		filter: "overlap_ratio dtype:float32,float64 lsize_0:4 lsize_1:2 lid_stride_1:16 nelements:64 m:5", groups: 8,
		loads: map[string]int64{"in0": 64, "tile": 64 * 6}, stores: map[string]int64{"tile": 64 * 6, "result": 64},
	},
	{filter: "empty_kernel lsize_0:8 num_groups:5", groups: 5},
	{
		filter: "matmul_sq prefetch:False lsize_0:4 lsize_1:4 n:8", groups: 4,
		loads: map[string]int64{"a": 512, "b": 512}, stores: map[string]int64{"c": 64},
	},
	{
		filter: "matmul_sq prefetch:False lsize_0:8 lsize_1:4 n:8", groups: 2,
		loads: map[string]int64{"a": 512, "b": 512}, stores: map[string]int64{"c": 64},
	},
	{
		filter: "matmul_sq prefetch:True lsize_0:4 lsize_1:4 n:8", groups: 4,
		loads:    map[string]int64{"a": 128, "b": 128, "a_fetch": 512, "b_fetch": 512},
		stores:   map[string]int64{"c": 64, "a_fetch": 128, "b_fetch": 128},
		barriers: 4 * 2 * 2,
	},
	{ // 2x2 groups of 4x4 over 7x7: guards
		filter: "matmul_sq prefetch:True lsize_0:4 lsize_1:4 groups_fit:False n:7", groups: 4,
		loads:    map[string]int64{"a": 98, "b": 98, "a_fetch": 343, "b_fetch": 343},
		stores:   map[string]int64{"c": 49, "a_fetch": 98, "b_fetch": 98},
		barriers: 4 * 2 * 2,
	},
	{ // 2x2 groups of 16x16, 2 tiles along j
		filter: "dg_diff variant:basic nmatrices:2 nunit_nodes:32 nelements:32", groups: 4,
		loads: map[string]int64{"u": 1 << 16, "diff_mat": 1 << 16}, stores: map[string]int64{"res": 1 << 11},
	},
	{
		filter: "dg_diff variant:prefetch_u nmatrices:2 nunit_nodes:32 nelements:32", groups: 4,
		loads:    map[string]int64{"u": 1 << 11, "u_fetch": 1 << 16, "diff_mat": 1 << 16},
		stores:   map[string]int64{"res": 1 << 11, "u_fetch": 1 << 11},
		barriers: 4 * 2 * 2,
	},
	{
		filter: "dg_diff variant:prefetch_diff_mat,prefetch_diff_mat_T nmatrices:2 nunit_nodes:32 nelements:32", groups: 4,
		loads:    map[string]int64{"u": 1 << 16, "diff_mat": 1 << 12, "diff_mat_fetch": 1 << 16},
		stores:   map[string]int64{"res": 1 << 11, "diff_mat_fetch": 1 << 12},
		barriers: 4 * 2 * 2 * 2,
	},
	{ // 2x2 results of 4x4 work-items
		filter: "finite_diff lsize_0:4 lsize_1:4 n:4", groups: 4,
		loads: map[string]int64{"u": 64, "u_fetch": 80}, stores: map[string]int64{"res": 16, "u_fetch": 64}, barriers: 4,
	},
	{
		filter: "finite_diff dtype:float32 lsize_0:18 lsize_1:18 n:32", groups: 4,
		loads: map[string]int64{"u": 4 * 324, "u_fetch": 5 << 10}, stores: map[string]int64{"res": 1 << 10, "u_fetch": 4 * 324}, barriers: 4,
	},
	{
		filter: "transpose prefetch:False lsize_0:8 lsize_1:4 groups_fit:True,False n:8", groups: 2,
		loads: map[string]int64{"a": 64}, stores: map[string]int64{"b": 64},
	},
	{
		filter: "transpose prefetch:True lsize_0:4 lsize_1:4 n:8", groups: 4,
		loads: map[string]int64{"a": 64, "a_fetch": 64}, stores: map[string]int64{"b": 64, "a_fetch": 64}, barriers: 4,
	},
	{
		filter: "transpose prefetch:True lsize_0:4 lsize_1:4 groups_fit:False n:7", groups: 4,
		loads: map[string]int64{"a": 49, "a_fetch": 49}, stores: map[string]int64{"b": 49, "a_fetch": 49}, barriers: 4,
	},
	{
		filter: "convolution prefetch:False filter_size:3 lsize_0:8 lsize_1:4 n:8", groups: 2,
		loads: map[string]int64{"image": 9 * 64, "weights": 9 * 64}, stores: map[string]int64{"result": 64},
	},
	{ // tiles of 6x6 for 4x4 results
		filter: "convolution prefetch:True filter_size:3 lsize_0:4 lsize_1:4 n:8", groups: 4,
		loads:  map[string]int64{"image": 4 * 36, "image_fetch": 9 * 64, "weights": 9 * 64},
		stores: map[string]int64{"result": 64, "image_fetch": 4 * 36}, barriers: 4,
	},
	{ // tiles of 8x8, cut at 11
		filter: "convolution prefetch:True filter_size:5 lsize_0:4 lsize_1:4 groups_fit:False n:7", groups: 4,
		loads:  map[string]int64{"image": 15 * 15, "image_fetch": 25 * 49, "weights": 25 * 49},
		stores: map[string]int64{"result": 49, "image_fetch": 15 * 15}, barriers: 4,
	},
	{
		filter: "axpy lsize_0:8 n:32", groups: 4,
		loads: map[string]int64{"x": 32, "y": 32}, stores: map[string]int64{"y": 32},
	},
	{
		filter: "axpy lsize_0:8 groups_fit:False n:29", groups: 4,
		loads: map[string]int64{"x": 29, "y": 29}, stores: map[string]int64{"y": 29},
	},
	{
		filter: "vary_flops n_flops:1 lsize_0:8 n:32", groups: 4,
		runs: map[string]int64{"step_1": 32}, loads: map[string]int64{"in0": 32}, stores: map[string]int64{"result": 32},
	},
	{
		filter: "vary_flops n_flops:5 lsize_0:8 groups_fit:False n:29", groups: 4,
		runs: map[string]int64{"step_5": 29}, loads: map[string]int64{"in0": 29}, stores: map[string]int64{"result": 29},
	},
	{
		filter: "vary_subs n_in_arrays:3 lsize_0:8 groups_fit:True,False n:32", groups: 4,
		loads: map[string]int64{"in0": 32, "in1": 32, "in2": 32}, stores: map[string]int64{"result": 32},
	},
	{
		filter: "matmul_sq_gmem dtype:float32 prefetch:True remove_vars:b+c lsize_0:4 lsize_1:4 accumulators:1,2,3 n:16", groups: 16,
		loads: map[string]int64{"a": 16 * 16 * 4}, stores: map[string]int64{"read_tgt_dest": 256},
	},
	{
		filter: "matmul_sq_gmem dtype:float32 prefetch:True,False remove_vars:a+b lsize_0:4 lsize_1:4 n:8", groups: 4,
		stores: map[string]int64{"c": 64},
	},
	{
		filter: "matmul_sq_gmem prefetch:True remove_vars:none lsize_0:4 lsize_1:4 groups_fit:False n:7", groups: 4,
		loads: map[string]int64{"a": 98, "b": 98}, stores: map[string]int64{"c": 49},
	},
	{
		filter: "matmul_sq_gmem dtype:float32 prefetch:False remove_vars:a+c lsize_0:8 lsize_1:4 n:8", groups: 2,
		loads: map[string]int64{"b": 512}, stores: map[string]int64{"read_tgt_dest": 64},
	},
	{
		filter: "dg_diff_gmem dtype:float32 variant:basic remove_vars:u+res accumulators:4 nmatrices:2 nunit_nodes:32 nelements:32", groups: 4,
		loads: map[string]int64{"diff_mat": 1 << 16}, stores: map[string]int64{"read_tgt_dest": 1 << 10},
	},
	{
		filter: "dg_diff_gmem variant:prefetch_u remove_vars:diff_mat+res nmatrices:2 nunit_nodes:32 nelements:32", groups: 4,
		loads: map[string]int64{"u": 1 << 11}, stores: map[string]int64{"read_tgt_dest": 1 << 10},
	},
	{
		filter: "dg_diff_gmem dtype:float32 variant:prefetch_diff_mat,prefetch_diff_mat_T remove_vars:u+res nmatrices:2 nunit_nodes:32 nelements:32", groups: 4,
		loads: map[string]int64{"diff_mat": 1 << 12}, stores: map[string]int64{"read_tgt_dest": 1 << 10},
	},
	{
		filter: "dg_diff_gmem dtype:float32 variant:prefetch_diff_mat_T remove_vars:u+diff_mat nmatrices:2 nunit_nodes:32 nelements:32", groups: 4,
		stores: map[string]int64{"res": 1 << 11},
	},
	{
		filter: "stream_pattern dtype:float32,int32 reads:2 lsize_0:8 load_stride:1,2 store_stride:1,3 n:64", groups: 8,
		loads: map[string]int64{"in0": 64, "in1": 64}, stores: map[string]int64{"result": 64},
	},
	{
		filter: "stream_pattern reads:0 each:4 place:apart,near lsize_0:8 store_stride:1,3 n:64", groups: 2,
		stores: map[string]int64{"result": 64},
	},
	{
		filter: "stream_pattern dtype:float32,float16 each:4 place:apart,near,vector lsize_0:4 n:64", groups: 4,
		loads: map[string]int64{"in0": 64}, stores: map[string]int64{"result": 64},
	},
	{
		filter: "stream_pattern writes:sum each:4 place:apart,near lsize_0:4 load_stride:1,3 n:64", groups: 4,
		loads: map[string]int64{"in0": 64}, stores: map[string]int64{"result": 16},
	},
	{
		filter: "stream_pattern writes:sum each:2 lsize_0:4 local_bytes:32 n:64", groups: 8,
		loads: map[string]int64{"in0": 64, "through": 32}, stores: map[string]int64{"through": 32, "result": 32}, barriers: 8,
	},
	{
		filter: "walk_pattern along:rows,columns,groups lsize_0:8 batch:2 lines:16 m:6", groups: 2,
		loads: map[string]int64{"in0": 96}, stores: map[string]int64{"result": 16},
	},
	{
		filter: "walk_pattern along:rows,columns weights:True lsize_0:8 batch:1 lines:16 m:5", groups: 2,
		loads: map[string]int64{"in0": 80, "weight": 80}, stores: map[string]int64{"result": 16},
	},
	{
		filter: "walk_pattern along:rows,columns,groups writes:each lsize_0:8 batch:2 lines:16 m:6", groups: 2,
		loads: map[string]int64{"in0": 96}, stores: map[string]int64{"result": 96},
	},
	{ // a barrier before the sums and one before the next tile
		filter: "tile_pattern edge:8 reuse:3 across:columns,rows pad:0,1 shared:True,False groups:2 m:3", groups: 2,
		loads: map[string]int64{"in0": 2 * 64 * 3, "tile": 2 * 64 * 3 * 3}, stores: map[string]int64{"tile": 2 * 64 * 3, "result": 128}, barriers: 2 * 3 * 2,
	},
	{ // 31 additions of two elements, and the one that is left
		filter: "tree_pattern lsize_0:32 groups:3 m:2", groups: 3,
		loads:    map[string]int64{"in0": 3 * 2 * 32, "acc_l0": 3 * 2 * 63},
		stores:   map[string]int64{"result": 6, "acc_l0": 3 * 2 * 63},
		barriers: 3 * 2 * 6,
	},
	{
		filter: "gather_pattern run:1,4 lsize_0:8 table:64 n:32", groups: 4,
		loads: map[string]int64{"at": 32, "in0": 32}, stores: map[string]int64{"result": 32},
	},
	{
		filter: "rounds_pattern step:1,32 batch:2 lid_stride:1,3 lsize_0:8 nelements:32 m:5", groups: 4,
		loads: map[string]int64{"in0": 32 * 2 * 5}, stores: map[string]int64{"result": 32},
	},
	{
		filter: "stencil_pattern dims:1 radius:2 groups_fit:False n:300", groups: 2,
		loads: map[string]int64{"in0": 5 * 300}, stores: map[string]int64{"result": 300},
	},
	{
		filter: "stencil_pattern dims:2 radius:1 groups_fit:True n:32", groups: 4,
		loads: map[string]int64{"in0": 5 << 10}, stores: map[string]int64{"result": 1 << 10},
	},
	{ // four tiles of 34 by 10 elements, of which those above row 31 are of no group
		filter: "stencil_pattern dims:2 radius:1 groups_fit:True tile:True n:32", groups: 4,
		loads:    map[string]int64{"in0": 4 * 34 * 10, "in0_fetch": 5 << 10},
		stores:   map[string]int64{"in0_fetch": 4 * 34 * 10, "result": 1 << 10},
		barriers: 4,
	},
	{
		filter: "stencil_pattern dims:3 radius:2 groups_fit:False n:9", groups: 15,
		loads: map[string]int64{"in0": 13 * 729}, stores: map[string]int64{"result": 729},
	},
	{ // of the 4 elements after one, 32 rows lack 1, 2, 3 and 4 at their ends
		filter: "guard_pattern column:divide,mask guards:4 form:if lsize_0:16 width:32 n:1024", groups: 64,
		loads: map[string]int64{"in0": 5*1024 - 32*10}, stores: map[string]int64{"result": 1024},
	},
	{
		filter: "guard_pattern column:divide guards:2 form:if,select lsize_0:16 width:33 n:1056", groups: 66,
		loads: map[string]int64{"in0": 3*1056 - 32*3}, stores: map[string]int64{"result": 1056},
	},
	{
		filter: "ops_pattern function:add,mul,madd,div,exp,rsqrt,sqrt,sin,convert,widen,select chains:1,3 lsize_0:8 nelements:64 m:9", groups: 8,
		runs: map[string]int64{"next_0": 64 * 9}, stores: map[string]int64{"result": 64},
	},
	{
		filter: "ops_pattern dtype:float32,float16 function:mul,madd,convert,widen,select chains:2 lsize_0:8 nelements:64 m:9", groups: 8,
		runs: map[string]int64{"next_1": 64 * 9}, stores: map[string]int64{"result": 64},
	},
	{
		filter: "ops_pattern dtype:int32 function:madd,select,divide,modulo,bits chains:4 lsize_0:8 nelements:64 m:9", groups: 8,
		runs: map[string]int64{"next_3": 64 * 9}, stores: map[string]int64{"result": 64},
	},
	{ // rows of 16 elements, of which each work-item takes two of a and two of b
		filter: "product_pattern each:2 edge:8 depth:4 groups:2 m:3", groups: 2,
		loads:    map[string]int64{"a": 2 * 3 * 64, "b": 2 * 3 * 64, "tile_a": 128 * 3 * 4 * 2, "tile_b": 128 * 3 * 4 * 2},
		stores:   map[string]int64{"tile_a": 2 * 3 * 64, "tile_b": 2 * 3 * 64, "result": 128},
		barriers: 2 * 3 * 2,
	},
	{
		filter: "product_pattern each:1 edge:8 depth:16 groups:2 m:1", groups: 2,
		runs:     map[string]int64{"add_0_0": 128 * 16},
		loads:    map[string]int64{"a": 256, "b": 256, "tile_a": 128 * 16, "tile_b": 128 * 16},
		stores:   map[string]int64{"tile_a": 256, "tile_b": 256, "result": 128},
		barriers: 4,
	},
	{
		filter: "finite_diff_gmem remove_vars:res lsize_0:4 lsize_1:4 n:4", groups: 4,
		loads: map[string]int64{"u": 64}, stores: map[string]int64{"read_tgt_dest": 64},
	},
	{
		filter: "finite_diff_gmem dtype:float32 remove_vars:u lsize_0:18 lsize_1:18 n:32", groups: 4,
		stores: map[string]int64{"res": 1 << 10},
	},
}

// TestSmallRuns runs small variants work-item by work-item: the interpreter reports races, accesses out of bounds and
// reads of what was never written; the counts and the results are those that the generators promise.
func TestSmallRuns(t *testing.T) {
	c := load(t)
	for _, s := range smallRuns {
		list, err := c.choose(s.filter, "")
		if err != nil {
			t.Errorf("%s: %v", s.filter, err)
			continue
		}
		for _, v := range list {
			t.Run(v.String(), func(t *testing.T) {
				buffers := arrays{}
				k, report, start := runVariant(t, v, buffers)
				// what private variables and values do is no access to memory
				for _, a := range slices.Concat(k.Temps, k.Args) {
					if a.Space == kernel.Private || a.IsValue {
						delete(report.Loads, a.Name)
						delete(report.Stores, a.Name)
					}
				}
				if got := report.Groups[0] * report.Groups[1] * report.Groups[2]; got != s.groups {
					t.Errorf("%d work-groups, want %d", got, s.groups)
				}
				compare(t, "statement", report.Runs, s.runs)
				compare(t, "load", report.Loads, s.loads)
				compare(t, "store", report.Stores, s.stores)
				if report.Barriers != s.barriers {
					t.Errorf("%d barriers, want %d", report.Barriers, s.barriers)
				}
				if oracle := oracles[v.Generator]; oracle != nil {
					oracle(t, v, buffers, start)
				}
			})
		}
	}
}

// compare wants the counts that are named to be those, and of loads and stores no others.
func compare(t *testing.T, what string, got, want map[string]int64) {
	t.Helper()
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s %s: %d times, want %d", what, name, got[name], n)
		}
	}
	for name, n := range got {
		if _, ok := want[name]; !ok && n != 0 && what != "statement" {
			t.Errorf("%s %s: %d times, want none", what, name, n)
		}
	}
}

// runVariant runs a variant and leaves its buffers; start is what they held before.
func runVariant(t *testing.T, v Variant, buffers arrays) (_ *kernel.Kernel, _ *interp.Report, start map[string][]float64) {
	t.Helper()
	k, err := v.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Check(); err != nil {
		t.Fatal(err)
	}
	nest, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	start = map[string][]float64{}
	read := map[string]bool{}
	for _, st := range nest.Kernel.Statements {
		for _, a := range nest.Kernel.Reads(st) {
			read[a.Array] = true
		}
	}
	for _, a := range nest.Kernel.Args {
		if _, isSize := v.Sizes[a.Name]; isSize {
			continue
		}
		size := int64(1) // of a value
		if !a.IsValue {
			if size, err = a.Elements(v.Sizes); err != nil {
				t.Fatal(err)
			}
		}
		b := interp.NewBuffer(a.DType, int(size))
		if read[a.Name] || a.IsValue {
			for i := range int(size) {
				b.Set(i, startOf(t, k, v.Sizes, a.Name, i))
				start[a.Name] = append(start[a.Name], b.At(i))
			}
		}
		buffers[a.Name] = b
	}
	report, err := interp.Run(nest, v.Sizes, buffers)
	if err != nil {
		t.Fatal(err)
	}
	return nest.Kernel, report, start
}

// startOf is what element i of an array holds before a run: what the kernel assumes, else a small integer.
func startOf(t *testing.T, k *kernel.Kernel, sizes map[string]int64, array string, i int) float64 {
	t.Helper()
	at := slices.IndexFunc(k.Values, func(v kernel.Values) bool { return v.Array == array })
	if at < 0 {
		return float64((i*7+int(array[len(array)-1]))%11) - 3
	}
	known := maps.Clone(sizes)
	known[k.Values[at].Index] = int64(i)
	n, err := expr.EvalInt(k.Values[at].Value, known)
	if err != nil {
		t.Fatal(err)
	}
	return float64(n.Int64())
}

// TestEveryKernelPrepares: all combinations of what is no size pass the checks.
func TestEveryKernelPrepares(t *testing.T) {
	c := load(t)
	all, err := c.choose("", "")
	if err != nil {
		t.Fatal(err)
	}
	also, err := c.choose("matmul_sq flops_add_pattern groups_fit:False lsize_0:32 lsize_1:32", models.Intersect)
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, v := range append(all, also...) {
		if done[v.KernelID()] {
			continue
		}
		done[v.KernelID()] = true
		k, err := v.Kernel()
		var prepared *kernel.Kernel
		if err == nil {
			prepared, err = transform.Prepare(k)
		}
		if err == nil {
			err = prepared.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}
