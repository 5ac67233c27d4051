package transform_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// ragged has rows from lo to hi, both read from memory and kept within the array.
var ragged = kernel.Spec{
	Domains: []string{"{[i]: 0<=i<n}", "{[j]: lo<=j<hi}"},
	Instructions: `
		<int32> lo = max(p[i], 0)
		<int32> hi = min(q[i], n)
		c[i] = sum(j, a[j]*b[i])`,
	Args: []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Var{Name: "n"}}}},
	// "..." is implied: the rest is inferred
	DTypes: map[string]expr.DType{"a": "float32", "b": "float32", "p": "int32", "q": "int32"},
}

func TestBounds(t *testing.T) {
	k, err := kernel.Make(ragged)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(k.Params(), ", "); got != "n" {
		t.Errorf("parameters are %s, want n", got)
	}
	if got := strings.Join(k.Bounds([]string{"j"}), ", "); got != "hi, lo" {
		t.Errorf("j is bounded by %s", got)
	}
	if got := k.Bounds([]string{"i"}); got != nil {
		t.Errorf("i is bounded by %s", got)
	}
	s := k.Statements[2]
	if got := strings.Join(s.Deps, ", "); got != "insn, insn_0" {
		t.Errorf("the sum depends on %q, want the statements that assign its bounds", got)
	}
	if got := strings.Join(s.Inames, ", "); got != "i" {
		t.Errorf("the sum is within %q", got)
	}
}

// TestBoundsOfReductionsGiveInames: what sums over a row is within the loop over the rows, though it uses nothing else
// of it.
func TestBoundsGiveInames(t *testing.T) {
	spec := ragged
	spec.Instructions = strings.Replace(spec.Instructions, "c[i] = sum(j, a[j]*b[i])", "<float32> t = sum(j, a[j])\nc[i] = t", 1)
	spec.DTypes = map[string]expr.DType{"a": "float32", "p": "int32", "q": "int32"}
	k, err := kernel.Make(spec)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(k.Statements[2].Inames, ", "); got != "i" {
		t.Errorf("t = sum(..) is within %q, want i", got)
	}
	same1(t, k, k)
}

