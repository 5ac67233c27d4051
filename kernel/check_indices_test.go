package kernel_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// TestCheckIndices: an access that is out of bounds at sizes that the assumptions allow is an error, with such a size. What
// conditions exclude, or only data decides, is none.
func TestCheckIndices(t *testing.T) {
	for _, c := range []struct{ domain, instructions, assume, want string }{
		{"0<=i<n", "c[i] = x[i]", "", ""},
		{"0<=i<n", "c[i] = x[i+1]", "", "x[i + 1] is out of bounds: index 1 of axis 0 at n = 1, i = 0, and x has n = 1 elements"},
		{"0<=i<n", "x[i+1] = c[i]", "", "x[i + 1] is out of bounds"},
		{"0<=i<n", "c[i] = a[i-1]", "", "a[i - 1] is out of bounds: index -1 of axis 0"},
		{"0<=i<n", "c[i] = x[i+1] if i+1 < n else 0", "", ""},
		{"0<=i<n", "c[i] = 0 if i+1 >= n else x[i+1]", "", ""},
		{"0<=i<n", "c[i] = x[i+1] if i+1 < n or i > 3 else 0", "", "x[i + 1] is out of bounds"},
		{"0<=i<n", "c[i] = x[i+1] if i+1 < n and x[i+1] > 0 else 0", "", ""},
		{"0<=i<n", "c[i] = x[i+1] if x[i+1] > 0 and i+1 < n else 0", "", "x[i + 1] is out of bounds"},
		{"0<=i<n", "c[i] = 1 if i+1 >= n or x[i+1] > 0 else 0", "", ""},
		{"0<=i<n", "c[i] = x[i+1] if not i+1 >= n else 0", "", ""},
		{"0<=i<n", "c[i] = x[i+1] {if=i+1<n}", "", ""},
		{"0<=i<n", "c[i] = x[i+1] {if=i<n}", "", "x[i + 1] is out of bounds"},
		{"0<=i<n", "c[i] = x[i+1] if x[i] > 0 else 0", "", ""}, // it may never be
		{"0<=i<n", "c[i] = x[p[i]]", "", ""},
		{"0<=i<n", "c[i] = x[p[i+n]]", "", ""}, // p has as many as it needs
		{"0<=i<n", "c[i] = x[p[i-1]]", "", "p[i - 1] is out of bounds"},
		{"0<=i<n", "c[i] = x[i*i]", "", ""},
		{"0<=i<n", "c[i] = x[(i*i) % n]", "", ""},
		{"0<=i<n", "c[i] = x[m]", "", "x[m] is out of bounds: index "},
		{"0<=i<n", "c[i] = x[m]", "m < n", ""},
		{"0<=i<n", "c[i] = x[i // 2] + x[2*(i // 2)]", "", ""},
		{"0<=i<n", "c[i] = x[2*((i + 1) // 2)]", "", "x[2*((i + 1) // 2)] is out of bounds: index 2"},
		{"0<=i<n", "c[i] = x[2*((i + 1) // 2)]", "n % 2 = 1", ""},
		{"0<=i<n", "c[i] = x[i + n % 4]", "", "x[i + n % 4] is out of bounds"},
		{"0<=i<n", "c[i] = x[i + n % 4]", "n % 4 = 0", ""},
		{"0<=i<n and 0<=j<n", "c[i] = sum(j, x[j] + x[i])", "", ""},
		{"0<=i<n and 0<=j<=n", "c[i] = sum(j, x[j] + x[i])", "", "x[j] is out of bounds"},
		{"0<=i<n and 0<=j<2", "c[i] = sum(j, x[i + j] if i + j < n else 0)", "", ""},
		{"0<=i<n", "c[i] = f[i]", "", "f[i] is out of bounds: index 24 of axis 0 at n = 25, i = 24, and f has 24 elements"},
		{"0<=i<n", "c[i] = f[i % 24] + f[(i % 24) // 2]", "", ""},
		{"0<=i<n", "c[i] = f[i]", "n <= 24", ""},
		{"0<=i<n", "c[i] = f[n - 1 - i]", "n <= 24", ""},
		{"0<=i<n", "c[i] = f[n - i]", "n <= 24", "f[n - i] is out of bounds: index 24"},
		{"0<=i<n", "c[4*i; 4] = x[4*i; 4]", "", "x[4*i; 4] is out of bounds"},
		{"0<=4*i<n", "c[4*i; 4] = x[4*i; 4]", "n % 4 = 0", ""},
		{"0<=4*i<n", "c[4*i; 4] = x[4*i; 4]", "", "x[4*i; 4] is out of bounds"},
	} {
		dim := strings.Join(append([]string{"i"}, strings.Fields(map[bool]string{true: "j"}[strings.Contains(c.domain, "j")])...), ",")
		more := ""
		if strings.Contains(c.instructions, "[m]") {
			more = ",m"
		}
		n, f := []expr.Expr{expr.Var{Name: "n"}}, []expr.Expr{expr.Int{Value: 24}}
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"[n" + more + "] -> {[" + dim + "]: " + c.domain + "}"}, Instructions: c.instructions, Assumptions: c.assume,
			Args: []*kernel.Array{
				{Name: "x", DType: "float32", Space: kernel.Global, Shape: n}, {Name: "f", DType: "float32", Space: kernel.Global, Shape: f},
			},
			DTypes: map[string]expr.DType{},
		})
		if err != nil {
			t.Errorf("%s: %v", c.instructions, err)
			continue
		}
		if err := k.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, {%s}, %s: %v, want %q", c.instructions, c.domain, c.assume, err, c.want)
		}
	}
}
