package features

import (
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// A load is made once before the innermost loops that do not change its element, as far as nothing in them keeps it there.
func TestHoisted(t *testing.T) {
	for _, test := range []struct {
		name, instructions string
		order              []string
		feature            string
		want               float64 // at n = 64: 4 groups of 16 work-items, 8 iterations of j, 3 of m
	}{
		{"innermost loop", "z[i] = sum((j, m), x$a[i, j])", []string{"j", "m"}, "f_mem_hoisted_tag:a", 64 * 8},
		{"as written", "z[i] = sum((j, m), x$a[i, j])", []string{"j", "m"}, "f_mem_access_tag:a", 64 * 8 * 3},
		{"outer loop", "z[i] = sum((j, m), x$a[i, j])", []string{"m", "j"}, "f_mem_hoisted_tag:a", 64 * 8 * 3},
		{"two loops", "z[i] = sum((j, m), x$a[i, 0])", []string{"m", "j"}, "f_mem_hoisted_tag:a", 64},
		{"index read from memory", "z[i] = sum((j, m), x$a[y$b[i, j], 0])", []string{"j", "m"}, "f_mem_hoisted_tag:b", 64 * 8},
		{"a store is no load", "for j, m\nw$a[i, j] = 1 {id=w}\nend\nz[i] = 2", []string{"j", "m"}, "f_mem_hoisted_tag:a", 64 * 8 * 3},
		{"a write to the array", "for j, m\n<float32> t = w$a[i, j] {id=t}\nw[i, j] = t + 1 {dep=t}\nend\nz[i] = 2", []string{"j", "m"}, "f_mem_hoisted_tag:a", 64 * 8 * 3},
		{"a barrier", "for j, m\n<float32> t = x$a[i, j] {id=t}\n... lbarrier {id=b, dep=t}\nend\nz[i] = 2", []string{"j", "m"}, "f_mem_hoisted_tag:a", 64 * 8 * 3},
		{"a condition", "for j, m\n<float32> t = x$a[i, j] {id=t, if=m < 2}\nend\nz[i] = 2", []string{"j", "m"}, "f_mem_hoisted_tag:a", 64 * 8 * 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			ok := made(t)
			k := ok(kernel.Make(kernel.Spec{
				Domains: []string{"{[i,j,m]: 0<=i<n and 0<=j<8 and 0<=m<3}"}, Instructions: test.instructions,
				Assumptions: "n >= 1 and n % 16 = 0",
				Args: []*kernel.Array{
					{Name: "x", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Var{Name: "n"}, expr.Int{Value: 8}}},
					{Name: "w", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Var{Name: "n"}, expr.Int{Value: 8}}},
					{Name: "y", DType: "int32", Space: kernel.Global, Shape: []expr.Expr{expr.Var{Name: "n"}, expr.Int{Value: 8}}},
					{Name: "z", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Var{Name: "n"}}},
				},
			}))
			k = ok(transform.SplitIname(k, "i", 16, transform.Split{OuterTag: "g.0", InnerTag: "l.0"}))
			k = ok(transform.PrioritizeLoops(k, test.order))
			s, err := Count(k, Options{})
			if err != nil {
				t.Fatal(err)
			}
			id, err := ParseID(test.feature)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // counted, then remembered
				if v, err := s.Value(id, map[string]int64{"n": 64}); err != nil || v != test.want {
					t.Errorf("%s is %v (%v), want %v", test.feature, v, err, test.want)
				}
			}
		})
	}
}
