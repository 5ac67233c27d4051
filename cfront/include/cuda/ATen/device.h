// What kernels use of PyTorch's headers (2.4: c10/util/Half.h, ATen/AccumulateType.h, ATen/OpMathType.h, ATen/ceil_div.h, ATen/cuda/Atomic.cuh,
// ATen/cuda/DeviceUtils.cuh, ATen/native/cuda/block_reduce.cuh; 1.5: THC). Numbers of 16 bits are computed with as float, and rounded after each operation.
#pragma once
namespace c10 {
#define PERF_SIXTEEN_BITS(name, raw, widened, rounded) \
  struct name { \
    raw x; \
    __device__ name() {} \
    __device__ name(float v) : x(rounded(v)) {} \
    __device__ operator float() const { return widened(x); } \
    __device__ name &operator+=(float v) { x = rounded(widened(x) + v); return *this; } \
    __device__ name &operator-=(float v) { x = rounded(widened(x) - v); return *this; } \
    __device__ name &operator*=(float v) { x = rounded(widened(x) * v); return *this; } \
    __device__ name &operator/=(float v) { x = rounded(widened(x) / v); return *this; } \
  }; \
  __device__ inline name operator+(const name &a, const name &b) { return name(widened(a.x) + widened(b.x)); } \
  __device__ inline name operator-(const name &a, const name &b) { return name(widened(a.x) - widened(b.x)); } \
  __device__ inline name operator*(const name &a, const name &b) { return name(widened(a.x) * widened(b.x)); } \
  __device__ inline name operator/(const name &a, const name &b) { return name(widened(a.x) / widened(b.x)); } \
  __device__ inline name operator-(const name &a) { return name(-widened(a.x)); } \
  __device__ inline float operator+(const name &a, float b) { return widened(a.x) + b; } \
  __device__ inline float operator-(const name &a, float b) { return widened(a.x) - b; } \
  __device__ inline float operator*(const name &a, float b) { return widened(a.x) * b; } \
  __device__ inline float operator/(const name &a, float b) { return widened(a.x) / b; } \
  __device__ inline float operator+(float a, const name &b) { return a + widened(b.x); } \
  __device__ inline float operator-(float a, const name &b) { return a - widened(b.x); } \
  __device__ inline float operator*(float a, const name &b) { return a * widened(b.x); } \
  __device__ inline float operator/(float a, const name &b) { return a / widened(b.x); }
PERF_SIXTEEN_BITS(Half, __half, __half2float, __float2half)
PERF_SIXTEEN_BITS(BFloat16, __nv_bfloat16, __bfloat162float, __float2bfloat16)
#undef PERF_SIXTEEN_BITS
}
namespace at {
typedef c10::Half Half;
typedef c10::BFloat16 BFloat16;
template <class T> struct OpMathType { typedef T type; };
template <> struct OpMathType<Half> { typedef float type; };
template <> struct OpMathType<BFloat16> { typedef float type; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T, bool cuda> struct AccumulateType { typedef typename OpMathType<T>::type type; };
template <> struct AccumulateType<float, false> { typedef double type; };
template <> struct AccumulateType<signed char, true> { typedef long type; };
template <> struct AccumulateType<unsigned char, true> { typedef long type; };
template <> struct AccumulateType<short, true> { typedef long type; };
template <> struct AccumulateType<int, true> { typedef long type; };
template <class T, bool cuda> using acc_type = typename AccumulateType<T, cuda>::type;
template <class T> __device__ inline T ceil_div(T a, T b) { return (a + b - 1) / b; }
namespace native {
template <class T, class I> __device__ inline void fastAtomicAdd(T *p, I i, I n, T v, bool fast) { atomicAdd(p + i, v); }
}
}
constexpr int C10_WARP_SIZE = 32;
template <class T> __device__ inline T gpuAtomicAdd(T *p, T v) { return atomicAdd(p, v); }
template <class T> __device__ inline T gpuAtomicMax(T *p, T v) { return atomicMax(p, v); }
template <class T> __device__ inline T gpuAtomicMin(T *p, T v) { return atomicMin(p, v); }
template <class T> __device__ inline void gpuAtomicAddNoReturn(T *p, T v) { atomicAdd(p, v); }
template <class T> __device__ inline T WARP_SHFL(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_sync(mask, v, lane, width); }
template <class T> __device__ inline T WARP_SHFL_XOR(T v, int lanes, int width = 32, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, v, lanes, width); }
template <class T> __device__ inline T WARP_SHFL_UP(T v, unsigned delta, int width = 32, unsigned mask = 0xffffffff) { return __shfl_up_sync(mask, v, delta, width); }
template <class T> __device__ inline T WARP_SHFL_DOWN(T v, unsigned delta, int width = 32, unsigned mask = 0xffffffff) { return __shfl_down_sync(mask, v, delta, width); }
__device__ inline unsigned WARP_BALLOT(int yes, unsigned mask = 0xffffffff) { return __ballot_sync(mask, yes); }
__device__ inline unsigned ACTIVE_MASK() { return __activemask(); }
template <class T> __device__ inline T THCCeilDiv(T a, T b) { return (a + b - 1) / b; }
template <class T> __device__ inline T THCRoundUp(T a, T b) { return THCCeilDiv(a, b) * b; }
template <class In, class Out> struct ScalarConvert {
  static __device__ Out to(const In v) { return (Out)v; }
};
template <class T> struct THCNumerics {
  static __device__ T min() { return std::numeric_limits<T>::lowest(); }
  static __device__ T max() { return std::numeric_limits<T>::max(); }
  static __device__ bool lt(T a, T b) { return a < b; }
  static __device__ bool le(T a, T b) { return a <= b; }
  static __device__ bool gt(T a, T b) { return a > b; }
  static __device__ bool ge(T a, T b) { return a >= b; }
  static __device__ bool eq(T a, T b) { return a == b; }
  static __device__ bool ne(T a, T b) { return a != b; }
  static __device__ T neg(T a) { return -a; }
  static __device__ T add(T a, T b) { return a + b; }
  static __device__ T sub(T a, T b) { return a - b; }
  static __device__ T mul(T a, T b) { return a * b; }
  static __device__ T div(T a, T b) { return a / b; }
  static __device__ T abs(T a) { return ::abs(a); }
  static __device__ T exp(T a) { return ::exp(a); }
  static __device__ T log(T a) { return ::log(a); }
  static __device__ T log1p(T a) { return ::log1p(a); }
  static __device__ T sqrt(T a) { return ::sqrt(a); }
  static __device__ T rsqrt(T a) { return ::rsqrt(a); }
  static __device__ T tanh(T a) { return ::tanh(a); }
  static __device__ T pow(T a, T b) { return ::pow(a, b); }
};
