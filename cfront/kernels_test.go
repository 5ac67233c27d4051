package cfront_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuperf/cfront"
)

// functions are the functions of a text in their text form, without their indentation.
func functions(t testing.TB, language cfront.Language, instance, text string) (string, error) {
	t.Helper()
	f, err := cfront.Parse(t.Context(), "a", text, cfront.Options{Language: language, Instance: instance})
	if err != nil {
		return "", err
	}
	var out []string
	for _, fn := range f.Functions {
		for line := range strings.SplitSeq(strings.TrimSuffix(fn.String(), "\n"), "\n") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "; "), nil
}

// TestBodies: statements and expressions of kernels as trees. A row is the body of a kernel with the parameters of the head.
func TestBodies(t *testing.T) {
	heads := map[cfront.Language]string{
		cfront.OpenCL: "__kernel void f(__global float *a, __local float4 *w, const int n, float4 v, __constant int *c) {",
		cfront.CUDA:   "__global__ void f(float *a, float4 *w, const int n, float4 v, const int *__restrict__ c) {",
	}
	cl, cu := cfront.OpenCL, cfront.CUDA
	for _, c := range []struct {
		language cfront.Language
		body     string
		want     string
	}{
		{cl, "int i = get_global_id(0);", "int32 i = get_global_id(0):uint64"},
		{cl, "a[n] = v.x + v.s3 * w[1].lo.y;", "a[n] = (v.0 + (v.3 * w[1].1):float32):float32"},
		{cl, "v.xy = v.wz; v.odd = (float2)(1, a[0]); v.s01 += 2;", "v.0,1 = v.3,2; v.1,3 = float32x2{1, a[0]}; v.0,1 += 2"},
		{cl, "v = (float4)(0.5f); v = (float4)(v.xy, 1, n); v = 2 * v;", "v = float32x4{0.5:float32}; v = float32x4{v.0,1, 1, n}; v = (2 * v):float32x4"},
		{cl, "int4 m = v < 0; int k = any(m); v = select(v, -v, m);", "int32x4 m = (v < 0):int32x4; int32 k = any(m):int32; v = select(v, (-v), m):float32x4"},
		{cl, "__local float t[16][16 + 1], s; t[n][2] = s; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);", "local float32 t[16][17], local float32 s; t[n, 2] = s; barrier(3)"},
		{cl, "w[0] = *(__global float4 *)(a + 4); *(__global float4 *) &a[n] = w[1];", "w[0] = (float32x4*)(a + 4):float32*[0]; (float32x4*)&a[n][0] = w[1]"},
		{cl, "vstore4(vload4(n, a) * 2, 0, a); vload_half(0, (__global half *) a);", "vstore4((vload4(n, a):float32x4 * 2):float32x4, 0, a); vload_half(0, (float16*)a):float32"},
		{cl, "uint u = as_uint(a[0]); int4 k = convert_int4_rte(v);", "uint32 u = as_uint(a[0]):uint32; int32x4 k = convert_int4_rte(v):int32x4"},
		{cl, "half h = 1.5h; double d = 2; d = h * d; h = h * 2;", "float16 h = 1.5:float16; float64 d = 2; d = (h * d):float64; h = (h * 2):float16"},
		{cl, "atomic_add(&a[0], 1); atomic_inc((volatile __global int *) a);", "atomic_add(&a[0], 1):float32; atomic_inc((int32*)a):int32"},
		{cl, "__attribute__((opencl_unroll_hint(4))) for (int i = 0; i < n; i++) ;", "for int32 i = 0; (i < n):int32; i +after= unroll 4; nothing"},
		{cl, "#pragma unroll\nfor (uint i = n; i-- > 0;) a[i] = i;", "for uint32 i = n; (i -after= > 0):int32;  unroll -1; a[i] = i"},
		{cl, "uchar b = (uchar) 300, e = ~0; long l = 1 << 31; ulong q = 1ul << 40;", "uint8 b = 44, uint8 e = -1; int64 l = -2147483648; uint64 q = 1099511627776"},
		{cl, "int x[] = {1, 2, 3}, y[2][2] = {{1}, {n}}; float f = {2};", "int32 x[3] = {1, 2, 3}, int32 y[2][2] = {{1}, {n}}; float32 f = 2"},
		{cl, "struct { int a; float b[2]; } s; s.b[1] = s.a;", "struct s; s.b[1] = s.a"},
		{cl, "switch (n) { case 1: a[0] = 1; break; default: ; }", "block; if (n == 1):int32; a[0] = 1; else; nothing"},
		{cl, "switch (n + 1) { case 1: case 4: { a[0] = 1; break; } default: return; case -2: a[1] = 2; }", "block; int32 chosen = (n + 1):int32; if ((chosen == 1):int32 || (chosen == 4):int32):int32; block; a[0] = 1; else; if (chosen == -2):int32; a[1] = 2; else; return"},
		{cl, "switch (n) { case 1: a[0] = 1; case 2: a[1] = 1; }", "block; const int32 chosen = n; if ((chosen == 1):int32 || (chosen == 2):int32):int32; if (chosen == 1):int32; a[0] = 1; block; a[1] = 1; else; nothing"},
		{cl, "switch (n) { case 1: if (a[0] > 1) break; a[1] = 1; }", "block; if (n == 1):int32; if (a[0] > 1):int32; goto; a[1] = 1; else; nothing; other: a label"},
		{cl, "switch (n) { case 1: while (n) break; a[1] = 1; }", "block; if (n == 1):int32; while n; break; a[1] = 1; else; nothing"},
		{cl, "switch (n) { a[0] = 1; }", "other: a switch that begins without a label"},
		{cl, "switch (a[0]) { case 1: ; }", "other: a switch; other: a label; nothing"},
		{cl, "if (n > 1) return; else while (1) continue; do n; while (0); goto x; x: ;", "if (n > 1):int32; return; else; while 1; continue; do while 0; n; goto; other: a label; nothing"},
		{cl, "float3 u; u.x = 1; float8 z; a[0] = z.sF;", "not read: float8 has no member sF"},
		{cl, "float3 u; u.x = a[0];", "float32x3 u; u.0 = a[0]"},
		{cl, "a[0] = true ? 1 : 2, a[1] = NAN;", "{a[0] = 1, a[1] = NaN:float32}"},
		{cl, "a[0] = pow(v.x, 2) + mad(1, a[1], 2) + min(n, 1u);", "a[0] = ((pow(v.0, 2):float32 + mad(1, a[1], 2):float32):float32 + min(n, 1):uint32):float32"},
		{cl, "const int k = 3; float r[k * 2]; const float *p = r; p++; *p;", "const int32 k = 3; float32 r[6]; const float32 p[*] = r; p +after=; p[0]"},
		{cl, "float (*p)[4] = (float (*)[4]) a; p[1][2] = (*p)[3];", "float32 p[*][4] = (float32*)a; p[1, 2] = p[0, 3]"},
		{cl, "a[0] = 1;\n}\nvoid g(float *x, int y[4]) { g(x, y);", "a[0] = 1; function g(float32 x[*], int32 y[*]); g(x, y)"},

		{cu, "int i = blockIdx.x * blockDim.x + threadIdx.x;", "int32 i = ((blockIdx.x * blockDim.x):uint32 + threadIdx.x):uint32"},
		{cu, "v = make_float4(1, a[0], 2, 3); float2 t{1, 2}; t = float2{a[0]};", "v = float32x4{1, a[0], 2, 3}; float32x2 t = float32x2{1, 2}; t = float32x2{a[0], 0}"},
		{cu, "float4 q = reinterpret_cast<const float4 *>(c)[n]; a[0] = static_cast<float>(q.w) + int(q.x);", "float32x4 q = (float32x4*)c[n]; a[0] = (q.3 + (int32)q.0):float32"},
		{cu, "__shared__ float s[32], *p; extern __shared__ double d[]; __syncthreads();", "local float32 s[32], float32 p[*]; dynamic local float64 d[]; __syncthreads()"},
		{cu, "const auto x = a[0]; auto *p = a; auto q = &a[n]; auto &r = a[1]; const float &e = a[2];", "const float32 x = a[0]; float32 p[*] = a; float32 q[*] = &a[n]; float32 r[*] = &a[1]; const float32 e[*] = &a[2]"},
		{cu, "constexpr int K = 2 * sizeof(float4), L = K > 3 ? K : 3; int z[K][L]; z[0][1] = K;", "const int32 K = 32, const int32 L = 32; int32 z[32][32]; z[0, 1] = 32"},
		{cu, "atomicAdd(&a[n], __shfl_down_sync(0xffffffffu, a[0], 16)); unsigned m = __ballot_sync(~0u, n > 0);", "atomicAdd(&a[n], __shfl_down_sync(4294967295, a[0], 16):float32):float32; uint32 m = __ballot_sync(4294967295, (n > 0):int32):uint32"},
		{cu, "a[0] = __ldg(&c[n]) + __expf(1) + fmaf(1, 2, a[1]) + rsqrtf(a[2]) + __int_as_float(0x7f800000);", "a[0] = ((((__ldg(&c[n]):int32 + __expf(1):float32):float32 + fmaf(1, 2, a[1]):float32):float32 + rsqrtf(a[2]):float32):float32 + +Inf:float32):float32"},
		{cu, "half h = __float2half(a[0]); a[0] = __half2float(h) + __float2int_rn(a[1]); half2 k = __hadd2(half2(), half2());", "float16 h = (float16)a[0]; a[0] = ((float32)h + __float2int_rn(a[1]):int32):float32; float16x2 k = (float16x2{0} + float16x2{0}):float16x2"},
		{cu, "#define STEPS 4\n#pragma unroll STEPS * 2\nfor (int i = 0; i < n; ++i);", "for int32 i = 0; (i < n):int32; i += unroll 8; nothing"},
		{cu, "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16;\" :: \"r\"(n));", "other: inline assembly cp.async.ca.shared.global; &n"},
		{cu, "dim3 b(2, n); int k = b.y; a[warpSize] = gridDim.z;", "dim3 b = uint3{2, n}; int32 k = b.y; a[32] = gridDim.z"},
		{cu, "using T = double; typedef float2 P; T t = (T) n; P p; p.y = std::max(n, 2); a[0] = std::sqrt(p.x);", "float64 t = (float64)n; float32x2 p; p.1 = max(n, 2):int32; a[0] = sqrt(p.0):float32"},
		{cu, "for (int i : {1}) ;", "block; int32 list of the loop[1] = {1}; for int32 element = 0; (element < 1):int32; element +=; int32 i = list of the loop[element]; nothing"},
		{cu, "int m = 2; auto g = [=, q = m](int x) { return x + m + q; }; m = g(3);", "int32 m = 2; f.g g = {q = m, m = m, f.g{}}; m = f.g(3):int32; function f.g(int32 x) int32; return ((x + m):int32 + q):int32"},
		{cu, "a[0] = [](int x) { return x; }(1);", "a[0] = f.closure(1):int32; function f.closure(int32 x) int32; return x"},
		{cu, "again: a[0] = 1; if (n > a[1]) goto again; a[2] = 1;", "do while (n > a[1]):int32; a[0] = 1; a[2] = 1"},
		{cu, "int *p = new int;", "not read: new is not read"},
	} {
		got, err := functions(t, c.language, "", heads[c.language]+"\n"+c.body+"\n}")
		_, body, _ := strings.Cut(got, "; ")
		if err != nil || body != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.body, err, body, c.want)
		}
	}
}

