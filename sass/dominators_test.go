package sass_test

import (
	"slices"
	"testing"

	"gpuperf/sass"
)

// TestMeetings: ways of a branch meet at the block behind it, also where that is the only one that ends, and nowhere where each way has an end of its own.
func TestMeetings(t *testing.T) {
	for _, c := range []struct {
		next [][]int
		want []int
	}{
		{[][]int{{1, 2}, {3}, {3}, nil}, []int{3, 3, 3, -1}},
		{[][]int{{1, 2}, {3}, {3}, {4, 3}, nil}, []int{3, 3, 3, 4, -1}},
		{[][]int{{1, 2}, nil, nil}, []int{-1, -1, -1}},
	} {
		f := &sass.Function{}
		for _, next := range c.next {
			f.Blocks = append(f.Blocks, sass.Block{Next: next})
		}
		if got := f.Meetings(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.next, got, c.want)
		}
	}
}
