package features

import (
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestConstraintsOnSizes: what depends on a size is selected anew only where the outcome of a constraint changes
// (Stevens and Klöckner, section 6.1); the symbolic forms are made once.
func TestConstraintsOnSizes(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i,j]: 0<=i<64 and 0<=j<m}"}, Instructions: "c[i, j] = a[i, j] + b[j, i]", Assumptions: "m >= 1",
		DTypes: map[string]expr.DType{"a": "float32", "b": "float32"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if k, err = transform.TagInames(k, "i:l.0"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		feature string
		below   func(m int64) float64 // for m < 8
		above   func(m int64) float64
		made    int // a selection of records, and a footprint for each outcome or a ratio for each record
	}{
		// the strides along lid(0) are m for a and c, 1 for b
		{"f_mem_access_global_float32_load_lstrides:{0:<8}", func(m int64) float64 { return float64(2 * 64 * m) }, func(m int64) float64 { return float64(64 * m) }, 1},
		{"f_mem_access_global_float32_lstrides:{0:<8}", func(m int64) float64 { return float64(3 * 64 * m) }, func(m int64) float64 { return float64(64 * m) }, 1},
		{"f_mem_access_global_float32_load_lstrides:{0:<m}", func(m int64) float64 {
			if m == 1 {
				return 0
			}
			return float64(64 * m)
		}, func(m int64) float64 { return float64(64 * m) }, 1},
		{"f_mem_footprint_global_float32_load_lstrides:{0:<8}", func(m int64) float64 { return float64(2 * 64 * m) }, func(m int64) float64 { return float64(64 * m) }, 3},
		{"f_mem_access_global_float32_load_afr:1", func(m int64) float64 { return float64(2 * 64 * m) }, func(m int64) float64 { return float64(2 * 64 * m) }, 3},
	} {
		s, err := Count(k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := ParseID(c.feature)
		if err != nil {
			t.Fatal(err)
		}
		for m := int64(1); m < 40; m++ {
			want := c.above(m)
			if m < 8 {
				want = c.below(m)
			}
			if got, err := s.Value(id, map[string]int64{"m": m}); err != nil || got != want {
				t.Errorf("%s at m=%d: %v (%v), want %v", c.feature, m, got, err, want)
			}
		}
		if made := len(s.plans) + len(s.afrs) + len(s.prints); made != c.made {
			t.Errorf("%s: %d selections, ratios and footprints were made, want %d", c.feature, made, c.made)
		}
	}
}
