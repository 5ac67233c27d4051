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
