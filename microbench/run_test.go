package microbench

import (
	"math"
	"slices"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
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
				buffers := map[string]*interp.Buffer{}
				k, report := runVariant(t, v, buffers)
				// what private variables do is no access to memory
				for _, a := range k.Temps {
					if a.Space == kernel.Private {
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
					oracle(t, v, buffers)
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

func runVariant(t *testing.T, v Variant, buffers map[string]*interp.Buffer) (*kernel.Kernel, *interp.Report) {
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
	size := v.Sizes["nelements"]
	if n := v.Sizes["n"]; n > 0 {
		size = n * n
	}
	for _, a := range nest.Kernel.Args {
		if a.IsValue {
			continue
		}
		b := interp.NewBuffer(a.DType, int(size))
		if a.Name != "result" && a.Name != "c" {
			for i := range int(size) {
				b.Set(i, float64((i*7+len(a.Name))%11)-3)
			}
		}
		buffers[a.Name] = b
	}
	report, err := interp.Run(nest, v.Sizes, buffers)
	if err != nil {
		t.Fatal(err)
	}
	return nest.Kernel, report
}

// oracles compute the results by themselves.
var oracles = map[string]func(*testing.T, Variant, map[string]*interp.Buffer){
	"flops_madd_pattern": flopsOracle(func(_ int, x float64) float64 { return 5 - x }),
	"flops_mul_pattern":  flopsOracle(func(_ int, x float64) float64 { return -x }),
	"flops_add_pattern":  flopsOracle(func(i int, x float64) float64 { return x + float64(1-2*(i%2)) }),
	"gmem_pattern": func(t *testing.T, _ Variant, b map[string]*interp.Buffer) {
		for i := range b["result"].Len() {
			if !b["result"].Defined(i) {
				continue
			}
			want := 0.0
			for name, in := range b {
				if name != "result" {
					want += in.At(i)
				}
			}
			if got := b["result"].At(i); got != want {
				t.Fatalf("result[%d] = %v, want %v", i, got, want)
			}
		}
	},
	"lmem_pattern": func(t *testing.T, v Variant, b map[string]*interp.Buffer) {
		// a column holds l0 to l0+16; each of the m/16 sweeps brings the next element down, the last one stays
		lanes := int(v.Args[slices.IndexFunc(v.Args, func(a NamedValue) bool { return a.Name == "lsize_0" })].Value.Int)
		for i := range b["result"].Len() {
			want := float64(i%lanes) + math.Min(16, float64(v.Sizes["m"]/16))
			if got := b["result"].At(i); got != want {
				t.Fatalf("result[%d] = %v, want %v", i, got, want)
			}
		}
	},
	"matmul_sq": func(t *testing.T, v Variant, b map[string]*interp.Buffer) {
		n := int(v.Sizes["n"])
		for i := range n {
			for j := range n {
				want := 0.0
				for k := range n {
					want += b["a"].At(i*n+k) * b["b"].At(k*n+j)
				}
				if got := b["c"].At(i*n + j); got != want {
					t.Fatalf("c[%d,%d] = %v, want %v", i, j, got, want)
				}
			}
		}
	},
}

// flopsOracle updates 32 variables in place, as the paper's kernels do; no step rounds.
func flopsOracle(f func(i int, x float64) float64) func(*testing.T, Variant, map[string]*interp.Buffer) {
	return func(t *testing.T, v Variant, b map[string]*interp.Buffer) {
		var x [32]float64
		for i := range x {
			x[i] = 2 + float64(i)/32
		}
		for range v.Sizes["m"] {
			for i := range x {
				if x[i] = f(i, x[(i+11)%32]); math.Abs(x[i]) < 1 || math.Abs(x[i]) > 4 {
					t.Fatalf("variable %d becomes %v", i, x[i])
				}
			}
		}
		want := 0.0
		for _, y := range x {
			want += y
		}
		defined := 0
		for i := range b["result"].Len() {
			if b["result"].Defined(i) {
				defined++
				if got := b["result"].At(i); got != want {
					t.Fatalf("result[%d] = %v, want %v", i, got, want)
				}
			}
		}
		if defined == 0 {
			t.Error("no result was stored")
		}
	}
}

// TestEveryKernelPrepares: all combinations of what is no size pass the checks.
func TestEveryKernelPrepares(t *testing.T) {
	c := load(t)
	all, err := c.choose("", "")
	if err != nil {
		t.Fatal(err)
	}
	also, err := c.choose("matmul_sq flops_add_pattern groups_fit:False lsize_0:32 lsize_1:32", Intersect)
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
			prepared, err = k.Prepare()
		}
		if err == nil {
			err = prepared.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}
