// Numbers of 8 bits in floating point, as cuda_fp8.h of CUDA 12 has them: storage, with conversions from and to other numbers, which are free as others are.
#pragma once
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

struct __nv_fp8_e4m3 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e4m3() = default;
  template <class T> __device__ explicit __nv_fp8_e4m3(T v) { __x = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3); }
  __device__ operator float() const { return __nv_cvt_fp8_to_float(__x, __NV_E4M3); }
};
struct __nv_fp8_e5m2 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e5m2() = default;
  template <class T> __device__ explicit __nv_fp8_e5m2(T v) { __x = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E5M2); }
  __device__ operator float() const { return __nv_cvt_fp8_to_float(__x, __NV_E5M2); }
};
struct __nv_fp8x2_e4m3 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e4m3() = default;
  __device__ explicit __nv_fp8x2_e4m3(float2 v) { __x = __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, __NV_E4M3); }
  __device__ operator float2() const { return __nv_cvt_fp8x2_to_float2(__x, __NV_E4M3); }
};
struct __nv_fp8x2_e5m2 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e5m2() = default;
  __device__ explicit __nv_fp8x2_e5m2(float2 v) { __x = __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, __NV_E5M2); }
  __device__ operator float2() const { return __nv_cvt_fp8x2_to_float2(__x, __NV_E5M2); }
};
struct __nv_fp8x4_e4m3 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e4m3() = default;
  __device__ explicit __nv_fp8x4_e4m3(float4 v) { __x = __nv_cvt_float4_to_fp8x4(v, __NV_SATFINITE, __NV_E4M3); }
  __device__ operator float4() const { return __nv_cvt_fp8x4_to_float4(__x, __NV_E4M3); }
};
struct __nv_fp8x4_e5m2 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e5m2() = default;
  __device__ explicit __nv_fp8x4_e5m2(float4 v) { __x = __nv_cvt_float4_to_fp8x4(v, __NV_SATFINITE, __NV_E5M2); }
  __device__ operator float4() const { return __nv_cvt_fp8x4_to_float4(__x, __NV_E5M2); }
};
