package features

import (
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// TestVariesWith: strides of x[t + ...] are those of the index without t, along the axes that the value of t does not depend on, although
// every work-item computes it.
func TestVariesWith(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"of a group", "t = p[g] {inames=g:l}\ny[g, l] = x[t + 2*l]", "0:2"},
		{"through another", "u = p[g] {inames=g:l}\nt = u + 1 {inames=g:l}\ny[g, l] = x[t + 2*l]", "0:2"},
		{"of a work-item", "t = p[l] {inames=g:l}\ny[g, l] = x[t + 2*l]", "0:?"},
		{"a condition", "t = 0 {inames=g:l}\nt = 1 {inames=g:l, if=l < 3}\ny[g, l] = x[t + 2*l]", "0:?"},
		{"other work-items", "t = 0 {inames=g:l}\nt = p[g] {inames=g:m}\ny[g, l] = x[t + 2*l]", "0:?"},
		{"iterations", "t = 0 {inames=g:l}\nt = t + p[g] {inames=g:l:k}\ny[g, l] = x[t + 2*l]", "0:2"},
		{"iterations of a work-item", "t = 0 {inames=g:l}\nt = t + p[g] {inames=g:l:j}\ny[g, l] = x[t + 2*l]", "0:?"},
		{"the same iteration", "t = p[j] {inames=g:l:j}\ny[g, l] = x[t + 2*l] {inames=g:l:j}", "0:2"},
		{"what a run alone tells", "t = unknown() {inames=g:l}\ny[g, l] = x[t + 2*l]", "0:?"},
		{"another cycle", "t = 0 {inames=g:l}\nu = t {inames=g:l:k}\nt = u + l {inames=g:l:k}\ny[g, l] = x[t + 2*l]", "0:?"},
	} {
		shape := func(n int64) []expr.Expr { return []expr.Expr{expr.Int{Value: n}} }
		var temps []*kernel.Array
		for _, name := range []string{"t", "u"} {
			temps = append(temps, &kernel.Array{Name: name, DType: "int32", Space: kernel.Private, PerItem: true, Shape: []expr.Expr{}})
		}
		k, err := kernel.Make(kernel.Spec{
			Domains:      []string{"{[g,l]: 0<=g<n and 0<=l<32}", "{[m]: 0<=m<8}", "{[k]: 0<=k<n}", "[l] -> {[j]: 0<=j<l}"},
			Instructions: c.text, Temps: temps, Functions: []*kernel.Function{{Name: "unknown", Result: "int32", Body: "return what_is_not_known;", Counts: map[expr.DType]map[string]int64{}}},
			Args: []*kernel.Array{{Name: "x", DType: "float32", Shape: shape(1 << 20)}, {Name: "p", DType: "int32", Shape: shape(1 << 20)}},
		})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		k.Tags = map[string]kernel.Tag{"g": {Kind: kernel.GroupAxis}, "l": {Kind: kernel.LocalAxis}, "m": {Kind: kernel.LocalAxis}}
		s, err := Count(k, Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, r := range s.Records {
			if m, ok := r.Key.(Mem); ok && m.Variable == "x" && string(m.LStrides) != c.want {
				t.Errorf("%s: strides %s, want %s", c.name, m.LStrides, c.want)
			}
		}
	}
}
