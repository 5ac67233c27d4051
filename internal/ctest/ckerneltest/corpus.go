package ckerneltest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
)

// Example is a kernel function of examples/kernels with launches of it, in the notation of the command's flags.
type Example struct {
	File, Kernel string // "saxpy.cl", "saxpy"
	Instance     string // of a template
	Local        []int64
	Global       []string // work-items, which whole work-groups cover: expressions in the sizes
	Sizes        []map[string]int64
	Assume       []string
	Dynamic      map[string]string  // elements of arrays in local memory that the launch allocates
	Floats       map[string]float64 // arguments that are not 0.5
	// WarpSynchronous: work-items of a sub-group rely on running in lock step, which is a race elsewhere.
	WarpSynchronous bool
	// Start gives arrays other values than arbitrary ones.
	Start map[string]func(sizes map[string]int64, i int64) float64
}

// Name names the example.
func (e Example) Name() string { return e.File + "#" + e.Kernel }

// each gives a sequence with a step, as the starts of rows that are all equally long.
func each(step func(sizes map[string]int64) int64) func(map[string]int64, int64) float64 {
	return func(sizes map[string]int64, i int64) float64 { return float64(step(sizes) * i) }
}

// below gives numbers from 0 on that are below a size.
func below(size string) func(map[string]int64, int64) float64 {
	return func(sizes map[string]int64, i int64) float64 { return float64((7*i + 3) % sizes[size]) }
}

func perRow(sizes map[string]int64) int64 { return sizes["length"] }

type sizes = map[string]int64

type starts = map[string]func(sizes, int64) float64

