package interp_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

// TestParallelReductions compares reductions over work-items with the same ones over sequential loops, for extents that
// are powers of two and others. The interpreter reports races between work-items and barriers that not all of them reach.
func TestParallelReductions(t *testing.T) {
	for _, c := range []struct {
		name, domains, instructions, parallel, rest string
	}{
		{"one writes", "{[g,l]: 0<=g<n and 0<=l<L}", "y[g] = sum(l, x[g,l])", "l:l.0", "g:g.0"},
		{"all use it", "{[g,l,m]: 0<=g<n and 0<=l,m<L}", "<> t = sum(l, x[g,l])\n y[g,m] = t - m", "l:l.1", "g:g.0, m:l.1"},
		{"in a loop", "{[g,l]: 0<=g<n and 0<=l<L}", "y[g] = sum(l, x[g,l])", "l:l.0", ""},
		{"in a loop, all use it", "{[g,l,m]: 0<=g<n and 0<=l,m<L}", "<> t = max(l, x[g,l])\n y[g,m] = t*m", "l:l.0", "m:l.0"},
		{"partly filled", "{[g,l]: 0<=g<n and 0<=l<L and g + l < n}", "y[g] = sum(l, x[g,l])", "l:l.0", "g:g.0"},
		{"from 2 on", "{[g,l]: 0<=g<n and 2<=l<L+2}", "y[g] = product(l, x[g,l])", "l:l.0", "g:g.0"},
		{"with loops", "{[g,k,l]: 0<=g<n and 0<=k<3 and 0<=l<L}", "y[g] = min((k, l), x[g,k] - x[g,l]*k)", "l:l.0", "g:g.0"},
		{"triangle", "{[g,k,l]: 0<=g<n and 0<=k<=l and 0<=l<L}", "y[g] = sum((k, l), x[g,k] - x[g,l]*k)", "l:l.0", "g:g.0"},
		{"another axis", "{[i,l]: 0<=i<n and i<4 and 0<=l<L}", "y[i] = sum(l, x[i,l])", "l:l.0", "i:l.1"},
		{"two axes", "{[g,l,m]: 0<=g<n and 0<=l<L and 0<=m<3}", "y[g] = sum((l, m), x[g,l]*(m + 1))", "l:l.0, m:l.1", "g:g.0"},
		{"two in a statement", "{[g,l]: 0<=g<n and 0<=l<L}", "y[g] = sum(l, x[g,l]) - max(l, x[g,l])", "l:l.0", "g:g.0"},
		{"one after the other", "{[g,l]: 0<=g<n and 0<=l<L}", "<> s = sum(l, x[g,l])\n y[g] = sum(l, s*x[g,l])", "l:l.0", "g:g.0"},
		{"logic", "{[g,l]: 0<=g<n and 0<=l<L}", "y[g] = 1 if any(l, x[g,l] > 2) and not all(l, x[g,l] < 2) else 0", "l:l.0", "g:g.0"},
		{"of private values", "{[g,l]: 0<=g<n and 0<=l<L}", "<> t = 2*x[g,l]\n y[g] = sum(l, t)", "l:l.0", "g:g.0"},
		{"of a tile", "{[g,l,m]: 0<=g<n and 0<=l,m<L}", "<> s[l] = x[g,l]\n y[g] = sum(m, s[L - 1 - m]*m)", "m:l.0", "l:l.0, g:g.0"},
		{"unrolled outside", "{[g,u,l]: 0<=g<n and 0<=u<3 and 0<=l<L}", "y[g,u] = sum(l, x[u,l] - g)", "l:l.0", "u:unr, g:g.0"},
		{"interleaved", "{[g,u,l]: 0<=g<n and 0<=u<3 and 0<=l<L}", "y[g,u] = sum(l, x[u,l] - g)", "l:l.0", "u:ilp, g:g.0"},
		{"under a condition", "{[g,l]: 0<=g<n and 0<=l<L}", "y[g] = sum(l, x[g,l])  {if=g != 1}", "l:l.0", "g:g.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size := 1; size <= 19; size++ {
				run := func(tags string) (y *interp.Buffer, r *interp.Report) {
					k, err := kernel.Make(kernel.Spec{
						Domains: []string{strings.ReplaceAll(c.domains, "L", fmt.Sprint(size))}, Instructions: strings.ReplaceAll(c.instructions, "L", fmt.Sprint(size)),
						DTypes: map[string]expr.DType{"x": "int32", "n": "int32"}, Assumptions: "n >= 1",
					})
					if err == nil {
						k, err = transform.TagInames(k, tags)
					}
					if err != nil {
						t.Fatal(err)
					}
					n, err := linear.New(k)
					if err != nil {
						t.Fatal(err)
					}
					x := interp.NewBuffer("int32", 200)
					for i := range 200 {
						x.Set(i, float64(i*i*7%5-1))
					}
					y = interp.NewBuffer("int32", 200)
					if r, err = interp.Run(n, map[string]int64{"n": 3}, map[string]*interp.Buffer{"x": x, "y": y}); err != nil {
						t.Fatal(err)
					}
					return y, r
				}
				want, _ := run("")
				got, r := run(c.parallel + ", " + c.rest)
				for i := range 200 {
					if got.At(i) != want.At(i) {
						t.Fatalf("extent %d: y[%d] is %v, want %v", size, i, got.At(i), want.At(i))
					}
				}
				if c.name == "one writes" && r.Barriers != 3*barriersOfTree(size) {
					t.Fatalf("extent %d: %d barriers in 3 groups, want %d in each", size, r.Barriers, barriersOfTree(size))
				}
			}
		})
	}
}

// barriersOfTree counts those that the steps need: where one adds elements that work-items wrote since the last barrier.
// With extents like 3 or 5 some steps do without.
func barriersOfTree(size int) (n int64) {
	written := size
	for left := size; left > 1; {
		adders := left / 2
		left -= adders
		if left < written {
			n++
			written = 0
		}
		written = max(written, adders)
	}
	return n
}
