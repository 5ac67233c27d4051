package transform_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

func build(spec kernel.Spec, steps ...step) (*kernel.Kernel, error) {
	k, err := kernel.Make(spec)
	for _, s := range steps {
		if err == nil {
			k, err = s(k)
		}
	}
	return k, err
}

// traceOf runs a kernel on data of small integers, and lists the elements that each access touches, by work-item.
func traceOf(k *kernel.Kernel, params map[string]int64) (map[string][]int64, error) {
	nest, err := linear.New(k)
	if err != nil {
		return nil, err
	}
	buffers := map[string]*interp.Buffer{}
	for _, a := range nest.Kernel.Args {
		if a.IsValue && nest.Kernel.IsParam(a.Name) {
			continue
		}
		size := int64(1)
		if !a.IsValue {
			if size, err = a.Elements(params); err != nil {
				return nil, err
			}
		}
		b := interp.NewBuffer(a.DType, int(size))
		for i := range int(size) {
			b.Set(i, float64((i*7+3)%5))
		}
		buffers[a.Name] = b
	}
	out := map[string][]int64{}
	_, err = interp.RunWith(nest, params, buffers, interp.Options{Visit: func(t interp.Touch) {
		if nest.Kernel.Array(t.Array).Space == kernel.Global {
			key := fmt.Sprintf("%s, write %t, group %d, work-item %d", t.Access, t.Write, t.Group, t.Item)
			out[key] = append(out[key], t.Element)
		}
	}})
	return out, err
}

// sameAccesses holds the accesses of a kernel without work against those of the original. Those of the original that are
// gone must be to the removed arrays; the only new one may be the store that keeps the reads alive.
func sameAccesses(full, bare map[string][]int64, removed []string) error {
	array := func(key string) string { return key[:strings.IndexAny(key, "$[,")] }
	for _, key := range slices.Sorted(maps.Keys(bare)) {
		if array(key) != "read_tgt_dest" && !slices.Equal(full[key], bare[key]) {
			return fmt.Errorf("%s: elements %v, and %v without work", key, full[key], bare[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(full)) {
		if bare[key] == nil && !slices.Contains(removed, array(key)) {
			return fmt.Errorf("%s is gone", key)
		}
		if bare[key] != nil && slices.Contains(removed, array(key)) {
			return fmt.Errorf("%s is to be removed", key)
		}
	}
	return nil
}

// removals are kernels to remove work from, with arrays of theirs.
var removals = []struct {
	name   string
	spec   kernel.Spec
	steps  []step
	arrays []string
	params []map[string]int64
}{
	{
		"matmul",
		kernel.Spec{
			Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c$cST[i,j] = sum(k, a$aLD[i,k]*b$bLD[k,j])", DTypes: f32,
		},
		[]step{
			split("i", 4, "g.1", "l.1"), split("j", 4, "g.0", "l.0"), split("k", 4),
			prefetch("a", transform.Prefetch{}, "i_inner", "k_inner"), prefetch("b", transform.Prefetch{}, "k_inner", "j_inner"),
		},
		[]string{"a", "b", "c"},
		[]map[string]int64{{"n": 4}, {"n": 7}},
	},
	{
		"matmul without tiles",
		kernel.Spec{
			Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c[i,j] = sum(k, a$aLD[i,k]*b$bLD[k,j])", DTypes: f32,
		},
		[]step{split("i", 4, "g.1", "l.1"), split("j", 2, "g.0", "l.0")},
		[]string{"a", "b", "c"},
		[]map[string]int64{{"n": 4}, {"n": 5}},
	},
	{
		"stencil on a larger group",
		kernel.Spec{
			Domains:      []string{"{[i,j]: 0<=i,j<n}"},
			Instructions: "res[i,j] = a[i,j+1] + a[i+1,j] - 4*a[i+1,j+1] + a[i+1,j+2] + a[i+2,j+1]", DTypes: onlyA,
		},
		[]step{
			split("i", 4, "g.1", "l.1"), split("j", 4, "g.0", "l.0"), prefetch("a", transform.Prefetch{BoundingBox: true}, "i_inner", "j_inner"),
			tagged("a_dim_0:l.1, a_dim_1:l.0"),
		},
		[]string{"a", "res"},
		[]map[string]int64{{"n": 4}, {"n": 6}},
	},
	{
		"dg",
		kernel.Spec{
			Domains:      []string{"{[m,k,i,j]: 0<=m<3 and 0<=k<n and 0<=i,j<p}"},
			Instructions: "res[m,k,i] = sum(j, a[m,i,j]*b[k,j])", DTypes: f32,
		},
		[]step{split("i", 4, "g.1", "l.1"), split("k", 4, "g.0", "l.0"), split("j", 4), prefetch("a", transform.Prefetch{}, "j_inner", "i_inner"), prioritize("m", "j_outer", "j_inner")},
		[]string{"a", "b", "res"},
		[]map[string]int64{{"n": 4, "p": 4}, {"n": 5, "p": 6}},
	},
	{
		"indirect and conditional",
		kernel.Spec{
			Domains: []string{"{[i,k]: 0<=i,k<n}"},
			Instructions: "<> at = p[i] % 3 {id=at}\n" +
				"y[i] = (a[i-1] if i > 0 else 0.0f) + a[at] + b[i] {id=y}\n" +
				"z[i] = sum(k, q[p[k]]) {id=z, if=a[i] > 2.0f}\n",
			Args: []*kernel.Array{
				{Name: "q", Shape: []expr.Expr{expr.Int{Value: 5}}, DType: expr.Float32},
				{Name: "p", Shape: []expr.Expr{expr.Var{Name: "n"}}, DType: expr.Int32},
				{Name: "a", Shape: []expr.Expr{expr.Var{Name: "n"}}, DType: expr.Float32},
			},
			DTypes: f32,
		},
		[]step{split("i", 4, "g.0", "l.0")},
		[]string{"q", "b", "y", "z"},
		[]map[string]int64{{"n": 4}, {"n": 6}},
	},
	{
		"loops in turn",
		kernel.Spec{
			Domains:      []string{"{[i,k,m]: 0<=i,k,m<n}"},
			Instructions: "<> s = sum(k, a[k,i]) {id=s}\n<> t = sum(m, b[m]*a[i,m]) {id=t}\nc[i] = s + t + b[i]\nd[i] = s*b[i]",
			DTypes:       f32,
		},
		[]step{split("i", 4, "g.0", "l.0")},
		[]string{"a", "b", "c", "d"},
		[]map[string]int64{{"n": 3}, {"n": 4}},
	},
	{
		"bounds from memory, and a tile",
		kernel.Spec{
			Domains:      []string{"{[i]: 0<=i<n}", "{[j]: lo<=j<hi}"},
			Instructions: "<int32> lo = max(p[i], 0)\n<int32> hi = min(q[i], n)\nc[i] = sum(j, a[j]*b[i])",
			Args:         []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Var{Name: "n"}}, DType: expr.Float32}},
			DTypes:       map[string]expr.DType{"b": expr.Float32, "p": expr.Int32, "q": expr.Int32},
		},
		[]step{tagged("i:g.0"), split("j", 2), prefetch("a", transform.Prefetch{}, "j_inner")},
		[]string{"a", "b", "c"},
		[]map[string]int64{{"n": 3}, {"n": 4}},
	},
	{
		"no axes",
		kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = a[i]*a[i]", DTypes: onlyA},
		nil,
		[]string{"a", "y"},
		[]map[string]int64{{"n": 3}},
	},
}