// Corpus are the kernel functions of examples/kernels.
var Corpus = []Example{
	{File: "saxpy.cl", Kernel: "saxpy", Local: []int64{64}, Global: []string{"n"}, Sizes: []sizes{{"n": 1}, {"n": 128}, {"n": 200}}},
	{File: "saxpy.cl", Kernel: "saxpy_stride", Local: []int64{64}, Global: []string{"256"}, Sizes: []sizes{{"n": 100}, {"n": 1000}}},
	{File: "saxpy.cl", Kernel: "saxpy_stride", Local: []int64{64}, Global: []string{"n"}, Sizes: []sizes{{"n": 128}, {"n": 200}}},
	{File: "saxpy.cu", Kernel: "saxpy", Local: []int64{64}, Global: []string{"n"}, Sizes: []sizes{{"n": 1}, {"n": 128}, {"n": 200}}},
	{File: "saxpy.cu", Kernel: "saxpy_stride", Local: []int64{64}, Global: []string{"256"}, Sizes: []sizes{{"n": 100}, {"n": 1000}}},
	{File: "axpy_half.cl", Kernel: "axpy_half", Local: []int64{64}, Global: []string{"n"}, Sizes: []sizes{{"n": 128}, {"n": 200}}},
	{File: "add4.cl", Kernel: "add4", Local: []int64{64}, Global: []string{"n // 4"}, Sizes: []sizes{{"n": 256}, {"n": 600}}, Assume: []string{"n % 4 = 0"}},
	{File: "add4.cu", Kernel: "add4", Local: []int64{64}, Global: []string{"n // 4"}, Sizes: []sizes{{"n": 256}, {"n": 600}}, Assume: []string{"n % 4 = 0"}},
	{File: "matmul_tiled.cl", Kernel: "matmul_tiled", Local: []int64{16, 16}, Global: []string{"n", "n"}, Sizes: []sizes{{"n": 16}, {"n": 32}}, Assume: []string{"n % 16 = 0"}},
	{
		File: "matmul_blocked.cu", Kernel: "sgemm_blocked", Instance: "sgemm_blocked<16, 16, 8, 4, 2>", Local: []int64{32}, Global: []string{"2*N", "M // 16"},
		Sizes: []sizes{{"M": 16, "N": 16, "K": 8}, {"M": 32, "N": 48, "K": 24}}, Assume: []string{"M % 16 = 0 and N % 16 = 0 and K % 8 = 0"},
	},
	{
		File: "matmul_vectors.cu", Kernel: "matmul_vectors", Local: []int64{64}, Global: []string{"2*n", "n // 32"}, Sizes: []sizes{{"n": 32}, {"n": 64}},
		Assume: []string{"n % 32 = 0"},
	},
	{File: "transpose.cl", Kernel: "transpose", Local: []int64{32, 8}, Global: []string{"w", "h // 4"}, Sizes: []sizes{{"w": 64, "h": 32}, {"w": 96, "h": 64}}, Assume: []string{"h % 32 = 0"}},
	{File: "transpose.cu", Kernel: "transpose", Local: []int64{32, 8}, Global: []string{"64", "16"}, Sizes: []sizes{{}}},
	{File: "reduce.cl", Kernel: "reduce", Local: []int64{64}, Global: []string{"n"}, Sizes: []sizes{{"n": 64}, {"n": 300}}, Dynamic: map[string]string{"part": "64"}},
	{
		File: "reduce.cu", Kernel: "reduce_unrolled", Instance: "reduce_unrolled<128>", Local: []int64{128}, Global: []string{"n // 2"}, Sizes: []sizes{{"n": 256}, {"n": 1024}},
		Assume: []string{"n % 256 = 0"}, WarpSynchronous: true,
	},
	{File: "reduce.cu", Kernel: "reduce_shuffle", Local: []int64{128}, Global: []string{"256"}, Sizes: []sizes{{"n": 256}, {"n": 1000}}},
	{File: "stencil1d.cu", Kernel: "stencil1d", Local: []int64{128}, Global: []string{"n"}, Sizes: []sizes{{"n": 128}, {"n": 384}}, Assume: []string{"n % 128 = 0"}},
	{File: "jacobi2d.cu", Kernel: "jacobi2d", Local: []int64{32, 4}, Global: []string{"w", "h"}, Sizes: []sizes{{"w": 32, "h": 8}, {"w": 40, "h": 10}}},
	{File: "heat3d.cl", Kernel: "heat3d", Local: []int64{16, 4}, Global: []string{"nx", "ny"}, Sizes: []sizes{{"nx": 16, "ny": 8, "nz": 4}, {"nx": 20, "ny": 6, "nz": 7}}},
	{File: "blur_tiled.cl", Kernel: "blur_tiled", Local: []int64{16, 16}, Global: []string{"w", "h"}, Sizes: []sizes{{"w": 18, "h": 18}, {"w": 40, "h": 33}}},
	{File: "convolve.cl", Kernel: "convolve", Local: []int64{8, 8}, Global: []string{"w", "h"}, Sizes: []sizes{{"w": 8, "h": 8}, {"w": 19, "h": 10}}},
	{File: "convolve.cu", Kernel: "convolve_rows", Local: []int64{32}, Global: []string{"w", "h"}, Sizes: []sizes{{"w": 32, "h": 2}, {"w": 50, "h": 3}}},
	{File: "histogram.cl", Kernel: "histogram", Local: []int64{64}, Global: []string{"128"}, Sizes: []sizes{{"n": 128}, {"n": 500}}},
	{File: "histogram.cu", Kernel: "histogram", Local: []int64{64}, Global: []string{"n"}, Sizes: []sizes{{"n": 64, "bins": 16}, {"n": 200, "bins": 10}}, Floats: map[string]float64{"lo": -10, "hi": 20}},
	{File: "softmax.cl", Kernel: "softmax", Local: []int64{64}, Global: []string{"64*rows"}, Sizes: []sizes{{"n": 64, "rows": 2}, {"n": 150, "rows": 3}}},
	{File: "layernorm.cu", Kernel: "layernorm", Local: []int64{64}, Global: []string{"64*rows"}, Sizes: []sizes{{"n": 64, "rows": 2}, {"n": 150, "rows": 3}}},
	{File: "scan.cl", Kernel: "scan", Local: []int64{32}, Global: []string{"n"}, Sizes: []sizes{{"n": 32}, {"n": 100}}, Dynamic: map[string]string{"buffers": "64"}},
	{File: "scan.cu", Kernel: "scan_blocks", Local: []int64{32}, Global: []string{"32*blocks"}, Sizes: []sizes{{"blocks": 1}, {"blocks": 3}}, Dynamic: map[string]string{"temp": "66"}},
	{
		File: "spmv.cl", Kernel: "spmv", Local: []int64{32}, Global: []string{"n"}, Sizes: []sizes{{"n": 32, "length": 5}, {"n": 96, "length": 3}}, Assume: []string{"trips(7) = length"},
		Start: starts{"rows": each(perRow), "cols": below("n")},
	},
	{
		File: "spmv.cu", Kernel: "spmv_warps", Local: []int64{64}, Global: []string{"32*n"}, Sizes: []sizes{{"n": 8, "length": 64}, {"n": 14, "length": 96}},
		Assume: []string{"trips(9) = length/32"}, Start: starts{"rows": each(perRow), "cols": below("n")},
	},
	{
		File: "nbody.cl", Kernel: "nbody", Local: []int64{32}, Global: []string{"n"}, Sizes: []sizes{{"n": 32}, {"n": 96}}, Assume: []string{"n % 32 = 0"},
		Dynamic: map[string]string{"tile": "32"},
	},
	{File: "nbody.cu", Kernel: "nbody", Local: []int64{128}, Global: []string{"n"}, Sizes: []sizes{{"n": 128}, {"n": 256}}, Assume: []string{"n % 128 = 0"}},
	{File: "kmeans.cl", Kernel: "kmeans_assign", Local: []int64{32}, Global: []string{"n"}, Sizes: []sizes{{"n": 32, "k": 3, "dims": 2}, {"n": 70, "k": 4, "dims": 3}}},
	{
		File: "mandelbrot.cl", Kernel: "mandelbrot", Local: []int64{8, 8}, Global: []string{"w", "h"}, Sizes: []sizes{{"w": 8, "h": 8, "limit": 5}, {"w": 24, "h": 16, "limit": 12}},
		Floats: map[string]float64{"x0": 0, "y0": 0, "dx": 0.001, "dy": 0.001}, Assume: []string{"trips(12) = limit"}, // no point leaves
	},
	{File: "lu_batched.cu", Kernel: "lu_batched", Instance: "lu_batched<float, 4>", Local: []int64{32}, Global: []string{"count"}, Sizes: []sizes{{"count": 32}, {"count": 50}}},
	{
		File: "matvec.cl", Kernel: "matvec", Local: []int64{32}, Global: []string{"128"}, Sizes: []sizes{{"m": 4, "n": 32}, {"m": 10, "n": 75}},
		Dynamic: map[string]string{"part": "32"},
	},
	{File: "bitonic.cu", Kernel: "bitonic_step", Local: []int64{32}, Global: []string{"n"}, Sizes: []sizes{{"n": 64, "j": 4, "k": 16}, {"n": 128, "j": 32, "k": 64}}, Assume: []string{"n % 32 = 0"}},
	{
		File: "gather.cu", Kernel: "gather_rows", Local: []int64{32}, Global: []string{"32", "4"}, Sizes: []sizes{{"n": 8, "width": 32}, {"n": 11, "width": 50}},
		Start: starts{"index": below("n")},
	},
	{File: "floyd_warshall.cl", Kernel: "floyd_warshall", Local: []int64{16, 4}, Global: []string{"n", "n"}, Sizes: []sizes{{"n": 16, "k": 3}, {"n": 21, "k": 0}}, Assume: []string{"0 <= k and k < n"}},
	{File: "fdtd2d.cu", Kernel: "fdtd_e", Local: []int64{32, 4}, Global: []string{"ny", "nx"}, Sizes: []sizes{{"nx": 8, "ny": 32}, {"nx": 10, "ny": 40}}},
	{File: "fdtd2d.cu", Kernel: "fdtd_h", Local: []int64{32, 4}, Global: []string{"ny", "nx"}, Sizes: []sizes{{"nx": 8, "ny": 32}, {"nx": 10, "ny": 40}}},
	{File: "grey.cl", Kernel: "grey", Local: []int64{16, 4}, Global: []string{"w", "h"}, Sizes: []sizes{{"w": 16, "h": 8}, {"w": 20, "h": 5}}},
	{File: "black_scholes.cu", Kernel: "black_scholes", Local: []int64{64}, Global: []string{"n"}, Sizes: []sizes{{"n": 64}, {"n": 100}}, Start: starts{
		"price": below("n"), "strike": below("n"), "years": below("n"),
	}},
}

