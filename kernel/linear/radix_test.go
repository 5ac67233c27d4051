package linear

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestApart: what is proved at a glance, the exact decision finds too; and it is proved for the usual indices.
func TestApart(t *testing.T) {
	proved, tried := 0, 0
	check := func(t *rapid.T) {
		coeff := func(name string) int {
			return rapid.SampledFrom([]int{0, 1, 1, 2, 4, 8, 16, 32, 64}).Draw(t, name)
		}
		index := func(name string) string {
			if rapid.Bool().Draw(t, name+" digits") {
				return rapid.SampledFrom([]string{
					"24*g + 6*l + 3*m + k", "48*k + 16*g + 4*l + 2*m", "64*g + 8*l + 32*m - 1",
					"50*g + 10*m + 4*k + l", "36*g + 9*m + 4*k + l", "28*g + 8*k + 4*m + 2*l", "40*g + 6*k + 2*m + l", "99 - 30*g - 8*m - 4*k - l", "60*g + 20*m + 4*k + 2*l",
				}).Draw(t, name)
			}
			text := fmt.Sprintf("%d*g + %d*l + %d*m + %d*k", coeff(name+"g"), coeff(name+"l"), coeff(name+"m"), coeff(name+"k"))
			if rapid.Bool().Draw(t, name+" floor") {
				text += " + (l + k)//2"
			}
			return text
		}
		write, read := index("write "), index("read ")
		if rapid.Bool().Draw(t, "same") {
			read = write
		}
		rows := rapid.SampledFrom([]string{"", " and 4*k + l <= 9", " and 4*k + l <= 6 and 2*m + l <= 4", " and 2*m + l <= 3", " and 8*k + 2*l <= 17 and k + m >= 1"}).Draw(t, "rows")
		lanes := rapid.SampledFrom([]string{"", "; 2", "; 4"}).Draw(t, "lanes")
		spec := kernel.Spec{
			Domains: []string{"{[g,l,m,k]: 0<=g<3 and 0<=l<4 and 0<=m<2 and 0<=k<3" + rows + "}"}, DTypes: map[string]expr.DType{"x": "float32"},
			Instructions: fmt.Sprintf("a[%s%s] = x[l] {id=w, inames=g:l:m:k}\ny[g,l,m,k] = a[%s] {id=r, dep=w}", write, lanes, read),
			Args:         []*kernel.Array{{Name: "a", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 1000}}}},
		}
		k, err := kernel.Make(spec)
		if err == nil {
			k, err = transform.TagInames(k, "g:g.0, l:l.0, m:l.1")
		}
		if err == nil {
			k, err = transform.Prepare(k)
		}
		if err != nil {
			t.Skip(err)
		}
		b := newBuilder(k)
		for _, step := range []func() error{b.statements, b.extents} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		for _, kind := range []string{"lid", "gid"} {
			free := map[string]string{"lid": "lid", "gid": "lid gid"}[kind]
			for _, s := range b.stmts {
				for _, x := range b.stmts[0].shared {
					for _, y := range s.shared {
						if x.array != y.array {
							continue
						}
						tried++
						if !b.disjoint(b.stmts[0], s, x, y, nil, kind, free) {
							continue
						}
						proved++
						meet, err := b.meet(b.instances(b.stmts[0], s, x, y, free), kind)
						if err != nil || meet {
							t.Fatalf("%s and %s are said to be disjoint for different %s: %v", write+lanes+rows, read, kind, err)
						}
					}
				}
			}
		}
	}
	for range 4 { // which makes the part that is proved, some 9 %, the same within a point
		rapid.Check(t, check)
	}
	if proved*20 < tried {
		t.Errorf("%d of %d were proved", proved, tried)
	}
}
