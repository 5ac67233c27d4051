#include <stdint.h>
#include <cuda_fp16.h>
// a step of attention over pages of keys and values: a block for each head of each sequence
__global__ void paged_attention(const __half *__restrict__ query, const __half *__restrict__ keys, const __half *__restrict__ values, const int *__restrict__ page, const int *__restrict__ length, float *__restrict__ out, int pages) {
  __shared__ float score[2048], part[4], sum[4];
  int head = blockIdx.x, seq = blockIdx.y, heads = gridDim.x, t = threadIdx.x, warp = t / 32, lane = t & 31, n = length[seq];
  const __half2 *q = (const __half2 *)(query + (seq * heads + head) * 128);
  float2 q0 = __half22float2(q[lane]), q1 = __half22float2(q[lane + 32]);
  float most = -1e30f;
  for (int k = warp; k < n; k += 4) {
    const __half2 *p = (const __half2 *)(keys + ((size_t)(page[seq * pages + k / 16] * 16 + k % 16) * heads + head) * 128);
    float2 a = __half22float2(p[lane]), b = __half22float2(p[lane + 32]);
    float s = q0.x * a.x + q0.y * a.y + q1.x * b.x + q1.y * b.y;
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    s *= 0.088388f;
    if (lane == 0) score[k] = s;
    most = fmaxf(most, s);
  }
  if (lane == 0) part[warp] = most;
  __syncthreads();
  most = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  float s = 0;
  for (int k = t; k < n; k += 128) { float e = __expf(score[k] - most); score[k] = e; s += e; }
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) sum[warp] = s;
  __syncthreads();
  s = sum[0] + sum[1] + sum[2] + sum[3];
  float o = 0;
  for (int k = 0; k < n; k++) o += score[k] * __half2float(values[((size_t)(page[seq * pages + k / 16] * 16 + k % 16) * heads + head) * 128 + t]);
  out[(seq * heads + head) * 128 + t] = o / s;
}

// the gates of a layer of long short-term memory
__global__ void lstm_cell(const float *__restrict__ gates, const float *__restrict__ bias, float *__restrict__ cell, float *__restrict__ hidden, int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = i / width, k = i - row * width;
  const float *g = gates + (size_t)row * 4 * width + k;
  float in = 1 / (1 + expf(-g[0] - bias[k])), keep = 1 / (1 + expf(-g[width] - bias[width + k]));
  float c = tanhf(g[2 * width] + bias[2 * width + k]), o = 1 / (1 + expf(-g[3 * width] - bias[3 * width + k]));
  c = keep * cell[i] + in * c;
  cell[i] = c;
  hidden[i] = o * tanhf(c);
}

// weights of four bits by a table of sixteen values, by blocks of 64 with a scale, times a vector: a warp for each row
__constant__ float nf4[16] = {-1.f, -0.6961928f, -0.5250731f, -0.3949175f, -0.2844414f, -0.1847734f, -0.0910500f, 0.f, 0.0795803f, 0.1609302f, 0.2461123f, 0.3379152f, 0.4407098f, 0.5626170f, 0.7229568f, 1.f};
__global__ void nf4_gemv(const uint32_t *__restrict__ weight, const float *__restrict__ scale, const float *__restrict__ x, float *__restrict__ y, int columns) {
  __shared__ float value[16];
  if (threadIdx.x < 16) value[threadIdx.x] = nf4[threadIdx.x];
  __syncthreads();
  int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
  const uint32_t *w = weight + (size_t)row * (columns / 8);
  float s = 0;
  for (int k = lane; k < columns / 8; k += 32) {
    uint32_t v = w[k];
    const float4 *p = (const float4 *)(x + 8 * k);
    float4 a = p[0], b = p[1];
    float d = value[v & 15] * a.x + value[v >> 4 & 15] * a.y + value[v >> 8 & 15] * a.z + value[v >> 12 & 15] * a.w;
    d += value[v >> 16 & 15] * b.x + value[v >> 20 & 15] * b.y + value[v >> 24 & 15] * b.z + value[v >> 28] * b.w;
    s += d * scale[(size_t)row * (columns / 64) + k / 8];
  }
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if (lane == 0) y[row] = s;
}

// the recurrence of linear attention of RWKV: a thread for each channel goes through time
__global__ void wkv(const float *__restrict__ decay, const float *__restrict__ bonus, const float *__restrict__ key, const float *__restrict__ value, float *__restrict__ out, int steps, int channels) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  float w = -expf(decay[c]), u = bonus[c], a = 0, d = 0, top = -1e38f;
  const float *k = key + (size_t)b * steps * channels + c, *v = value + (size_t)b * steps * channels + c;
  float *o = out + (size_t)b * steps * channels + c;
  for (int t = 0; t < steps; t++) {
    float kk = k[(size_t)t * channels], vv = v[(size_t)t * channels];
    float m = fmaxf(top, u + kk), x = expf(top - m), y = expf(u + kk - m);
    o[(size_t)t * channels] = (x * a + y * vv) / (x * d + y);
    m = fmaxf(top + w, kk);
    x = expf(top + w - m);
    y = expf(kk - m);
    a = x * a + y * vv;
    d = x * d + y;
    top = m;
  }
}

// negative sampling of word vectors: a warp for each pair, sums into both rows
__global__ void word_pairs(float *__restrict__ in, float *__restrict__ out, const int *__restrict__ left, const int *__restrict__ right, float rate, int pairs) {
  int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (p >= pairs) return;
  float *a = in + (size_t)left[p] * 128;
  float x[4], move[4] = {0, 0, 0, 0};
#pragma unroll
  for (int j = 0; j < 4; j++) x[j] = a[lane + 32 * j];
  for (int k = 0; k < 6; k++) {
    float *b = out + (size_t)right[p * 6 + k] * 128;
    float y[4], s = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) { y[j] = b[lane + 32 * j]; s += x[j] * y[j]; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    float g = rate * ((k == 0) - 1 / (1 + __expf(-s)));
#pragma unroll
    for (int j = 0; j < 4; j++) { move[j] += g * y[j]; atomicAdd(b + lane + 32 * j, g * x[j]); }
  }
#pragma unroll
  for (int j = 0; j < 4; j++) atomicAdd(a + lane + 32 * j, move[j]);
}

// products of rows of two matrices where a third is not zero: a thread for each, or a warp
__global__ void sampled_thread(const float4 *__restrict__ a, const float4 *__restrict__ b, const int2 *__restrict__ at, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int2 p = at[i];
  float s = 0;
  for (int k = 0; k < 16; k++) {
    float4 x = a[(size_t)p.x * 16 + k], y = b[(size_t)p.y * 16 + k];
    s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  out[i] = s;
}
__global__ void sampled_half_warp(const float4 *__restrict__ a, const float4 *__restrict__ b, const int2 *__restrict__ at, float *__restrict__ out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x & 15;
  if (i >= n) return;
  int2 p = at[i];
  float4 x = a[(size_t)p.x * 16 + lane], y = b[(size_t)p.y * 16 + lane];
  float s = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  for (int d = 8; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) out[i] = s;
}
