package ops_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
)

// TestVisit follows the rules of Stevens and Klöckner, section 6.1.
func TestVisit(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = a[i] + b[i] + c[i] + d[i] + z[i]",
		DTypes: map[string]expr.DType{"a": "float32", "b": "float32", "c": "float32", "d": "float32", "y": "float32", "z": "float64"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want, noMadd, indexOps string }{
		{"a[i]", "", "", ""},
		{"a[i] + b[i]", "float32 add 1", "float32 add 1", "float32 add 1"},
		{"a[i] - b[i] + c[i]", "float32 add 2", "float32 add 2", "float32 add 2"},
		{"a[i]*b[i] + c[i]", "float32 madd 1", "float32 add 1, float32 mul 1", "float32 madd 1"},
		{"a[i]*b[i] + c[i]*d[i]", "float32 madd 1, float32 mul 1", "float32 add 1, float32 mul 2", "float32 madd 1, float32 mul 1"},
		{"a[i]/b[i]", "float32 div 1", "float32 div 1", "float32 div 1"},
		{"sqrt(a[i])", "float32 func:sqrt 1", "float32 func:sqrt 1", "float32 func:sqrt 1"},
		{"a[i] + z[i]", "float64 add 1", "float64 add 1", "float64 add 1"},
		{"a[2*i + 1]", "", "", "int32 madd 1"},
		{"min(a[i], b[i], c[i])", "float32 maxmin 2", "float32 maxmin 2", "float32 maxmin 2"},
		{"-a[i]", "", "", ""},
		{"a[i] + b[i] if i < 3 else c[i]*d[i]", "float32 add 1, float32 mul 1", "float32 add 1, float32 mul 1", "float32 add 1, float32 mul 1"},
	} {
		e, err := expr.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []struct {
			visitor ops.Visitor
			want    string
		}{
			{ops.Visitor{}, c.want},
			{ops.Visitor{NoMadd: true}, c.noMadd},
			{ops.Visitor{IndexOps: true}, c.indexOps},
		} {
			found := map[string]int64{}
			v.visitor.Kernel = k
			v.visitor.Found = func(op string, t expr.DType, n int64) { found[string(t)+" "+op] += n }
			if err := v.visitor.Visit(e); err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(found)) {
				if found[name] != 0 {
					parts = append(parts, fmt.Sprintf("%s %d", name, found[name]))
				}
			}
			if got := strings.Join(parts, ", "); got != v.want {
				t.Errorf("%s (NoMadd %v, IndexOps %v): %q, want %q", c.text, v.visitor.NoMadd, v.visitor.IndexOps, got, v.want)
			}
		}
	}
	e := &expr.Reduce{Kind: "sum", Inames: []string{"i"}, Body: expr.Var{Name: "i"}}
	if err := (ops.Visitor{Kernel: k}).Visit(e); err == nil {
		t.Error("a reduction that is not realized is counted")
	}
}
