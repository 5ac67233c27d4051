package script_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// equivalences hold, for each transformation of the table, scripts that use it: every global is a kernel that computes
// what the first one does. Sizes n from 1 to 9 are taken at random; multiples of step where that is given.
var equivalences = []struct {
	name, text string
	step       int64
}{
	{"split_iname", mm + `
a = lp.split_iname(plain, "i", 4, outer_tag="g.0", inner_tag="l.0")
b = lp.split_iname(lp.split_iname(plain, "k", 3), "k_inner", 2)`, 1},
	{"tag_inames", mm + `
a = lp.tag_inames(lp.split_iname(plain, "i", 4), "i_outer:g.0, i_inner:l.1")
b = lp.tag_inames(lp.split_iname(plain, "j", 2), {"j_inner": "unr", "j_outer": "for", "i": "g.1"})
c = lp.tag_inames(lp.split_iname(plain, "j", 3), {"j_inner": "ilp"})`, 1},
	{"assume", mm + `
a = lp.assume(lp.split_iname(plain, "i", 2, outer_tag="g.0", inner_tag="l.0"), "n % 2 = 0 and n >= 2")
b = lp.assume(lp.split_iname(plain, "k", 2), "n >= 1")`, 2},
	{"assume_average", rows + `
a = lp.assume_average(plain, "j", "n/2")
b = lp.split_iname(lp.assume_average(plain, "hi - lo", 3), "j", 2)`, 1},
	{"assume_values", rows + `
a = lp.assume_values(plain, "p[i]", "i % n")`, 1},
	{"add_prefetch", mm + `
_t = lp.split_iname(lp.split_iname(plain, "i", 4, outer_tag="g.0", inner_tag="l.0"), "k", 2)
_t = lp.tag_inames(_t, "j:g.1")
a = lp.add_prefetch(_t, "a", ["i_inner", "k_inner"])
b = lp.add_prefetch(_t, "b", "k_inner", default_tag=None)
c = lp.add_prefetch(_t, "a", ["i_inner", "k_inner"], fetch_bounding_box=True)`, 1},
	{"add_dtypes", mm + `
a = lp.add_dtypes(plain, {"c": "float64"})`, 1},
	{"add_and_infer_dtypes", mm + `
a = lp.add_and_infer_dtypes(plain, "c: float64")`, 1},
	{"fix_parameters", two + `
a = lp.fix_parameters(plain, m=3)`, 1},
	{"prioritize_loops", mm + `
a = lp.prioritize_loops(plain, "j,i")
b = lp.prioritize_loops(lp.realize_reduction(lp.split_iname(plain, "k", 2)), ["k_inner", "k_outer"])`, 1},
	{"add_dependency", two + `
a = lp.add_dependency(plain, "id:second", "id:first")`, 1},
	{"set_temporary_address_space", temporary + `
a = lp.tag_inames(lp.set_temporary_address_space(plain, "t", "local"), "i:l.0, g:g.0")
b = lp.set_temporary_address_space(plain, "t", lp.AddressSpace.GLOBAL)
c = lp.set_temporary_address_space(plain, "t", "private")`, 1},
	{"rename_iname", mm + `
a = lp.rename_iname(plain, "k", "q")`, 1},
	{"duplicate_inames", two + `
a = lp.duplicate_inames(plain, "i", "id:second")
b = lp.duplicate_inames(plain, ["i", "j"], within="id:second", new_inames=["p", "q"])`, 1},
	{"add_inames_to_insn", scalar + `
a = lp.add_inames_to_insn(plain, "j", "id:t")`, 1},
	{"realize_reduction", mm + `
a = lp.realize_reduction(plain)
b = lp.realize_reduction(lp.split_iname(plain, "k", 2))`, 1},
	{"privatize_temporaries_with_inames", scalar + `
a = lp.privatize_temporaries_with_inames(lp.split_iname(plain, "i", 4), "i_inner", only_var_names="t")
b = lp.duplicate_inames(lp.privatize_temporaries_with_inames(lp.split_iname(plain, "i", 4, outer_tag="g.0"), "i_inner"), "i_inner", "id:t")`, 1},
	{"join_inames", mm + `
a = lp.join_inames(lp.split_iname(plain, "i", 4), ["i_outer", "i_inner"], new_iname="ii")
b = lp.join_inames(lp.split_iname(plain, "k", 3), "k_outer, k_inner")`, 1},
	{"chunk_iname", two + `
a = lp.chunk_iname(lp.fix_parameters(plain, m=7), "j", 3)
b = lp.chunk_iname(lp.fix_parameters(plain, m=7), "j", 2, outer_tag="g.0", inner_tag="l.0")`, 1},
	{"chunk_iname", `plain = lp.make_kernel("{[i]: n<=i<n+10}", "out[i-n] = 2*x[i]",
    [lp.GlobalArg("out", "float32", shape="10"), lp.GlobalArg("x", "float32", shape="n+10"), "..."])
a = lp.chunk_iname(plain, "i", 4)
b = lp.chunk_iname(plain, "i", 3, outer_tag="g.0", inner_tag="l.0")`, 1},
	{"map_domain", mm + `
a = lp.map_domain(plain, "{[i,j] -> [t,s]: t = i + j and s = j}")
b = lp.map_domain(plain, "[n] -> {[k] -> [r]: r = n - 1 - k}")`, 1},
	{"extract_subst", mm + `
a = lp.extract_subst(plain, "f", "a[p, q]*b[q, r]", parameters="p, q, r")
b = lp.split_iname(lp.extract_subst(plain, "f", "b[p, j]", ["p"]), "j", 2)`, 1},
	{"precompute", mm + `
_t = lp.split_iname(lp.split_iname(plain, "i", 4, outer_tag="g.0", inner_tag="l.0"), "k", 2)
_t = lp.tag_inames(_t, "j:g.1")
_f = lp.extract_subst(_t, "f", "a[p, q]", parameters="p, q")
a = lp.precompute(_f, "f", ["i_inner", "k_inner"])
b = lp.precompute(_f, "f(i, k)", "k_inner", default_tag=None)
_g = lp.precompute(lp.extract_subst(_f, "g", "b[p, q]", parameters="p, q"), "f", ["i_inner", "k_inner"])
c = lp.precompute(_g, "g", ["k_inner"])
d = lp.precompute(lp.add_prefetch(lp.extract_subst(_t, "g", "b[p, q]", parameters="p, q"), "a", ["i_inner", "k_inner"]), "g", ["k_inner"])
e = lp.precompute(lp.extract_subst(lp.extract_subst(_f, "g", "b[p, q]", parameters="p, q"), "h", "f(i, k)*g(k, j)", parameters="i, k, j"), "g", "k_inner")`, 1},
	{"add_barrier", temporary + `
a = lp.tag_inames(lp.add_barrier(lp.set_temporary_address_space(plain, "t", "local"), "id:fill", "id:use", synchronization_kind="local"), "i:l.0, g:g.0")`, 1},
	{"add_inames_for_unused_hw_axes", scalar + `
a = lp.add_inames_for_unused_hw_axes(lp.tag_inames(lp.split_iname(plain, "j", 4), "i:g.0, j_outer:g.1, j_inner:l.0"))`, 1},
	{"remove_unused_inames", `
plain = lp.make_kernel("{[i,j]: 0<=i<n and i<=j<=i+2}", "c[i] = 2*a[i]")
plain = lp.add_dtypes(plain, {"a": "float32"})
a = lp.remove_unused_inames(plain)
b = lp.remove_unused_inames(plain, ["j"])`, 1},
	{"tag_data_axes", mm + `
a = lp.tag_data_axes(plain, "a, c", "N0,N1")
b = lp.tag_data_axes(plain, "b", "stride:1,stride:n + 3")`, 1},
	{"tag_array_axes", mm + `
a = lp.tag_array_axes(plain, "a", "f")`, 1},
}

