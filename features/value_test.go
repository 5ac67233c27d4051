package features

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

func TestValue(t *testing.T) {
	s, err := Count(tiledMatmul(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		feature string
		n       int64
		want    float64
	}{
		{"f_op_float32_madd", 2048, 268435456},
		{"f_op_float32_mul", 2048, 0},
		{"f_op_float64_madd", 2048, 0},
		{"f_mem_access_tag:aLD", 2048, 2048 * 2048 * 128},
		{"f_mem_access_tag:none", 2048, 0},
		// the store to c has no tag of its own
		{"f_mem_access_tag:cST", 64, 64 * 64},
		{"f_mem_access_tag:cLD", 64, 0},
		{"f_mem_access_global", 64, 2*64*64*4 + 64*64},
		{"f_mem_access_float32", 64, 2*64*64*4 + 64*64 + 2*64*64*2 + 2*64*64/8},
		{"f_mem_access_global_float32_store", 64, 64 * 64},
		{"f_mem_access_local_float32_load", 64, 2 * 64 * 64 * 64 / 32},
		{"f_mem_access_local_float32_store", 64, 2 * 64 * 64 * 4 / 32},
		// the paper's two load patterns, told apart by the stride along gid(0)
		{"f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:0}", 64, 64 * 64 * 4},
		{"f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}", 64, 64 * 64 * 4},
		{"f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:>0;1:0}", 64, 64 * 64 * 4},
		{"f_mem_access_global_float32_load_lstrides:{0:2}", 64, 0},
		// an axis that an access does not have has stride 0
		{"f_mem_access_local_load_lstrides:{0:0}", 64, 64 * 64 * 64 / 32},
		{"f_mem_access_local_load_lstrides:{2:0}_gstrides:{0:0;1:0;2:0}", 64, 2 * 64 * 64 * 64 / 32},
		// constraints on sizes
		{"f_mem_access_tag:aLD_lstrides:{1:n}", 64, 64 * 64 * 4},
		{"f_mem_access_tag:aLD_lstrides:{1:>n}", 64, 0},
		{"f_mem_access_tag:aLD_lstrides:{1:64}", 64, 64 * 64 * 4},
		{"f_mem_access_tag:aLD_lstrides:{1:64}", 48, 0},
		{"f_mem_access_tag:aLD_lstrides:{1:<=48}", 48, 48 * 48 * 3},
		{"f_mem_access_tag:aLD_lstrides:{1:<=48}", 64, 0},
		{"f_mem_access_tag:aLD_gstrides:{1:n*16}", 64, 64 * 64 * 4},
		{"f_mem_access_tag:aLD_gstrides:{1:>=8*n + 512}", 64, 64 * 64 * 4},
		{"f_mem_access_tag:aLD_gstrides:{1:>8*n + 512}", 64, 0},
		{"f_mem_access_local_load_lstrides:{1:<n}", 16, 16 * 16 * 16 / 32},
		{"f_mem_access_local_load_lstrides:{1:<n}", 32, 2 * 32 * 32 * 32 / 32},
		// accesses per element are n/16
		{"f_mem_access_tag:aLD_afr:>1", 32, 32 * 32 * 2},
		{"f_mem_access_tag:aLD_afr:>1", 16, 0},
		{"f_mem_access_tag:aLD_afr:1", 16, 16 * 16},
		{"f_mem_access_tag:aLD_afr:3", 48, 48 * 48 * 3},
		{"f_mem_access_tag:aLD_afr:<2.5", 48, 0},
		// distinct elements; the tiles in local memory are 256 each, written and read
		{"f_mem_footprint_global_load", 64, 2 * 64 * 64},
		{"f_mem_footprint_tag:aLD", 64, 64 * 64},
		{"f_mem_footprint_tag:aLD_afr:>4", 64, 0},
		{"f_mem_footprint_local", 64, 512},
		{"f_mem_footprint_local_lstrides:{1:<n}", 16, 256},
		// half a line for each of two rows of a tile, where rows are longer
		{"f_mem_lines_tag:aLD", 64, 64 * 64 * 4 / 16},
		{"f_mem_lines_tag:aLD", 16, 16 * 16 / 32},
		{"f_mem_sectors_tag:aLD", 64, 64 * 64 * 4 / 8},
		{"f_mem_lines", 64, (2*64*64*4 + 64*64) / 16},
		{"f_sync_barrier_local", 64, 8},
		{"f_sync_barrier_global", 64, 0},
		{"f_sync_kernel_launch", 64, 1},
		{"f_thread_groups", 64, 16},
		{"f_sub_groups", 64, 16 * 8},
		{"f_op_float32_madd", 1 << 40, math.Pow(2, 115)}, // beyond 64 bits
	} {
		id, err := ParseID(test.feature)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := s.Value(id, map[string]int64{"n": test.n, "other": 3})
		if err != nil || got != test.want {
			t.Errorf("%s at n=%d is %v (%v), want %v", test.feature, test.n, got, err, test.want)
		}
	}
}

func TestValueErrors(t *testing.T) {
	s, err := Count(tiledMatmul(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		feature string
		sizes   map[string]int64
		says    string
	}{
		{"f_op_float32_madd", nil, "no value is given for n"},
		{"f_op_float32_madd", map[string]int64{"m": 16}, "no value is given for n"},
		{"f_op_float32_madd", map[string]int64{"n": 17}, "n=17 violates the assumption"},
		{"f_op_float32_madd", map[string]int64{"n": 0}, "n=0 violates the assumption"},
		{"f_thread_groups", map[string]int64{"n": -16}, "n=-16 violates the assumption"},
		{"f_mem_access_tag:aLD_lstrides:{1:<m}", map[string]int64{"n": 16}, "no value is given for m"},
		{"f_mem_access_tag:aLD_lstrides:{1:<5 // m}", map[string]int64{"n": 16, "m": 0}, "divides by zero"},
		{"f_cl_wall_time", map[string]int64{"n": 16}, "measured, not counted"},
	} {
		id, err := ParseID(test.feature)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := s.Value(id, test.sizes); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s at %v: error %v, want one with %q", test.feature, test.sizes, err, test.says)
		}
	}
	if _, err := s.Value(ID{}, map[string]int64{"n": 16}); err == nil {
		t.Error("the zero ID has a value")
	}
	if _, err := s.JSON(map[string]int64{"n": 17}); err == nil {
		t.Error("JSON at sizes that violate the assumptions")
	}
	var missing *expr.MissingError
	if _, err := s.JSON(map[string]int64{}); !errors.As(err, &missing) || missing.Name != "n" {
		t.Errorf("JSON without sizes: %v", err)
	}
}

func TestExplain(t *testing.T) {
	s, err := Count(tiledMatmul(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ feature, want string }{
		{"f_op_float32_madd", "float32 madd (subgroup)"},
		{"f_mem_access_tag:bLD", "global float32 load b$bLD lstrides:{0:1;1:n} gstrides:{0:16} (workitem)"},
		{
			"f_mem_access_tag:bLD_lstrides:{1:>15}_afr:>1",
			"global float32 load b$bLD lstrides:{0:1;1:n} gstrides:{0:16} (workitem) where n > 15 and accesses per element of b > 1",
		},
		{"f_thread_groups", "number of work-groups"},
		{"f_op_int8_add", ""},
	} {
		id, err := ParseID(test.feature)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Explain(id), "\n"); got != test.want {
			t.Errorf("%s: %s, want %s", test.feature, got, test.want)
		}
	}
}

func TestCountErrors(t *testing.T) {
	k := tiledMatmul(t)
	if _, err := Count(k, Options{SubgroupSize: -1}); err == nil {
		t.Error("a sub-group of -1 work-items")
	}
	k, err := kernel.Make(kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "z[i] = x[i]"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Count(k, Options{}); err == nil || !strings.Contains(err.Error(), "has no dtype") {
		t.Errorf("an array without dtype: %v", err)
	}
}
