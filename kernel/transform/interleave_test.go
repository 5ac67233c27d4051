package transform_test

import (
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestInterleaved: statements of the same loops share one unrolled loop, whichever axes their work-items are on; those of different loops have one each.
func TestInterleaved(t *testing.T) {
	for _, c := range []struct {
		what, first, second string
		want                []string // the unrolled loops of the statements
	}{
		{"the same axis", "y[u, l] = x[u, l]", "z[u, l] = y[u, l]", []string{"u", "u"}},
		{"an axis by two names", "y[u, l] = x[u, l]", "z[u, m] = x[u, m]", []string{"u", "u"}},
		{"an axis and none", "y[u, l] = x[u, l]", "z[u, 0] = x[u, 0]", []string{"u", "u"}},
		{"a loop and none", "y[u, l] = x[u, l]", "z[u, k] = x[u, k]", []string{"u", "u_0"}},
		{"two loops", "y[u, j] = x[u, j]", "z[u, k] = x[u, k]", []string{"u", "u_0"}},
	} {
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[u,l,m,j,k]: 0<=u<4 and 0<=l,m<16 and 0<=j,k<n}"}, Instructions: c.first + " {id=a}\n" + c.second + " {id=b, dep=a}",
			DTypes: map[string]expr.DType{"x": "float32"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if k, err = transform.TagInames(k, "u:ilp, l:l.0, m:l.0"); err != nil {
			t.Fatal(err)
		}
		if k, err = transform.Prepare(k); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var got []string
		for _, s := range k.Statements {
			for _, n := range s.Inames {
				if strings.HasPrefix(n, "u") {
					got = append(got, n)
				}
				if strings.HasPrefix(n, "u") != (k.Tags[n].Kind == kernel.Unroll) {
					t.Errorf("%s: %s is tagged %v", c.what, n, k.Tags[n])
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: unrolled are %v, want %v", c.what, got, c.want)
		}
	}
}
