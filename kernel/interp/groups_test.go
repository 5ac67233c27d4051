package interp_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
)

// TestGroupLoops: a loop with a barrier in it may be of another length in every group, and of none: what it orders then is
// ordered otherwise.
func TestGroupLoops(t *testing.T) {
	tile := func(name string) *kernel.Array {
		return &kernel.Array{Name: name, DType: "float32", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: 8}}}
	}
	n, err := vectorNest(t, kernel.Spec{
		Domains: []string{"{[g,l,m]: 0<=g<4 and 0<=l,m<8}", "{[s]: 0<=s<2*g - 1}"},
		Instructions: `
			t[l] = x[g, l]                    {id=a}
			<> v = 0.0f                       {id=v, inames=g:l, dep=a}
			u[l] = x[s, l]                    {id=b, dep=v, inames=g:l:s}
			v = v + u[7 - l]                  {id=c, dep=b, inames=g:l:s}
			z[g, l] = t[7 - l] + v            {id=d, dep=c}`,
		DTypes: map[string]expr.DType{"x": "float32"}, Temps: []*kernel.Array{tile("t"), tile("u")},
		Args: []*kernel.Array{{Name: "x", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 8}, expr.Int{Value: 8}}}},
	}, "g:g.0, l:l.0, m:l.0")
	if err != nil {
		t.Fatal(err)
	}
	if text := n.String(); !strings.Contains(text, "gid(0)") || strings.Count(text, "barrier") < 3 {
		t.Errorf("no loop over the group's iterations with barriers in it and after it:\n%s", text)
	}
	x, z := interp.NewBuffer("float32", 64), interp.NewBuffer("float32", 32)
	for i := range 64 {
		x.Set(i, float64(i))
	}
	if _, err := interp.Run(n, nil, map[string]*interp.Buffer{"x": x, "z": z}); err != nil {
		t.Fatalf("%v\n%s", err, n)
	}
	for g := range 4 {
		for l := range 8 {
			want := x.At(8*g + 7 - l)
			for s := range max(2*g-1, 0) {
				want += x.At(8*s + 7 - l)
			}
			if got := z.At(8*g + l); got != want {
				t.Errorf("z[%d, %d] is %v, want %v", g, l, got, want)
			}
		}
	}
}
