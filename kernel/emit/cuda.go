package emit

import (
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// cudaC is CUDA C++ as NVRTC and nvcc compile it. Types have the names that they have in OpenCL C, by the prelude, and vectors of
// any width have the operators that they have there.
var cudaC = dialect{
	title: "CUDA C",
	prelude: `typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
#define mad(a, b, c) fma(a, b, c)
`,
	axes: "#define lid(N) ((%[1]s) lid_##N)\n" +
		"#define gid(N) ((%[1]s) gid_##N)\n" +
		"#define lid_0 threadIdx.x\n#define lid_1 threadIdx.y\n#define lid_2 threadIdx.z\n" +
		"#define gid_0 blockIdx.x\n#define gid_1 blockIdx.y\n#define gid_2 blockIdx.z\n",
	kernel:   "extern \"C\" __global__ void __launch_bounds__(%d * %d * %d)\n",
	constant: "const ",
	local:    "__shared__ ",
	restrict: "__restrict__ ",
	align:    " __attribute__((aligned(%d)))",
	helper:   "static inline __device__ ",
	barriers: map[kernel.Space]string{kernel.Local: "__syncthreads();", kernel.Global: "__syncthreads();"},
	types: withVectors(map[expr.DType]string{
		expr.Bool: "uchar", expr.Int8: "char", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long",
		expr.Uint8: "uchar", expr.Uint16: "ushort", expr.Uint32: "uint", expr.Uint64: "ulong",
		expr.Float16: "half", expr.BFloat16: "bfloat16", expr.Float32: "float", expr.Float64: "double",
	}, "_x"),
	vectors: vectors{
		cast: "%[1]s(%[2]s)", convert: "%[1]s(%[2]s)",
		load: "vload<%[1]d>(%[2]s)", store: "vstore<%[1]d>(%[3]s, %[2]s)", wide: "vwide(%[1]s)",
		define: cudaVectors, typeOf: "typedef vec<%[2]s, %[3]d> %[1]s;\n",
	},
	matrices: cudaMatrices,
	ahead:    cudaCopies,
	enable:   map[expr.DType]string{expr.Float16: cudaHalf, expr.BFloat16: cudaBFloat},
	wrappers: map[expr.DType][2]string{expr.Float16: {"HALF_FUNCTION1(%[1]s)\n", "HALF_FUNCTION2(%[1]s)\n"}},
	suffix:   map[expr.DType]string{expr.Float16: "f", expr.BFloat16: "f", expr.Float32: "f", expr.Float64: ""},
	explicit: map[expr.DType]string{expr.Float16: "half(%s)", expr.BFloat16: "bfloat16(%s)"},
	static:   48 << 10,
	atomics: map[expr.DType]map[expr.OpKind]string{
		expr.Int32: atomics("atomic", "(&%[1]s, %[2]s)"), expr.Uint32: atomics("atomic", "(&%[1]s, %[2]s)"),
		expr.Int64: cudaAtomics64("long long"), expr.Uint64: cudaAtomics64("unsigned long long"),
		expr.Float32: cudaSums, expr.Float64: cudaSums,
	},
	funcs:    map[string]string{"abs": "fabs", "min": "fmin", "max": "fmax"},
	accuracy: map[Accuracy]string{AsOpenCL: "-prec-div=false -prec-sqrt=false"},
	reserved: strings.Fields(`bfloat16 copy_ahead end_copies await_copies multiply_half multiply_bfloat16 matrices matrices_across matrix_rows matrix_columns alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
		consteval constexpr const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
		explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator
		or or_eq private protected public register reinterpret_cast requires return short signed sizeof static static_assert static_cast
		struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
		wchar_t while xor xor_eq restrict size_t ptrdiff_t uchar ushort uint ulong half main NULL lid gid vec vword vload vwide vstore local_memory
		lid_0 lid_1 lid_2 gid_0 gid_1 gid_2 threadIdx blockIdx blockDim gridDim warpSize dim3 char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4
		short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 long1 long2 long3 long4
		ulong1 ulong2 ulong3 ulong4 longlong1 longlong2 ulonglong1 ulonglong2 float1 float2 float3 float4 double1 double2 double3 double4
		clock clock64 printf malloc free memcpy memset assert signbit norm rnorm normcdf erfcx erfinv erfcinv normcdfinv j0 j1 jn y0 y1 yn
		sincos sincospi sinpi cospi frexp ldexp logb ilogb scalbn modf nextafter remainder remquo nearbyint llrint lrint lround llround nan
		rcbrt rhypot norm3d rnorm3d norm4d rnorm4d saturate umin umax llmin llmax ullmin ullmax cudaError_t cudaStream_t dim NAN INFINITY mad
		atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor`),
}

// cudaVectors are vectors with operators on their lanes. A scalar stands for a vector of it. An assignment would load the lanes one by one: vwide
// loads the widest words.
const cudaVectors = `template<typename T, int N> struct __align__(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) vec {
    T s[N];
    __device__ vec() {}
    __device__ vec(T x) { for (int i = 0; i < N; i++) s[i] = x; }
    template<typename U> __device__ explicit vec(const vec<U, N> &v) { for (int i = 0; i < N; i++) s[i] = (T) v.s[i]; }
};
#define VEC_OPERATOR(OP) \
template<typename T, int N> __device__ vec<T, N> operator OP(const vec<T, N> &a, const vec<T, N> &b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = a.s[i] OP b.s[i]; return r; } \
template<typename T, int N> __device__ vec<T, N> operator OP(const vec<T, N> &a, T b) { return a OP vec<T, N>(b); } \
template<typename T, int N> __device__ vec<T, N> operator OP(T a, const vec<T, N> &b) { return vec<T, N>(a) OP b; }
VEC_OPERATOR(+) VEC_OPERATOR(-) VEC_OPERATOR(*) VEC_OPERATOR(/)
template<typename T, int N> __device__ vec<T, N> operator -(const vec<T, N> &a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = -a.s[i]; return r; }
#define VEC_FUNCTION1(F) template<typename T, int N> __device__ vec<T, N> F(const vec<T, N> &a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = F(a.s[i]); return r; }
#define VEC_FUNCTION2(F) template<typename T, int N> __device__ vec<T, N> F(const vec<T, N> &a, const vec<T, N> &b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = F(a.s[i], b.s[i]); return r; }
template<typename T, int N> __device__ vec<T, N> fma(const vec<T, N> &a, const vec<T, N> &b, const vec<T, N> &c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = fma(a.s[i], b.s[i], c.s[i]); return r; }
template<int N, typename T> __device__ vec<T, N> vload(const T *p) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = p[i]; return r; }
template<int BYTES> struct vword { typedef uint4 type; };
template<> struct vword<2> { typedef ushort type; };
template<> struct vword<4> { typedef uint type; };
template<> struct vword<8> { typedef uint2 type; };
template<typename T, int N> __device__ vec<T, N> vwide(const vec<T, N> *p) { typedef typename vword<sizeof(vec<T, N>)>::type W; vec<T, N> r; for (int i = 0; i < sizeof(r) / sizeof(W); i++) ((W *) &r)[i] = ((const W *) p)[i]; return r; }
template<int N, typename T> __device__ void vstore(const vec<T, N> &v, T *p) { for (int i = 0; i < N; i++) p[i] = v.s[i]; }
`

// cudaHalf is half precision as OpenCL C has it: each operation rounds. CUDA's own type is in a header, which NVRTC does not find by
// itself. Quotients and functions are computed in float, whose rounding does not change that of a quotient.
const cudaHalf = `struct half {
    ushort bits;
    half() = default;
    template<typename T> __device__ explicit half(T x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"((float) x)); }
    __device__ explicit half(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
    template<typename T> __device__ half &operator=(T x) { return *this = half(x); }
    __device__ operator float() const { float x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits)); return x; }
};
#define HALF_OPERATOR(OP, NAME) static inline __device__ half operator OP(half a, half b) { asm(NAME ".f16 %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits)); return a; }
HALF_OPERATOR(+, "add") HALF_OPERATOR(-, "sub") HALF_OPERATOR(*, "mul")
static inline __device__ half operator /(half a, half b) { return half((float) a / (float) b); }
static inline __device__ half operator -(half a) { a.bits ^= 0x8000; return a; }
static inline __device__ half fma(half a, half b, half c) { asm("fma.rn.f16 %0, %0, %1, %2;" : "+h"(a.bits) : "h"(b.bits), "h"(c.bits)); return a; }
#define HALF_FUNCTION1(F) static inline __device__ half F(half a) { return half(F((float) a)); }
#define HALF_FUNCTION2(F) static inline __device__ half F(half a, half b) { return half(F((float) a, (float) b)); }
`

// cudaBFloat is bfloat16, which kernels load and store: they compute with floats.
const cudaBFloat = `struct bfloat16 {
    ushort bits;
    bfloat16() = default;
    template<typename T> __device__ explicit bfloat16(T x) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"((float) x)); }
    template<typename T> __device__ bfloat16 &operator=(T x) { return *this = bfloat16(x); }
    __device__ operator float() const { return __int_as_float((uint) bits << 16); }
};
`
