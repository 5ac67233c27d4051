package ckerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

const examples = "../../../examples"

// shown lists what a run counted, one line each, sorted.
func shown(r *Report) string {
	var lines []string
	for op, n := range r.Ops {
		lines = append(lines, fmt.Sprintf("%s %s: %d, %d", op.DType, op.Name, n.Items, n.SubGroups))
	}
	type kind struct {
		text   string
		shared bool
	}
	accesses := map[kind]Count{}
	for a, n := range r.Accesses {
		key := kind{fmt.Sprintf("%s %s", a.Space, accessKey(a.Array, a.DType, a.Write)), n.Shared}
		old := accesses[key]
		accesses[key] = Count{old.Items + n.Items, old.SubGroups + n.SubGroups}
	}
	for key, n := range accesses {
		line := fmt.Sprintf("%s: %d, %d", key.text, n.Items, n.SubGroups)
		if key.shared {
			line += " shared"
		}
		lines = append(lines, line)
	}
	if r.Barriers > 0 {
		lines = append(lines, fmt.Sprintf("barriers: %d", r.Barriers))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestCounts: counts of small kernels, by work-items and by sub-groups of 4, found by hand. Two work-groups of 8 work-items, n is 10.
func TestCounts(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{
			"index arithmetic is free", `int i = get_global_id(0); int at = 2*i + 1; if (at < n) y[at] = x[at - 1];`,
			"global x float32 load: 5, 2\nglobal y float32 store: 5, 2",
		},
		{
			"an integer that a value uses counts, once", `int i = get_global_id(0); int at = 2*i + 1; y[i] = at; y[i + 1] = at;`,
			"global y float32 store: 32, 8\nint32 madd: 16, 4",
		},
		{
			"a value that depends on data", `int i = get_global_id(0); int k = d[i] + 3; y[k + 1] = k & 1;`,
			"global d int32 load: 16, 4\nglobal y float32 store: 16, 4\nint32 add: 16, 4\nint32 bw: 16, 4",
		},
		{
			"work-items that leave", `int i = get_global_id(0); if (i >= n) return; y[i] = x[i] * 2.0f;`,
			"float32 mul: 10, 3\nglobal x float32 load: 10, 3\nglobal y float32 store: 10, 3",
		},
		{
			"a condition on data counts for all", `int i = get_global_id(0); if (x[i] > 3.0f) y[i] = x[i] + 1.0f; else y[i] = 2.0f * a;`,
			"float32 add: 16, 4\nfloat32 mul: 16, 4\nglobal x float32 load: 32, 8\nglobal y float32 store: 32, 8",
		},
		{
			"what is under a condition on data depends on it", `int i = get_global_id(0); int k = 1; if (x[i] > 3.0f) k = i + 2; y[i] = k + 1;`,
			"global x float32 load: 16, 4\nglobal y float32 store: 16, 4\nint32 add: 32, 8",
		},
		{
			"iterations that work-items take together", `for (int k = get_local_id(0); k < n; k += 4) y[k] = x[0] * x[1] + x[k];`,
			"float32 madd: 32, 10\nglobal x float32 load: 32, 10\nglobal x float32 load: 64, 20 shared\nglobal y float32 store: 32, 10",
		},
		{
			"sums and products", `int i = get_global_id(0); y[i] = a*x[i] + a*a*x[i] - x[i] - -(a*2.0f);`,
			"float32 madd: 48, 12\nfloat32 mul: 16, 4\nglobal x float32 load: 48, 12\nglobal y float32 store: 16, 4",
		},
		{
			"vectors", `int i = get_global_id(0); float4 v = vload4(i, x); v *= a; v.x += 1.0f; vstore4(v, i, y); y[i] = v.y;`,
			"float32 add: 16, 4\nfloat32 mul: 64, 16\nglobal x float32x4 load: 16, 4\nglobal y float32 store: 16, 4\nglobal y float32x4 store: 16, 4",
		},
		{
			"pointers that advance", `__global const float *p = x + get_global_id(0); float s = 0.0f; for (int k = 0; k < 3; k++) { s += *p; p += n; } y[get_global_id(0)] = s;`,
			"float32 add: 48, 12\nglobal x float32 load: 48, 12\nglobal y float32 store: 16, 4",
		},
		{
			"local memory and barriers", `__local float t[8]; int l = get_local_id(0); t[l] = x[l]; barrier(CLK_LOCAL_MEM_FENCE); if (l < 4) t[l] += t[l + 4]; barrier(CLK_LOCAL_MEM_FENCE); y[get_global_id(0)] = t[0];`,
			"barriers: 2\nfloat32 add: 8, 2\nglobal x float32 load: 16, 4\nglobal y float32 store: 16, 4\nlocal t float32 load: 16, 4\nlocal t float32 load: 16, 4 shared\nlocal t float32 store: 24, 6",
		},
		{
			"atomic functions", `atomic_add(&d[0], 2);`,
			"global d int32 load: 16, 4 shared\nglobal d int32 store: 16, 4 shared\nint32 add: 16, 4",
		},
		{
			"functions are inlined", `int i = get_global_id(0); y[i] = twice(x[i]) + 1.0f;`,
			"float32 add: 16, 4\nfloat32 mul: 16, 4\nglobal x float32 load: 16, 4\nglobal y float32 store: 16, 4",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "float twice(float v) { return v * 2.0f; }\n" +
				"__kernel void f(int n, float a, __global const float *x, __global float *y, __global int *d)\n{\n" + c.body + "\n}\n"
			r := runText(t, text, "f", Launch{Local: [3]int64{8, 1, 1}, Groups: [3]int64{2, 1, 1}, SubGroup: 4, Args: map[string]float64{"n": 10, "a": 3}})
			if got := shown(r); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func runText(t *testing.T, text, kernel string, l Launch) *Report {
	t.Helper()
	f, err := cfront.Parse(context.Background(), "test.cl", text, cfront.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	l.File, l.Function, l.Start = f, f.Function(kernel), Arbitrary
	r, err := Run(l)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// TestRefuses: what is no kernel that runs is an error.
func TestRefuses(t *testing.T) {
	for body, want := range map[string]string{
		`if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE);`:       "only some work-items meet a barrier",
		`if (x[0] > 100.0f) barrier(CLK_LOCAL_MEM_FENCE);`:             "only some work-items meet a barrier",
		`y[get_global_id(0) - 1] = 0.0f;`:                              "y: an access out of bounds",
		`for (int i = 0; i >= 0; i += 0) y[i] = 0.0f;`:                 "it takes too many steps",
		`while (x[0] > -1.0f) { y[0] = 0.0f; }`:                        "it takes too many steps",
		`__local float t[8]; *(__local int *)&t[get_local_id(0)] = 1;`: "t of float32 is accessed as int32",
	} {
		text := "__kernel void f(int n, __global const float *x, __global float *y)\n{\n" + body + "\n}\n"
		f, err := cfront.Parse(context.Background(), "test.cl", text, cfront.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		_, err = Run(Launch{
			File: f, Function: f.Function("f"), Local: [3]int64{8, 1, 1}, Groups: [3]int64{1, 1, 1},
			Args: map[string]float64{"n": 10}, Start: Arbitrary, Steps: 20_000,
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// TestResults: what the interpreter computes of kernels of the examples is what they are for.
func TestResults(t *testing.T) {
	at := func(name string, i int64) float64 { return Arbitrary(name, i) }
	for _, c := range []struct {
		name, array string
		want        func(s sizes, i int64) float64
		count       func(s sizes) int64
	}{
		{"saxpy.cl#saxpy", "y", func(_ sizes, i int64) float64 { return 0.5*at("x", i) + at("y", i) }, size("n")},
		{"axpy_half.cl#axpy_half", "y", func(_ sizes, i int64) float64 { return 0.5*at("x", i) + at("y", i) }, size("n")},
		{"saxpy.cl#saxpy_stride", "y", func(_ sizes, i int64) float64 { return 0.5*at("x", i) + at("y", i) }, size("n")},
		{"saxpy.cu#saxpy", "y", func(_ sizes, i int64) float64 { return 0.5*at("x", i) + at("y", i) }, size("n")},
		{"add4.cu#add4", "c", func(_ sizes, i int64) float64 { return at("a", i) + at("b", i) }, size("n")},
		{"add4.cl#add4", "c", func(_ sizes, i int64) float64 { return at("a", i) + at("b", i) }, size("n")},
		{"matmul_tiled.cl#matmul_tiled", "C", product("n", "n", 0), size("n", "n")},
		{"matmul_vectors.cu#matmul_vectors", "C", product("n", "n", 0), size("n", "n")},
		{"matmul_blocked.cu#sgemm_blocked", "C", product("N", "K", 0.5), size("M", "N")},
		{"transpose.cl#transpose", "out", func(s sizes, i int64) float64 { return at("in", i%s["h"]*s["w"]+i/s["h"]) }, size("w", "h")},
		{"transpose.cu#transpose", "out", func(_ sizes, i int64) float64 { return at("in", i%64*64+i/64) }, func(sizes) int64 { return 4096 }},
		{"reduce.cl#reduce", "sums", func(s sizes, i int64) float64 { return sum("x", 64*i, min(64*i+64, s["n"])) }, func(s sizes) int64 { return (s["n"] + 63) / 64 }},
		{"reduce.cu#reduce_unrolled", "sums", func(_ sizes, i int64) float64 { return sum("x", 256*i, 256*i+256) }, func(s sizes) int64 { return s["n"] / 256 }},
		{"reduce.cu#reduce_shuffle", "sum", func(s sizes, _ int64) float64 { return at("sum", 0) + sum("x", 0, s["n"]) }, func(sizes) int64 { return 1 }},
		{"scan.cl#scan", "out", func(_ sizes, i int64) float64 { return sum("in", i/32*32, i+1) }, size("n")},
		{"scan.cu#scan_blocks", "out", func(_ sizes, i int64) float64 { return sum("in", i/64*64, i) }, func(s sizes) int64 { return 64 * s["blocks"] }},
		{"scan.cu#scan_blocks", "sums", func(_ sizes, i int64) float64 { return sum("in", 64*i, 64*i+64) }, size("blocks")},
		{"floyd_warshall.cl#floyd_warshall", "dist", func(s sizes, i int64) float64 {
			return min(at("dist", i), at("dist", i/s["n"]*s["n"]+s["k"])+at("dist", s["k"]*s["n"]+i%s["n"]))
		}, func(sizes) int64 { return 0 }}, // steps of one launch race where a diagonal element is positive
		{"mandelbrot.cl#mandelbrot", "steps", func(s sizes, _ int64) float64 { return float64(s["limit"]) }, size("w", "h")},
		{"softmax.cl#softmax", "out", func(s sizes, i int64) float64 {
			row, n, total := i/s["n"]*s["n"], s["n"], 0.0
			for k := range n {
				total += math.Exp(at("in", row+k))
			}
			return math.Exp(at("in", i)) / total
		}, size("n", "rows")},
		{"spmv.cl#spmv", "y", func(s sizes, i int64) float64 {
			total := 0.0
			for k := i * perRow(s); k < (i+1)*perRow(s); k++ {
				total += at("values", k) * at("x", int64(below("n")(s, k)))
			}
			return total
		}, size("n")},
		{"matvec.cl#matvec", "y", func(s sizes, i int64) float64 {
			total := 0.0
			for k := range s["n"] {
				total += at("A", i*s["n"]+k) * at("x", k)
			}
			return total
		}, size("m")},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range Corpus {
				if e.Name() != c.name {
					continue
				}
				f, err := e.Read(examples)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range e.Sizes {
					l, err := e.Launch(f, s)
					if err != nil {
						t.Fatal(err)
					}
					r, err := Run(l)
					if err != nil {
						t.Fatal(err)
					}
					for i := range c.count(s) {
						got, want := r.Memory[c.array][i], c.want(s, i)
						if math.Abs(got-want) > 1e-5*math.Abs(want) {
							t.Fatalf("at %v: %s[%d] is %v, want %v", s, c.array, i, got, want)
						}
					}
				}
			}
		})
	}
}

// size is the product of sizes.
func size(names ...string) func(sizes) int64 {
	return func(s sizes) int64 {
		n := int64(1)
		for _, name := range names {
			n *= s[name]
		}
		return n
	}
}

func sum(array string, from, to int64) (total float64) {
	for i := from; i < to; i++ {
		total += Arbitrary(array, i)
	}
	return total
}

// product is an element of A*B with columns and inner, or, with a scale, of scale*A*B + scale*C.
func product(columns, inner string, scale float64) func(sizes, int64) float64 {
	return func(s sizes, i int64) (total float64) {
		n, k := s[columns], s[inner]
		for q := range k {
			total += Arbitrary("A", i/n*k+q) * Arbitrary("B", q*n+i%n)
		}
		if scale != 0 {
			total = scale*total + scale*Arbitrary("C", i)
		}
		return total
	}
}

func accessKey(array string, t expr.DType, write bool) string {
	direction := "load"
	if write {
		direction = "store"
	}
	return fmt.Sprintf("%s %s %s", array, t, direction)
}
