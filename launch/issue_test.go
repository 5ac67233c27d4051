package launch

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// issueTests have launches of one work-group of 32 work-items, l0, and totals of them.
var issueTests = map[string]struct {
	domain, code, dtypes string // NAMES: TYPE; NAME (SHAPE): TYPE
	n                    int64
	want                 map[string]float64
}{
	"two stores in a row to the same sectors are sent as one": {
		"{[l0,u]: 0<=l0<32 and 0<=u<2}", "y[2*l0 + u] = 1", "y: float32", 1,
		map[string]float64{"l2_store_bytes": 256, "l2_store_lines": 2, "global_accesses": 2, "addresses": 1},
	},
	"of four two and two": {
		"{[l0,u]: 0<=l0<32 and 0<=u<4}", "y[4*l0 + u] = 1", "y: float32", 1,
		map[string]float64{"l2_store_bytes": 2 * 512, "l2_store_lines": 2 * 4},
	},
	"so are two statements": {
		"{[l0]: 0<=l0<32}", "y[2*l0] = 1 {id=a}; y[2*l0 + 1] = 2 {dep=a}", "y: float32", 1,
		map[string]float64{"l2_store_bytes": 256, "l2_store_lines": 2, "addresses": 1},
	},
	"elements of two bytes are not": {
		"{[l0,u]: 0<=l0<32 and 0<=u<2}", "y[2*l0 + u] = 1", "y: float16", 1,
		map[string]float64{"l2_store_bytes": 2 * 128, "l2_store_lines": 2},
	},
	"nor those that touch more than 16 lines": {
		"{[l0,u]: 0<=l0<32 and 0<=u<2}", "y[64*l0 + u] = 1", "y: float32", 1,
		map[string]float64{"l2_store_bytes": 2 * 32 * 32, "l2_store_lines": 2 * 32},
	},
	"kinds of operations": {
		"{[l0]: 0<=l0<32}", "y[l0] = sqrt(x[l0]) + sin(x[l0])/x[l0]; z[l0] = exp(z[l0])*z[l0] + fabs(z[l0]); k[l0] = 3*min(k[l0], 7) + (k[l0] & 3); h[l0] = cast(float16, x[l0] + 2)",
		"x, y: float32; z: float64; k: int32; h: float16", 1,
		map[string]float64{
			"roots": 1, "periodic_functions": 1, "float_divisions": 1, "single_ops": 3, "double_functions": 1, "double_ops": 2,
			"integer_ops": 1, "integer_products": 1, "logic_ops": 1, "half_ops": 0, "conversions": 0,
		},
	},
	"a quotient and its remainder are one division; those by powers of two are part of the address": {
		"{[l0]: 0<=l0<32 and l0<100*n}", "y[l0] = x[l0 // n, l0 % n] + x[l0 // n, l0 // 4] + x[l0 // 3, 0]", "x (40, 40): float32; y: float32", 5,
		map[string]float64{"integer_divisions": 1, "integer_ops": 3},
	},
	"a product in a variable is part of the sum that sets the variable anew, and of no other": {
		"{[l0]: 0<=l0<32}", "<> s = x[l0]*x[l0] {id=a}; s = s + 1 {id=b, dep=a, inames=l0}; s = s*x[l0] {id=c, dep=b, inames=l0}; s = s + 2 {id=d, dep=c, inames=l0}; y[l0] = s {id=e, dep=d}; " +
			"<> t = x[l0]*3 {id=f}; z[l0] = t + 1 {id=g, dep=f}; v[l0] = t + 2 {dep=g}", "x, y, z, v: float32", 1,
		map[string]float64{"single_ops": 2 + 3},
	},
	"a load that a condition has made is not made again under it, unless something is stored": {
		"{[l0]: 0<=l0<32}", "if x[l0] > 1\ny[l0] = x[l0] {id=a}\nend; x[l0] = 3 {id=b, dep=a}; if z[l0] > 1\nv[l0] = x[l0] {dep=b}\nend", "x, y, z, v: float32", 1,
		map[string]float64{"global_accesses": 6},
	},
	"what a condition has led to is not tested again": {
		"{[l0]: 0<=l0<32}", "<> s = 2*x[l0] {id=a}; <> t = 3*x[l0] {id=b}; if s > 1\ny[l0] = 1 {id=c, dep=a}\nend; if s > 1 and t > 1\nz[l0] = 1 {id=d, dep=b:c}\nend; " +
			"if s > 1 and t <= 1\nv[l0] = 1 {id=e, dep=d}\nend; s = 4 {id=f, dep=e, inames=l0}; if s > 1\nw[l0] = 1 {dep=f}\nend", "x, y, z, v, w: float32", 1,
		map[string]float64{"conditions": 3},
	},
	"a loop is unrolled by 16, its rest by 4": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "y[l0] = sum(k, x[k, l0])", "x, y: float32", 39,
		map[string]float64{"turns": 2 + 1 + 3, "rounds": 2 + 1 + 3, "single_ops": 39, "global_accesses": 39 + 1},
	},
	"one of many instructions is not": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "y[l0] = sum(k, exp(x[k, l0])*exp(2*x[k, l0])*exp(3*x[k, l0])*exp(4*x[k, l0]))", "x, y: float32", 39,
		map[string]float64{"turns": 39, "rounds": 39, "float_functions": 4 * 39},
	},
	"a load at an index from memory waits for that": {
		"{[l0]: 0<=l0<32}", "y[l0] = x[at[l0]]", "x (64): float32; y: float32; at: int32", 1,
		map[string]float64{"rounds": 2},
	},
	"loads on a condition that earlier loads decide wait for them": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}",
		"<float32> last = 0 {id=first}; last = x[k, l0] {id=load, dep=first, if=last > -1}; y[l0] = last {dep=load}", "x, y: float32", 20,
		map[string]float64{"rounds": 20, "conditions": 20},
	},
	"conversions that types imply": {
		"{[l0]: 0<=l0<32}", "y[l0] = x[l0] + z[l0] + 2; v[l0] = x[l0]*k[l0] + 3; x[l0] = z[l0]*2", "x, v: float32; y, z: float64; k: int32", 1,
		map[string]float64{"double_conversions": 2, "conversions": 1, "double_ops": 3},
	},
	"a product in a variable is part of the multiply-add that adds it": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}",
		"<float32> s = 0 {id=a}; <float32> t = s*3.5 {id=b, dep=a, inames=k}; s = s + t {id=c, dep=b, inames=k}; y[l0] = s {dep=c}", "y: float32", 64,
		map[string]float64{"single_ops": 64, "chain_cycles": 64 * 4},
	},
	"one that two statements read is not": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}",
		"<float32> s = 0 {id=a}; <float32> t = s*3.5 {id=b, dep=a, inames=k}; s = s + t {id=c, dep=b, inames=k}; s = s + min(t, 2) {id=d, dep=c, inames=k}; y[l0] = s {dep=d}", "y: float32", 64,
		map[string]float64{"single_ops": 4 * 64},
	},
	"nor one of another type": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}",
		"<float64> s = 0 {id=a}; <float32> t = z[l0]*3.5 {id=b, dep=a, inames=l0:k}; s = s + t {id=c, dep=b, inames=l0:k}; y[l0] = s {dep=c}", "y: float64; z: float32", 64,
		map[string]float64{"single_ops": 64, "double_ops": 64},
	},
	"loads of more words than are in flight take more rounds": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "y[l0] = sum(k, x[k, l0]*w[k])", "x, y, w: float32", 64,
		map[string]float64{"turns": 4, "rounds": 8},
	},
	"neighbours of an unrolled loop have one address, those apart by a size each its own": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "y[l0] = sum(k, x[l0, k])", "x (32, n): float32; y: float32", 64,
		map[string]float64{"addresses": 4 + 1, "turns": 4, "entries": 1},
	},
	"apart by a size": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "y[l0] = sum(k, x[k, l0])", "x (n, n + 31): float32; y: float32", 64,
		map[string]float64{"addresses": 64 + 1},
	},
	"sums of a loop wait for each other": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "y[l0] = sum(k, x[k, l0])", "x, y: float32", 64,
		map[string]float64{"chain_cycles": 64 * 4},
	},
	"independent chains do not": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "<float32> a = 0 {id=a}; <float32> b = 0 {id=b}; a = a + x[k, l0] {id=c, dep=a}; b = b*2 + x[k, l0] {id=d, dep=b}; y[l0] = a + b {dep=c:d}", "x, y: float32", 64,
		map[string]float64{"chain_cycles": 64*4 + 4},
	},
	"a load from local memory is waited for": {
		"{[l0]: 0<=l0<32}", "<float32> s[l0] = x[l0] {id=a}; y[l0] = s[31 - l0] + 1 {dep=a}", "x, y: float32", 1,
		map[string]float64{"chain_cycles": 23 + 4},
	},
	"a loop of a constant number of iterations is written out, all of it": {
		"{[l0,k]: 0<=l0<32 and 0<=k<100}", "y[l0] = sum(k, x[k, l0])", "x, y: float32", 1,
		map[string]float64{"turns": 0},
	},
	"one of more than 350 instructions is not": {
		"{[l0,k]: 0<=l0<32 and 0<=k<256}", "y[l0] = sum(k, x[k, l0])", "x, y: float32", 1,
		map[string]float64{"turns": 16},
	},
	"quotients come one after the other": {
		"{[l0,k]: 0<=l0<32 and 0<=k<n}", "y[l0] = sum(k, 1/x[k, l0])", "x, y: float32", 64,
		map[string]float64{"chain_cycles": 64 * (59 + 4), "float_divisions": 64},
	},
	"what stands twice is computed once": {
		"{[l0]: 0<=l0<32}", "y[l0] = (x[l0] - 1)*(x[l0] - 1) + exp(x[l0] - 1) {id=a}; z[l0] = 3*exp(x[l0] - 1) {dep=a}", "x, y, z: float32", 1,
		map[string]float64{"single_ops": 3, "float_functions": 1},
	},
	"a quotient of integers by a number is no division, nor one by a power of two, a shift to the left is a product": {
		"{[l0]: 0<=l0<32}", "y[l0] = x[l0]/3 + x[l0]/4; k[l0] = (k[l0] << 3) + (k[l0] >> 2) + k[l0] % 8 + k[l0] // 3", "x, y: float32; k: int32", 1,
		map[string]float64{"float_divisions": 1, "single_ops": 1 + 1, "integer_divisions": 0, "integer_products": 1, "logic_ops": 1, "integer_ops": 3 + 1 + 3},
	},
	"one instruction rotates a word, and one combines three": {
		"{[l0]: 0<=l0<32}", "y[l0] = ((x[l0] << 7 | x[l0] >> 25) ^ z[l0] ^ (x[l0] & z[l0])) + (x[l0] | x[l0] >> 25)", "x, y, z: uint32", 1,
		map[string]float64{"logic_ops": 1 + 1 + 1, "integer_products": 0},
	},
	"what is a number when the code is compiled is not computed": {
		"{[l0]: 0<=l0<32}", "y[l0] = x[l0] * (1.0/3.0)", "x, y: float32", 1, map[string]float64{"float_divisions": 0, "single_ops": 1},
	},
	"what is converted twice is converted once": {
		"{[l0]: 0<=l0<32}", "y[l0] = cast(float64, x[l0]) * cast(float64, x[l0])", "x: float32; y: float64", 1, map[string]float64{"double_conversions": 1, "double_ops": 1},
	},
	"the inverse of what stays the same in a loop is computed before it": {
		"[n] -> {[l0, i]: 0<=l0<32 and 0<=i<n}", "y[l0] = y[l0] % n {inames=l0:i}", "y: int32", 64,
		map[string]float64{"integer_divisions": 1, "integer_products": 2 * 63, "logic_ops": 8 * 63},
	},
	"lanes that go to any place of a small table share its lines": {
		"{[l0]: 0<=l0<32}", "y[l0] = x[at[l0]]", "x (32): float32; y: float32; at: int32", 1,
		map[string]float64{"lines": 1 + 1 + 1},
	},
	"an atomic update is sent to L2, which loads and adds": {
		"{[l0]: 0<=l0<32}", "y[l0] = y[l0] + 2*x[l0] {atomic}", "x, y: float32", 1,
		map[string]float64{"global_accesses": 2, "lines": 2, "l2_store_bytes": 128, "rounds": 1, "single_ops": 1},
	},
	"of local memory it is a load, an addition and a store": {
		"{[l0]: 0<=l0<32}", "<float32> s[l0] = 0 {id=a}; s[l0] = s[l0] + 2*x[l0] {id=b, dep=a, atomic}; y[l0] = s[31 - l0] {dep=b}", "x, y: float32", 1,
		map[string]float64{"global_accesses": 2, "local_accesses": 4, "single_ops": 2},
	},
	"sub-groups of which a part passes a guard": {
		"{[l0]: 0<=l0<32}", "y[l0] = 1 {if=l0 < 5}", "y: float32", 1,
		map[string]float64{"divergences": 1, "conditions": 1},
	},
}

