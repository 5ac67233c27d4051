package schedule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCone: a form is at least 0 on a cone just if it is on its rays, and 0 on its lines; by the points of the cone in a box.
func TestCone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "width")
		vec := rapid.SliceOfN(rapid.Int64Range(-3, 3), n, n)
		ge := rapid.SliceOfN(vec, 0, 5).Draw(t, "inequalities")
		eq := rapid.SliceOfN(vec, 0, 1).Draw(t, "equalities")
		budget := maxPairs
		c := coneOf(n, ge, eq, &budget)
		in := func(x []int64) bool {
			return !slices.ContainsFunc(ge, func(a []int64) bool { return dot(a, x) < 0 }) &&
				!slices.ContainsFunc(eq, func(a []int64) bool { return dot(a, x) != 0 })
		}
		negated := func(x []int64) []int64 {
			out := make([]int64, n)
			for i, v := range x {
				out[i] = -v
			}
			return out
		}
		for _, r := range c.rays {
			if !in(r.x) || in(negated(r.x)) {
				t.Fatalf("ray %v of %v, %v", r.x, ge, eq)
			}
		}
		for _, l := range c.lines {
			if !in(l.x) || !in(negated(l.x)) {
				t.Fatalf("line %v of %v, %v", l.x, ge, eq)
			}
		}
		f := vec.Draw(t, "form")
		byCone := !slices.ContainsFunc(c.rays, func(r vector) bool { return dot(f, r.x) < 0 }) &&
			!slices.ContainsFunc(c.lines, func(l vector) bool { return dot(f, l.x) != 0 })
		x := make([]int64, n)
		negative := false
		const most = 9
		for i := range x {
			x[i] = -most
		}
		for i := 0; i >= 0; {
			negative = negative || in(x) && dot(f, x) < 0
			for i = n - 1; i >= 0 && x[i] == most; i-- {
				x[i] = -most
			}
			if i >= 0 {
				x[i]++
			}
		}
		if negative && byCone {
			t.Fatalf("%v is negative on a point of %v, %v, and not on %v", f, ge, eq, c)
		}
	})
}
