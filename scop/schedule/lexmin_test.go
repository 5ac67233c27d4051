package schedule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLexmin: the least of all points of a box, by trying them in order.
func TestLexmin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "variables")
		const most = 5
		var cs [][]int64
		for range rapid.IntRange(0, 5).Draw(t, "constraints") {
			cs = append(cs, rapid.SliceOfN(rapid.Int64Range(-6, 6), 1+n, 1+n).Draw(t, "constraint"))
		}
		for i := range n {
			c := make([]int64, 1+n)
			c[0], c[1+i] = most, -1
			cs = append(cs, c)
		}
		var want []int64
		x := make([]int64, n)
		for want == nil {
			if !slices.ContainsFunc(cs, func(c []int64) bool { return value(c, x) < 0 }) {
				want = slices.Clone(x)
			}
			i := n - 1
			for i >= 0 && x[i] == most {
				x[i] = 0
				i--
			}
			if i < 0 {
				break
			}
			x[i]++
		}
		work := 10_000_000
		got, err := lexmin(n, cs, &work)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: %v, %v, want %v", cs, got, err, want)
		}
	})
}

func value(c, x []int64) int64 {
	v := c[0]
	for i, y := range x {
		v += c[1+i] * y
	}
	return v
}