func same1(t *testing.T, plain, k *kernel.Kernel) {
	t.Helper()
	for _, n := range []int64{1, 5, 8} {
		at := map[string]int64{"n": n}
		want, err := run(plain, at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := run(k, at)
		if err != nil {
			t.Fatalf("%v\n%s", err, k)
		}
		if err := same(want, got); err != nil {
			t.Fatalf("n=%d: %v\n%s", n, err, k)
		}
	}
}

// TestBoundsRefused: what bounds a loop is a private integer scalar that does not change in the loop.
func TestBoundsRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		spec  kernel.Spec
		steps []step
		want  string
	}{
		{"never assigned", kernel.Spec{
			Domains: []string{"{[i]: 0<=i<m}"}, Instructions: "<float32> c = 1.0f {inames=i}", Temps: []*kernel.Array{{Name: "m", DType: "int32", Shape: []expr.Expr{}}},
		}, nil, "iname i is bounded by the temporary m, which no statement assigns to"},
		{"a float", kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}", "{[j]: 0<=j<m}"}, Instructions: "<float32> m = a[i]\nc[i] = sum(j, a[j])", DTypes: onlyA,
			Args: []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Var{Name: "n"}}}},
		}, nil, "bounded by m, which is float32 and not an integer"},
		{"changes in its loop", kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}", "{[j]: 0<=j<m}"}, Instructions: "<int32> m = 3 {id=first}\nm = j {id=second, dep=first}",
		}, nil, "statement second assigns to m within iname j, which m bounds"},
		{"no shape", kernel.Spec{
			Domains: ragged.Domains, Instructions: ragged.Instructions, DTypes: ragged.DTypes,
		}, nil, "cannot infer the size of axis 0 of a from a[j]"},
		{"privatized", ragged, []step{func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.PrivatizeTemporaries(k, []string{"i"}, "lo")
		}}, "cannot privatize lo by i: it bounds iname j"},
		{"on the grid", kernel.Spec{
			Domains: []string{"{[j]: 0<=j<m}"}, Instructions: "<int32> m = p[0]\nc[j] = 2*a[j]",
			Args:   []*kernel.Array{ragged.Args[0], {Name: "c", Shape: []expr.Expr{expr.Var{Name: "n"}}}, {Name: "n", DType: "int32", IsValue: true}},
			DTypes: map[string]expr.DType{"a": "float32", "p": "int32"},
		}, []step{tagged("j:g.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) {
			_, err := run(k, map[string]int64{"n": 4})
			return k, err
		}}, "no number of groups along gid(0) covers"},
		{"on a local axis", kernel.Spec{
			Domains: ragged.Domains, Instructions: strings.Replace(ragged.Instructions, "c[i] = sum(j, a[j]*b[i])", "c[i, j] = a[j]*b[i]", 1),
			Args: []*kernel.Array{ragged.Args[0], {Name: "c", Shape: []expr.Expr{expr.Var{Name: "n"}, expr.Var{Name: "n"}}}}, DTypes: ragged.DTypes,
		}, []step{split("i", 4, "g.0", "l.0"), tagged("j:l.1"), func(k *kernel.Kernel) (*kernel.Kernel, error) {
			_, err := run(k, map[string]int64{"n": 4})
			return k, err
		}}, "iname j is tagged l.1, but its extent is not constant"},
		{"copies of the outer loop", ragged, []step{func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.DuplicateInames(k, []string{"i"}, "writes:c")
		}}, "cannot give insn_1 its own loop over i"},
	} {
		k, err := kernel.Make(c.spec)
		for _, s := range c.steps {
			if err == nil {
				k, err = s(k)
			}
		}
		if err == nil {
			err = k.Check()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAssumeValues(t *testing.T) {
	k, err := kernel.Make(ragged)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ element, value, want string }{
		{"p[i]", "2*i // 3 % n", "p[i]: 2*i // 3 % n"},
		{"p[at]", "n - at", "p[at]: n - at"},
		{"p", "3", "write the array with a name for its index"},
		{"p[2*i]", "3", "write the array with a name for its index"},
		{"p[n]", "3", "write the array with a name for its index"},
		{"r[i]", "i", "r is not an array argument"},
		{"lo[i]", "i", "lo is not an array argument"},
		{"a[i]", "i", "a is float32, values are given for integers"},
		{"p[i]", "i + m", "m is neither its index nor a parameter of the kernel (n)"},
		{"p[i]", "i +", "values of p[i]"},
	} {
		next, err := k.AssumeValues(c.element, c.value)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = next.Values[0].String()
			if next.Key() == k.Key() || !strings.Contains(next.String(), got) {
				t.Errorf("%s: the values are not part of the kernel's text", c.element)
			}
			if _, err := next.AssumeValues(c.element, c.value); err == nil {
				t.Errorf("%s: stated twice", c.element)
			}
			fixed, err := transform.FixParameters(next, map[string]int64{"n": 8})
			if err != nil || !strings.Contains(fixed.Values[0].String(), "8") {
				t.Errorf("%s: %v, %v with n = 8", c.element, fixed.Values, err)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("values of %s = %s: %s, want %s", c.element, c.value, got, c.want)
		}
	}
}

func TestAssumeAverage(t *testing.T) {
	k, err := kernel.Make(ragged)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ of, value, want string }{
		{"hi - lo", "n/4", "hi - lo: n/4"},
		{"j", "2.5", "hi - lo: 2.5"},
		{"2*hi", "n", "2*hi: n"},
		{"i", "3", "average of i: it depends on none of the bounds hi, lo"},
		{"n", "3", "average of n: it depends on none of the bounds hi, lo"},
		{"hi*lo", "3", "it multiplies two variables"},
		{"hi - lo", "m", "m is not a parameter of the kernel (n)"},
		{"hi - lo", "n // 2", "operator // in n // 2"},
		{"hi - lo", "hi", "hi is not a parameter"},
		{"hi -", "3", "average"},
	} {
		next, err := k.AssumeAverage(c.of, c.value)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = next.Averages[0].String()
			if next.Key() == k.Key() || !strings.Contains(next.String(), got) {
				t.Errorf("%s: the average is not part of the kernel's text", c.of)
			}
			if _, err := next.AssumeAverage(c.of, c.value); err == nil {
				t.Errorf("%s: stated twice", c.of)
			}
			// it stays with the kernel
			for i, s := range []step{split("i", 4, "g.0", "l.0"), split("j", 2), realized, func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.Prepare(k) }} {
				if next, err = s(next); err != nil || len(next.Averages) != 1 {
					t.Errorf("%s: lost in step %d (%v)", c.of, i, err)
				}
			}
			fixed, err := transform.FixParameters(next, map[string]int64{"n": 8})
			if err != nil || strings.Contains(fixed.Averages[0].String(), "n") {
				t.Errorf("%s: %v, %v with n = 8", c.of, fixed.Averages, err)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("average of %s = %s: %s, want %s", c.of, c.value, got, c.want)
		}
	}
}
