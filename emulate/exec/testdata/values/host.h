// What values.cu needs to be computed by a processor: types, intrinsics and PTX instructions, written from their definitions in the CUDA
// C++ programming guide and in the PTX ISA. Each work-item is a thread; those of a sub-group meet where they exchange values.
#include <barrier>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <algorithm>
using std::min;
using std::max;
#define __global__
#define __device__ static
#define __constant__ static const
#define __noinline__
#define __forceinline__ inline
#define __shared__ static
struct dim { unsigned x, y, z; };
static thread_local dim threadIdx;
static const dim blockIdx = {0, 0, 0}, blockDim = {256, 1, 1}, gridDim = {1, 1, 1};
static unsigned more[256];

static inline uint32_t __float_as_uint(float v) { uint32_t b; memcpy(&b, &v, 4); return b; }
static inline float __uint_as_float(uint32_t b) { float v; memcpy(&v, &b, 4); return v; }
static inline long long __double_as_longlong(double v) { long long b; memcpy(&b, &v, 8); return b; }
static inline double __longlong_as_double(long long b) { double v; memcpy(&v, &b, 8); return v; }

// whole numbers
typedef __int128 s128; typedef unsigned __int128 u128;
static inline int __mulhi(int a, int b) { return (int64_t)a * b >> 32; }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (uint64_t)a * b >> 32; }
static inline long long __mul64hi(long long a, long long b) { return (s128)a * b >> 64; }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (u128)a * b >> 64; }
static inline unsigned __sad(int a, int b, unsigned c) { return (a < b ? (unsigned)b - a : (unsigned)a - b) + c; }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned __brev(unsigned v) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i); return r; }
static inline unsigned long long __brevll(unsigned long long v) { return (unsigned long long)__brev((unsigned)v) << 32 | __brev(v >> 32); }
static inline int __hadd(int a, int b) { return ((int64_t)a + b) >> 1; }
static inline int __rhadd(int a, int b) { return ((int64_t)a + b + 1) >> 1; }
static inline unsigned __uhadd(unsigned a, unsigned b) { return ((uint64_t)a + b) >> 1; }
static inline unsigned __urhadd(unsigned a, unsigned b) { return ((uint64_t)a + b + 1) >> 1; }
static inline int __mul24(int a, int b) { return (uint32_t)((int64_t)(a << 8 >> 8) * (b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) { return ((uint64_t)hi << 32 | lo) << (s & 31) >> 32; }
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) { return ((uint64_t)hi << 32 | lo) >> (s & 31); }
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) { return ((uint64_t)hi << 32 | lo) << min(s, 32u) >> 32; }
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) { return ((uint64_t)hi << 32 | lo) >> min(s, 32u); }
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { uint64_t v = (uint64_t)b << 32 | a; unsigned r = 0; for (int i = 0; i < 4; i++) r |= (unsigned)(v >> 8 * (s >> 4 * i & 7) & 255) << 8 * i; return r; }

