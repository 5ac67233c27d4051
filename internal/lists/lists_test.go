package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"gpuperf/internal/lists"
)

func TestMap(t *testing.T) {
	if got := lists.Map([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Errorf("%q", got)
	}
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("%q, want nil", got)
	}
	if got := lists.Join([]int{3, 1}, ", ", strconv.Itoa); got != "3, 1" {
		t.Errorf("%q", got)
	}
}

func TestFlat(t *testing.T) {
	if got := lists.Flat([]int{1, 0, 2}, func(n int) []int { return make([]int, n) }); len(got) != 3 {
		t.Errorf("%v", got)
	}
	if got := lists.Where([]int{1, 2, 3, 4}, func(n int) bool { return n%2 == 0 }); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("%v", got)
	}
	if got := lists.Sum([]string{"ab", "c"}, func(s string) int { return len(s) }); got != 3 {
		t.Errorf("%d, want 3", got)
	}
	if got := lists.First([]int{1, 2, 4}, func(n int) bool { return n%2 == 0 }); got != 2 {
		t.Errorf("%d, want 2", got)
	}
}
