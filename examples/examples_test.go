// Package examples_test runs the example scripts on the reference interpreter and compares what they compute with plain
// loops.
package examples_test

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// arrays are global arrays in C order.
type arrays map[string][]float64

// example is a script, small sizes to run it at, and the result by itself.
type example struct {
	file     string
	variants []string
	// without is a line of the script to leave out, so that sizes need not divide.
	without string
	sizes   []map[string]int64
	// tolerance is relative; 0 where nothing rounds.
	tolerance float64
	// fill replaces data that are not to be arbitrary.
	fill func(size map[string]int64, in arrays)
	want func(size map[string]int64, in arrays) (out arrays)
}

var examples = []example{
	{
		file: "matmul/matmul_prefetch.star", variants: []string{"knl"},
		sizes: []map[string]int64{{"n": 16}, {"n": 32}}, want: product,
	},
	{
		file: "matmul/matmul_prefetch.star", variants: []string{"knl"}, without: `knl = lp.assume(knl, "n >= 1 and n % 16 = 0")`,
		sizes: []map[string]int64{{"n": 1}, {"n": 15}, {"n": 16}, {"n": 17}, {"n": 35}}, want: product,
	},
	{
		file: "matmul/matmul.star", variants: []string{"knl"},
		sizes: []map[string]int64{{"n": 16}, {"n": 32}}, want: product,
	},
	{
		file: "dg/dg.star", variants: []string{"dg_basic", "dg_prefetch_u", "dg_prefetch_diff_mat", "dg_prefetch_diff_mat_transposed"},
		sizes: []map[string]int64{{"nelements": 16}}, want: differentiation,
	},
	{
		file: "dg/dg.star", without: `    knl = lp.assume(knl, "nelements >= 1 and nelements % 16 = 0")`,
		variants: []string{"dg_basic", "dg_prefetch_u", "dg_prefetch_diff_mat", "dg_prefetch_diff_mat_transposed"},
		sizes:    []map[string]int64{{"nelements": 21}}, want: differentiation,
	},
	{
		file: "stencil/finite_diff.star", variants: []string{"finite_diff_16x16", "finite_diff_18x18"},
		sizes: []map[string]int64{{"n": 112}}, want: stencil,
	},
	{
		file: "stencil/finite_diff.star", variants: []string{"finite_diff_16x16", "finite_diff_18x18"},
		without: `knl = lp.assume(knl, "n >= 1 and n %% %d = 0" % interior)`,
		sizes:   []map[string]int64{{"n": 5}, {"n": 17}, {"n": 30}}, want: stencil,
	},
	{
		file: "stencil/seven_point.star", variants: []string{"seven_point"},
		sizes: []map[string]int64{{"n": 16}, {"n": 32}}, want: sevenPoint,
	},
	{
		file: "transpose/transpose.star", variants: []string{"transpose_naive", "transpose_tiled"},
		sizes: []map[string]int64{{"n": 16}, {"n": 48}}, want: transposition,
	},
	{
		file: "matvec/matvec.star", variants: []string{"matvec"},
		sizes: []map[string]int64{{"n": 128}, {"n": 256}}, want: rows,
	},
	{
		file: "softmax/softmax.star", variants: []string{"softmax"},
		sizes: []map[string]int64{{"n": 128, "m": 1}, {"n": 256, "m": 9}}, tolerance: 1e-6, want: shares,
	},
	{
		file: "spmv/spmv.star", variants: []string{"spmv", "spmv_rows"},
		sizes: []map[string]int64{{"n": 128, "nnz": 128}, {"n": 256, "nnz": 1003}}, fill: compressed, want: sparseRows,
	},
	{
		file: "spmv/spmv.star", variants: []string{"spmv", "spmv_rows"}, without: `n % 128 = 0 and `,
		sizes: []map[string]int64{{"n": 1, "nnz": 1}, {"n": 130, "nnz": 777}}, fill: compressed, want: sparseRows,
	},
	{
		file: "launch/saxpy.star", variants: []string{"wide", "narrow"},
		sizes: []map[string]int64{{"n": 1}, {"n": 300}}, want: scaledSum,
	},
	{
		file: "nbody/nbody.star", variants: []string{"nbody"},
		sizes: []map[string]int64{{"n": 256}}, tolerance: 1e-4, want: accelerations,
	},
}

