package kernel_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// tile is a kernel that stores in a local array of an extent.
func tile(t interface{ Fatal(...any) }, domain, instruction string, extent int64) *kernel.Kernel {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{domain}, Instructions: instruction, DTypes: map[string]expr.DType{},
		Temps: []*kernel.Array{{Name: "t", DType: "float32", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: extent}}}},
		Args:  []*kernel.Array{{Name: "x", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 1 << 20}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// declared are the elements of arrays of constant extents.
func declared(a *kernel.Array) (int64, bool) {
	n, err := a.Elements(nil)
	return n, err == nil
}

func TestFindOutside(t *testing.T) {
	for _, c := range []struct{ domain, instruction, want string }{
		{"{[i]: 0<=i<16}", "t[i] = 1", ""},
		{"{[i]: 0<=i<17}", "t[i] = 1", "t[i] is out of bounds: its indices are 0 to 16, and t has 16 elements; 16 is at i = 16"},
		{"{[i]: 0<=i<16}", "t[i - 1] = 1", "t[i - 1] is out of bounds: its indices are -1 to 14, and t has 16 elements; -1 is at i = 0"},
		{"{[i]: 0<=i<16}", "t[15 - i] = 1", ""},
		{"{[i]: 0<=i<64}", "t[i] = 1 {if=i<16}", ""},
		{"{[i]: 0<=i<64}", "t[i] = 1 {if=i<18}", "its indices are 0 to 17"},
		{"{[i]: 0<=i<64}", "t[i % 16] = 1", ""},
		{"{[i]: 0<=i<64}", "t[i % 17] = 1", "its indices are 0 to 16"},
		{"{[i]: 0<=i<64}", "x[i] = t[i] if i < 16 else 0", ""},
		{"{[i]: 0<=i<64}", "x[i] = t[i] if i < 20 else 0", "its indices are 0 to 19"},
		{"{[i]: 0<=i<64}", "x[i] = t[i] if x[i] > 0 else 0", ""}, // it may never be
		{"{[i]: 0<=i<64}", "t[i*i] = 1", ""},                     // not affine
		{"{[i]: 0<=4*i<16}", "t[4*i; 4] = 1", ""},
		{"{[i]: 0<=4*i<20}", "t[4*i; 4] = 1", "its indices are 0 to 19"},
	} {
		err := tile(t, c.domain, c.instruction, 16).FindOutside(declared)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %q", c.instruction, c.domain, err, c.want)
		}
	}
}

// An access is out of bounds if going through all its points finds an index that is.
func TestFindOutsideIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
		m, n, a, b, c := draw("m", 1, 6), draw("n", 1, 6), draw("a", -3, 3), draw("b", -3, 3), draw("c", -2, 12)
		div, below, extent := draw("div", 1, 3), draw("below", -4, 16), draw("extent", 1, 24)
		first, last, any := 0, 0, false
		for i := range m {
			for j := range n {
				if i+2*j >= below {
					continue
				}
				index := a*i + b*((j+1)/div) + c
				if !any {
					first, last, any = index, index, true
				}
				first, last = min(first, index), max(last, index)
			}
		}
		instruction := fmt.Sprintf("t[%d*i + %d*((j + 1) // %d) + %d] = 1 {if=i+2*j<%d}", a, b, div, c, below)
		err := tile(t, fmt.Sprintf("{[i,j]: 0<=i<%d and 0<=j<%d}", m, n), instruction, int64(extent)).FindOutside(declared)
		found := (*kernel.Outside)(nil)
		switch outside := any && (first < 0 || last >= extent); {
		case errors.As(err, &found) != outside:
			t.Fatalf("%s: %v, and the indices are %d to %d of %d", instruction, err, first, last, extent)
		case outside && (found.First != int64(first) || found.Last != int64(last)):
			t.Fatalf("%s: %v, and the indices are %d to %d", instruction, err, first, last)
		}
	})
}
