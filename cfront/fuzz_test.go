package cfront_test

import (
	"os"
	"path/filepath"
	"testing"

	"gpuperf/cfront"
)

// FuzzKernels: whatever the text of a kernel language, it ends as functions that have a text, or in an error.
func FuzzKernels(f *testing.F) {
	for _, pattern := range []string{"../examples/launch/*.c[lu]", "../testdata/*/*.cu", "../kernel/emit/testdata/*vectors.cl"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text), filepath.Ext(file) == ".cu")
		}
	}
	f.Add("#define A(x, ...) x##1 #__VA_ARGS__\nkernel void f(global float4 *p) { p[0].xy = (float2)(p->w, 1); A(x) }", false)
	f.Add("template <int N, class T = float> __global__ void f(T (&x)[N]) { x[N >> 1] = static_cast<T>(N); }", true)
	f.Add("namespace a { struct S { int x[3], *y; S(); }; }\nusing T = a::S;\n__device__ auto g(T &s) { return s.y + 1; }\n__global__ void f(T s) { *g(s) = s.x[1]; }", true)
	f.Add("struct half { int x; };\n__global__ void f(half *h) { auto &q = h[1]; q = half(2.0f) * q; }", true)
	f.Add("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\ntemplate <int N> __device__ int g(cg::thread_block_tile<N> w, int x) { return w.shfl_down(x, N / 2); }\n"+
		"__global__ void f(int *p) { auto b = cg::this_thread_block(); cg::sync(b); p[b.thread_rank()] = g(cg::tiled_partition<16>(b), 1); }", true)
	f.Fuzz(func(t *testing.T, text string, cuda bool) {
		language := cfront.OpenCL
		if cuda {
			language = cfront.CUDA
		}
		file, err := cfront.Parse(t.Context(), "fuzz", text, cfront.Options{Language: language})
		if err != nil {
			return
		}
		for _, fn := range file.Functions {
			if fn.String() == "" || fn.Body == nil {
				t.Error("a function without text")
			}
		}
	})
}

// FuzzPrograms: whatever the text of a program of C, it ends as functions that have a text, or in an error.
func FuzzPrograms(f *testing.F) {
	files, _ := filepath.Glob("../scop/compile/testdata/*.c")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, c := range programs {
		f.Add(c.text)
	}
	f.Add("int f(n, a) int n; struct { enum { A } x : 3; union { int y; }; } a; { switch (n) { case A ... 3: { int b[] = { [1] = 'a', 2 }; break; } default: return sizeof b; } }")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := cfront.Parse(t.Context(), "fuzz.c", text, cfront.Options{Language: cfront.C})
		if err != nil {
			return
		}
		for _, fn := range file.Functions {
			if fn.String() == "" || fn.Err != nil {
				t.Errorf("%s has no text, or an error: %v", fn.Name, fn.Err)
			}
		}
		file.Regions()
	})
}

// BenchmarkKernels reads a file of CUDA C with templates.
func BenchmarkKernels(b *testing.B) {
	const file = "../examples/launch/smooth.cu"
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := cfront.Parse(b.Context(), file, string(text), cfront.Options{Instance: "smooth<2>"}); err != nil {
			b.Fatal(err)
		}
	}
}