func product(size map[string]int64, in arrays) arrays {
	n := int(size["n"])
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				c[i*n+j] += in["a"][i*n+k] * in["b"][k*n+j]
			}
		}
	}
	return arrays{"c": c}
}

func scaledSum(_ map[string]int64, in arrays) arrays {
	y := slices.Clone(in["y"])
	for i, x := range in["x"] {
		y[i] += in["a"][0] * x
	}
	return arrays{"y": y}
}

func differentiation(size map[string]int64, in arrays) arrays {
	const matrices, nodes = 3, 64
	elements := int(size["nelements"])
	res := make([]float64, matrices*elements*nodes)
	for m := range matrices {
		for k := range elements {
			for i := range nodes {
				for j := range nodes {
					res[(m*elements+k)*nodes+i] += in["diff_mat"][(m*nodes+i)*nodes+j] * in["u"][k*nodes+j]
				}
			}
		}
	}
	return arrays{"res": res}
}

func stencil(size map[string]int64, in arrays) arrays {
	n := int(size["n"])
	u := func(i, j int) float64 { return in["u"][i*(n+2)+j] }
	res := make([]float64, n*n)
	for i := range n {
		for j := range n {
			res[i*n+j] = u(i, j+1) + u(i+1, j) - 4*u(i+1, j+1) + u(i+1, j+2) + u(i+2, j+1)
		}
	}
	return arrays{"res": res}
}

func sevenPoint(size map[string]int64, in arrays) arrays {
	n := int(size["n"])
	u := func(i, j, k int) float64 { return in["u"][(i*(n+2)+j)*(n+2)+k] }
	var res []float64
	for at := range n * n * n {
		i, j, k := at/n/n+1, at/n%n+1, at%n+1
		res = append(res, u(i-1, j, k)+u(i+1, j, k)+u(i, j-1, k)+u(i, j+1, k)+u(i, j, k-1)+u(i, j, k+1)-6*u(i, j, k))
	}
	return arrays{"res": res}
}

func transposition(size map[string]int64, in arrays) arrays {
	n := int(size["n"])
	var b []float64
	for at := range n * n {
		b = append(b, in["a"][at%n*n+at/n])
	}
	return arrays{"b": b}
}

func rows(size map[string]int64, in arrays) arrays {
	n := int(size["n"])
	y := make([]float64, n)
	for i := range n {
		for j := range n {
			y[i] += in["a"][i*n+j] * in["x"][j]
		}
	}
	return arrays{"y": y}
}

// compressed makes rows of different lengths, some of them empty, of nnz entries in all.
func compressed(size map[string]int64, in arrays) {
	n, nnz := int(size["n"]), int(size["nnz"])
	for i := range n {
		in["rowptr"][i] = float64(min(nnz, i*i*nnz/n/n+i%3))
	}
	in["rowptr"][0], in["rowptr"][n] = 0, float64(nnz)
	for i := 1; i < n; i++ {
		in["rowptr"][i] = max(in["rowptr"][i], in["rowptr"][i-1])
	}
	for j := range nnz {
		in["col"][j] = float64(j * 7 % n)
	}
}

func sparseRows(size map[string]int64, in arrays) arrays {
	y := make([]float64, size["n"])
	for i := range y {
		for j := int(in["rowptr"][i]); j < int(in["rowptr"][i+1]); j++ {
			y[i] += in["val"][j] * in["x"][int(in["col"][j])]
		}
	}
	return arrays{"y": y}
}

func shares(size map[string]int64, in arrays) arrays {
	m := int(size["m"])
	var y []float64
	for row := range slices.Chunk(in["x"], m) {
		total := 0.0
		for _, x := range row {
			total += math.Exp(x)
		}
		for _, x := range row {
			y = append(y, math.Exp(x)/total)
		}
	}
	return arrays{"y": y}
}

func accelerations(size map[string]int64, in arrays) arrays {
	out := arrays{}
	for i := range size["n"] {
		var acc [3]float64
		for j := range size["n"] {
			var d [3]float64
			square := in["softening"][0]
			for axis, name := range []string{"x", "y", "z"} {
				d[axis] = in[name][j] - in[name][i]
				square += d[axis] * d[axis]
			}
			for axis := range d {
				acc[axis] += in["mass"][j] * d[axis] / math.Pow(square, 1.5)
			}
		}
		for axis, name := range []string{"acc_x", "acc_y", "acc_z"} {
			out[name] = append(out[name], acc[axis])
		}
	}
	return out
}