// compiled is the program of a script's first kernel as a compiler makes it, for an H200.
func compiled(t *testing.T, source string) *Program {
	t.Helper()
	variants, err := script.Options{}.Exec(context.Background(), "test.star", source)
	if err != nil {
		t.Fatal(err)
	}
	nest, err := linear.New(variants[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(nest, Options{Device: h200, Compiled: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestIssue(t *testing.T) {
	for name, test := range issueTests {
		t.Run(name, func(t *testing.T) {
			source := fmt.Sprintf(`
def args(text):
    out = []
    for part in text.split("; "):
        names, dtype = part.split(": ")
        name, _, shape = names.partition(" (")
        out.append(lp.GlobalArg(name, dtype, shape = shape[:-1]) if shape else lp.GlobalArg(names, dtype))
    return out + ["..."]
knl = lp.make_kernel(%q, %q.split("; "), args(%q), **({"assumptions": "n >= 1"} if "n" in %q.replace("and", "") else {}))
knl = lp.tag_inames(knl, "l0:l.0")
knl = lp.tag_inames(knl, "u:unr") if "u" in %q.split("]")[0] else knl
`, test.domain, test.code, test.dtypes, test.domain, test.domain)
			p := compiled(t, source)
			for total, want := range test.want {
				got, err := p.Totals(map[string]int64{"n": test.n}, []string{"f_static_" + total})
				if busiest := 132.0; err != nil || got[0] != want && got[0] != want*busiest {
					t.Errorf("%s: %g, %v; want %g", total, got, err, want)
				}
			}
		})
	}
}

// TestUneven: where the work-groups of a triangle run at once, the last one, with most work, counts; of many waves it is one of several.
func TestUneven(t *testing.T) {
	p := compiled(t, `
knl = lp.make_kernel("{[i,k]: 0<=i<n and 0<=k<=i}", "y[i] = sum(k, x[k])", assumptions = "n >= 64 and n % 64 = 0")
knl = lp.add_dtypes(lp.split_iname(knl, "i", 64, outer_tag = "g.0", inner_tag = "l.0"), "x, y: float32")
`)
	for n, waves := range map[int64]float64{64 * 100: 1, 64 * 132 * 32 * 2: 2} {
		rounds, err := p.Totals(map[string]int64{"n": n}, []string{"f_static_rounds"})
		if err != nil {
			t.Fatal(err)
		}
		mean := float64(n) / 2 / 16
		if want := mean * (waves + 1); math.Abs(rounds[0]/want-1) > 0.15 {
			t.Errorf("n=%d: %g rounds, want about %g", n, rounds[0], want)
		}
	}
}
