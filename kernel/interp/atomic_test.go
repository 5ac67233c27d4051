package interp_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
)

// atomics is a kernel of two groups of four work-items with an array h of four elements in global memory and one s of two in local memory.
func atomics(t *testing.T, text string) *kernel.Kernel {
	t.Helper()
	shape := func(n int64) []expr.Expr { return []expr.Expr{expr.Int{Value: n}} }
	return makeKernel(t, kernel.Spec{
		Domains:      []string{"{[g,l,m,r]: 0<=g<2 and 0<=l,m<4 and 0<=r<2}"},
		Instructions: text,
		Args: []*kernel.Array{
			{Name: "h", DType: "int32", Shape: shape(4)}, {Name: "b", DType: "int32", Shape: shape(8)}, {Name: "y", DType: "int32", Shape: shape(8)},
		},
		Temps: []*kernel.Array{{Name: "s", DType: "int32", Space: kernel.Local, Shape: shape(2)}},
	}, "g:g.0, l:l.0, m:l.0")
}

// TestAtomics: concurrent updates of one class are no race, others are; the analysis refuses what it can prove, and a run of a kernel with explicit
// barriers finds the rest.
func TestAtomics(t *testing.T) {
	for _, c := range []struct{ name, text, analysis, run string }{
		{"histogram", "h[b[4*g + l]] = h[b[4*g + l]] + 1 {atomic}", "", ""},
		{"sums and differences", "h[0] = h[0] + l {id=a, atomic, inames=+g}\nh[0] = h[0] - 1 {dep=a, atomic, inames=+g:m}", "", ""},
		{"without atomic", "h[b[4*g + l]] = h[b[4*g + l]] + 1", "nothing orders work-groups", "race"},
		{"two classes", "h[0] = h[0] + l {id=a, atomic, inames=+g}\nh[0] = max(h[0], 1) {dep=a, atomic, inames=+g:m}", "nothing orders work-groups", "updated by +"},
		{"read elsewhere", "h[l] = h[l] + 1 {id=a, atomic, inames=+g}\ny[4*g + m] = h[m] {dep=a}", "nothing orders work-groups", "is updated here and read by group"},
		{"read after", "h[l] = h[l] + 1 {id=a, atomic, inames=+g}\ny[4*g + l] = h[3 - l] {dep=a}", "nothing orders work-groups", "updated by +"},
		{"written after", "h[l] = h[l] + 1 {id=a, atomic, inames=+g}\nh[l] = 0 {dep=a, inames=+g, if=g == 1}", "nothing orders work-groups", "is written here and updated"},
		{"local", `
			s[l] = 0                    {id=init, inames=g:l, if=l < 2}
			s[l % 2] = s[l % 2] + 1     {id=a, dep=init, inames=g:l, atomic}
			y[4*g + m] = s[m % 2]       {dep=a}`, "", "is updated here and written by"},
		{"local with barriers", `
			s[l] = 0                    {id=init, inames=g:l, if=l < 2}
			... lbarrier                {id=b1, dep=init, inames=g}
			s[l % 2] = s[l % 2] + 1     {id=a, dep=b1, inames=g:l, atomic}
			... lbarrier                {id=b2, dep=a, inames=g}
			y[4*g + m] = s[m % 2]       {dep=b2}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := atomics(t, c.text)
			if _, err := linear.New(k); (c.analysis == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.analysis) {
				t.Errorf("analysis: %v, want %q", err, c.analysis)
			}
			k.ExplicitBarriers = true
			b := interp.NewBuffer("int32", 8)
			for i := range 8 {
				b.SetInt(i, int64(i*i%4))
			}
			h := filled("int32", 4)
			r, err := interp.Run(nestOf(t, k), map[string]int64{}, map[string]*interp.Buffer{"h": h, "b": b, "y": filled("int32", 8)})
			if (c.run == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.run) {
				t.Fatalf("run: %v, want %q", err, c.run)
			}
			if c.name == "histogram" && (h.Int(0) != 1+4 || h.Int(1) != 2+4 || r.Loads["h"] != 8 || r.Stores["h"] != 8 || r.Loads["b"] != 8 || len(r.Written["h"]) != 2) {
				t.Errorf("h[0] = %d, h[1] = %d, %+v", h.Int(0), h.Int(1), r)
			}
		})
	}
}