// TestRemoveWorkKeepsAccesses: each access that is left goes through the elements that it did before, in that order.
func TestRemoveWorkKeepsAccesses(t *testing.T) {
	for _, c := range removals {
		t.Run(c.name, func(t *testing.T) {
			k, err := build(c.spec, c.steps...)
			if err != nil {
				t.Fatal(err)
			}
			for set := range 1 << len(c.arrays) {
				opt := transform.WorkRemoval{Accumulators: 1 + set%4}
				for i, a := range c.arrays {
					if set>>i&1 == 1 {
						opt.Vars = append(opt.Vars, a)
					}
				}
				bare, err := transform.RemoveWork(k, opt)
				if err != nil {
					t.Fatalf("%v: %v", opt, err)
				}
				for _, a := range slices.Concat(bare.Args, bare.Temps) {
					if a.Space == kernel.Local {
						t.Errorf("%v: local array %s is left", opt, a.Name)
					}
				}
				for _, params := range c.params {
					want, err := traceOf(k, params)
					if err != nil {
						t.Fatal(err)
					}
					got, err := traceOf(bare, params)
					if err == nil {
						err = sameAccesses(want, got, opt.Vars)
					}
					if err != nil {
						t.Fatalf("%v at %v: %v\n%s", opt, params, err, bare)
					}
				}
			}
		})
	}
}

