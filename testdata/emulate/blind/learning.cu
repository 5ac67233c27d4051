#include <stdint.h>
#include <cuda_fp16.h>
// the states of a selective scan: 16 of each channel, step after step
__global__ void selective_scan(const float *__restrict__ u, const float *__restrict__ delta, const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
                               float *__restrict__ y, int steps, int channels) {
  int ch = blockIdx.x * blockDim.x + threadIdx.x;
  float h[16], rate[16];
#pragma unroll
  for (int k = 0; k < 16; k++) { h[k] = 0; rate[k] = -a[ch * 16 + k]; }
  for (int t = 0; t < steps; t++) {
    float d = delta[(size_t)t * channels + ch], x = u[(size_t)t * channels + ch], s = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
      h[k] = __expf(d * rate[k]) * h[k] + d * b[t * 16 + k] * x;
      s += h[k] * c[t * 16 + k];
    }
    y[(size_t)t * channels + ch] = s;
  }
}

// two of 64 experts for each token, a token by each warp
__global__ void route(const float *__restrict__ logits, int *__restrict__ expert, float *__restrict__ gate, int tokens) {
  int token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (token >= tokens) return;
  float a = logits[token * 64 + lane], b = logits[token * 64 + 32 + lane];
  float top[2];
  int who[2];
#pragma unroll
  for (int k = 0; k < 2; k++) {
    float best = a >= b ? a : b;
    int at = a >= b ? lane : lane + 32;
    for (int d = 16; d; d >>= 1) {
      float other = __shfl_xor_sync(0xffffffffu, best, d);
      int from = __shfl_xor_sync(0xffffffffu, at, d);
      if (other > best || (other == best && from < at)) { best = other; at = from; }
    }
    top[k] = best; who[k] = at;
    if (at == lane) a = -1e30f;
    if (at == lane + 32) b = -1e30f;
  }
  if (lane == 0) {
    float e = __expf(top[1] - top[0]);
    expert[2 * token] = who[0]; expert[2 * token + 1] = who[1];
    gate[2 * token] = 1.f / (1.f + e); gate[2 * token + 1] = e / (1.f + e);
  }
}

