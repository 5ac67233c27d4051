package transform_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestRefusals: what would change the result, or makes no sense, is an error that names the culprit and the remedy.
func TestRefusals(t *testing.T) {
	tiled := []step{split("i", 16, "g.1", "l.1"), split("j", 16, "g.0", "l.0"), split("k", 16)}
	simple := kernel.Spec{Domains: []string{"{[i,j]: 0<=i,j<n}"}, Instructions: "<> t = x[i] {id=t}\ny[i,j] = t*i {id=y}\nfor i\nz[i] = 0.0f {id=z0}\nend\nz[i] = z[i] + t {id=z1, inames=i:j}", DTypes: types("x")}
	acc := kernel.Spec{Domains: []string{"{[i,m]: 0<=i<n and 0<=m<3}"}, Instructions: "<> s = 0.0f {id=init, inames=i:m}\ns = s + x[i,m] {id=up, inames=i:m}\ny[i,m] = s {id=out}", DTypes: types("x")}
	carried := kernel.Spec{Domains: []string{"{[i,m]: 0<=i<n and 0<=m<3}"}, Instructions: "<float32> s = 0.0f {id=init, if=m == 0}\ns = s + x[i,m] {id=up}\ny[i,m] = s {id=out}", DTypes: types("x")}
	do := func(list ...any) []step {
		var out []step
		for _, x := range list {
			switch x := x.(type) {
			case []step:
				out = append(out, x...)
			case step:
				out = append(out, x)
			case func(*kernel.Kernel) (*kernel.Kernel, error):
				out = append(out, x)
			}
		}
		return out
	}
	for _, c := range []struct {
		name  string
		spec  kernel.Spec
		steps []step // the last one must fail
		want  string
	}{
		{"unknown iname", matmul, do(split("q", 4)), `unknown iname "q" (the kernel has i, j, k)`},
		{"split of a tagged iname", matmul, do(tagged("i:g.0"), split("i", 4)), "cannot split iname i: it is tagged g.0; split first"},
		{"split by nothing", matmul, do(split("i", 0)), "must be positive"},
		{"name in use", matmul, do(split("i", 4), func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.SplitIname(k, "j", 4, transform.Split{Outer: "i_outer"})
		}), "i_outer is in use"},
		{"unknown tag", matmul, do(tagged("i:x.0")), `unknown iname tag "x.0"`},
		{"axis 3", matmul, do(tagged("i:l.3")), "hardware axes are 0, 1 and 2"},
		{"tag of nothing", matmul, do(tagged("i")), "should be iname:tag"},
		{"two inames on an axis", matmul, do(tagged("i:g.0, j:g.0")), "both tagged g.0"},
		{"retag", matmul, do(tagged("i:g.0"), tagged("i:g.1")), "is tagged g.0 already"},
		{"parallel reduction", matmul, do(split("k", 4), tagged("k_inner:l.auto")), "reduces over iname k_inner"},
		{"reduction over work-groups", matmul, do(split("k", 4), tagged("k_outer:g.0")), "reduces over iname k_outer"},
		{"parallel reduction without constant extent", matmul, do(tagged("k:l.0"), prepared), "the extent of iname k (l.0) is not constant"},
		{
			"parallel reduction of an index",
			kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = argmax(j, a[i,j], j)", DTypes: map[string]expr.DType{"a": expr.Float32}},
			do(split("j", 4), tagged("j_inner:l.0"), prepared), "is not supported",
		},
		{"assumption on an iname", matmul, do(assume("i > 3")), "assumption on iname i"},
		{"impossible assumption", matmul, do(assume("n > 3"), assume("n < 2")), "no parameter values satisfy it together with"},
		{"malformed assumption", matmul, do(assume("n >= ")), "assumption: 1:6"},
		{"disjunction", matmul, do(assume("n = 1 or n = 5")), "is a disjunction"},
		{"fixed against the assumptions", matmul, do(assume("n % 16 = 0"), fixed(map[string]int64{"n": 17})), "fixing n=17 contradicts"},
		{"fixed iname", matmul, do(fixed(map[string]int64{"i": 1})), "it is an iname"},
		{"fixed unknown", matmul, do(fixed(map[string]int64{"q": 1})), "not a parameter of the kernel (n)"},
		{"priority of an unknown loop", matmul, do(prioritized("i, q")), `unknown iname "q"`},
		{"prefetch of nothing", matmul, do(prefetched("q", "i")), "no such array"},
		{"prefetch of what is written", matmul, do(prefetched("c", "i")), "statement insn writes it"},
		{"prefetch of an unread array", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = 1.0f", Args: []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Int{Value: 4}}}}}, do(prefetched("a", "i")), "no statement reads it"},
		{"sweep over groups", matmul, do(tiled, prefetched("a", "i_outer")), "tile belongs to one work-group"},
		{"sweep without constant extent", matmul, do(prefetched("a", "k")), "the extent of axis 1 over the sweep is not constant"},
		{"local iname that is not swept", matmul, do(tiled, prefetched("a", "k_inner")), "would depend on iname i_inner (l.1)"},
		{"non-affine access", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = a[b[i]]", Args: []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Int{Value: 9}}}}}, do(prefetched("a", "i")), "b[i] is not affine"},
		{"stencil without its box", stencil, do(split("i", 14), split("j", 14), prefetched("u", "i_inner, j_inner")), "fetch_bounding_box=True"},
		{"accesses too far apart", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = a[i] + a[n-1-i]"}, do(split("i", 4), prefetched("a", "i_inner", true)), "one tile cannot hold both"},
		{"different tags", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = a$x[i] + a$y[i+1]"}, do(split("i", 4), prefetched("a", "i_inner", true)), "have different tags (a$x[4*i_outer + i_inner], a$y"},
		{"floor of the swept iname", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = a[i // 2]"}, do(split("i", 4), prefetched("a", "i_inner")), "not affine in the swept iname"},
		{"added to a statement that accumulates", simple, do(func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddInamesToInsn(k, []string{"j"}, "id:z0")
		}), "statement z1 writes z"},
		{"no such statement", simple, do(within("j", "id:q*")), "no statement matches"},
		{"malformed match", simple, do(within("j", "id:t and")), "is missing at the end"},
		{"unknown criterion", simple, do(within("j", "foo:t")), `unknown criterion "foo"`},
		{"copies without an element each", acc, do(duplicated("m", "id:out")), "give it an element per iteration first (privatize_temporaries_with_inames)"},
		{"duplicating a parallel iname", acc, do(tagged("m:l.0"), duplicated("m", "id:out")), "it is tagged l.0"},
		{"a value carried over", carried, do(privatized("m")), "may be carried over"},
		{"privatizing for a reader outside", kernel.Spec{Domains: acc.Domains, Instructions: "<> s = x[i,m] {id=a}\ny[i] = s {id=b, inames=i}", DTypes: types("x")}, do(privatized("m", "s")), "statement b reads it outside"},
		{"privatizing nothing", acc, do(privatized("m", "q")), "q is not a temporary"},
		{"layout of too few axes", matmul, do(layout("a", "N0")), "has 1 items"},
		{"layout with an axis twice", matmul, do(layout("a", "N0,N0")), "item N0"},
		{"layout of a value", matmul, do(layout("n", "c")), "no array n"},
		{"dependency circle", simple, do(func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.AddDependency(k, "id:t", "id:y") }), "in a cycle"},
		{"rename onto another", matmul, do(func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RenameIname(k, "i", "j") }), "the name j is in use"},
		{"types that contradict", matmul, do(func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return k.AddDTypes(map[string]expr.DType{"a": expr.Float64})
		}), "a has dtype float32 already"},
		{"unknown type", matmul, do(func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return k.AddDTypes(map[string]expr.DType{"a": "float31"})
		}), "unknown element type"},
		{"array without a type", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = a[i]"}, do(prepared), "a has no dtype: give it one with add_dtypes"},
		{"a misspelt iname", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = a[ii]", DTypes: types("a")}, do(prepared), "ii is unknown: did you mean i?"},
		{"joining an iname of unknown extent", matmul, do(joined("i, j")), "the number of its values is not constant"},
		{"joining what one statement is within", simple, do(fixed(map[string]int64{"n": 4}), joined("i, j")), "statement t is within i only"},
		{"joining one", matmul, do(joined("i")), "two or more"},
		{"joining a tagged iname", matmul, do(tagged("i:g.0"), joined("j, i")), "it is tagged g.0"},
		{"joining out of a reduction", matmul, do(joined("k, i")), "statement insn is within i only"},
		{"chunks of a parameter", matmul, do(chunked("i", 4)), "a product of a parameter and the iname of the chunks, which no affine domain has; fix the parameters"},
		{"no chunks", matmul, do(chunked("i", 0)), "must be positive"},
		{"a map that folds", matmul, do(mapped("{[k] -> [r] : r = k // 2}")), "k is not a quasi-affine function of r"},
		{"a map that repeats", matmul, do(mapped("{[k] -> [r] : k <= r <= k + 1}")), "is not a quasi-affine function"},
		{"a map that loses points", matmul, do(mapped("{[k] -> [r] : r = k and k > 2}")), "have no image"},
		{"a map onto a name in use", matmul, do(mapped("{[k] -> [i] : i = k}")), "the name i is in use"},
		{"a malformed map", matmul, do(mapped("{[k] -> [r")), "1:"},
		{"a template that nothing computes", matmul, do(extracted("f", "a[x]", "x")), "no statement computes a[x]"},
		{"a parameter that is not there", matmul, do(extracted("f", "a[x, y]", "x, y, z")), "z does not occur"},
		{"two trees in a statement", kernel.Spec{Domains: []string{"{[i,j,k]: 0<=i<n and 0<=j,k<8}"}, Instructions: "c[i] = sum(j, a[i,j])/sum(k, a[i,k])"}, do(tagged("j:l.0, k:l.0")), "as in <> s = sum(j, ...)"},
		{"precomputing nothing", matmul, do(precomputed("f", "i")), "no such substitution rule"},
		{"precomputing over groups", matmul, do(tiled, extracted("f", "a$aLD[x, y]", "x, y"), precomputed("f", "i_outer")), "tile belongs to one work-group"},
		{"precomputing what changes", acc, do(extracted("f", "s + p", "p"), precomputed("f", "m")), "which statement init writes"},
		{"a swept iname inside the rule", matmul, do(tiled, extracted("f", "a$aLD[16*i_outer + i_inner, y]", "y"), precomputed("f", "i_inner, k_inner")), "make it an argument"},
		{"a barrier on private memory", simple, do(func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddBarrier(k, "id:t", "id:y", "", kernel.Private)
		}), "on local or global memory"},
		{"a barrier in a cycle", simple, do(func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddBarrier(k, "id:y", "id:t", "", kernel.Local)
		}), "in a cycle"},
		{"removing an iname in use", matmul, do(func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RemoveUnusedInames(k, "k") }), "statement insn is within it"},
		{"race on a global array", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = a[i,j]", DTypes: types("a")}, do(checked("j:g.0")), "every value of j (g.0) writes the same element c[i] of global memory"},
		{"race on a tile", kernel.Spec{Domains: []string{"{[l,m]: 0<=l,m<4}"}, Instructions: "<> s[l] = a[l,m]\nb[l,m] = s[l]", DTypes: types("a")}, do(checked("l:l.0, m:l.1")), "of local memory; index it by m"},
		{"private value read elsewhere", kernel.Spec{Domains: []string{"{[l,m]: 0<=l,m<4}"}, Instructions: "<> s = a[l] {inames=l}\nb[m] = s {inames=m}", DTypes: types("a")}, do(checked("l:l.0, m:l.0")), "writes for each value of l (l.0) separately"},
		{"neutral element of an unknown type", kernel.Spec{Domains: matmul.Domains, Instructions: "c[i] = max(k, a[k])"}, do(realized), "needs the dtype"},
		{"work-group of unknown size", matmul, do(tagged("i:l.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) { return k, k.Launchable() }), "its extent is not constant"},
		{"tile without barriers", matmul, do(tiled, explicit, func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddPrefetch(k, "a", []string{"i_inner", "k_inner"}, transform.Prefetch{})
		}), "barriers are explicit"},
		{"tree without barriers", matmul, do(split("k", 16, "for", "l.0"), explicit, realized), "over iname k_inner: the kernel's barriers are explicit"},
		{"tile of unknown size", kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "<float32> s[i] = 1.0f"}, do(prepared, func(k *kernel.Kernel) (*kernel.Kernel, error) { return k, k.Launchable() }), "as private memory needs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := apply(t, c.spec, c.steps[:len(c.steps)-1]...)
			_, err := c.steps[len(c.steps)-1](k)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// checked tags inames and checks the kernel.
func checked(tags string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		k, err := transform.TagInames(k, tags)
		if err != nil {
			return nil, err
		}
		return k, k.Check()
	}
}

// TestCheck plants the mistakes that each part of Check is for.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		plant func(*kernel.Kernel)
		want  string
	}{
		{"iname in two domains", func(k *kernel.Kernel) { k.Domains = append(k.Domains, k.Domains[0]) }, "both an iname and an iname"},
		{"iname named like an array", func(k *kernel.Kernel) { k.Temps = append(k.Temps, &kernel.Array{Name: "i", Shape: []expr.Expr{}}) }, "both an iname and a temporary"},
		{"statement id twice", func(k *kernel.Kernel) { k.Statements = append(k.Statements, k.Statements[0]) }, "used twice"},
		{"dependency on nothing", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.Deps = []string{"x"} }) }, "depends on x, which does not exist"},
		{"dependency on itself", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.Deps = []string{s.ID} }) }, "in a cycle"},
		{"iname outside the statement", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.Inames = []string{"i"} }) }, "uses iname j, which it is not within"},
		{"inames out of order", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.Inames = []string{"j", "i"} }) }, "not sorted"},
		{"reduction over an own iname", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.Inames = []string{"i", "j", "k"} }) }, "reduces over iname k, which it is within already"},
		{"too few indices", func(k *kernel.Kernel) {
			k.MapStmts(func(s *kernel.Stmt) { s.LHS = &expr.Access{Array: "c", Index: []expr.Expr{expr.Var{Name: "i"}}} })
		}, "c[i] has 1 indices"},
		{"assignment to a parameter", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.LHS = expr.Var{Name: "n"} }) }, "assigns to n"},
		{"unknown name", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.RHS = expr.Var{Name: "q"} }) }, "uses q, which is not defined"},
		{"a barrier that computes", func(k *kernel.Kernel) { k.MapStmts(func(s *kernel.Stmt) { s.Kind = kernel.LocalBarrier }) }, "other statements none"},
		{"tag on nothing", func(k *kernel.Kernel) { k.Tags["q"] = kernel.Tag{Kind: kernel.Unroll} }, "tag unr on q"},
		{"one axis for two inames", func(k *kernel.Kernel) {
			k.Tags["i"], k.Tags["j"] = kernel.Tag{Kind: kernel.GroupAxis, Axis: 0}, kernel.Tag{Kind: kernel.GroupAxis, Axis: 0}
		}, "both tagged g.0"},
		{"priority of nothing", func(k *kernel.Kernel) { k.Priorities = [][]string{{"q"}} }, "q, which is not an iname"},
		{"size by an iname", func(k *kernel.Kernel) {
			k.ChangeArray("a", func(a *kernel.Array) { a.Shape = []expr.Expr{expr.Var{Name: "i"}, expr.Var{Name: "n"}} })
		}, "i is not a parameter"},
		{"unknown dtype", func(k *kernel.Kernel) {
			k.ChangeArray("a", func(a *kernel.Array) { a.DType = "f" })
		}, "unknown element type"},
		{"layout of other rank", func(k *kernel.Kernel) {
			k.ChangeArray("a", func(a *kernel.Array) { a.Axes = []kernel.Axis{{}} })
		}, "a layout of 1"},
	} {
		k := apply(t, matmul)
		c.plant(k)
		if err := k.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// explicit makes the barriers of the kernel those of its text.
func explicit(k *kernel.Kernel) (*kernel.Kernel, error) {
	k = k.Clone()
	k.ExplicitBarriers = true
	return k, nil
}
