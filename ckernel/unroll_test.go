package ckernel

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/kernel"
)

// TestUnrolled: which loops compilers unroll. On an H200 a layer norm of halves takes as long, in as many registers, whether its counter has a sign (61.6 and 61.3 µs), and
// a softmax of floats does not (134 and 97 µs, of 20 and 32 registers).
func TestUnrolled(t *testing.T) {
	for body, want := range map[string]kernel.TagKind{
		"for (int j = 0; j < n; j++) s += x[j];":                                                               kernel.Sequential,
		"for (int j = threadIdx.x; j < n; j += blockDim.x) s += x[j];":                                         kernel.Rolled,
		"for (int j = 0; j < n; j++) s += __half2float(h[j]);":                                                 kernel.Kept,
		"for (int j = 0; j < n; j++) { float2 v = __half22float2(((const __half2 *)h)[j]); s += v.x; }":        kernel.Kept,
		"for (int j = threadIdx.x; j < n; j += blockDim.x) s += (float)h[j];":                                  kernel.Kept,
		"for (int j = 0; j < n; j++) o[j] = h[j];":                                                             kernel.Sequential,
		"for (int j = 0; j < n; j++) o[j] = __hadd(h[j], h[j]);":                                               kernel.Kept,
		"for (int j = 0; j < 8; j++) s += __half2float(h[j]);":                                                 kernel.Sequential,
		"for (int j = 0; j < n; j++) { float q; asm(\"mov.f32 %0, %1;\" : \"=f\"(q) : \"f\"(x[j])); s += q; }": kernel.Kept,
	} {
		text := "#include <cuda_fp16.h>\n__global__ void f(float *y, const float *x, const __half *h, __half *o, int n)\n{\n  float s = 0;\n  " + body + "\n  y[threadIdx.x] = s;\n}\n"
		f, err := cfront.Parse(t.Context(), "test.cu", text, cfront.Options{Language: cfront.CUDA})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		k, err := Read(t.Context(), f, Options{Local: []int64{32}, Groups: []string{"1"}})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		got := kernel.Sequential
		for _, tag := range k.Tags {
			if !tag.Parallel() {
				got = max(got, tag.Kind)
			}
		}
		if got != want {
			t.Errorf("%s: %v, want %v", body, kernel.Tag{Kind: got}, kernel.Tag{Kind: want})
		}
	}
}

// TestContents: what the text gives constant memory, in the order of its elements.
func TestContents(t *testing.T) {
	for declaration, want := range map[string]string{
		"__constant__ float t[4] = {4.f / 8, -1, 2};":            "[0.5 -1 2]",
		"__constant__ int t[2][3] = {{1, 2}, {7 / 2, -(1), 5}};": "[1 2 0 3 -1 5]",
		"__constant__ float t[4];":                               "[]",
		"__device__ float g(); __constant__ float t[4] = {g()};": "nil",
	} {
		at := "t[threadIdx.x % 2]"
		if strings.Contains(declaration, "[2][3]") {
			at += "[threadIdx.x % 3]"
		}
		f, err := cfront.Parse(t.Context(), "test.cu", declaration+"\n__global__ void f(float *y) { y[threadIdx.x] = "+at+"; }\n", cfront.Options{Language: cfront.CUDA})
		if err != nil {
			t.Errorf("%s: %v", declaration, err)
			continue
		}
		k, err := Read(t.Context(), f, Options{Local: []int64{32}, Groups: []string{"1"}})
		if err != nil {
			t.Errorf("%s: %v", declaration, err)
			continue
		}
		got := "nil"
		if a := k.Array("t"); a.Contents != nil {
			got = fmt.Sprint(a.Contents)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", declaration, got, want)
		}
	}
}
