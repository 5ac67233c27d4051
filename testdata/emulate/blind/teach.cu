#include <stdint.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
// the loss of rows over a vocabulary and its gradient in place: a block for each row, two passes
__global__ void cross_entropy(__nv_bfloat16 *__restrict__ logits, const int *__restrict__ target, float *__restrict__ loss, int words, float scale) {
  __shared__ float part[32], whole;
  __nv_bfloat16 *row = logits + (size_t)blockIdx.x * words;
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31, t = target[blockIdx.x];
  float m = -1e30f, s = 0;
  for (int k = 8 * threadIdx.x; k < words; k += 8 * blockDim.x) {
    uint4 v = *(const uint4 *)(row + k);
    const __nv_bfloat162 *p = (const __nv_bfloat162 *)&v;
    float x[8], top = m;
#pragma unroll
    for (int j = 0; j < 4; j++) { float2 f = __bfloat1622float2(p[j]); x[2 * j] = f.x; x[2 * j + 1] = f.y; top = fmaxf(top, fmaxf(f.x, f.y)); }
    s *= __expf(m - top);
#pragma unroll
    for (int j = 0; j < 8; j++) s += __expf(x[j] - top);
    m = top;
  }
  for (int d = 16; d; d >>= 1) {
    float om = __shfl_xor_sync(~0u, m, d), os = __shfl_xor_sync(~0u, s, d), top = fmaxf(m, om);
    s = s * __expf(m - top) + os * __expf(om - top);
    m = top;
  }
  if (lane == 0) part[warp] = m + __logf(s);
  __syncthreads();
  if (threadIdx.x == 0) {
    float a = part[0];
    for (int k = 1; k < blockDim.x / 32; k++) { float hi = fmaxf(a, part[k]), lo = fminf(a, part[k]); a = hi + log1pf(__expf(lo - hi)); }
    whole = a;
    loss[blockIdx.x] = a - __bfloat162float(row[t]);
  }
  __syncthreads();
  float lse = whole;
  for (int k = 8 * threadIdx.x; k < words; k += 8 * blockDim.x) {
    uint4 v = *(const uint4 *)(row + k);
    __nv_bfloat162 *p = (__nv_bfloat162 *)&v;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float2 f = __bfloat1622float2(p[j]);
      f.x = (__expf(f.x - lse) - (k + 2 * j == t)) * scale;
      f.y = (__expf(f.y - lse) - (k + 2 * j + 1 == t)) * scale;
      p[j] = __float22bfloat162_rn(f);
    }
    *(uint4 *)(row + k) = v;
  }
}

// a step of Adam whose two moments are bytes with a scale for each block of 256
__global__ void adam_bytes(float *__restrict__ weight, const float *__restrict__ grad, int8_t *__restrict__ first, uint8_t *__restrict__ second, float *__restrict__ scale, float rate, int n) {
  __shared__ float most[16];
  int i = blockIdx.x * 256 + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  float g = grad[i], s1 = scale[2 * blockIdx.x], s2 = scale[2 * blockIdx.x + 1];
  float m = 0.9f * first[i] * s1 + 0.1f * g, r = second[i] * s2, v = 0.999f * r * r + 0.001f * g * g;
  float a = fabsf(m), b = sqrtf(v);
  weight[i] -= rate * (m / (b + 1e-8f) + 0.01f * weight[i]);
  for (int d = 16; d; d >>= 1) { a = fmaxf(a, __shfl_xor_sync(~0u, a, d)); }
  float bb = b;
  for (int d = 16; d; d >>= 1) { bb = fmaxf(bb, __shfl_xor_sync(~0u, bb, d)); }
  if (lane == 0) { most[warp] = a; most[8 + warp] = bb; }
  __syncthreads();
  a = most[0]; bb = most[8];
#pragma unroll
  for (int k = 1; k < 8; k++) { a = fmaxf(a, most[k]); bb = fmaxf(bb, most[8 + k]); }
  a = fmaxf(a, 1e-20f) / 127.f; bb = fmaxf(bb, 1e-20f) / 255.f;
  first[i] = (int8_t)__float2int_rn(m / a);
  second[i] = (uint8_t)__float2uint_rn(b / bb);
  if (threadIdx.x == 0) { scale[2 * blockIdx.x] = a; scale[2 * blockIdx.x + 1] = bb; }
}

// a forest of trees of depth 8 that vote on rows of 32 features, which lie in shared memory
__global__ void forest(const float *__restrict__ rows, const float2 *__restrict__ node, const float *__restrict__ leaf, float *__restrict__ out, int trees, int n) {
  __shared__ float f[32][129];
  int r0 = blockIdx.x * 128;
  for (int k = threadIdx.x; k < 128 * 32; k += 128) f[k % 32][k / 32] = rows[(size_t)r0 * 32 + k];
  __syncthreads();
  float s = 0;
  for (int t = 0; t < trees; t++) {
    int at = 1;
#pragma unroll
    for (int d = 0; d < 8; d++) {
      float2 q = node[t * 256 + at];
      at = 2 * at + (f[__float_as_int(q.x) & 31][threadIdx.x] > q.y);
    }
    s += leaf[t * 256 + at - 256];
  }
  out[r0 + threadIdx.x] = s;
}

// products of each pair of 27 vectors of 64 of a sample: a block for each
__global__ void interactions(const __half2 *__restrict__ in, __half *__restrict__ out) {
  __shared__ __half2 v[27][33];
  const __half2 *p = in + (size_t)blockIdx.x * 27 * 32;
  for (int k = threadIdx.x; k < 27 * 32; k += blockDim.x) v[k / 32][k % 32] = p[k];
  __syncthreads();
  for (int q = threadIdx.x; q < 351; q += blockDim.x) {
    int i = (int)((1.f + sqrtf(1.f + 8.f * q)) * 0.5f);
    if (i * (i - 1) / 2 > q) i--;
    int j = q - i * (i - 1) / 2;
    float s = 0;
#pragma unroll 8
    for (int k = 0; k < 32; k++) { float2 a = __half22float2(v[i][k]), b = __half22float2(v[j][k]); s += a.x * b.x + a.y * b.y; }
    out[(size_t)blockIdx.x * 351 + q] = __float2half(s);
  }
}
