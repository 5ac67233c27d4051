package evaluate

import (
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// matrixProduct loads each element of a and b many times, stores each of c once, and keeps a tile of b in local memory.
const matrixProduct = `
knl = lp.make_kernel("{[i,j,k]: 0<=i,j,k<n}", "c$out[i,j] = sum(k, a$left[i,k]*b$right[k,j])")
knl = lp.split_iname(knl, "i", 16)
knl = lp.split_iname(knl, "j", 16)
knl = lp.split_iname(knl, "k", 16)
knl = lp.assume(knl, "n >= 1 and n % 16 = 0")
knl = lp.tag_inames(knl, "i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0")
knl = lp.add_prefetch(knl, "b", ["k_inner", "j_inner"])
knl = lp.add_dtypes(knl, {"a": "float32", "b": "float32", "c": "float32"})
`

func TestCosts(t *testing.T) {
	variants, err := script.Exec("test.star", matrixProduct)
	if err != nil {
		t.Fatal(err)
	}
	cases := []*workload.Case{{Kernel: workload.NewKernel(variants[0].Kernel), Name: "knl", Sizes: map[string]int64{"n": 64}}}
	h200 := facts.Of(samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132})
	for _, c := range []struct {
		feature, unit string
		rate          float64
		share         float64 // 0: no peak
		remark        string  // a part of it
	}{
		{"f_op_float32_madd", "FLOP/s", 66.908e12 / 2, 0.5, ""},
		{"f_op_float32_madd", "FLOP/s", 66.908e12, 1, ""},
		{"f_op_float32_madd", "FLOP/s", 66.908e12 * 2, 2, "more work is counted than is done"},
		{"f_op_float32_div", "op/s", 1e12, 0, ""},
		{"f_mem_access_local_float32", "B/s", 33.454e12 / 4, 0.25, ""},
		{"f_mem_access_local_float32", "B/s", 33.454e12 * 4, 4, "share an access"},
		{"f_mem_access_tag:right", "B/s", 9.6e12, 2, "as 100 % of these accesses are"},
		{"f_mem_access_tag:right_afr:>1", "B/s", 9.6e12, 2, "as 100 % of these accesses are"},
		{"f_mem_access_tag:right_afr:>2", "B/s", 9.6e12, 2, "caches may serve"},
		{"f_mem_access_tag:left", "B/s", 9.6e12, 0, ""}, // a sub-group reads one element
		{"f_mem_access_global_float32_load", "B/s", 9.6e12, 0, ""},
		{"f_mem_access_tag:out", "B/s", 9.6e12, 2, "no element is accessed more than once"},
		{"f_mem_access_global_float32_store_afr:1", "B/s", 9.6e12, 2, "no element is accessed more than once"},
		{"f_mem_lines_global_float32_load", "B/s", 9.6e12, 2, "caches serve elements that are accessed more than once"},
		{"f_mem_sectors_float32_store", "B/s", 9.6e12, 2, "no element is accessed more than once"},
		{"f_mem_footprint_global_float32", "B/s", 9.6e12, 2, "each element counts once"},
		{"f_mem_access_tag:nowhere", "B/s", 9.6e12, 0, ""},
		{"f_mem_access_float32_load", "B/s", 9.6e12, 0, ""}, // global and local alike
		{"f_mem_access_global_float32", "FLOP/s", 9.6e12, 0, ""},
		{"f_thread_groups", "groups/s", 1e9, 0, ""},
		{"f_op_float32_madd", "", 0, 0, ""},
	} {
		model, err := models.Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_cl_wall_time\nexpression: \"p_x * f_y\"\nfeatures:\n  f_y: \""+c.feature+"\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		fit := &calibrate.Fit{Parameters: []calibrate.Estimate{{Name: "p_x", Rate: c.rate, RateUnit: c.unit}}}
		got, err := Costs(model, fit, h200, cases, 32)
		if err != nil {
			t.Errorf("%s: %v", c.feature, err)
			continue
		}
		if share := got[0].Share(); share < c.share*0.9999 || share > c.share*1.0001 || (got[0].Remark == "") != (c.remark == "") ||
			!strings.Contains(got[0].Remark, c.remark) {
			t.Errorf("%s at %g %s: share %g and %q, want %g and %q", c.feature, c.rate, c.unit, share, got[0].Remark, c.share, c.remark)
		}
		if got, err := Costs(model, fit, nil, cases, 32); err != nil || got[0].Peak != nil || got[0].Remark != "" {
			t.Errorf("%s on an unknown device: %+v, %v", c.feature, got, err)
		}
	}
}
