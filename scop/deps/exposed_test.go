package deps

import (
	"testing"

	"gpuperf/kernel/expr"
	"gpuperf/scop"
)

// checkNeeds: of an array that is not needed from before the nest, a trace reads no element before it writes that, and writes all of it where it is used
// afterwards.
func checkNeeds(t fataler, n *scop.Nest, a *Analysis, at map[string]int64) {
	written, early := map[*scop.Array]map[string]bool{}, map[*scop.Array]bool{}
	for _, e := range events(t, n, at) {
		if written[e.array] == nil {
			written[e.array] = map[string]bool{}
		}
		if e.write {
			written[e.array][e.index] = true
		} else if !written[e.array][e.index] {
			early[e.array] = true
		}
	}
	for _, array := range n.Arrays {
		if a.Needs(array) {
			continue
		}
		elements := int64(1)
		for _, x := range array.Shape {
			v, _ := expr.EvalInt64(x, at)
			elements *= v
		}
		if early[array] || array.Written && !array.Local && int64(len(written[array])) < elements {
			t.Fatalf("%s is needed at %v", array.Name, at)
		}
	}
}

// TestNeeds: arrays are needed that are read first, or written in part.
func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool // of a
	}{
		{"for (int i = 0; i < n; i++) a[i] = i;", false},
		{"for (int i = 1; i < n; i++) a[i] = i;", true},
		{"for (int i = 0; i < n; i++) a[n - 1 - i] = b[i];", false},
		{"for (int i = n - 1; i >= 0; i--) { a[i] = 0; for (int j = 0; j < 3; j++) a[i] += j; }", false},
		{"for (int i = 0; i < n; i++) b[i] = a[i];", true},
		{"for (int i = 0; i < n; i++) a[i] = i > 2 ? a[i - 1] : 0;", false},
		{"for (int i = 0; i < n; i++) a[i] = i < n - 1 ? a[i + 1] : 0;", true},
		{"for (int i = 0; i < n; i += 2) a[i] = i; for (int i = 1; i < n; i += 2) a[i] = i;", false},
	} {
		n := nestOf(t, "void f(int n, double a[n], double b[n]) {\n#pragma scop\n"+c.body+"\n#pragma endscop\n}\n")
		a, err := Analyze(n)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Needs(n.Array("a")); got != c.want {
			t.Errorf("%s: needed %v, want %v", c.body, got, c.want)
		}
		checkNeeds(t, n, a, map[string]int64{"n": 7})
	}
}
