package emit_test

import (
	"testing"

	"gpuperf/emit"
	"gpuperf/kernel"
	"gpuperf/kernel/linear"
)

func TestScratch(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c[i,j] = sum(k, a[i,k]*b[k,j])",
		DTypes: map[string]kernel.DType{"a": "float32", "b": "float32"},
	})
	show := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		n, err := linear.New(k)
		if err != nil {
			t.Fatal(err)
		}
		s, err := emit.OpenCL(n, emit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log("\n" + s.Text)
	}
	show()
	for _, i := range []string{"i", "j", "k"} {
		k, err = k.SplitIname(i, 16, kernel.Split{})
		if err != nil {
			t.Fatal(err)
		}
	}
	show()
	u, err := k.TagInames("i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0")
	if err != nil {
		t.Fatal(err)
	}
	if u, err = u.AddPrefetch("a", []string{"i_inner", "k_inner"}, kernel.Prefetch{}); err != nil {
		t.Fatal(err)
	}
	if u, err = u.AddPrefetch("b", []string{"k_inner", "j_inner"}, kernel.Prefetch{}); err != nil {
		t.Fatal(err)
	}
	k = u
	show()
	k, err = u.Assume("n >= 1 and n % 16 = 0")
	show()
}
