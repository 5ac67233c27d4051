package modelgen

import (
	"fmt"
	"slices"
	"testing"

	"gpuperf/kernel/script"
)

// TestSpreadOut: whatever the number of points, each parameter takes as many values as there are, and no two parameters rise, or
// one rises and the other falls, all the way. Where the number of points is a prime they lie as sets on record have them.
func TestSpreadOut(t *testing.T) {
	for points := 1; points <= 40; points++ {
		for params := 1; params <= 6; params++ {
			order := spreadOut(points, params)
			for j := range order {
				if sorted := slices.Sorted(slices.Values(order[j])); sorted[0] != 0 || sorted[points-1] != points-1 || len(slices.Compact(sorted)) != points {
					t.Fatalf("%d points of %d parameters: parameter %d takes %v", points, params, j, order[j])
				}
				for k := range j {
					if r := correlation(order[j], order[k]); points >= 7 && (r > 0.8 || r < -0.8) {
						t.Errorf("%d points of %d parameters: parameters %d and %d correlate by %.2f: %v, %v", points, params, k, j, r, order[k], order[j])
					}
				}
			}
		}
	}
	if got := fmt.Sprint(spreadOut(7, 2)); got != "[[0 1 2 3 4 5 6] [3 5 0 2 4 6 1]]" {
		t.Errorf("seven points of two parameters lie at %v", got)
	}
}

// correlation of two orders of the same numbers.
func correlation(a, b []int) float64 {
	middle := float64(len(a)-1) / 2
	both, one := 0.0, 0.0
	for i := range a {
		both += (float64(a[i]) - middle) * (float64(b[i]) - middle)
		one += (float64(a[i]) - middle) * (float64(a[i]) - middle)
	}
	return both / one
}

// TestSixPoints: six points of a kernel of two parameters have six values of each.
func TestSixPoints(t *testing.T) {
	variants, err := script.Exec("copy.star", `
knl = lp.make_kernel("{[i,j]: 0<=i<n and 0<=j<m}", "y[i,j] = x[i,j]", assumptions="m >= 1 and n >= 1 and n % 64 = 0")
knl = lp.add_dtypes(lp.split_iname(knl, "i", 64, outer_tag="g.0", inner_tag="l.0"), {"x": "float32", "y": "float32"})
`)
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Device: h200, Points: 6}
	s, err := examine(Target{Script: "copy.star", Variant: variants[0], Sizes: []map[string]int64{{"n": 65536, "m": 100}}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.chooseSizes(opt, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"n", "m"} {
		var values []int64
		for _, at := range s.sizes {
			values = append(values, at[name])
		}
		slices.Sort(values)
		if values = slices.Compact(values); len(values) < 6 {
			t.Errorf("%s takes the values %v", name, values)
		}
	}
}

// TestSizesEnclose: some sizes do more work than those asked for and some less, also where the assumptions end near these. Where none
// can, a note says so.
func TestSizesEnclose(t *testing.T) {
	for _, c := range []struct {
		assumptions string
		n, m        int64
		points      int
		notes       int
	}{
		{"n >= 64", 65536, 1024, 0, 0},
		{"n >= 64", 65536, 1024, 2, 0},         // two points of one product
		{"n >= 64", 65536, 1, 0, 0},            // m cannot be less
		{"n >= 64", 1048576, 10000, 0, 0},      // the largest two exceed the memory
		{"64 <= n <= 65536", 65536, 100, 0, 0}, // n cannot be more, but m can
		{"n >= 4096", 4096, 1, 0, 1},           // neither can be less
	} {
		variants, err := script.Exec("sums.star", fmt.Sprintf(`
knl = lp.make_kernel("{[i,k]: 0<=i<n and 0<=k<m}", "y[i] = sum(k, x[k,i])", assumptions="n %% 64 = 0 and m >= 1 and %s")
knl = lp.add_dtypes(lp.split_iname(knl, "i", 64, outer_tag="g.0", inner_tag="l.0"), {"x": "float32", "y": "float32"})
`, c.assumptions))
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{Device: h200, Points: c.points}
		s, err := examine(Target{Script: "sums.star", Variant: variants[0], Sizes: []map[string]int64{{"n": c.n, "m": c.m}}}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.chooseSizes(opt, false); err != nil {
			t.Fatal(err)
		}
		asked, err := s.traffic(s.largest)
		if err != nil {
			t.Fatal(err)
		}
		least, most, err := extremes(s.sizes, s.traffic)
		if err != nil {
			t.Fatal(err)
		}
		enclosed := least.value <= asked && most.value >= asked
		if len(s.outside) != c.notes || !enclosed && c.notes == 0 {
			t.Errorf("%s, n=%d, m=%d: %.2f to %.2f of the accesses, notes %q", c.assumptions, c.n, c.m, least.value/asked, most.value/asked, s.outside)
		}
	}
}
