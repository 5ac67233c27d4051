// Turns pairs of half-precision numbers by angles that depend on place and pair; afterwards by sines and cosines of a table.
#include <cuda_fp16.h>
__global__ void before(const __half *x, const float2 *angles, __half *out, int heads) {
  int pair = threadIdx.x, t = blockIdx.x;
  long i = ((long)t * heads + blockIdx.y * 4 + threadIdx.y) * 128 + pair;
  float s, c;
  sincosf(t * powf(10000.0f, -pair / 64.0f), &s, &c); // defect: -
  float u = __half2float(x[i]), v = __half2float(x[i + 64]);
  out[i] = __float2half(u * c - v * s);
  out[i + 64] = __float2half(u * s + v * c);
}

__global__ void after(const __half *x, const float2 *angles, __half *out, int heads) {
  int pair = threadIdx.x, t = blockIdx.x;
  long i = ((long)t * heads + blockIdx.y * 4 + threadIdx.y) * 128 + pair;
  float2 a = angles[t * 64 + pair];
  float u = __half2float(x[i]), v = __half2float(x[i + 64]);
  out[i] = __float2half(u * a.x - v * a.y);
  out[i + 64] = __float2half(u * a.y + v * a.x);
}