// Read reads the file of the example, in the folder with examples.
func (e Example) Read(folder string) (*cfront.File, error) {
	return cfront.Read(context.Background(), filepath.Join(folder, "kernels", e.File), cfront.Options{Instance: e.Instance})
}

// Launch is the launch of the function at sizes.
func (e Example) Launch(f *cfront.File, at map[string]int64) (Launch, error) {
	i := slices.IndexFunc(f.Functions, func(fn *cfront.Function) bool { // an instance has its arguments in its name
		return fn.Kernel && (fn.Name == e.Kernel || strings.HasPrefix(fn.Name, e.Kernel+"<"))
	})
	if i < 0 {
		return Launch{}, fmt.Errorf("%s has no kernel function %s", e.File, e.Kernel)
	}
	fn := f.Functions[i]
	l := Launch{File: f, Function: fn, Local: [3]int64{1, 1, 1}, Groups: [3]int64{1, 1, 1}, Args: map[string]float64{}}
	copy(l.Local[:], e.Local)
	for axis, text := range e.Global {
		n, err := evaluate(text, at)
		if err != nil {
			return Launch{}, err
		}
		l.Groups[axis] = intmath.CeilDiv(n, l.Local[axis])
		l.Symbolic[axis] = strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyzKMN")
	}
	for _, p := range fn.Params {
		if n, ok := at[p.Name]; ok {
			l.Args[p.Name] = float64(n)
		} else if x, ok := e.Floats[p.Name]; ok {
			l.Args[p.Name] = x
		} else if p.DType.IsFloat() {
			l.Args[p.Name] = 0.5
		}
	}
	l.Start = func(array string, i int64) float64 {
		if special := e.Start[array]; special != nil {
			return special(at, i)
		}
		return Arbitrary(array, i)
	}
	return l, nil
}

func evaluate(text string, at map[string]int64) (int64, error) {
	e, err := expr.Parse(text)
	if err != nil {
		return 0, err
	}
	v, err := expr.EvalInt(e, at)
	if err != nil {
		return 0, err
	}
	return v.Int64(), nil
}

// Arbitrary is a value for an element of an array: a small integer, from its name and its place.
func Arbitrary(array string, i int64) float64 {
	h := int64(7)
	for _, c := range []byte(array) {
		h = (31*h + int64(c)) % 1009
	}
	return float64((h+i*17)%1009%23 + 1)
}
