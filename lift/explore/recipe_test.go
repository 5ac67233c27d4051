package explore

import "testing"

// TestRecipeWithoutSmallSizes: where a recipe has no variants at sizes small enough to evaluate, the reference is of another one.
func TestRecipeWithoutSmallSizes(t *testing.T) {
	s := space(t, "jacobi2d_5pt", map[string]int64{"h": 8194, "w": 8194}, Options{Variants: 4, Ranges: 1, Recipes: []string{"tiles of t by v, glb1 glb0, rows in vectors of 2"}})
	small, err := s.small()
	if err != nil {
		t.Fatal(err)
	}
	if work, err := small.work(small.Sizes); err != nil || work > smallWork {
		t.Errorf("%v has %d elements (%v)", small.Sizes, work, err)
	}
	r, err := s.Reference()
	if err != nil || r.Variant.Recipe == s.Points[0].Variant.Recipe {
		t.Errorf("%+v %v", r, err)
	}
}