// TestRemoveWorkOfThePaper gives the kernel of Stevens and Klöckner, section 7.1.1.
func TestRemoveWorkOfThePaper(t *testing.T) {
	tiled, err := build(kernel.Spec{
		Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c$cST[i,j] = sum(k, a$aLD[i,k]*b$bLD[k,j])", DTypes: f32,
		Assumptions: "n >= 1 and n % 16 = 0",
	}, split("i", 16, "g.1", "l.1"), split("j", 16, "g.0", "l.0"), split("k", 16),
		prefetch("a", transform.Prefetch{}, "i_inner", "k_inner"), prefetch("b", transform.Prefetch{}, "k_inner", "j_inner"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opt  transform.WorkRemoval
		want string
	}{
		{transform.WorkRemoval{Vars: []string{"a", "c"}}, `
			read_tgt_init: read_tgt = 0.0f
			for k_outer = 0 .. n/16 - 1
			    b_fetch_rule_read: read_tgt = read_tgt + b$bLD[16*k_outer + lid(1), 16*gid(0) + lid(0)]
			read_tgt_dest_store: read_tgt_dest[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = read_tgt`},
		{transform.WorkRemoval{Keep: []string{"bLD"}}, `
			read_tgt_init: read_tgt = 0.0f
			for k_outer = 0 .. n/16 - 1
			    b_fetch_rule_read: read_tgt = read_tgt + b$bLD[16*k_outer + lid(1), 16*gid(0) + lid(0)]
			read_tgt_dest_store: read_tgt_dest[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = read_tgt`},
		{transform.WorkRemoval{}, `
			read_tgt_init: read_tgt = 0.0f
			for k_outer = 0 .. n/16 - 1
			    a_fetch_rule_read: read_tgt = read_tgt + a$aLD[16*gid(1) + lid(1), 16*k_outer + lid(0)]
			    b_fetch_rule_read: read_tgt = read_tgt + b$bLD[16*k_outer + lid(1), 16*gid(0) + lid(0)]
			insn_store: c$cST[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = read_tgt`},
		{transform.WorkRemoval{Vars: []string{"b"}, Accumulators: 2}, `
			read_tgt_init: read_tgt = 0.0f
			read_tgt_1_init: read_tgt_1 = 0.0f
			for k_outer = 0 .. n/16 - 1
			    a_fetch_rule_read: read_tgt = read_tgt + a$aLD[16*gid(1) + lid(1), 16*k_outer + lid(0)]
			    read_tgt_next: read_tgt_next = read_tgt_1
			    read_tgt_1_next: read_tgt_1_next = read_tgt
			    read_tgt_turn: read_tgt = read_tgt_next
			    read_tgt_1_turn: read_tgt_1 = read_tgt_1_next
			insn_store: c$cST[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = read_tgt + read_tgt_1`},
		{transform.WorkRemoval{Vars: []string{"a", "b"}}, `
			read_tgt_init: read_tgt = 0.0f
			insn_store: c$cST[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = read_tgt`},
	} {
		bare, err := transform.RemoveWork(tiled, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		nest, err := linear.New(bare)
		if err != nil {
			t.Fatal(err)
		}
		want := "groups (n/16, n/16, 1), work-items (16, 16, 1)" + strings.ReplaceAll(c.want, "\n\t\t\t", "\n") + "\n"
		if d := cmp.Diff(want, nest.String()); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.opt, d)
		}
		if a := bare.Array("read_tgt_dest"); a != nil && a.String() != "read_tgt_dest: global float32 [n, n]" {
			t.Errorf("%s", a)
		}
	}
}