// floating point: the rounding of the processor, and what the hardware does with numbers that are none and with zeros
template <class F> static auto rounded(int mode, F f) { std::fesetround(mode); auto v = f(); std::fesetround(FE_TONEAREST); return v; }
#define ROUNDED(name, type, mode, args, expr) __attribute__((noinline)) static type name args { volatile type r; std::fesetround(mode); r = (expr); std::fesetround(FE_TONEAREST); return r; }
#define OPS(prefix, type, mode, suffix) \
  ROUNDED(__##prefix##add_##suffix, type, mode, (volatile type a, volatile type b), a + b) ROUNDED(__##prefix##mul_##suffix, type, mode, (volatile type a, volatile type b), a * b) \
  ROUNDED(__##prefix##div_##suffix, type, mode, (volatile type a, volatile type b), a / b)
OPS(f, float, FE_TOWARDZERO, rz) OPS(f, float, FE_DOWNWARD, rd) OPS(f, float, FE_UPWARD, ru) OPS(d, double, FE_TOWARDZERO, rz) OPS(d, double, FE_DOWNWARD, rd) OPS(d, double, FE_UPWARD, ru)
ROUNDED(__fmaf_rz, float, FE_TOWARDZERO, (volatile float a, volatile float b, volatile float c), fmaf(a, b, c)) ROUNDED(__fmaf_rd, float, FE_DOWNWARD, (volatile float a, volatile float b, volatile float c), fmaf(a, b, c)) ROUNDED(__fmaf_ru, float, FE_UPWARD, (volatile float a, volatile float b, volatile float c), fmaf(a, b, c))
ROUNDED(__fma_rz, double, FE_TOWARDZERO, (volatile double a, volatile double b, volatile double c), fma(a, b, c)) ROUNDED(__fma_rd, double, FE_DOWNWARD, (volatile double a, volatile double b, volatile double c), fma(a, b, c))
ROUNDED(__fsqrt_rd, float, FE_DOWNWARD, (volatile float a), sqrtf(a)) ROUNDED(__frcp_ru, float, FE_UPWARD, (volatile float a), 1.0f / a)
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline float __saturatef(float a) { return a != a ? 0 : a < 0 ? 0 : a > 1 ? 1 : a == 0 ? 0 : a; }
template <class T> static T least(T a, T b) { return a != a ? b : b != b ? a : a < b || a == b && std::signbit(a) ? a : b; }
template <class T> static T most(T a, T b) { return a != a ? b : b != b ? a : a > b || a == b && !std::signbit(a) ? a : b; }
#define fminf least<float>
#define fmaxf most<float>
#define fmin least<double>
#define fmax most<double>
using std::isnan; using std::isinf; using std::isfinite; using std::signbit;
struct uint4 { unsigned x, y, z, w; };
#define __expf expf
#define __logf logf
static inline float rsqrtf(float a) { return 1 / sqrtf(a); }

// conversions to whole numbers: the nearest that there is; 0 of what is no number, or the highest bit where the result has 64 bits or the
// operand is of double precision
template <class T, class F> static T toward(F v, int mode) {
  if (v != v) return sizeof(T) == 8 || sizeof(F) == 8 ? (T)1 << (8 * sizeof(T) - 1) : 0;
  const long double w = mode == FE_TOWARDZERO ? truncl(v) : mode == FE_DOWNWARD ? floorl(v) : mode == FE_UPWARD ? ceill(v) : rintl(v);
  if (w < (long double)std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
  if (w > (long double)std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
  return (T)w;
}
#define TOWARD(name, to, from, mode) static inline to name(from v) { return toward<to>(v, mode); }
typedef long long ll; typedef unsigned long long ull;
TOWARD(__float2int_rn, int, float, FE_TONEAREST) TOWARD(__float2int_rd, int, float, FE_DOWNWARD) TOWARD(__float2int_ru, int, float, FE_UPWARD) TOWARD(__float2uint_rn, unsigned, float, FE_TONEAREST) TOWARD(__float2uint_rd, unsigned, float, FE_DOWNWARD)
TOWARD(__float2ll_rn, ll, float, FE_TONEAREST) TOWARD(__float2ull_ru, ull, float, FE_UPWARD) TOWARD(__float2ll_rd, ll, float, FE_DOWNWARD)
TOWARD(__double2int_rn, int, double, FE_TONEAREST) TOWARD(__double2int_rd, int, double, FE_DOWNWARD) TOWARD(__double2uint_ru, unsigned, double, FE_UPWARD) TOWARD(__double2ll_ru, ll, double, FE_UPWARD) TOWARD(__double2ull_rn, ull, double, FE_TONEAREST)
#define FROM(name, to, from, mode) __attribute__((noinline)) static to name(volatile from v) { volatile to r; std::fesetround(mode); r = (to)v; std::fesetround(FE_TONEAREST); return r; }
FROM(__int2float_rz, float, int, FE_TOWARDZERO) FROM(__int2float_rd, float, int, FE_DOWNWARD) FROM(__int2float_ru, float, int, FE_UPWARD) FROM(__uint2float_rz, float, unsigned, FE_TOWARDZERO) FROM(__uint2float_ru, float, unsigned, FE_UPWARD)
FROM(__ll2float_rd, float, ll, FE_DOWNWARD) FROM(__ll2double_rz, double, ll, FE_TOWARDZERO) FROM(__ll2double_rd, double, ll, FE_DOWNWARD)
FROM(__double2float_rz, float, double, FE_TOWARDZERO) FROM(__double2float_rd, float, double, FE_DOWNWARD) FROM(__double2float_ru, float, double, FE_UPWARD)
// processors without an instruction for unsigned numbers of 64 bits: by those of 80
FROM(ull2float_rz, float, long double, FE_TOWARDZERO) FROM(ull2float_ru, float, long double, FE_UPWARD) FROM(ull2double_ru, double, long double, FE_UPWARD) FROM(ull2double_rd, double, long double, FE_DOWNWARD)
static inline float __ull2float_rz(ull v) { return ull2float_rz(v); }
static inline float __ull2float_ru(ull v) { return ull2float_ru(v); }
static inline double __ull2double_ru(ull v) { return ull2double_ru(v); }
static inline double __ull2double_rd(ull v) { return ull2double_rd(v); }

// sub-groups
static std::barrier<> group(256);
struct Warp { std::barrier<> meet{32}; uint64_t value[32], other[32]; };
static Warp warps[8];
#define WARP (warps[threadIdx.x / 32])
#define LANE ((int)threadIdx.x % 32)
// exchange gives every lane what each has brought; lanes outside of mask bring nothing, and do not come.
template <class F> static auto exchange(uint64_t v, F f) {
  Warp &w = WARP;
  w.value[LANE] = v;
  w.meet.arrive_and_wait();
  auto r = f(w.value);
  w.meet.arrive_and_wait();
  return r;
}
template <class T> static T shfl(T v, int from, bool inside) {
  uint64_t b = 0; memcpy(&b, &v, sizeof v);
  b = exchange(b, [&](uint64_t *all) { return all[inside ? from : LANE]; });
  memcpy(&v, &b, sizeof v); return v;
}
template <class T> static T __shfl_sync(unsigned, T v, int s, int width = 32) { return shfl(v, LANE / width * width + (s & (width - 1)), true); }
template <class T> static T __shfl_up_sync(unsigned, T v, int s, int width = 32) { return shfl(v, LANE - s, LANE % width >= s); }
template <class T> static T __shfl_down_sync(unsigned, T v, int s, int width = 32) { return shfl(v, LANE + s, LANE % width + s < width); }
template <class T> static T __shfl_xor_sync(unsigned, T v, int s, int width = 32) { const int t = LANE ^ s; return shfl(v, t, t / width <= LANE / width); }
static inline unsigned __ballot_sync(unsigned, bool v) { return exchange(v, [](uint64_t *all) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (unsigned)all[i] << i; return r; }); }
static inline int __any_sync(unsigned m, bool v) { return __ballot_sync(m, v) != 0; }
static inline int __all_sync(unsigned m, bool v) { return __ballot_sync(m, v) == 0xffffffffu; }
template <class T> static unsigned __match_any_sync(unsigned, T v) { return exchange(v, [](uint64_t *all) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (unsigned)(all[i] == all[LANE]) << i; return r; }); }
template <class T> static unsigned __match_all_sync(unsigned m, T v, int *p) { const unsigned r = __match_any_sync(m, v); *p = r == 0xffffffffu; return *p ? r : 0; }
template <class T, class F> static T fold(T v, F f) { return exchange((uint64_t)v, [&](uint64_t *all) { T r = (T)all[0]; for (int i = 1; i < 32; i++) r = f(r, (T)all[i]); return r; }); }
template <class T> static T __reduce_add_sync(unsigned, T v) { return fold(v, [](T a, T b) { return a + b; }); }
template <class T> static T __reduce_min_sync(unsigned, T v) { return fold(v, [](T a, T b) { return min(a, b); }); }
template <class T> static T __reduce_max_sync(unsigned, T v) { return fold(v, [](T a, T b) { return max(a, b); }); }
template <class T> static T __reduce_and_sync(unsigned, T v) { return fold(v, [](T a, T b) { return a & b; }); }
template <class T> static T __reduce_or_sync(unsigned, T v) { return fold(v, [](T a, T b) { return a | b; }); }
template <class T> static T __reduce_xor_sync(unsigned, T v) { return fold(v, [](T a, T b) { return a ^ b; }); }
static inline void __syncwarp() {}
static inline void __syncthreads() { group.arrive_and_wait(); }
static int votes[256];
static inline int __syncthreads_count(bool v) { votes[threadIdx.x] = v; __syncthreads(); int n = 0; for (int i : votes) n += i; __syncthreads(); return n; }
static inline int __syncthreads_or(bool v) { return __syncthreads_count(v) != 0; }
static inline int __syncthreads_and(bool v) { return __syncthreads_count(v) == 256; }

// atomics
static std::mutex only;
template <class T, class F> static T change(T *p, F f) { std::lock_guard<std::mutex> l(only); const T old = *p; *p = f(old); return old; }
template <class T, class V> static T atomicAdd(T *p, V v) { return change(p, [&](T o) { return (T)(o + (T)v); }); }
template <class T, class V> static T atomicSub(T *p, V v) { return change(p, [&](T o) { return (T)(o - (T)v); }); }
template <class T, class V> static T atomicMin(T *p, V v) { return change(p, [&](T o) { return min(o, (T)v); }); }
template <class T, class V> static T atomicMax(T *p, V v) { return change(p, [&](T o) { return max(o, (T)v); }); }
template <class T, class V> static T atomicAnd(T *p, V v) { return change(p, [&](T o) { return o & (T)v; }); }
template <class T, class V> static T atomicOr(T *p, V v) { return change(p, [&](T o) { return o | (T)v; }); }
template <class T, class V> static T atomicXor(T *p, V v) { return change(p, [&](T o) { return o ^ (T)v; }); }
template <class T, class V> static T atomicExch(T *p, V v) { return change(p, [&](T) { return (T)v; }); }
template <class T, class V, class U> static T atomicCAS(T *p, V c, U v) { return change(p, [&](T o) { return o == (T)c ? (T)v : o; }); }
template <class T, class V> static T atomicInc(T *p, V v) { return change(p, [&](T o) { return o >= (T)v ? 0 : o + 1; }); }
template <class T, class V> static T atomicDec(T *p, V v) { return change(p, [&](T o) { return o == 0 || o > (T)v ? (T)v : o - 1; }); }
