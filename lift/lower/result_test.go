package lower_test

import (
	"math"
	"strings"
	"testing"

	"gpuperf/lift"
	"gpuperf/lift/lower"
)

func TestCompare(t *testing.T) {
	num, inf := lift.Inexact, math.Inf(1)
	list := func(v ...lift.Value) lift.Value { return lift.Values(v) }
	for _, c := range []struct {
		got, want lift.Value
		differ    string // "" for the same
	}{
		{num(1), lift.Exact(1, 1), ""},
		{num(1.00009), num(1), ""},
		{num(1.0002), num(1), "1.0002, want 1"},
		{num(0.00009), num(0), ""},
		{num(1e9), num(1e9 + 1e4), ""},
		{num(5), num(inf), "5, want +Inf"},
		{num(inf), num(5), "+Inf, want 5"},
		{num(-inf), num(inf), "-Inf, want +Inf"},
		{num(inf), num(inf), ""},
		{num(math.NaN()), num(5), "NaN, want 5"},
		{num(5), num(math.NaN()), "5, want NaN"},
		{num(math.NaN()), num(math.NaN()), ""},
		{lift.Unwritten{}, num(1), "not written"},
		{num(7), lift.Unwritten{}, ""},
		{list(num(1), num(2)), list(num(1), num(3)), "[1]: 2, want 3"},
		{list(num(1)), list(num(1), num(3)), "the number of elements is not 2"},
		{num(1), list(num(1)), "the number of elements is not 1"},
	} {
		err := lower.Compare(c.got, c.want, 1e-4)
		if (err == nil) != (c.differ == "") || err != nil && !strings.Contains(err.Error(), c.differ) {
			t.Errorf("%v against %v: %v, want %q", c.got, c.want, err, c.differ)
		}
	}
}
