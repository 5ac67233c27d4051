package features

import (
	"fmt"
	"testing"

	"gpuperf/kernel/script"
)

// TestLeast: what no compiler can leave out, at n = 64 of each loop. All loads and stores of global memory are certain unless data decide.
func TestLeast(t *testing.T) {
	for _, c := range []struct {
		name, domain, text, types string
		ops, loads                string // counts by operation, and by array
	}{
		{"a sum", "{[i,k]: 0<=i,k<n}", `"z[i] = sum(k, x[i,k]*y[k])"`, `"x": "float32", "y": "float32"`, "[madd 128]", "[x 4096 y 128]"},
		{"no update", "{[i,k]: 0<=i,k<n}", `"z[i,k] = (x[i,k] - y[k])*(x[i,k] - y[k]) + 2*x[i,k]"`, `"x": "float32", "y": "float32"`, "[]", "[x 12288 y 256]"},
		{
			"a product that a sum can take in", "{[i,k]: 0<=i,k<n}",
			`["<float32> s = 1 {id=a, inames=i}", "<float32> t = s*x[k] {id=b, dep=a, inames=i:k}", "s = s + t {id=c, dep=b, inames=i:k}", "z[i] = s {dep=c}"]`,
			`"x": "float32", "z": "float32"`, "[madd 128]", "[x 128]",
		},
		{
			"a product of a variable that a sum can take in", "{[i,k]: 0<=i,k<n}",
			`["<float32> s = 1 {id=a, inames=i}", "s = s*x[k] {id=b, dep=a, inames=i:k}", "s = s + 2 {id=c, dep=b, inames=i:k}", "z[i] = s {dep=c}"]`,
			`"x": "float32", "z": "float32"`, "[madd 128]", "[x 128]",
		},
		{
			"a product of a variable alone", "{[i,k]: 0<=i,k<n}",
			`["<float32> s = 1 {id=a, inames=i}", "s = s*x[k] {id=b, dep=a, inames=i:k}", "z[i] = s {dep=b}"]`,
			`"x": "float32", "z": "float32"`, "[madd 128]", "[x 128]",
		},
		{"integers", "{[i,k]: 0<=i,k<n}", `"z[i] = sum(k, x[i,k])"`, `"x": "int32"`, "[]", "[x 4096]"},
		{"a condition on data", "{[i,k]: 0<=i,k<n}", `"z[i,k] = x[i,k] if y[k] > 0.5 else w[i,k]"`, `"x": "float32", "y": "float32", "w": "float32"`, "[]", "[y 128]"},
		{"an affine condition", "{[i,k]: 0<=i,k<n}", `"z[i,k] = x[i,k] if k < 8 else 0.0"`, `"x": "float32"`, "[]", "[x 512]"},
	} {
		variants, err := script.Exec("test.star", fmt.Sprintf(`
knl = lp.make_kernel(%q, %s)
knl = lp.split_iname(knl, "i", 32, outer_tag="g.0", inner_tag="l.0")
knl = lp.assume(knl, "n >= 32 and n %% 32 = 0")
knl = lp.add_dtypes(knl, {%s})
`, c.domain, c.text, c.types))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		s, err := Count(variants[0].Kernel, Options{Least: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		ops, loads := []string{}, []string{}
		for _, r := range s.Records {
			n, err := r.At(map[string]int64{"n": 64})
			if err != nil {
				t.Fatal(err)
			}
			switch k := r.Key.(type) {
			case Op:
				ops = append(ops, fmt.Sprint(k.Op, " ", n))
			case Mem:
				if k.Direction == Load {
					loads = append(loads, fmt.Sprint(k.Variable, " ", n))
				}
			}
		}
		if fmt.Sprint(ops) != c.ops || fmt.Sprint(loads) != c.loads {
			t.Errorf("%s: operations %v, loads %v; want %s and %s", c.name, ops, loads, c.ops, c.loads)
		}
	}
}
