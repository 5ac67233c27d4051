package report

import (
	"math"
	"testing"
)

// TestBetween: a choice that times follow has all of their variance, one that they do not follow none, and half the squares are half of it.
func TestBetween(t *testing.T) {
	var runs []searchOf
	for _, log := range []float64{1, 1, 3, 3} {
		runs = append(runs, searchOf{tried: tried{Seconds: math.Exp(log)}})
	}
	groups := func(names string) func(int) string { return func(i int) string { return names[i : i+1] } }
	for names, want := range map[string]float64{"aabb": 1, "abab": 0, "aaaa": 0, "abcd": 1, "aaab": 1. / 3} {
		if got := between(runs, groups(names)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", names, got, want)
		}
	}
	if got := between(runs[:2], groups("ab")); got != 0 {
		t.Errorf("the same times: %v", got)
	}
}