// TestDeclarations: functions, templates and what stands around them.
func TestDeclarations(t *testing.T) {
	for _, c := range []struct {
		name     string
		language cfront.Language
		instance string
		text     string
		want     string // or the error
	}{
		{
			"group", cfront.OpenCL, "", "#define B 8\nkernel __attribute__((reqd_work_group_size(B, B / 2, 1))) void f(global uchar4 *p, local int *restrict q, read_only image2d_t m) {}",
			"kernel[8 4 1] f(global uint8x4 p[*], restrict local int32 q[*], image2d_t m)",
		},
		{
			"constants", cfront.OpenCL, "", "constant float w[3] = {1, 2, 3};\nenum { A, B = 4, C };\ntypedef struct { float x; } P;\nfloat g(P p) { return p.x + w[0] + C; }",
			"function g(P p) float32; return ((p.x + w[0]):float32 + 5):float32",
		},
		{"bounds", cfront.CUDA, "", "extern \"C\" {\n__global__ void __launch_bounds__(128, 2) f(const double *a, int n[4]) {}\n}", "kernel f(const global float64 a[*], global int32 n[*])"},
		{
			"host code", cfront.CUDA, "", "#include <vector>\n#include \"cuda_runtime.h\"\nstruct S { S(int); std::string s; int n; };\nstd::vector<int> all;\nclass X : Y { virtual void f() = 0; };\n" +
				"static void host(std::vector<int> &v) { f<<<1, 2>>>(v.data()); }\n__global__ void f(int *p) { p[0] = S{3}.n; }\nint main() { for (auto x : all) {} return 0; }",
			"kernel f(global int32 p[*]); p[0] = S::S{3}.n",
		},
		{
			"helpers", cfront.CUDA, "", "namespace a { namespace b { __device__ float sq(float x) { return x * x; } } }\nusing namespace a::b;\nint unused() { return undeclared; }\n" +
				"static inline float id(float x = 2) { return x; }\n__global__ void f(float *p) { p[0] = a::b::sq(p[1]) + sq(2) + id(); }",
			"function sq(float32 x) float32; return (x * x):float32; function id(float32 x) float32; return x; " +
				"kernel f(global float32 p[*]); p[0] = ((sq(p[1]):float32 + sq(2):float32):float32 + id(2):float32):float32",
		},
		{
			"overloads", cfront.CUDA, "f", "__device__ int g(int x) { return x; }\n__device__ float g(float x) { return x; }\n__device__ float g(float x, int y) { return g(y); }\n" +
				"__global__ void f(float *p) { p[g(1)] = g(p[0], 2) + g(p[1]); }",
			"function g(int32 x) int32; return x; function g(float)(float32 x) float32; return x; function g(float, int)(float32 x, int32 y) float32; return g(y):int32; " +
				"kernel f(global float32 p[*]); p[g(1):int32] = (g(float, int)(p[0], 2):float32 + g(float)(p[1]):float32):float32",
		},
		{
			"instance", cfront.CUDA, "tile<4, float>", "template <int N, typename T = double> __global__ void tile(T *p) {\n  __shared__ T s[N][N + 1];\n  if constexpr (N > 8) s[0][0] = 1; else s[1][1] = N;\n}",
			"kernel tile<4, float>(global float32 p[*]); local float32 s[4][5]; s[1, 1] = 4",
		},
		{
			"default", cfront.CUDA, "tile<(1 << 2)>", "template <unsigned N, class T = double, bool B = (N > 2)> __global__ void tile(T *p) { p[N] = B; }",
			"kernel tile<(1 << 2)>(global float64 p[*]); p[4] = 1",
		},
		{
			"deduction", cfront.CUDA, "f", "template <class T, int N> __device__ T sum(const T (&x)[N]) { T s = 0; for (int i = 0; i < N; i++) s += x[i]; return s; }\n" +
				"template <typename T> __device__ void put(T *p, T v) { *p = v; }\n__global__ void f(float *p) { float r[3]; put(p, sum(r)); put<int>(nullptr, 2); }",
			"function sum<float, 3>(const ref float32 x[3]) float32; float32 s = 0; for int32 i = 0; (i < 3):int32; i +after=; s += x[i]; return s; " +
				"function put<float>(float32 p[*], float32 v); p[0] = v; function put<int>(int32 p[*], int32 v); p[0] = v; " +
				"kernel f(global float32 p[*]); float32 r[3]; put<float>(p, sum<float, 3>(r):float32); put<int>(()0, 2)",
		},
		{
			"pointers to functions", cfront.CUDA, "f<g>", "typedef int (*op)(int);\n__device__ int g(int x) { return x; }\n__device__ int h(int x) { return -x; }\n__device__ op table[] = {g, h};\n" +
				"template <int (*F)(int)> __global__ void f(int *p, int n) { op q = h; p[0] = F(1) + (*F)(2) + q(3) + table[n](4); p[1] = table[1](5); }",
			"function g(int32 x) int32; return x; function h(int32 x) int32; return (-x); kernel f<g>(global int32 p[*], int32 n); " +
				"p[0] = (((g(1):int32 + g(2):int32):int32 + h(3):int32):int32 + ((n == 0):int32 ? g(4):int32 : h(4):int32)):int32; p[1] = (0 ? g(5):int32 : h(5):int32)",
		},
		{
			"in a namespace", cfront.CUDA, "f<float>", "namespace a { namespace b { template <class T> __global__ void f(T *p); } }\n" +
				"template <class T> __global__ void a::b::f(T *p) { p[0] = 1; }", "kernel f<float>(global float32 p[*]); p[0] = 1",
		},
		{"without a body", cfront.CUDA, "f<float>", "template <class T> __global__ void f(T *p);", "error: f<float> has no body"},
		{
			"static functions", cfront.CUDA, "f", "struct A { static __device__ int g() { return 1; } };\nstruct B { static __device__ int g() { return 2; } };\n" +
				"constexpr int log2i(int n) { int r = 0; while (n > 1) { n /= 2; r++; } return r; }\ntemplate <class T> constexpr bool even(T v) { return v % 2 == 0; }\n" +
				"template <int N, bool E> __device__ auto h(int x) -> decltype(x + N) { return E ? x : N; }\n" +
				"__global__ void f(int *p) { const char *s = R\"x(\"a\")x\"; decltype(p[0]) k = A::g(); p[k] = B::g() + h<log2i(64), even(3)>(k); }",
			"function A::g() int32; return 1; function B::g() int32; return 2; function log2i(int32 n) int32; int32 r = 0; while (n > 1):int32; n /= 2; r +after=; return r; " +
				"function even<int>(int32 v) bool; return ((v % 2):int32 == 0):int32; function h<6, false>(int32 x) int32; return (0 ? x : 6); " +
				"kernel f(global int32 p[*]); const int8 s[*] = unknown(a string); int32 k = A::g():int32; p[k] = (B::g():int32 + h<6, false>(k):int32):int32",
		},
		{
			"class template", cfront.CUDA, "f", "template <typename T> struct Pair { T a, b; __device__ T sum() { return a + b; } };\n__global__ void f(Pair<float> *p) { p->a = p[1].b; }",
			"kernel f(global Pair<float> p[*]); p[0].a = p[1].b",
		},
		{
			"vector of the program", cfront.CUDA, "f", "template <typename T, int N> struct vec { T s[N]; __device__ vec(T x) {} };\n" +
				"template <typename T, int N> __device__ vec<T, N> operator +(const vec<T, N> &a, const vec<T, N> &b) { return a; }\ntypedef vec<float, 8> float8;\n" +
				"__global__ void f(float8 *p) { p[0] = p[1] + float8(2); }",
			"kernel f(global float32x8 p[*]); p[0] = (p[1] + float32x8{2}):float32x8",
		},
		{"constant memory", cfront.CUDA, "", "__constant__ float w[9];\n__device__ int counter;\n__global__ void f() { counter = w[1]; }", "kernel f(); counter = w[1]"},
		{
			"the result is that of the body", cfront.CUDA, "", "__device__ auto g(float x) { return x * 2; }\n__global__ void f(float *p) { p[0] = g(1); }",
			"function g(float32 x) float32; return (x * 2):float32; kernel f(global float32 p[*]); p[0] = g(1):float32",
		},
		{
			"the best overload", cfront.CUDA, "", "template <class T> __device__ T twice(T x) { return x + x; }\n__device__ float twice(float x) { return 2 * x; }\n" +
				"__global__ void f(float *p) { p[twice(1)] = twice(p[0]); }",
			"function twice<int>(int32 x) int32; return (x + x):int32; function twice(float32 x) float32; return (2 * x):float32; " +
				"kernel f(global float32 p[*]); p[twice<int>(1):int32] = twice(p[0]):float32",
		},
		{
			"functions named as built-in ones", cfront.CUDA, "f", "__device__ float dot(float4 a, float4 b) { return a.x * b.x; }\n__device__ float sign(float x) { return x; }\n" +
				"template <class T> __device__ T max(T a, T b) { return a; }\n__global__ void f(float4 *p) { p[0].x = dot(p[1], p[2]) + sign(1) + max(1, 2); }",
			"function dot(float4, float4)(float32x4 a, float32x4 b) float32; return (a.0 * b.0):float32; function sign(float)(float32 x) float32; return x; " +
				"kernel f(global float32x4 p[*]); p[0].0 = ((dot(float4, float4)(p[1], p[2]):float32 + sign(float)(1):float32):float32 + max(1, 2):int32):float32",
		},
		{"dot", cfront.OpenCL, "", "kernel void f(global float4 *p) { p[0].x = dot(p[1], p[2]); }", "kernel f(global float32x4 p[*]); p[0].0 = dot(p[1], p[2]):float32"},
		{
			"images", cfront.OpenCL, "", "kernel void f(read_only image2d_t m, sampler_t s, global float4 *p) { p[0] = read_imagef(m, s, (float2)(1, 2)) * 2; }",
			"kernel f(image2d_t m, sampler_t s, global float32x4 p[*]); p[0] = (read_imagef(m, s, float32x2{1, 2}):float32x4 * 2):float32x4",
		},
		{
			"textures", cfront.CUDA, "f", "__global__ void f(float *p, cudaTextureObject_t t) { p[0] = tex1Dfetch<float>(t, 3) + '\\0'; }",
			"kernel f(global float32 p[*], texture t); p[0] = (tex1Dfetch(t, 3):float32 + 0):float32",
		},
		{
			"closures", cfront.CUDA, "f", "__global__ void f(float *p) {\n  __shared__ float s[9];\n  auto put = [&](int i, float x) { s[i] = x; };\n" +
				"  auto get = [&s](int i) -> float { return s[i]; };\n  put(1, p[0]);\n  p[1] = [&](int i) { return s[i]; }(2);\n}",
			"kernel f(global float32 p[*]); local float32 s[9]; f.put(1, p[0]); p[1] = f.closure(2):float32; function f.put(int32 i, float32 x); s[i] = x; " +
				"function f.closure(int32 i) float32; return s[i]",
		},
		{
			"closures by name", cfront.CUDA, "f", "__global__ void f(float *p) {\n  __shared__ float s[9];\n  auto put = [&](int i, float x) { s[i] = x; };\n" +
				"  auto get = [&s](int i) -> float { return s[i]; }, two = [] { return 2; };\n  put(1, p[0]);\n  p[1] = get(two());\n}",
			"kernel f(global float32 p[*]); local float32 s[9]; f.put(1, p[0]); p[1] = f.get(f.two():int32):float32; " +
				"function f.put(int32 i, float32 x); s[i] = x; function f.get(int32 i) float32; return s[i]; function f.two() int32; return 2",
		},
		{
			"closures outside of functions", cfront.CUDA, "f",
			"auto host = [](int i) { return i; };\nnamespace n {\nconst auto twice = [](float x) { return 2 * x; };\n}\n__global__ void f(float *p) { p[0] = n::twice(p[1]); }",
			"function twice(float32 x) float32; return (2 * x):float32; kernel f(global float32 p[*]); p[0] = twice(p[1]):float32",
		},
		{"one bad kernel", cfront.CUDA, "", "__global__ void f() { nonsense; }\n__global__ void g() {}", "kernel f(); not read: nonsense is not declared; kernel g()"},

		{"wanted", cfront.CUDA, "f", "__global__ void f() { nonsense; }\n__global__ void g() {}", "error: a:1:23: nonsense is not declared"},
		{"missing", cfront.CUDA, "h", "__global__ void f() {}\n__global__ void g() {}", "error: a: it has no function h; it has f, g"},
		{"missing template", cfront.CUDA, "h<3>", "template <int N> __global__ void f() {}", "error: a: it has no function h<3>; it has f<…>"},
		{"no arguments", cfront.CUDA, "tile", "template <int N> __global__ void tile() {}", "error: a: tile is a template: name an instance with its arguments, as tile<16, float>"},
		{"wrong arguments", cfront.CUDA, "tile<float>", "template <int N> __global__ void tile() {}", "error: a: the arguments of tile<float> are not those of the template"},
		{
			"specialization", cfront.CUDA, "f", "template <int N> __device__ int g() { return N; }\ntemplate <> __device__ int g<3>() { return 0; }\n__global__ void f() { g<3>(); }",
			"function g<3>() int32; return 0; kernel f(); g<3>():int32",
		},
		{
			"header that declares a type", cfront.CUDA, "f", "#include <helper_cuda.h>\n#include <thrust/tuple.h>\n#include <cuda_runtime.h>\n__global__ void f(tuple x) {}",
			"error: a:4:19: tuple is no type that is known here\n    __global__ void f(tuple x) {}\n                      ^\n    headers that were not found may declare it: thrust/tuple.h; -I gives their folders",
		},
		{
			"header that declares a variable", cfront.CUDA, "f", "#include \"helper_string.h\"\n#include <curand_mtgp32.h>\n__global__ void f() { other; }",
			"error: a:3:23: other is not declared\n    __global__ void f() { other; }\n                          ^\n    headers that were not found may declare it: helper_string.h, curand_mtgp32.h; -I gives their folders",
		},
		{
			"a library behind a header that is not found", cfront.CUDA, "f", "#include <all_of_it.h>\n__global__ void f(cuComplex *x, float *y) { y[0] = cuCrealf(x[0]); }",
			"function cuCrealf(float32x2 z) float32; return z.0; kernel f(global float32x2 x[*], global float32 y[*]); y[0] = cuCrealf(x[0]):float32",
		},
		{"an unknown type in the template that is named", cfront.CUDA, "f<float>", "template <class T> __global__ void f(foo x, T y) {}", "error: foo is no type that is known here"},
		{"an unknown type", cfront.CUDA, "", "__global__ void f(foo x) {}", "kernel f(); not read: foo is no type that is known here"},
		{"an unknown type elsewhere", cfront.CUDA, "g", "__global__ void f(foo x) {}\n__device__ int h(foo x) {}\n__global__ void g() {}", "kernel g()"},
		{"an unknown type called", cfront.CUDA, "g", "__device__ int h(foo x) {}\n__global__ void g() { h(1); }", "error: a:1:18: foo is no type that is known here"},
		{
			"macros of the build", cfront.CUDA, "f", "typedef int known;\n__global__ void g(other y) { int M = COUNT; }\n__global__ void f(const real *x, known k, real4 y, int n) { int N = WIDTH - n * HEIGHT; x[N] = 1; }",
			"error: a:3:25: real is no type that is known here\n    __global__ void f(const real *x, known k, real4 y, int n) { int N = WIDTH - n * HEIGHT; x[N] = 1; }\n                            ^\n" +
				"    -D real=float -D real4=float4 -D WIDTH=… -D HEIGHT=… define them, where that is left to the build",
		},
		{
			"a macro that begins a loop", cfront.CUDA, "f", "#include \"loops.h\"\n__global__ void f(float *y, int n) { EACH(k, n) { y[k] = 1; } }",
			"error: a:2:38: EACH is no macro that is known\n    __global__ void f(float *y, int n) { EACH(k, n) { y[k] = 1; } }\n                                         ^\n" +
				"    -D 'EACH(i, n)=for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)' defines it as such macros often are",
		},
		{"a name for a template of that name", cfront.CUDA, "f", "template <class T = void> using sum = std::sum<T>;\n__global__ void f(sum<int> x) {}", "error: sum stands for a template of its own name, which is not known"},
		{"an error of the runtime", cfront.CUDA, "f", "__global__ void f(cudaError_t *x) { x[0] = cudaErrorUnknown; }", "kernel f(global int32 x[*]); x[0] = 999"},
		{"types of transforms", cfront.CUDA, "f", "#include <cufft.h>\n__global__ void f(cufftComplex *x) { x[0].x = 1; }", "kernel f(global float32x2 x[*]); x[0].0 = 1"},
		{"a macro that stands before a type", cfront.OpenCL, "", "INLINE float g(float x) { return x; }\nkernel void f(global float *x) { x[0] = g(x[0]); }", "error: -D INLINE= defines it"},
		{"macros of a file that is read whole", cfront.OpenCL, "", "kernel void f(global mixed *x) { x[0] = M; }\nkernel void g(real4 y, global real4 *A) { y = N + A[0]; }\ntypedef struct { int i; } later;\nkernel void h(global later *z) { later x; }", "error: -D mixed=float -D M=… -D real4=float4 define them"},
		{"a type of a record without a name", cfront.CUDA, "f", "struct odd { typedef float 5; };\n__global__ void f() {}", "kernel f()"},
		{"a bad instance", cfront.CUDA, "f<", "template <int N> __global__ void f() {}", "error: <the function f<>:1:3: the text ends where an expression should stand"},
		{"syntax", cfront.OpenCL, "f", "kernel void f(global int *p) {\n  p[0] = ;\n}", `error: a:2:10: ";" stands where an expression should stand`},
		{"brace", cfront.OpenCL, "", "kernel void f(global int *p) {", "error: a:1:30: the bracket is not closed"},
		{"twice for one space", cfront.OpenCL, "", "void f(local int *p) {}\nvoid f(global int *p) {}\nvoid f(local int *p) {}", "error: a:3:6: f has a body already"},
		{"twice", cfront.OpenCL, "", "void f() {}\nvoid f() {}", "error: a:2:6: f has a body already"},
		{"header", cfront.OpenCL, "", "#include <no.h>\n#include \"no.h\"\n", ""},
		{"language", "Fortran", "", "", "error: a: Fortran is no language that is read here"},
	} {
		got, err := functions(t, c.language, c.instance, c.text)
		if want, fails := strings.CutPrefix(c.want, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %s, %v; want %s", c.name, got, err, want)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
	}
}

// TestExamples: the kernels that come with the program are read as they are.
func TestExamples(t *testing.T) {
	for _, c := range []struct{ pattern, refused string }{
		{"../examples/launch/*.cl", ""},
		{"../examples/launch/*.cu", ""},
		{"../kernel/emit/testdata/*.cl", ""},
		{"../testdata/*/*.cu", "is not declared|functions without a name"},
	} {
		files, _ := filepath.Glob(c.pattern)
		for _, file := range files {
			f, err := cfront.Read(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Error(err)
				continue
			}
			for _, fn := range f.Functions {
				if fn.Err != nil && (c.refused == "" || !regexp.MustCompile(c.refused).MatchString(fn.Err.Error())) {
					t.Error(fn.Err)
				}
			}
		}
		if len(files) == 0 {
			t.Errorf("no files %s", c.pattern)
		}
	}
}