// TestRemoveWorkKeepsByTag: of several accesses to one array those stay that have a tag, their own or an implicit one,
// with the addresses that they had.
func TestRemoveWorkKeepsByTag(t *testing.T) {
	n := []expr.Expr{expr.Var{Name: "n"}}
	k, err := build(kernel.Spec{
		Domains:      []string{"{[i,j]: 0<=i,j<n}"},
		Instructions: "<> s = sum(j, a$all[j]*a$own[i]) + a[n-1-i]\ny[i] = s*a$all[i]",
		Args:         []*kernel.Array{{Name: "y", Shape: n, DType: expr.Float32}, {Name: "a", Shape: n, DType: expr.Float32}},
	}, tagged("i:g.0"))
	if err != nil {
		t.Fatal(err)
	}
	params := map[string]int64{"n": 5}
	want, err := traceOf(k, params)
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range [][]string{{"all"}, {"own"}, {"aLD"}, {"yST"}, {"all", "aLD"}, {"all", "own", "aLD", "yST"}} {
		bare, err := transform.RemoveWork(k, transform.WorkRemoval{Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		got, err := traceOf(bare, params)
		if err != nil {
			t.Fatal(err)
		}
		tags := map[string]bool{}
		for key, elements := range got {
			access, rest, _ := strings.Cut(key, "[")
			name, own, _ := strings.Cut(access, "$")
			if name == "read_tgt_dest" {
				continue
			}
			if own == "" {
				own = expr.ImplicitTag(name, strings.Contains(rest, "write true"))
			}
			tags[own] = true
			if !slices.Equal(want[key], elements) {
				t.Errorf("%v: %s touches %v, before %v", keep, key, elements, want[key])
			}
		}
		if left := slices.Sorted(maps.Keys(tags)); !slices.Equal(left, slices.Sorted(slices.Values(keep))) {
			t.Errorf("%v: accesses %v are left", keep, left)
		}
	}
}

func TestImplicitTag(t *testing.T) {
	for _, c := range []struct {
		array string
		store bool
		want  string
	}{{"a", false, "aLD"}, {"acc_x", true, "accxST"}, {"_2d", false, "dLD"}, {"x1", true, "x1ST"}} {
		if got := expr.ImplicitTag(c.array, c.store); got != c.want {
			t.Errorf("%s, store %t: %s, want %s", c.array, c.store, got, c.want)
		}
	}
}

func TestRemoveWorkRefusals(t *testing.T) {
	n := []expr.Expr{expr.Var{Name: "n"}}
	for _, c := range []struct {
		instructions string
		steps        []step
		opt          transform.WorkRemoval
		want         string
	}{
		{"y[i] = a[i]", nil, transform.WorkRemoval{Vars: []string{"q"}}, "q is not an array in global memory (y, a)"},
		{"y[i] = a[i]", nil, transform.WorkRemoval{Accumulators: -1}, "1 to 64"},
		{"y[i] = a[i]", nil, transform.WorkRemoval{Keep: []string{"aST"}}, "no access to global memory has the tag aST (aLD, yST)"},
		{"y[i] = a$own[i]", nil, transform.WorkRemoval{Keep: []string{"aLD"}}, "no access to global memory has the tag aLD (own, yST)"},
		{"y[i] = a[p[i]]", nil, transform.WorkRemoval{Keep: []string{"aLD"}}, "p is to be removed, but statement insn needs it in p[i]"},
		{"y[i] = a[p[i]]", nil, transform.WorkRemoval{Vars: []string{"p"}}, "p is to be removed, but statement insn needs it in p[i]"},
		{"<> t = p[i]\ny[i] = a[t]", nil, transform.WorkRemoval{Vars: []string{"p"}}, "p is to be removed, but statement insn needs it in p[i]"},
		{"y[i] = a[i] {if=p[i] > 0}", nil, transform.WorkRemoval{Vars: []string{"p"}}, "p is to be removed"},
		{"y[i] = a[p[i]] if p[i] >= 0 else 0.0f", nil, transform.WorkRemoval{}, "may be out of bounds"},
		{"y[i] = a[i]", []step{tagged("i:l.0")}, transform.WorkRemoval{}, "not constant"},
		{"y[i] = y[i] + a[i] {atomic}", nil, transform.WorkRemoval{}, "statement insn is atomic"},
	} {
		k, err := build(kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Instructions: c.instructions, DTypes: onlyA,
			Args: []*kernel.Array{{Name: "y", Shape: n}, {Name: "a", Shape: n}, {Name: "p", Shape: n, DType: expr.Int32}},
		}, c.steps...)
		if !strings.Contains(c.instructions, "p[i]") && err == nil {
			k.Args = slices.DeleteFunc(k.Args, func(a *kernel.Array) bool { return a.Name == "p" })
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transform.RemoveWork(k, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.instructions, err, c.want)
		}
	}
}

// TestRemoveWorkAfterRandomTransformations is TestRemoveWorkKeepsAccesses for kernels as they come.
func TestRemoveWorkAfterRandomTransformations(t *testing.T) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		k, err := kernel.Make(rapid.SampledFrom(randomSpecs).Draw(t, "kernel"))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			if _, next, err := randomStep(t, k); err == nil && next.Check() == nil {
				k = next
			}
		}
		if nest, err := linear.New(k); err != nil || nest.Kernel.Launchable() != nil || redundant(nest.Kernel) {
			return
		}
		opt := transform.WorkRemoval{Accumulators: rapid.IntRange(1, 3).Draw(t, "accumulators")}
		for _, a := range k.Args {
			if !a.IsValue && a.DType != expr.Int32 && rapid.Bool().Draw(t, a.Name) { // loops need what is int32
				opt.Vars = append(opt.Vars, a.Name)
			}
		}
		bare, err := transform.RemoveWork(k, opt)
		if err != nil {
			t.Fatalf("%v\n%s", err, k)
		}
		params := map[string]int64{"n": rapid.Int64Range(1, 6).Draw(t, "n")}
		want, err := traceOf(k, params)
		if err != nil {
			t.Fatal(err)
		}
		got, err := traceOf(bare, params)
		if err == nil {
			err = sameAccesses(want, got, opt.Vars)
		}
		if err != nil {
			t.Fatalf("%v at %v: %v\n%s\n%s", opt, params, err, k, bare)
		}
		ran++
	})
	t.Logf("%d kernels ran", ran)
}