func TestExamples(t *testing.T) {
	for _, ex := range examples {
		text, err := os.ReadFile(filepath.FromSlash(ex.file))
		if err != nil {
			t.Fatal(err)
		}
		source, name := string(text), ex.file
		if ex.without != "" {
			if !strings.Contains(source, ex.without) {
				t.Fatalf("%s has no line %s", ex.file, ex.without)
			}
			source, name = strings.Replace(source, ex.without, "", 1), name+" without its assumption"
		}
		variants, err := script.Exec(ex.file, source)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, v := range variants {
			names = append(names, v.Name)
			for _, size := range ex.sizes {
				t.Run(name+" "+v.Name, func(t *testing.T) { run(t, v.Kernel, size, ex) })
			}
		}
		if !slices.Equal(names, ex.variants) {
			t.Errorf("%s defines %v, want %v", ex.file, names, ex.variants)
		}
	}
}

// run compares a kernel's result with the example's.
func run(t *testing.T, k *kernel.Kernel, size map[string]int64, ex example) {
	if err := k.Check(); err != nil {
		t.Fatal(err)
	}
	nest, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	in := arrays{}
	buffers := map[string]*interp.Buffer{}
	places := map[string][]int{} // of the elements in C order
	for _, a := range nest.Kernel.Args {
		if a.IsValue {
			if _, isSize := size[a.Name]; !isSize {
				buffers[a.Name] = interp.NewBuffer(a.DType, 1)
				buffers[a.Name].Set(0, 1.25)
				in[a.Name] = []float64{1.25}
			}
			continue
		}
		places[a.Name] = flat(t, a, size)
		buffers[a.Name] = interp.NewBuffer(a.DType, len(places[a.Name]))
		in[a.Name] = make([]float64, len(places[a.Name]))
		for i := range in[a.Name] {
			in[a.Name][i] = float64((i*i+3*i+int(a.Name[0]))%17 - 8) // small integers: no sum rounds
		}
	}
	if ex.fill != nil {
		ex.fill(size, in)
	}
	want := ex.want(size, in)
	for array, values := range in {
		for i, at := range places[array] {
			if want[array] == nil || len(nest.Kernel.Readers(array)) > 0 { // results that are only written are undefined before
				buffers[array].Set(at, values[i])
			}
		}
	}
	if _, err := interp.Run(nest, size, buffers); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		for i, w := range want[name] {
			at := places[name][i]
			if got := buffers[name].At(at); !buffers[name].Defined(at) || math.Abs(got-w) > ex.tolerance*max(1, math.Abs(w)) {
				t.Fatalf("%v: %s element %d is %v (written: %v), want %v", size, name, i, got, buffers[name].Defined(at), w)
			}
		}
	}
}

// flat lists the places in memory of an array's elements, in C order of their indices.
func flat(t *testing.T, a *kernel.Array, size map[string]int64) []int {
	t.Helper()
	extents := integers(t, a.Shape, size)
	list, err := a.Strides()
	if err != nil {
		t.Fatal(err)
	}
	strides := integers(t, list, size)
	out := []int{0}
	for axis, n := range extents {
		var next []int
		for _, base := range out {
			for i := range n {
				next = append(next, base+i*strides[axis])
			}
		}
		out = next
	}
	return out
}

// integers computes expressions in the sizes.
func integers(t *testing.T, list []expr.Expr, size map[string]int64) []int {
	t.Helper()
	var out []int
	for _, e := range list {
		v, ok := expr.EvalInt64(e, size)
		if !ok {
			t.Fatalf("extent %s has no value", e)
		}
		out = append(out, int(v))
	}
	return out
}

// TestTransposedLayout: with the element data transposed, neighbours along lid(0) store neighbouring elements.
func TestTransposedLayout(t *testing.T) {
	variants, err := script.Options{}.Load(context.Background(), "dg/dg.star")
	if err != nil {
		t.Fatal(err)
	}
	id, err := features.ParseID("f_mem_access_global_float32_store_lstrides:{0:1}")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variants {
		s, err := features.Count(v.Kernel, features.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if v.Name == "dg_prefetch_diff_mat_transposed" {
			want = 3 * 64 * 4096
		}
		if got, err := s.Value(id, map[string]int64{"nelements": 4096}); err != nil || got != want {
			t.Errorf("%s: %v stores at stride 1 (%v), want %v", v.Name, got, err, want)
		}
	}
}
