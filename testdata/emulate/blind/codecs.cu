#include <stdint.h>
// integers of 13 bits, packed one after the other, 32 of them by each warp's row of 13 words
__global__ void unpack13(const uint32_t *__restrict__ in, int *__restrict__ out, const int *__restrict__ base, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = i >> 5, lane = i & 31;
  int bit = lane * 13, word = bit >> 5, off = bit & 31;
  const uint32_t *p = in + (size_t)row * 13;
  uint32_t lo = p[word], hi = off > 19 ? p[word + 1] : 0;
  out[i] = base[row] + (int)(__funnelshift_r(lo, hi, off) & 0x1fff);
}

// the discrete cosine transform of 8 by 8 blocks of bytes and their quantisation
__device__ __forceinline__ void dct(float *v) {
  float s0 = v[0] + v[7], d0 = v[0] - v[7], s1 = v[1] + v[6], d1 = v[1] - v[6], s2 = v[2] + v[5], d2 = v[2] - v[5], s3 = v[3] + v[4], d3 = v[3] - v[4];
  float a = s0 + s3, b = s1 + s2, c = s0 - s3, d = s1 - s2;
  v[0] = 0.35355339f * (a + b);
  v[4] = 0.35355339f * (a - b);
  v[2] = 0.46193977f * c + 0.19134172f * d;
  v[6] = 0.19134172f * c - 0.46193977f * d;
  v[1] = 0.49039264f * d0 + 0.41573481f * d1 + 0.27778512f * d2 + 0.09754516f * d3;
  v[3] = 0.41573481f * d0 - 0.09754516f * d1 - 0.49039264f * d2 - 0.27778512f * d3;
  v[5] = 0.27778512f * d0 - 0.49039264f * d1 + 0.09754516f * d2 + 0.41573481f * d3;
  v[7] = 0.09754516f * d0 - 0.27778512f * d1 + 0.41573481f * d2 - 0.49039264f * d3;
}
__global__ void dct8(const uint8_t *__restrict__ in, const float *__restrict__ quant, int16_t *__restrict__ out, int w) {
  __shared__ float tile[32][8][9];
  int block = threadIdx.x >> 3, row = threadIdx.x & 7;
  int bx = blockIdx.x * 32 + block, y = blockIdx.y * 8 + row;
  uint2 p = *(const uint2 *)(in + (size_t)y * w + bx * 8);
  float v[8];
#pragma unroll
  for (int k = 0; k < 4; k++) { v[k] = (float)(p.x >> (8 * k) & 255) - 128.f; v[k + 4] = (float)(p.y >> (8 * k) & 255) - 128.f; }
  dct(v);
#pragma unroll
  for (int k = 0; k < 8; k++) tile[block][row][k] = v[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++) v[k] = tile[block][k][row];
  dct(v);
  size_t at = ((size_t)blockIdx.y * (w / 8) + bx) * 64 + row;
#pragma unroll
  for (int k = 0; k < 8; k++) out[at + 8 * k] = (int16_t)__float2int_rn(v[k] * quant[8 * k + row]);
}

// the smallest hash of every 8 neighbouring words of 12 letters of DNA, letters of 2 bits
__global__ void minimizers(const uint8_t *__restrict__ text, uint32_t *__restrict__ out, int n) {
  __shared__ uint32_t h[256 + 8];
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = threadIdx.x; k < 256 + 7; k += 256) {
    uint32_t word = 0;
    int at = blockIdx.x * 256 + k;
#pragma unroll
    for (int j = 0; j < 12; j++) word = word << 2 | (text[at + j] >> 1 & 3);
    word ^= word >> 11; word *= 0x9e3779b1u; word ^= word >> 15; word *= 0x85ebca77u;
    h[k] = word;
  }
  __syncthreads();
  uint32_t least = h[threadIdx.x];
#pragma unroll
  for (int j = 1; j < 8; j++) least = min(least, h[threadIdx.x + j]);
  if (i < n) out[i] = least;
}

// the lifting scheme of the 9/7 wavelet, a row of 1024 by each work-group
__global__ void lift97(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[514], d[514];
  const float *row = in + (size_t)blockIdx.x * 1024;
  int t = threadIdx.x;
  for (int k = t; k < 512; k += 256) { float2 v = ((const float2 *)row)[k]; s[k + 1] = v.x; d[k + 1] = v.y; }
  __syncthreads();
  const float c[4] = {-1.586134342f, -0.05298011854f, 0.8829110762f, 0.4435068522f};
#pragma unroll
  for (int step = 0; step < 4; step++) {
    if (t == 0) { if (step & 1) d[0] = d[1]; else s[513] = s[512]; }
    __syncthreads();
    for (int k = t + 1; k <= 512; k += 256) {
      if (step & 1) s[k] += c[step] * (d[k - 1] + d[k]);
      else d[k] += c[step] * (s[k] + s[k + 1]);
    }
    __syncthreads();
  }
  for (int k = t; k < 512; k += 256) { out[(size_t)blockIdx.x * 1024 + k] = 1.149604398f * s[k + 1]; out[(size_t)blockIdx.x * 1024 + 512 + k] = 0.8698644523f * d[k + 1]; }
}
