package linear

import (
	"errors"
	"testing"

	"gpuperf/internal/throw"
)

// Bounds are carried from row to row.
func TestNarrowest(t *testing.T) {
	for _, c := range []struct {
		ge    []Row
		width int64 // of the narrowest variable; 0: none
	}{
		{[]Row{{4, 1, 0}, {6, -1, 0}, {0, -1, 1}}, 11},
		{[]Row{{0, 0, 1, 0}, {-1, 1, -1, 0}, {6, -1, 0, 0}, {4, 0, 0, 1}, {0, 0, 1, -1}}, 6},
		{[]Row{{0, 3, 5}, {7, -3, -5}, {-1, 1, -1}, {4, -1, 1}}, 0}, // bounded, but by no row alone
		{[]Row{{0, 1, 0}, {100, -1, 0}, {-5, 0, 1}}, 0},
		{[]Row{{-4611686018427387904, 1}, {4611686018427387906, -1}}, 3},
	} {
		s := &System{Ge: c.ge, Width: len(c.ge[0])}
		if x, lo, hi := AnyWork().narrowest(s); x == 0 && c.width != 0 || x != 0 && hi-lo+1 != c.width {
			t.Errorf("%v: column %d in %d..%d, want %d values", c.ge, x, lo, hi, c.width)
		}
	}
}

// What bounds take is work: without it, one footprint of a 3-D stencil took minutes within its limit.
func TestNarrowestIsWork(t *testing.T) {
	s := &System{Ge: []Row{{0, 0, 1, 0}, {-1, 1, -1, 0}, {6, -1, 0, 0}, {4, 0, 0, 1}, {0, 0, 1, -1}}, Width: 4}
	if err := throw.Try(func() { NewWork(t.Context(), 10).narrowest(s) }); !errors.Is(err, ErrBudget) {
		t.Errorf("ten units suffice: %v", err)
	}
}
