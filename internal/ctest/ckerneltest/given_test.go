package ckerneltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/features"
	"gpuperf/kernel"
)

// TestGiven: counts of kernel functions in CUDA C, of which the right ones were found by hand or by running them natively: one access for each
// evaluation of an element as a value, and for each store. One work-group of 32 work-items.
func TestGiven(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			"a store through a reference", `__device__ void inc(float &a, float b) { a += b; }
			__global__ void k(float *y, const float *x, int n) { int i = threadIdx.x; if (i < n) inc(y[i], x[i]); }`,
			"float32 add 24, load x 24, load y 24, store y 24",
		},
		{
			"an end of a loop through a reference", `__device__ void set(int &a, int b) { a = b; }
			__global__ void k(float *y, int n) { int m = 1; set(m, n); for (int k = 0; k < m; k++) y[32 * k + threadIdx.x] = 1; }`,
			"store y 768",
		},
		{
			"two results by references", `__device__ void split(int t, int &r, int &c) { r = t / 8; c = t % 8; }
			__global__ void k(float *y, const float *x, int n) { int r, c; split(threadIdx.x, r, c); if (c < 4) y[r * 32 + c] = x[r]; }`,
			"load x 16, store y 16",
		},
		{
			"shifts and quotients of the largest numbers without sign", `__global__ void k(float *y, float *x, int n) { int i = threadIdx.x;
			unsigned long long t = 0xffffffffffffffffull; if (t + 2 == 1 && (t >> 60) == 15) y[i] = 1;
			unsigned w = 0xffffffffu; if (w / 0x10000000u == 15 && (w >> 30) == 3 && w % 10u == 5) x[i] = 1; }`,
			"store x 32, store y 32",
		},
		{
			"the least and greatest of numbers that wrap around", `__global__ void k(float *y, float *x, int n) { unsigned t = threadIdx.x;
			if (min(t - 3, 5u) == 5) y[t] = 1; if (max(t - 3, 40u) == 40) x[t] = 1; }`,
			"store x 29, store y 27",
		},
		{
			"a reference to one of two objects", `__global__ void k(float *y, const float *x, float *z, int n) { int i = threadIdx.x;
			float &r = y[i]; r = x[i]; float &w = (i & 1) ? r : z[i]; w *= 2; }`,
			"float32 mul 32, load x 32, load y 16, load z 16, store y 48, store z 16",
		},
		{
			"members of some bits, whose values nothing follows: as if the condition held", `struct Bits { unsigned a : 3; int b : 3; };
			__global__ void k(float *y, float *z, int n) { Bits f; f.a = threadIdx.x; f.b = threadIdx.x; if (f.a < 2) y[threadIdx.x] = 1; if (f.b < 0) z[threadIdx.x] = 1; }`,
			"store y 32, store z 32",
		},
		{
			"templates for some types alone", `#include <type_traits>
			template <class T, class U> __device__ typename std::enable_if<!std::is_same<T, U>::value, T>::type cast(U v) { return static_cast<T>(v) * 2; }
			template <class T, class U> __device__ typename std::enable_if<std::is_same<T, U>::value, T>::type cast(U v) { return v; }
			template <class T, std::enable_if_t<std::is_same<T, float>::value, int> = 0> __device__ T two(T x) { return x + x; }
			template <class T, std::enable_if_t<!std::is_same<T, float>::value, int> = 0> __device__ T two(T x) { return x * x; }
			__global__ void k(float *y, const float *x, const int *d, int n) { int i = threadIdx.x; y[i] = cast<float>(d[i]); y[i] = cast<float>(x[i]); y[i] = two(x[i]); y[i] = two(d[i]); }`,
			"float32 add 32, float32 mul 32, int32 mul 32, load d 64, load x 64, store y 128",
		},
		{
			"functions of templates as arguments of templates", `template <int N> __device__ float times(float x) { return x * N; } __device__ float next(float x) { return x + 1; }
			template <class T, T (*f)(T)> __device__ T twice(T x) { return f(f(x)); }
			__global__ void k(float *y, int n) { int i = threadIdx.x; y[i] = twice<float, times<3>>(y[i]); y[i] = twice<float, next>(1.0f); }`,
			"float32 add 64, float32 mul 64, load y 32, store y 64",
		},
		{
			"a record that has the name of another one, which it derives from", `namespace a { struct X { float v; }; } namespace b { struct X : a::X { float w; }; }
			__global__ void k(float *y, int n) { y[threadIdx.x] = 1; }`,
			"store y 32",
		},
		{"a local reference", `__global__ void k(float *y, int n) { int m = 0; int &q = m; q = n; if (threadIdx.x < m) y[threadIdx.x] = 1; }`, "store y 24"},
		{
			"a reference that a loop changes", `__global__ void k(float *y, int n) { int m = 0; int &q = m; for (int k = 0; k < 4; k++) q += 2;
			for (int j = 0; j < m; j++) y[32*j+threadIdx.x] = 1; }`,
			"store y 256",
		},
		{
			"a pointer that a loop writes through", `__global__ void k(float *y, int n) { int m = 0; int *q = &m; for (int k = 0; k < 4; k++) *q += 2;
			for (int j = 0; j < m; j++) y[32*j+threadIdx.x] = 1; }`,
			"store y 256",
		},
		{
			"a closure that changes a variable", `__global__ void k(float *y, int n) { int m = 0; auto f = [&](int i) { m += i; }; for (int k = 0; k < 4; k++) f(3);
			for (int j = 0; j < m; j++) y[32*j+threadIdx.x] = 1; }`,
			"store y 384",
		},
		{
			"a function that returns a reference", `__device__ float &at(float *x, int i) { return x[2*i]; }
			__global__ void k(float *y, float *x, int n) { at(y, threadIdx.x) = at(x, threadIdx.x) + 1.0f; at(y, 3) += 2; }`,
			"float32 add 64, load x 32, load y 32, store y 64",
		},
		{
			"a subscript that changes after a reference is bound",
			`__global__ void k(float *y, float *x, int n) { int i = threadIdx.x; float &r = y[i]; i++; r = x[i]; r += 1; }`,
			"float32 add 32, load x 32, load y 32, store y 64",
		},
		{"a const reference to an element", `__global__ void k(float *y, const float *x, int n) { const float &r = x[threadIdx.x]; y[threadIdx.x] = r * r; }`, "float32 mul 32, load x 64, store y 32"},
		{
			"a reference to a pointer", `__device__ void next(const float *&p) { p += 32; }
			__global__ void k(float *y, const float *x, int n) { const float *p = x + threadIdx.x; float s = 0; for (int k = 0; k < 8; k++) { s += *p; next(p); } y[threadIdx.x] = s; }`,
			"float32 add 256, load x 256, store y 32",
		},
		{
			"references to local memory and to variables", `__device__ void swap(float &a, float &b) { float t = a; a = b; b = t; }
			__global__ void k(float *y, int n) { __shared__ float s[64]; s[threadIdx.x] = 1; swap(s[threadIdx.x], s[threadIdx.x + 32]); float p = 1, q = 2; swap(p, q); y[threadIdx.x] = p; }`,
			"load s 64, store s 96, store y 32",
		},

		{
			"the bytes of a variable", `__device__ void put(unsigned char *y, const unsigned char *p) { for (int k = 0; k < 4; k++) y[k] = p[k]; }
__global__ void k(unsigned char *y, const unsigned *x, int n) { unsigned v = x[threadIdx.x] * 3; put(y + 4 * threadIdx.x, (const unsigned char *) &v); }`,
			"load x 32, store y 128, uint32 mul 32",
		},
		{"a subscript of op=", `__global__ void k(float *y, const int *x, int n) { y[x[threadIdx.x]] += 2.0f; }`, "float32 add 32, load x 32, load y 32, store y 32"},
		{"a subscript of ++", `__global__ void k(int *y, const int *x, int n) { y[x[threadIdx.x]]++; }`, "int32 add 32, load x 32, load y 32, store y 32"},
		{"the value of ++", `__global__ void k(int *y, int *x, int n) { y[threadIdx.x] = x[threadIdx.x]++; }`, "int32 add 32, load x 32, store x 32, store y 32"},
		{"the value of op=", `__global__ void k(int *y, int *x, int n) { y[threadIdx.x] = x[threadIdx.x] += 2; }`, "int32 add 32, load x 32, store x 32, store y 32"},
		{
			"subscripts that step", `__global__ void k(float *y, const int *x, int n) { int i = threadIdx.x, k = 0; y[k++] = x[i]; y[k++] += x[i]; for (int j = 0; j < k; j++) y[j] = 1; }`,
			"float32 add 32, load x 64, load y 32, store y 128",
		},
		{"a pointer that steps", `__global__ void k(float *y, float *x, int n) { float *p = x + 64 * threadIdx.x; for (int k = 0; k < n; k++) *p++ *= 2; *p = 1; }`, "float32 mul 768, load x 768, store x 800"},
		{"effects of &&, || and the comma", `__global__ void k(float *y, const float *x, int n) { int i = threadIdx.x; i < 8 && (y[i] = 1); i < 4 || (y[i] = 3); const float *p = x; *p++; p++, p++; y[i] = *p; }`, "load x 32, store y 68"},
		{"a step under a condition", `__global__ void k(float *y, int n) { int i = threadIdx.x, k = 0; if (i < 8 && k++ < 1) y[i] = 1; for (int j = 0; j < k; j++) y[j] = 1; }`, "store y 16"},

		{
			"a return out of halving", `__global__ void k(float *y, const float *x, int n) { int i = threadIdx.x; for (int s = 16; s > 0; s >>= 1) { y[i] = 1; if (s < i) return; } y[i] = x[i]; }`,
			"load x 2, store y 68",
		},
		{
			"a return out of a loop of a function", `__device__ int f(int i) { for (int s = 16; s > 0; s >>= 1) { if (s < i) return s; } return 0; }
			__global__ void k(float *y, const float *x, int n) { int i = threadIdx.x; if (f(i) > 0) y[i] = x[i]; }`,
			"load x 30, store y 30",
		},
		{
			"continue and break", `__global__ void k(float *y, const float *x, int n) { int i = threadIdx.x; for (int s = 8; s > 0; s /= 2) { if (i < s) continue; y[i] += x[s]; if (i > 20) break; } }`,
			"float32 add 80, load x 80, load y 80, store y 80",
		},
		{
			"continue and return", `__global__ void k(float *y, int n) { int i = threadIdx.x; for (int k = 0; k < 8; k++) { if (i == k) continue; if (k > 4) return; y[32*k+i] = 1; } y[i] = 2; }`,
			"store y 155",
		},
		{
			"what is known after a break", `__global__ void k(float *y, int n) { int r = 0, i = threadIdx.x; for (int s = 8; s > 0; s /= 2) { if (i < s) { r = s; break; } } for (int j = 0; j < r; j++) y[32*j+i] = 1; }`,
			"store y 64",
		},
		{
			"a break out of a loop that steps in its head", `__global__ void k(float *y, int n) { int i = threadIdx.x, k = 5; while (k-- > 0) { if (i < k) break; y[k*32+i] = 1; } for (int j = 0; j < k + 1; j++) y[j] = 2; }`,
			"store y 160",
		},
		{
			"a break out of do", `__global__ void k(float *y, int n) { int i = threadIdx.x, k = 0; do { if (i < k) break; y[32*k+i] = 1; k += 3; } while (k < 12); y[k] = 1; }`,
			"store y 142",
		},

		{
			"half precision", `__global__ void k(half *y, const half *x, int n) { int i = threadIdx.x; half a = x[i], b = x[i + 1]; y[i] = __hadd(a, __hmul(a, __hsub(a, b))); y[i + 1] = __hdiv(a, b); }`,
			"float16 add 64, float16 div 32, float16 mul 32, load x 64, store y 64",
		},
		{
			"pairs in half precision", `__global__ void k(half2 *y, const half2 *x, int n) { int i = threadIdx.x; half2 a = x[i]; y[i] = __hadd2(a, __hmul2(a, a)); y[i + 32] = __hfma2(a, a, a); }`,
			"float16 add 64, float16 func:fma 64, float16 mul 64, load x 32, store y 64",
		},
		{
			"functions that say how they round", `__global__ void k(float *y, const float *x, int n) { int i = threadIdx.x; float a = x[i]; y[i] = __fadd_rn(__fmul_rn(a, a), __fmaf_rn(a, a, a)); }`,
			"float32 add 32, float32 func:fma 32, float32 mul 32, load x 32, store y 32",
		},
		{"conversions and comparisons", `__global__ void k(float *y, const half *x, int n) { half a = x[threadIdx.x]; y[threadIdx.x] = __hgt(a, __float2half(1.0f)) + __half2float(a); }`, "float32 add 32, load x 32, store y 32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := features.Find(given(t, c.text), features.Options{SubgroupSize: 1, NoMadd: true, ExactBranches: true, FreeControl: true})
			if err != nil {
				t.Fatal(err)
			}
			sizes := map[string]int64{"n": 24}
			s, err := found.CountAt(sizes)
			if err != nil || len(s.Warnings) > 0 {
				t.Fatal(err, s.Warnings)
			}
			if got := totals(t, s, sizes); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// given is the function k of a text as a kernel.
// TestGivenOpenCL: as TestGiven of functions in OpenCL C, of 32 work-items.
func TestGivenOpenCL(t *testing.T) {
	for _, c := range []struct {
		name, text string
		sizes      map[string]int64
		want       string
	}{
		{
			"overloads for spaces of memory", `float __attribute__((overloadable)) get(const __global float *p, int i) { return p[i]; }
			float __attribute__((overloadable)) get(const __local float *p, int i) { return p[i] * 2; }
			__kernel void k(__global float *y, __global const float *x) { __local float t[32]; int l = get_local_id(0);
			t[l] = get(x, l); barrier(CLK_LOCAL_MEM_FENCE); y[l] = get(t, 31 - l); }`,
			nil, "float32 mul 32, load t 32, load x 32, store t 32, store y 32",
		},
		{
			"a vote whose result is a vector", `__kernel void k(__global uint *y, __global const float *x) { int l = get_local_id(0);
			uint4 b = sub_group_ballot(x[l] > 0); y[l] = b.x + b.y; }`,
			nil, "load x 32, store y 32, uint32 add 32, uint32 func:sub_group_ballot 32",
		},
		{
			"numbers of 8 and 16 bits that are passed", `__kernel void k(__global float *y, char c, short s, uchar u) { int l = get_local_id(0);
			if (c == 'a') y[l] = 1; if (s < 0) y[l] = 2; if (u >= 200) y[l] = 3; for (int i = 0; i < u - 200; i++) y[l + i] = 4; }`,
			map[string]int64{"c": 97, "s": -3, "u": 202},
			"store y 160",
		},
		{
			"one of 8 bits that is changed", `__kernel void k(__global float *y, char c) { int l = get_local_id(0); c += 100; if (c == 5) y[l] = 1; }`,
			map[string]int64{},
			"int32 add 32, store y 32", // as if the condition held
		},
	} {
		file, err := cfront.Parse(t.Context(), "given.cl", c.text, cfront.Options{Language: cfront.OpenCL})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		k, err := ckernel.Read(t.Context(), file, ckernel.Options{Kernel: "k", Local: []int64{32}, Global: []string{"32"}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s, err := features.Count(k, features.Options{SubgroupSize: 1, NoMadd: true, ExactBranches: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := totals(t, s, c.sizes); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func given(t *testing.T, text string) *kernel.Kernel {
	t.Helper()
	return launchedOver(t, text, "32")
}

// launchedOver is a kernel with work-groups of 32 that a number of work-items runs.
func launchedOver(t *testing.T, text, items string) *kernel.Kernel {
	t.Helper()
	file, err := cfront.Parse(t.Context(), "given.cu", text, cfront.Options{Language: cfront.CUDA})
	if err != nil {
		t.Fatal(err)
	}
	k, err := ckernel.Read(t.Context(), file, ckernel.Options{Kernel: "k", Local: []int64{32}, Global: []string{items}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// totals lists operations by type and name, and accesses by array.
func totals(t *testing.T, s *features.Statistics, sizes map[string]int64) string {
	t.Helper()
	sums := map[string]int64{}
	for _, r := range s.Records {
		n, err := r.At(sizes)
		if err != nil {
			t.Fatal(err)
		}
		switch k := r.Key.(type) {
		case features.Op:
			sums[fmt.Sprintf("%s %s", k.DType, k.Op)] += int64(n)
		case features.Mem:
			sums[fmt.Sprintf("%s %s", k.Direction, k.Variable)] += int64(n)
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		out = append(out, fmt.Sprintf("%s %d", name, sums[name]))
	}
	return strings.Join(out, ", ")
}

// TestDoubts: a barrier that not all work-items of a group reach is told, at the sizes at which that is so.
func TestDoubts(t *testing.T) {
	const divergent, gone = "not all work-items of a work-group reach this barrier", "work-items that have returned do not reach this barrier"
	for _, c := range []struct {
		body string
		n    int64
		want string
	}{
		{`if (threadIdx.x < 8) __syncthreads();`, 32, divergent},
		{`if (threadIdx.x < n) __syncthreads();`, 32, ""},
		{`if (threadIdx.x < n) __syncthreads();`, 31, divergent},
		{`if (threadIdx.x >= n) return; __syncthreads();`, 32, ""},
		{`if (threadIdx.x >= n) return; __syncthreads();`, 31, gone},
		{`if (threadIdx.x >= n) return; if (threadIdx.x < 4) __syncthreads();`, 31, divergent},
		{`for (int k = threadIdx.x; k < n; k += 32) __syncthreads();`, 64, ""},
		{`for (int k = threadIdx.x; k < n; k += 32) __syncthreads();`, 65, divergent},
		{`for (int k = 0; k < n; k++) __syncthreads();`, 5, ""},
		{`if (n > 4) __syncthreads();`, 5, ""},
	} {
		k := given(t, "__global__ void k(float *y, int n) { y[threadIdx.x] = 0;\n"+c.body+" }")
		got := k.DoubtsAt(map[string]int64{"n": c.n})
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], "given.cu:2:") || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s at n=%d: %q, want %q", c.body, c.n, got, c.want)
		}
	}
}

// TestOverflow: an integer that is beyond its type at sizes is told with its range; one of 64 bits, of small sizes, or under a condition that excludes it
// is not.
func TestOverflow(t *testing.T) {
	const row, least = 1<<21 + 1, 1 << 20
	for _, c := range []struct {
		body        string
		n           int64
		wraps       bool
		first, last int64
	}{
		{`int j = 0; if (i < n) y[j + i * 1024] = 0;`, row, false, 0, 1 << 31},
		{`if (i < n) y[i * 1024] = 0;`, row - 1, false, 0, 0},
		{`if (i < n) y[(long) i * 1024] = 0;`, row, false, 0, 0},
		{`if (i < n) y[i * 1024L] = 0;`, row, false, 0, 0},
		{`if (i < n && i < 1024) y[i * 1024] = 0;`, row, false, 0, 0},
		{`y[i < n && i < 1024 ? i * 1024 : 0] = 0;`, row, false, 0, 0},
		{`if (i < n) y[i * 1024] = 0;`, -1, false, 0, 0},              // no size
		{`if (i < n && y[i] > 0) y[i * 1024] = 0;`, row, false, 0, 0}, // it may never be
		{`if (i < n) y[0 - i * 1024 - 2048] = 0;`, row - 1, false, -(1 << 31) - 1024, -2048},
		{`if (i < n) y[i << 10] = 0;`, row, false, 0, 1 << 31},
		{`if (i < 46341 && n > 46340) for (int k = 0; k < 46342; k++) y[n * i + k] = 0;`, 46341, false, 0, 46340*46341 + 46341},
		{`for (int j = 0; j * 4096 < n; j++) y[j * 4096] = 0;`, row, false, 0, 0}, // the condition bounds j
		{`for (int j = n; j * 4096 > 0; j--) y[j] = 0;`, 1000, false, 0, 0},
		{`unsigned u = i; if (i < n) y[u * 1024] = 0;`, row, true, 0, 0},
		{`unsigned u = i; if (i < n) y[u * 4096] = 0;`, least + 1, true, 0, 1 << 32},
		{`unsigned u = i; if (i < n) y[u * 4096] = 0;`, least, true, 0, 0},
	} {
		k := launchedOver(t, "__global__ void k(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"+c.body+" }", "n")
		sizes := map[string]int64{}
		if c.n > 0 {
			sizes["n"] = c.n
		}
		o := k.FindOverflow(sizes)
		switch {
		case o == nil && c.last != c.first, o != nil && (o.First != c.first || o.Last != c.last || o.Place.Line != 2):
			t.Errorf("%s at n=%d: %v, want %d to %d", c.body, c.n, o, c.first, c.last)
		case o != nil && o.Wraps != c.wraps:
			t.Errorf("%s at n=%d: %v is of the other kind", c.body, c.n, o)
		}
	}
}