// other transformations do not keep results.
var otherTransformations = map[string]string{
	"register_function": "says what a call computes; the tests of user functions run it",
	"remove_work":       "takes arithmetic and accesses away; the tests of package kernel run what it leaves",
}

const (
	mm = `
plain = lp.make_kernel("{[i,j,k]: 0<=i,j,k<n}", "c[i,j] = sum(k, a[i,k]*b[k,j])")
plain = lp.add_dtypes(plain, {"a": "float32", "b": "float32"})`
	two = `
plain = lp.make_kernel("{[i,j]: 0<=i<n and 0<=j<m}", "c[i,j] = a[i,j] {id=first}\nd[i,j] = a[i,j] + b[j] {id=second}")
plain = lp.add_dtypes(plain, {"a": "float32", "b": "float32"})`
	scalar = `
plain = lp.make_kernel("{[i,j]: 0<=i<n and 0<=j<8}", "<> t = 2*a[i] {id=t}\nc[i,j] = t*b[j] {id=c}")
plain = lp.add_dtypes(plain, {"a": "float32", "b": "float32"})`
	temporary = `
plain = lp.make_kernel("{[g,i]: 0<=g<n and 0<=i<8}",
    "<float32> t[i] = a[g,i] {id=fill}\nc[g,i] = t[i]*b[i] {id=use}")
plain = lp.add_dtypes(plain, {"a": "float32", "b": "float32"})`
	rows = `
plain = lp.make_kernel(["{[i]: 0<=i<n}", "{[j]: lo<=j<hi}"],
    "<int32> lo = max(p[i], 0)\n<int32> hi = min(p[i + 1], n)\nc[i] = sum(j, a[j])", [lp.GlobalArg("a", "float32", shape="n"), "..."])
plain = lp.add_dtypes(plain, {"p": "int32"})`
)