// a vector times rows of integers of 4 bits, each 64 with a scale
__global__ void gemv_int4(const uint4 *__restrict__ weight, const __half *__restrict__ scale, const float *__restrict__ x, float *__restrict__ y, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  float sum = 0;
  for (int c = lane; c < cols / 32; c += 32) {
    uint4 w = weight[(size_t)row * (cols / 32) + c];
    float s = __half2float(scale[(size_t)row * (cols / 64) + c / 2]);
    const float4 *v = (const float4 *)(x + 32 * c);
    uint32_t words[4] = {w.x, w.y, w.z, w.w};
    float part = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      float4 p = v[2 * k], q = v[2 * k + 1];
      uint32_t word = words[k];
      part += p.x * ((int)(word & 15) - 8) + p.y * ((int)(word >> 4 & 15) - 8) + p.z * ((int)(word >> 8 & 15) - 8) + p.w * ((int)(word >> 12 & 15) - 8);
      part += q.x * ((int)(word >> 16 & 15) - 8) + q.y * ((int)(word >> 20 & 15) - 8) + q.z * ((int)(word >> 24 & 15) - 8) + q.w * ((int)(word >> 28) - 8);
    }
    sum += s * part;
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

// the normalisation of groups of 16 channels over a picture, and the sigmoid-weighted unit; channels are last
__global__ void group_norm(const __half *__restrict__ in, const float *__restrict__ weight, __half *__restrict__ out, int places, int channels) {
  __shared__ float sums[2][32];
  int g = blockIdx.x, picture = blockIdx.y, c = threadIdx.x & 7, at = threadIdx.x >> 3;
  size_t base = (size_t)picture * places * channels + g * 16 + 2 * c;
  float s = 0, q = 0;
  for (int p = at; p < places; p += blockDim.x >> 3) {
    float2 v = __half22float2(*(const __half2 *)(in + base + (size_t)p * channels));
    s += v.x + v.y; q += v.x * v.x + v.y * v.y;
  }
  for (int d = 16; d; d >>= 1) { s += __shfl_xor_sync(0xffffffffu, s, d); q += __shfl_xor_sync(0xffffffffu, q, d); }
  if ((threadIdx.x & 31) == 0) { sums[0][threadIdx.x >> 5] = s; sums[1][threadIdx.x >> 5] = q; }
  __syncthreads();
  s = 0; q = 0;
  for (int k = 0; k < blockDim.x / 32; k++) { s += sums[0][k]; q += sums[1][k]; }
  float n = 16.f * places, mean = s / n, inverse = rsqrtf(q / n - mean * mean + 1e-5f);
  float w0 = weight[g * 16 + 2 * c] * inverse, w1 = weight[g * 16 + 2 * c + 1] * inverse;
  for (int p = at; p < places; p += blockDim.x >> 3) {
    float2 v = __half22float2(*(const __half2 *)(in + base + (size_t)p * channels));
    v.x = (v.x - mean) * w0; v.y = (v.y - mean) * w1;
    v.x = v.x / (1.f + __expf(-v.x)); v.y = v.y / (1.f + __expf(-v.y));
    *(__half2 *)(out + base + (size_t)p * channels) = __float22half2_rn(v);
  }
}

// the forward sums of connectionist temporal classification, labels along the work-group
__global__ void ctc(const float *__restrict__ logp, const int *__restrict__ labels, float *__restrict__ loss, int steps, int classes, int length) {
  extern __shared__ float alpha[];
  int s = threadIdx.x, seq = blockIdx.x, states = 2 * length + 1;
  float *now = alpha, *next = alpha + states + 2;
  int label = s < states && (s & 1) ? labels[seq * length + s / 2] : 0;
  bool skip = s < states && (s & 1) && s > 1 && labels[seq * length + s / 2 - 1] != label;
  const float *lp = logp + (size_t)seq * steps * classes;
  if (s < 2) { now[s] = -1e30f; next[s] = -1e30f; }
  if (s < states) now[s + 2] = s < 2 ? lp[label] : -1e30f;
  __syncthreads();
  for (int t = 1; t < steps; t++) {
    if (s < states) {
      float a = now[s + 2], b = now[s + 1], c = skip ? now[s] : -1e30f;
      float m = fmaxf(a, fmaxf(b, c));
      next[s + 2] = m + __logf(__expf(a - m) + __expf(b - m) + __expf(c - m)) + lp[(size_t)t * classes + label];
    }
    __syncthreads();
    float *swap = now; now = next; next = swap;
  }
  if (s == 0) {
    float a = now[states + 1], b = now[states], m = fmaxf(a, b);
    loss[seq] = -(m + __logf(__expf(a - m) + __expf(b - m)));
  }
}

// samples of a picture at places that a grid gives, bilinear
__global__ void grid_sample(const float *__restrict__ in, const float2 *__restrict__ grid, float *__restrict__ out, int channels, int w, int h, int places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= places) return;
  float2 g = grid[i];
  float fx = (g.x + 1.f) * 0.5f * (w - 1), fy = (g.y + 1.f) * 0.5f * (h - 1);
  int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
  float ax = fx - x0, ay = fy - y0;
  bool l = x0 >= 0 && x0 < w, r = x0 + 1 >= 0 && x0 + 1 < w, u = y0 >= 0 && y0 < h, d = y0 + 1 >= 0 && y0 + 1 < h;
  for (int c = 0; c < channels; c++) {
    const float *p = in + (size_t)c * w * h;
    float s = 0;
    if (u && l) s += (1 - ax) * (1 - ay) * p[y0 * w + x0];
    if (u && r) s += ax * (1 - ay) * p[y0 * w + x0 + 1];
    if (d && l) s += (1 - ax) * ay * p[(y0 + 1) * w + x0];
    if (d && r) s += ax * ay * p[(y0 + 1) * w + x0 + 1];
    out[(size_t)c * places + i] = s;
  }
}

// the columns of a convolution of 3 by 3
__global__ void im2col(const float *__restrict__ in, float *__restrict__ out, int w, int h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % w, y = i / w % h, c = i / (w * h);
  float *o = out + (size_t)c * 9 * w * h + y * w + x;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int sx = x + k % 3 - 1, sy = y + k / 3 - 1;
    *o = sx >= 0 && sx < w && sy >= 0 && sy < h ? in[((size_t)c * h + sy) * w + sx] : 0.f;
    o += w * h;
  }
}
