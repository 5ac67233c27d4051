package transform_test

import (
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/transform"
)

func join(tag string, inames ...string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.JoinInames(k, inames, "", tag) }
}

func chunk(iname string, n int64) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.ChunkIname(k, iname, n, transform.Split{})
	}
}

func fix(n int64) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.FixParameters(k, map[string]int64{"n": n})
	}
}

// TestMoreTransformationsKeepResults is TestTransformationsKeepResults for inames that are replaced and expressions that
// are tabulated.
func TestMoreTransformationsKeepResults(t *testing.T) {
	matmul := kernel.Spec{
		Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c[i,j] = sum(k, a[i,k]*b[k,j])", DTypes: f32,
	}
	triangle := kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}", "[i] -> {[j]: 0<=j<=i}"}, Instructions: "c[i,j] = a[i,j]*b[j]", DTypes: f32,
	}
	rules := kernel.Spec{
		Domains: []string{"{[i,j]: 0<=i,j<n}"}, Instructions: "f(x) := a[x]*a[x] + b[x]\nc[i,j] = f(i)*f(i+1)", DTypes: f32,
	}
	sizes := []map[string]int64{{"n": 1}, {"n": 3}, {"n": 4}, {"n": 7}}
	for _, c := range []struct {
		name  string
		spec  kernel.Spec
		steps []step
		fixed bool
	}{
		{"joined again", matmul, []step{split("i", 4), join("", "i_outer", "i_inner")}, false},
		{"joined across", kernel.Spec{
			Domains: []string{"{[i,j,m]: 0<=i<n and 2<=j<5 and -1<=m<=0}"}, Instructions: "c[i,j,m+1] = a[i+j]*b[j-m]", DTypes: f32,
		}, []step{join("", "i", "m", "j"), split("i_m_j", 4)}, false},
		{"joined reduction", matmul, []step{split("k", 3), join("", "k_outer", "k_inner"), split("k_outer_k_inner", 2)}, false},
		{"joined on an axis", matmul, []step{fix(5), join("l.0", "i", "j")}, true},
		{"joined triangle", triangle, []step{fix(4), split("i", 4, "", ""), join("", "i_outer", "i_inner")}, true},
		{"chunks", matmul, []step{fix(7), chunk("i", 3), chunk("k", 2)}, true},
		{"chunks on axes", matmul, []step{fix(7), chunk("i", 3), tagged("i_outer:g.0, i_inner:l.0")}, true},
		{"more chunks than values", matmul, []step{fix(2), chunk("k", 5)}, true},
		{"skewed", matmul, []step{mapped("{[i,j]->[t,s]: t=i+j and s=j}")}, false},
		{"reversed", matmul, []step{mapped("[n]->{[k]->[r]: r=n-1-k}"), mapped("{[i]->[-i]}")}, false},
		{"unrolled and mapped", matmul, []step{mapped("{[k]->[p,q]: p = k//3 and q = k-3p}"), tagged("q:unr")}, false},
		{"triangle mapped", triangle, []step{mapped("{[i]->[m]: m = 2i + 1}")}, false},
		{"precomputed", rules, []step{split("i", 4, "g.0", "l.0"), precomputed("f", "i_inner")}, false},
		{"extracted", matmul, []step{extracted("f", "a[p,q]*b[q,r]", "p, q, r"), split("i", 2)}, false},
		{"extracted and tabulated", matmul, []step{
			split("i", 4, "g.0", "l.0"), split("j", 4, "g.1", "l.1"), split("k", 2), extracted("f", "a[p,q]", "p, q"), precomputed("f", "i_inner, k_inner"),
		}, false},
		{"a rule with an iname of its own", matmul, []step{
			split("i", 4, "g.0", "l.0"), split("j", 4, "g.1", "l.1"), split("k", 2), extracted("f", "a[4*i_outer + p, q]", "p, q"),
			precomputed("f", "i_inner, k_inner"),
		}, false},
		{"axes that are lacking", kernel.Spec{
			Domains: []string{"{[i,j]: 0<=i<n and 0<=j<4}"}, Instructions: "<> t = a[i] {id=t}\nc[i,j] = t*b[j] {id=c}", DTypes: f32,
		}, []step{tagged("i:g.0, j:l.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.AddInamesForUnusedAxes(k, "id:t") }}, false},
		{"a barrier", kernel.Spec{
			Domains: []string{"{[i,j,m]: 0<=i<n and 0<=j,m<4}"}, Instructions: "<> t[j] = a[i+j] {id=t}\nc[i,m] = t[3-m]*b[m] {id=c}", DTypes: f32,
		}, []step{tagged("j:l.0, m:l.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddBarrier(k, "id:t", "id:c", "", kernel.Local)
		}}, false},
		{"interleaved", matmul, []step{split("i", 4, "g.0", "ilp"), split("j", 4, "g.1", "l.0")}, false},
		{"interleaved twice", matmul, []step{split("i", 2, "g.0", "ilp"), split("j", 2, "", "ilp")}, false},
		{"unused inames", kernel.Spec{
			Domains: []string{"{[i,j,m]: 0<=i<n and i<=j<=m<n}"}, Instructions: "c[i] = a[i]*b[i]", DTypes: f32,
		}, []step{func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RemoveUnusedInames(k) }}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain, err := kernel.Make(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			k := plain
			for i, s := range c.steps {
				if k, err = s(k); err == nil {
					err = k.Check()
				}
				if err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			list := sizes
			if c.fixed {
				list = []map[string]int64{{}}
				if plain, err = c.steps[0](plain); err != nil {
					t.Fatal(err)
				}
			}
			for _, params := range list {
				want, err := run(plain, params)
				if err != nil {
					t.Fatal(err)
				}
				got, err := run(k, params)
				if err == nil {
					err = same(want, got)
				}
				if err != nil {
					t.Fatalf("%v: %v\n%s", params, err, k)
				}
			}
		})
	}
}