// TestTransformationsKeepResults runs the kernels of the table by the interpreter, which reports races, accesses out of
// bounds and reads of what nothing has written.
func TestTransformationsKeepResults(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range equivalences {
		covered[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			variants, err := script.Exec(c.name+".star", c.text)
			if err != nil {
				t.Fatal(err)
			}
			if len(variants) < 2 || variants[0].Name != "plain" {
				t.Fatalf("%d variants", len(variants))
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 6 {
				size := map[string]int64{"n": c.step * (1 + random.Int64N(9/c.step)), "m": 3}
				if c.name == "chunk_iname" {
					size["m"] = 7
				}
				seed := random.Uint64()
				want := compute(t, variants[0].Kernel, size, seed)
				for _, v := range variants[1:] {
					got := compute(t, v.Kernel, size, seed)
					for name, values := range want {
						if !slices.Equal(values, got[name]) {
							t.Fatalf("%s at %v: %s is %v, want %v", v.Name, size, name, got[name], values)
						}
					}
				}
			}
		})
	}
	for _, f := range script.Functions() {
		transforms := slices.Contains(f.Params[0].Names, "knl")
		if transforms && !covered[f.Name] && otherTransformations[f.Name] == "" {
			t.Errorf("%s is not in the table of equivalences", f.Name)
		}
	}
}

// compute runs a kernel and returns what it writes, by array, in the order of the indices: "-" for elements that it does not.
func compute(t *testing.T, k *kernel.Kernel, size map[string]int64, seed uint64) map[string][]string {
	nest, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	eval := func(e expr.Expr) int64 {
		v, err := expr.EvalInt(e, size)
		if err != nil {
			t.Fatal(err)
		}
		return v.Int64()
	}
	buffers := map[string]*interp.Buffer{}
	places := map[string][]int64{} // of the elements, in C order of their indices
	written := map[string]bool{}
	for _, s := range nest.Kernel.Statements {
		for _, w := range nest.Kernel.Writes(s) {
			written[w.Array] = true
		}
	}
	for _, a := range nest.Kernel.Args {
		if a.IsValue {
			continue
		}
		strides, err := a.Strides()
		if err != nil {
			t.Fatal(err)
		}
		at := []int64{0}
		for axis, e := range a.Shape {
			var next []int64
			for _, base := range at {
				for i := range eval(e) {
					next = append(next, base+i*eval(strides[axis]))
				}
			}
			at = next
		}
		elements, err := a.Elements(size)
		if err != nil {
			t.Fatal(err)
		}
		b := interp.NewBuffer(a.DType, int(elements))
		if !written[a.Name] {
			r := rand.New(rand.NewPCG(seed, uint64(len(a.Name))+uint64(a.Name[0])))
			for _, i := range at {
				b.Set(int(i), float64(r.IntN(13)-4)) // small integers: no sum rounds
			}
		}
		buffers[a.Name], places[a.Name] = b, at
	}
	params := map[string]int64{}
	for _, p := range nest.Kernel.Params() {
		params[p] = size[p]
	}
	if _, err := interp.Run(nest, params, buffers); err != nil {
		t.Fatalf("%v\n%s", err, nest)
	}
	out := map[string][]string{}
	for name := range written {
		if places[name] == nil {
			continue
		}
		for _, i := range places[name] {
			text := "-"
			if buffers[name].Defined(int(i)) {
				text = fmt.Sprint(buffers[name].At(int(i)))
			}
			out[name] = append(out[name], text)
		}
	}
	return out
}
